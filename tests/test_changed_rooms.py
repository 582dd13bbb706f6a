"""Which tests `make test-changed` runs for which change."""

from __future__ import annotations

import pytest
from support.changed_rooms import ALL, ALWAYS, INTEGRATION, changed_files, paths_for
from support.paths import CHECKOUT


def paths(*files: str) -> list[str]:
    return [path for path in paths_for(files, CHECKOUT) if path not in ALWAYS]


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("equilag/solver/counts/even_counts.py", ["tests/solver"]),
        ("equilag/pipeline/job.py", ["tests/integration/spark", "tests/pipeline"]),
        ("tests/solver/counts/test_even_counts.py", ["tests/solver"]),
        ("tests/integration/broker/conftest.py", ["tests/integration/broker"]),
        ("tests/test_changed_rooms.py", ["tests/test_changed_rooms.py"]),
        ("benchmarks/fleet/history.py", ["tests/benchmarks"]),
        ("docs/faq.md", ["tests/test_contributing.py", "tests/test_docs.py"]),
        ("broker-plugin/pom.xml", ["tests/integration/broker_plugin"]),
        ("tests/solver/test_that_was_deleted.py", ["tests/solver"]),
    ],
)
def test_a_change_asks_for_the_tests_of_its_room(file: str, expected: list[str]) -> None:
    assert paths(file) == expected


@pytest.mark.parametrize(
    "file",
    [
        "equilag/domain/group.py",
        "tests/support/groups.py",
        "tests/conftest.py",
        "pyproject.toml",
        "samples/orders.snapshot.json",
    ],
)
def test_what_everything_rests_on_asks_for_all(file: str) -> None:
    assert paths(file, "equilag/solver/counts/even_counts.py") == list(ALL)


def test_without_a_change_the_architecture_is_tested() -> None:
    assert paths_for([], CHECKOUT) == sorted(ALWAYS)
    assert all((CHECKOUT / path).exists() for path in (*ALWAYS, *INTEGRATION.values()))


def test_files_that_are_not_committed_count() -> None:
    new = CHECKOUT / "tests" / "test_made_by_a_test_of_changed_rooms.txt"
    assert not new.exists()
    new.touch()
    try:
        assert f"tests/{new.name}" in changed_files("HEAD")
    finally:
        new.unlink()
    assert f"tests/{new.name}" not in changed_files("HEAD")
