"""How long tests took is recorded, and what got slow is listed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.durations import LISTED, slow_lines
from support.small_suites import make_suite, run_suite


def test_a_test_that_got_slower_is_listed_with_what_it_took_before() -> None:
    before = {"a": 1.0, "b": 1.0, "c": 4.0, "d": 0.1}
    now = {"a": 2.1, "b": 1.4, "c": 4.9, "d": 1.0, "new": 1.0}
    assert slow_lines(before, now) == ["   2.1 s, before 1.0 s  a"]


def test_a_slow_test_is_listed_even_if_it_always_was_but_not_those_that_start_brokers() -> None:
    now = {"tests/a.py::test": 6.0, "tests/integration/b.py::test": 60.0}
    assert slow_lines(now, now) == ["   6.0 s  tests/a.py::test"]


def test_a_long_list_is_cut() -> None:
    lines = slow_lines({}, {f"tests/{n:02}": 100.0 - n for n in range(LISTED + 3)})
    assert len(lines) == LISTED + 1
    assert lines[0].endswith("tests/00")
    assert lines[-1] == "and 3 more"


@pytest.mark.parametrize("workers", [(), ("-n2", "--dist=loadgroup")], ids=["alone", "workers"])
def test_a_run_records_and_lists(tmp_path: Path, workers: tuple[str, ...]) -> None:
    suite = make_suite(tmp_path)
    (suite / "test_it.py").write_text(
        "import time, pytest\n"
        "def test_slow(): time.sleep(1.3)\n"
        "@pytest.mark.xdist_group('some')\n"
        "def test_in_a_group(): pass\n"
        "def test_fails(): assert False\n",
        "utf-8",
    )
    file = suite / ".cache" / "durations.json"
    file.parent.mkdir()
    old = {"test_it.py::test_slow": 0.1, "test_it.py::test_fails": 0.5, "other": 2.0}
    file.write_text(json.dumps(old), "utf-8")
    status, output = run_suite(suite, "-p", "support.durations", *workers)
    assert status == 1, output
    assert "slow tests" in output
    assert " s, before 0.1 s  test_it.py::test_slow\n" in output
    now = json.loads(file.read_text("utf-8"))
    assert now.keys() == old.keys() | {"test_it.py::test_in_a_group"}
    assert now["test_it.py::test_slow"] > 1.3
    assert (now["test_it.py::test_fails"], now["other"]) == (0.5, 2.0)
