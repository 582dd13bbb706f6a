"""The broker plug-in: its tests in Java, and the jar, the same bytes from every build."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from benchmarks.broker_plugin import build, plugin_jar
from benchmarks.kafka_broker import NoBroker
from benchmarks.toolchains import java_missing

pytestmark = [pytest.mark.broker]


def test_the_tests_in_java_pass_and_the_jar_is_reproducible(tmp_path: Path) -> None:
    try:
        jar = build(tmp_path)
    except NoBroker as error:
        if shutil.which("mvn") and java_missing() is None:
            raise
        pytest.skip(str(error))
    reports = "".join(path.read_text() for path in (tmp_path / "surefire-reports").glob("*.txt"))
    assert re.search(r"Tests run: [1-9]\d*, Failures: 0, Errors: 0, Skipped: 0", reports)
    assert jar.read_bytes() == plugin_jar().read_bytes()
