"""A task of the solve stage, without Spark: batches of problems in, a row for each group out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from support.planners import Misbehaving
from support.problem_rows import QUICK, member_row, problem_row, topic_row

from equilag.heuristics import registry
from equilag.pipeline.solving import BATCH_ROWS, SolveBatches, arrow_schema

pa = pytest.importorskip("pyarrow")

PLANNER = Misbehaving("raising", "killed", "exiting", "hanging", "silly", "odd")
SETTINGS = replace(QUICK, effort=0.02)
KILL_AFTER = 1.0


def problem(group: str) -> dict[str, Any]:
    """A problem in which one member owns everything. The hanging group has a time limit of 0."""
    settings = replace(SETTINGS, time_limit=0.0) if group == "hanging" else SETTINGS
    topics = [topic_row("t", [0, 1, 2], [50, 20, 10], [10, 10, 10])]
    members = [member_row("a", ["t"], {"t": [0, 1, 2]}), member_row("b", ["t"])]
    return {**problem_row(topics, members, group), "settings": settings.to_json()}


def solved(*batches: list[str]) -> list[Any]:
    """The batches that a task returns for problems of these groups."""
    given = [pa.RecordBatch.from_pylist([problem(group) for group in names]) for names in batches]
    return list(SolveBatches(PLANNER, KILL_AFTER)(iter(given)))


def test_a_task_itself_runs_no_installed_assignor(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that crashes would take the worker with it; a child process may."""

    def asked(_: str) -> None:
        raise AssertionError

    monkeypatch.setattr(registry, "installed", asked)
    (batch,) = solved(["g"])
    assert batch.to_pylist()[0]["group"] == "g"


def test_every_group_gets_one_row_in_order() -> None:
    names = [f"g{number:02}" for number in range(BATCH_ROWS + 3)]
    batches = solved(names[:5], names[5:])
    assert [batch.num_rows for batch in batches] == [BATCH_ROWS, 3]
    rows = [row for batch in batches for row in batch.to_pylist()]
    assert [row["group"] for row in rows] == names
    assert all(batch.schema.equals(arrow_schema()) for batch in batches)
    for row in rows:
        assert row["kind"] is None
        assert row["plan"]["status"] == "optimal"
        assert sorted(part["weight"] for part in row["assignment"]) == [0, 10, 40]
        assert {part["to"] for part in row["assignment"]} == {"a", "b"}


def test_a_failing_group_costs_no_other_its_plan() -> None:
    bad = ["raising", "killed", "exiting", "hanging", "silly", "odd"]
    names = [name for pair in zip(bad, (f"g{n}" for n in range(6)), strict=True) for name in pair]
    rows = {row["group"]: row for batch in solved(names) for row in batch.to_pylist()}
    assert [*rows] == names
    kinds = {name: rows[name]["kind"] for name in bad}
    assert kinds == {
        "raising": "error", "killed": "crash", "exiting": "crash",
        "hanging": "timeout", "silly": "error", "odd": "error",
    }  # fmt: skip
    assert rows["raising"]["reason"] == "KeyError: 'no such\\nthing'"
    assert rows["silly"]["reason"].startswith("the planner returned no valid result: ")
    assert rows["odd"]["reason"].startswith("the planner returned no valid result: ")
    assert all(rows[f"g{n}"]["plan"]["status"] == "optimal" for n in range(6))


def test_no_problems_no_rows() -> None:
    assert solved() == []
