"""The broker plug-in: its tests in Java, and the jar, the same bytes from every build."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.broker_plugin import build, plugin_jar

pytestmark = [pytest.mark.broker]


def test_the_tests_in_java_pass_and_the_jar_is_reproducible(tmp_path: Path) -> None:
    jar = build(tmp_path)
    reports = "".join(path.read_text() for path in (tmp_path / "surefire-reports").glob("*.txt"))
    assert re.search(r"Tests run: [1-9]\d*, Failures: 0, Errors: 0, Skipped: 0", reports)
    assert jar.read_bytes() == plugin_jar().read_bytes()
