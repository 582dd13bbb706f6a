"""A dry run: the group as it would be."""

from __future__ import annotations

import numpy as np
import pytest

from equilag.live.rebalance.joined_members import JoinedMember, group_of
from equilag.live.rebalance.live_policy import live_policy
from equilag.live.rebalance.measured import Measured, measured_loads
from equilag.live.steward.dry_run import DryRun
from equilag.live.steward.observer import Observation
from equilag.planner.assign import assign

POLICY = live_policy()
SPEEDS = {"slow": 10.0, "fast": 30.0}


def observed(
    at: float,
    lags: list[int],
    capacities: dict[str, float],
    names: tuple[str, str] = ("slow", "fast"),
) -> Observation:
    """Two members with two of the partitions each, 5 records/s for every partition."""
    held = {name: {"t": [2 * number, 2 * number + 1]} for number, name in enumerate(names)}
    members = [JoinedMember(name, ("t",), claims) for name, claims in held.items()]
    measured = Measured({"t": lags}, rates={"t": [5.0] * len(lags)}, capacities=capacities)
    sizes = {"t": len(lags)}
    loads = measured_loads(group_of("g", members, sizes, measured), POLICY, measured)
    return Observation(
        members=members, held=held, sizes=sizes, measured=measured, loads=loads, cooperative=False,
        rebalances=0, began=at, at=at, kind="classic", protocol="range", remarks=[], speeds={},
        silent={}, broken=0, settled=True,
    )  # fmt: skip


def adopted(capacities: dict[str, float]) -> tuple[DryRun, Observation]:
    """A dry run that would have handed out a plan: the slow member keeps one partition of four."""
    run, here = DryRun(POLICY), observed(0.0, [100, 100, 0, 0], capacities)
    run.adopt(assign(here.group, lambda _: np.array([0, 0, 0, 1], dtype=np.int32)))
    return run, here


def test_lag_is_worked_off_as_the_plan_would_have_it() -> None:
    run, here = adopted(SPEEDS)
    assert run.figures(run.loads(here))["lag_total_would_be"] == 200
    later = run.loads(observed(4.0, [104, 104, 0, 0], SPEEDS))
    figures = run.figures(later)
    # The slow member would keep a partition without lag. The fast one reads 30 records/s, 15 of
    # which are new.
    assert figures["lag_total_would_be"] == 200 - 4 * 15
    assert figures["heaviest_percent_would_be"] < 200
    assert later.group.owner.tolist().count(1) == 1


def test_without_speeds_lag_is_what_it_is() -> None:
    run, here = adopted({})
    figures = run.figures(run.loads(here))
    assert (figures["lag_total_would_be"], figures["lag_spread_would_be"]) == (None, 200)


@pytest.mark.parametrize(
    ("lags", "names"),
    [([0] * 4, ("slow", "new")), ([0] * 3, ("slow", "fast")), ([0] * 5, ("slow", "fast"))],
)
def test_it_begins_anew_with_other_members_or_partitions(
    lags: list[int], names: tuple[str, str]
) -> None:
    run, _ = adopted(SPEEDS)
    other = observed(5.0, lags, SPEEDS, names)
    assert run.loads(other) is other.loads
    assert run.figures(other.loads) == {}
