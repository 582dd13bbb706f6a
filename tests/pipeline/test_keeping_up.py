"""Groups of a fleet by work: measured capacities, and whether members keep up."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from support.problem_rows import QUICK, Row, member_row, problem_row, topic_row

from equilag.domain.errors import InputError
from equilag.domain.policy.policy import Policy
from equilag.pipeline.group_result import GroupResult, PlanGroup
from equilag.pipeline.sources.group_columns import THROUGHPUT
from equilag.pipeline.sources.snapshot_rows import group_input
from equilag.planner.facts import work
from equilag.planner.sizes.size_run import LeastMembers


def group_of(rates: list[float | None], owned: list[list[int]], *speeds: float | None) -> Row:
    """A group of one topic without lag; `speeds` are measured."""
    n = len(rates)
    topic = {**topic_row("t", range(n), [100] * n, [100] * n), "rates": rates}
    members = [
        member_row(f"m{m}", ["t"], {"t": held}, measured=speed, measured_error=1.0, reads=None)
        for m, (held, speed) in enumerate(zip(owned, speeds, strict=True))
    ]
    return problem_row([topic], members)


def planned(row: Row, **policy: Any) -> GroupResult:
    return PlanGroup("work")(row, replace(QUICK, policy=Policy(**policy)))


@pytest.mark.parametrize(
    ("rates", "owned", "verdict", "more"),
    [
        ([50.0, 40.0, 50.0, 40.0], [[0, 1], [2, 3]], "keeps_up", None),
        ([60.0, 60.0, 30.0, 30.0], [[0, 1], [2, 3]], "moves", None),
        ([60.0, 60.0, 60.0, 60.0], [[0, 1], [2, 3]], "members", 2),
        ([150.0, 20.0, 20.0, 20.0], [[0, 1], [2, 3]], "hot", None),
    ],
)
def test_verdicts(
    rates: list[float | None], owned: list[list[int]], verdict: str, more: int | None
) -> None:
    found = planned(group_of(rates, owned, 100.0, 100.0)).plan
    assert (found["throughput"], found["members_short"]) == (verdict, more)
    assert (found["weight"], found["capacity"], found["rate"]) == ("work", 200.0, sum(rates))
    now = max(sum(rates[p] or 0 for p in held) for held in owned) / 100
    assert found["utilisation_now"] == pytest.approx(now)
    action = {"keeps_up": "leave", "moves": "move", "members": "add-members", "hot": "repartition"}
    assert found["action"] == action[verdict]
    assert ("Overloaded" in found["headline"]) == (verdict in ("members", "hot"))
    hot = json.loads(found["hot_partitions"])
    assert [one["partition"] for one in hot] == ([0] if verdict == "hot" else [])


def test_no_number_of_members(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: object) -> LeastMembers:
        raise InputError("no")

    row = group_of([60.0] * 4, [[0, 1], [2, 3]], 100.0, 100.0)
    monkeypatch.setattr(work, "least_members", refuses)
    found = planned(row).plan
    assert (found["throughput"], found["members_short"]) == ("uneven", None)


def test_partitions_without_an_owner_are_not_kept_up_with() -> None:
    assert planned(group_of([5.0] * 4, [[0, 1], [2]], 100.0, 100.0)).plan["throughput"] == "moves"


def test_nothing_is_said_where_few_capacities_are_known() -> None:
    row = group_of([5.0] * 4, [[0, 1], [2], [3]], 100.0, None, None)
    found = planned(row).plan
    assert found.keys().isdisjoint(name for name, _ in THROUGHPUT)
    assert found["weight"] == "work"


def test_loads_are_those_of_a_member_of_mean_capacity() -> None:
    row = group_of([30.0, 30.0, 30.0], [[0, 1, 2], []], 100.0, 50.0)
    result = planned(row)
    found = result.plan
    assert (found["count_max"], found["count_min"]) == (2, 1)
    assert found["load_max"] == pytest.approx(30 * 2 * 300 / 100 * 75)
    current = result.baseline[0]
    assert current["assignor"] == "current"
    assert current["load_max"] == pytest.approx(30 * 3 * 300 / 100 * 75)
    assert current["utilisation"] == pytest.approx(0.9)
    assert result.assignment["weight"] == [9_000, 9_000, 9_000]


def test_unknown_rates_are_left_out() -> None:
    assert "rates" not in group_input(group_of([None], [[0]], None), "work")
    given = group_input(group_of([1.5, None], [[0, 1]], None), "work")
    assert given["rates"] == {"t": [1.5, None]}


def capacities(row: Row, **more: Any) -> list[float | None]:
    return [member.capacity for member in group_input(row, "work", **more)["members"]]  # type: ignore[union-attr]


def test_which_capacities_are_taken() -> None:
    row = group_of([1.0] * 3, [[0], [1], [2]], 100.0, 104.0, None)
    assert capacities(row) == [102.0, 102.0, None]
    assert capacities(row, measured=False) == [None, None, None]
    row["members"][2]["reads"] = 300.0
    assert capacities(row) == [102.0, 102.0, 300.0]
    row["members"][2]["capacity"] = 1.0
    assert capacities(row) == [None, None, 1.0]
    assert capacities(group_of([1.0], [[0]], None)) == [None]


def test_balancing_by_topic_knows_no_capacities() -> None:
    row = group_of([30.0, 30.0, 30.0], [[0, 1, 2], []], 100.0, 50.0)
    assert planned(row, name="kip-169").plan["status"] == "optimal"
