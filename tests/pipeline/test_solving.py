"""The solve stage without Spark: groups in bins, batches of problems in, an Arrow row each out."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.planners import Misbehaving
from support.problem_rows import QUICK, member_row, problem_row, topic_row, usual_problem

from equilag.domain import plugins
from equilag.pipeline.group_result import GroupResult, PlanGroup
from equilag.pipeline.isolate import Failure
from equilag.pipeline.solving import (
    BATCH_ROWS,
    SolveBatches,
    arrow_schema,
    bins_of,
    estimated_seconds,
    to_arrow,
)
from equilag.pipeline.sources.group_columns import BASELINE, PLAN

pa = pytest.importorskip("pyarrow")

WORK = st.lists(st.integers(0, 30) | st.floats(0, 100), max_size=6)


def fullest(work: list[float], bins: list[int] | tuple[int, ...]) -> float:
    filled: dict[int, float] = {}
    for amount, number in zip(work, bins, strict=True):
        filled[number] = filled.get(number, 0.0) + amount
    return max(filled.values(), default=0.0)


@given(WORK, st.integers(1, 4))
def test_within_four_thirds_of_the_best(work: list[float], n_bins: int) -> None:
    bins = bins_of(work, n_bins)
    best = min(fullest(work, b) for b in itertools.product(range(n_bins), repeat=len(work)))
    # Graham's bound for this number of bins.
    assert fullest(work, bins) <= best * (4 / 3 - 1 / (3 * n_bins)) * (1 + 1e-9)


@given(st.lists(st.floats(0, 1e6), max_size=200), st.integers(0, 300))
def test_each_item_is_in_one_bin_that_exists(work: list[float], n_bins: int) -> None:
    bins = bins_of(work, n_bins)
    assert len(bins) == len(work)
    assert {*bins} <= {*range(max(1, n_bins))}


def test_largest_first_and_ties_by_position() -> None:
    assert bins_of([1.0, 3.0, 2.0, 3.0], 2) == [1, 0, 0, 1]
    assert bins_of([1.0, 1.0, 1.0], 3) == [0, 1, 2]
    assert bins_of([1.0, 9.0, 5.0], 3) == [2, 0, 1]


def test_work_grows_with_partitions_and_effort() -> None:
    sizes = [estimated_seconds(n, effort) for n, effort in ((0, 0), (1, 1), (100, 1), (10_000, 1))]
    assert 0 < sizes[0] < sizes[1] < sizes[2] < sizes[3]
    assert estimated_seconds(10_000, 0.1) < estimated_seconds(10_000, 5.0)
    # What a group cannot use up counts for nothing.
    assert estimated_seconds(10, 1.0) == estimated_seconds(10, 1_000.0)


# A result or a failure as the Arrow row of a group.


def row_of(group: str, outcome: GroupResult | Failure) -> dict[str, Any]:
    """The row, checked against the schema."""
    batch = to_arrow(group, outcome)
    assert batch.num_rows == 1
    assert batch.schema.equals(arrow_schema())
    batch.validate(full=True)
    (row,) = batch.to_pylist()
    return dict(row)


def test_a_made_up_answer() -> None:
    plan = {"status": "optimal", "moves": 3, "gap_percent_of_mean": 0.5, "notes": ["one", "ü"]}
    baseline = [{"assignor": "range", "moves": 2, "lag_max": 2**53, "wall_ms": 0.1}]
    moves = ["aab", [0, 1, 0], ["m1", None, "m0"], ["m0", "m1", None], [2**53, 0, 7]]
    columns = dict(zip(("topic", "partition", "from", "to", "weight"), moves, strict=True))
    given = {**{name: None for name, _ in PLAN}, **plan}
    row = row_of("größe", GroupResult(given, baseline, columns))
    assert (row["group"], row["kind"], row["reason"]) == ("größe", None, None)
    assert row["plan"] == {**dict.fromkeys(name for name, _ in PLAN), **plan}
    assert row["baseline"] == [{**dict.fromkeys(name for name, _ in BASELINE), **baseline[0]}]
    assert row["assignment"] == [
        {"topic": "a", "partition": 0, "from": "m1", "to": "m0", "weight": 2**53},
        {"topic": "a", "partition": 1, "from": None, "to": "m1", "weight": 0},
        {"topic": "b", "partition": 0, "from": "m0", "to": None, "weight": 7},
    ]


@pytest.mark.parametrize("kind", ["input", "error", "crash", "timeout"])
def test_a_failure(kind: Any) -> None:
    row = row_of("g", Failure(kind, "members[3].id: empty"))
    assert row == {
        "group": "g", "kind": kind, "reason": "members[3].id: empty",
        "plan": None, "assignment": None, "baseline": None,
    }  # fmt: skip


def test_a_plan() -> None:
    result = PlanGroup()(usual_problem(), QUICK)
    assert row_of("g", result)["plan"] == {**dict.fromkeys(name for name, _ in PLAN), **result.plan}


# Tasks.

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

    monkeypatch.setattr(plugins, "installed", asked)
    (batch,) = solved(["g"])
    assert batch.to_pylist()[0]["group"] == "g"


def test_every_group_gets_one_row_in_order() -> None:
    names = [f"g{number:02}" for number in range(BATCH_ROWS + 3)]
    batches = solved(names[:5], names[5:])
    assert [batch.num_rows for batch in batches] == [BATCH_ROWS, 3]
    assert solved() == []
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
