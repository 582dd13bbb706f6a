"""Rows of a finished run's tables: those of one group, and groups that have none."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
from support.fleet_runs import UNEVEN, problem, refusal, write_run

from equilag.pipeline.results.run_tables import plan_row, read_columns

ZERO = problem("zero", {"t": [0, 0]}, {"a": {"t": [0, 1]}, "b": {}})
FAILURES = [("gone", "stale", "last sampled 60 s before the time of the run")]


@pytest.fixture
def path(tmp_path: Path) -> str:
    return write_run(tmp_path / "run", [ZERO, UNEVEN], FAILURES)


def refused(path: str, group: str) -> str:
    return refusal(lambda run: plan_row(run, group, ("group",)), path)


def test_a_similar_name_is_suggested_for_an_unknown_group(path: str) -> None:
    assert refused(path, "order") == 'there is no group "order", did you mean "orders"?'
    assert "did you mean" not in refused(path, "nothing like it")
    assert 'did you mean "gone"' in refused(path, "gonee")


def test_a_group_name_that_is_not_unicode(path: str) -> None:
    assert "there is no group" in refused(path, "\udc80")


def test_rows_that_match_all_values(path: str) -> None:
    where = {"group": "orders", "topic": "u"}
    table = read_columns(path, "assignment", ("partition", "from"), where)
    assert sorted(table.to_pylist(), key=lambda row: row["partition"]) == [
        {"partition": number, "from": owner} for number, owner in enumerate(["a", "a", "c", "c"])
    ]
    assert not len(read_columns(path, "assignment", ("partition",), {"topic": "x"}))
