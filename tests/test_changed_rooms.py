"""Which tests `make test-changed` runs for which change."""

from __future__ import annotations

import subprocess
import sys

import pytest
from support.changed_rooms import ALWAYS, paths_for
from support.paths import CHECKOUT


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("equilag/solver/counts/even_counts.py", "tests/solver"),
        ("equilag/pipeline/job.py", "tests/integration/spark tests/pipeline"),
        ("tests/solver/counts/test_even_counts.py", "tests/solver"),
        ("tests/integration/broker/conftest.py", "tests/integration/broker"),
        ("tests/test_changed_rooms.py", "tests/test_changed_rooms.py"),
        ("benchmarks/fleet/history.py", "tests/benchmarks"),
        ("docs/faq.md", "tests/test_contributing.py tests/test_docs.py"),
        ("broker-plugin/pom.xml", "tests/integration/broker_plugin"),
        ("tests/test_that_was_deleted.py", ""),
        *((file, "tests") for file in (
            "equilag/domain/group.py", "tests/support/groups.py", "tests/conftest.py",
            "pyproject.toml", "samples/orders.snapshot.json",
        )),
    ],
)  # fmt: skip
def test_a_change_asks_for_the_tests_of_its_room(file: str, expected: str) -> None:
    found = paths_for([file, "tests/solver/test_that_was_deleted.py"])
    some = sorted({*ALWAYS, "tests/solver", *expected.split()})
    assert found == (["tests"] if expected == "tests" else some)


def test_files_that_are_not_committed_count() -> None:
    script = "tests/support/changed_rooms.py"
    new = CHECKOUT / "tests" / "test_made_by_a_test_of_changed_rooms.py"
    assert not new.exists()
    new.touch()
    try:
        said = subprocess.check_output([sys.executable, script, "HEAD"], cwd=CHECKOUT, text=True)
        assert said == "tests\n" or f"tests/{new.name}" in said.split()
    finally:
        new.unlink()
