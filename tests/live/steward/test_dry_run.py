"""A dry run: the group as it would be."""

from __future__ import annotations

from dataclasses import replace

import pytest

from equilag.live.rebalance.joined_members import JoinedMember, group_of
from equilag.live.rebalance.live_policy import live_policy
from equilag.live.rebalance.measured import Measured, measured_loads
from equilag.live.steward.dry_run import DryRun
from equilag.live.steward.observer import Observation
from equilag.planner.solve import solve

POLICY = live_policy()
SPEEDS = {"slow": 10.0, "fast": 30.0}


def observed(
    at: float,
    lags: list[int],
    capacities: dict[str, float],
    names: tuple[str, str] = ("slow", "fast"),
) -> Observation:
    """Two members with two of four partitions each, 5 records/s for every partition."""
    members = [
        JoinedMember(name, ("t",), {"t": [2 * number, 2 * number + 1]})
        for number, name in enumerate(names)
    ]
    measured = Measured({"t": lags}, rates={"t": [5.0] * 4}, capacities=capacities)
    group = group_of("g", members, {"t": 4}, measured)
    loads = measured_loads(group, POLICY, measured)
    held = {member.id: member.claims for member in members}
    return Observation(at, "classic", "range", members, held, {"t": 4}, measured, loads, [])


def test_lag_is_worked_off_as_the_plan_would_have_it() -> None:
    run = DryRun(POLICY)
    here = observed(0.0, [100, 100, 0, 0], SPEEDS)
    run.adopt(solve(here.group, POLICY))  # the slow member keeps one partition of four
    assert run.figures(run.loads(here))["lag_total_would_be"] == 200
    later = run.loads(observed(4.0, [104, 104, 0, 0], SPEEDS))
    figures = run.figures(later)
    # The slow member would keep a partition without lag. The fast one reads 30 records/s, 15 of
    # which are new.
    assert figures["lag_total_would_be"] == 200 - 4 * 15
    assert figures["heaviest_percent_would_be"] < 200
    assert later.group.owner.tolist().count(1) == 1


def test_without_speeds_lag_is_what_it_is() -> None:
    run = DryRun(POLICY)
    here = observed(0.0, [100, 100, 0, 0], {})
    run.adopt(solve(here.group, POLICY))
    figures = run.figures(run.loads(here))
    assert figures["lag_total_would_be"] is None
    assert figures["lag_spread_would_be"] == 0


def test_it_begins_anew_with_other_members() -> None:
    run = DryRun(POLICY)
    here = observed(0.0, [100, 100, 0, 0], SPEEDS)
    run.adopt(solve(here.group, POLICY))
    other = observed(5.0, [100, 100, 0, 0], SPEEDS, ("slow", "new"))
    assert run.loads(other) is other.loads
    assert run.figures(other.loads) == {}


@pytest.mark.parametrize("size", [3, 5])
def test_it_begins_anew_with_another_number_of_partitions(size: int) -> None:
    run = DryRun(POLICY)
    here = observed(0.0, [100, 100, 0, 0], SPEEDS)
    run.adopt(solve(here.group, POLICY))
    measured = replace(here.measured, lags={"t": [0] * size}, rates={"t": [1.0] * size})
    group = group_of("g", here.members, {"t": size}, measured)
    other = replace(here, sizes={"t": size}, loads=measured_loads(group, POLICY, measured))
    assert run.loads(other) is other.loads
