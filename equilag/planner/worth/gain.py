"""What a rebalance would gain: by how much members are relieved, and whether that pays.

Members are compared by their load: the weight of their partitions per unit of capacity.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from equilag.domain.group.group import Index
from equilag.domain.plan.metrics import moved
from equilag.planner.simulation.fluid import Conditions
from equilag.planner.simulation.rebalance_price import WORTH_S, Pace, Weighed, weigh
from equilag.planner.worth.group_loads import GroupLoads

USUAL: Final = Pace()
"""The pace of a group of which nothing else is known."""


@dataclass(frozen=True, slots=True)
class Gain:
    """The gain of changing from one assignment to another."""

    heaviest_percent: float
    """Load of the heaviest member now, in percent of a fair share."""
    heaviest_percent_planned: float
    relief_percent: float
    """By how much the most relieved member is relieved, in percent of a fair share.

    Loads are compared rank by rank, the k-th heaviest now with the k-th heaviest then: the largest
    decrease, less the largest increase of a heavier rank. What lighter ranks get more is what the
    heavier ones are relieved of. A load counts down to what no plan falls below at its rank: a hot
    partition is no relief, and does not hide that of the others.
    """
    relief_s: float | None
    """The same in seconds of work of that member; None if no rate and no capacity is known."""
    noise_percent: float
    """Standard error of a member's load from the rates' errors, in percent of a fair share."""
    sure_percent: float
    """The relief by lag alone, which is there whatever the rates are."""
    moves: int
    weighed: Weighed | None = None
    """Gain and price in record-seconds; None where loads are lag alone, or no rate is known."""
    relief_records: float | None = None
    """The relief in records of a member of average capacity; None where loads are no records."""
    second_records: float = 0.0
    """Records that the average member gets in a second; 0 where no rate is known."""

    def __str__(self) -> str:
        moves = "1 move" if self.moves == 1 else f"{self.moves:,} moves"
        return (
            f"heaviest member {self.heaviest_percent:.0f} to"
            f" {self.heaviest_percent_planned:.0f} % of a fair share, {moves}"
        )


def heaviest_percent(loads: GroupLoads, assigned: Index) -> float:
    """Return the load of the heaviest member under an assignment [P], in percent of a fair share;
    100 without any load."""
    by_member = loads.of(assigned)
    return 100.0 * float(by_member.max()) / loads.fair if len(by_member) and loads.fair else 100.0


def gain_of(
    loads: GroupLoads, before: Index, after: Index | None = None, pace: Pace = USUAL,
    seconds: float = WORTH_S,
) -> Gain:  # fmt: skip
    """Return the gain of changing from one assignment [P] to another, by a rebalance of this pace,
    over some seconds; None is for a gain that no plan exceeds: the loads that none falls below,
    without moves."""
    lag = np.where(loads.group.assignable, loads.group.lag, 0).astype(np.float64)
    by_lag = replace(loads, weight=lag, by_count=False)
    relief, sure = _relief(loads, before, after), _relief(by_lag, before, after)
    base = loads.usual or loads.fair  # most members may have nothing
    some = len(loads.busy) > 0
    planned = 100.0 * float(loads.best[0]) / loads.fair if some and loads.fair else 100.0
    return Gain(
        heaviest_percent(loads, before),
        planned if after is None else heaviest_percent(loads, after),
        100.0 * relief / base if base else 0.0,
        loads.seconds(relief),
        100.0 * loads.error / base if base else 0.0,
        100.0 * sure / base if base and loads.in_records else 0.0,
        0 if after is None else int(moved(before, after).sum()),
        _weighed(loads, before, after, pace, seconds),
        relief * float(loads.capacity.mean()) if loads.in_records and some else None,
        float(loads.rate.sum()) / max(1, len(loads.busy)),
    )


USED: Final = 0.8
"""Part of its capacity that a group is taken to use where no speed is known."""


def _weighed(
    loads: GroupLoads, before: Index, after: Index | None, pace: Pace, seconds: float
) -> Weighed | None:
    """What was measured of speeds counts; all other members keep up with what they have."""
    group, total = loads.group, float(loads.rate.sum())
    if not loads.looks_ahead_s or not total or not len(loads.busy):
        return None
    capacity = np.zeros(group.n_members)
    capacity[loads.busy] = loads.capacity
    if not loads.in_seconds:
        capacity *= total / USED / float(capacity.sum())
    lag = np.where(group.assignable, group.lag, 0).astype(np.float64)
    return weigh(lag, Conditions(loads.rate, capacity, before), after, pace, seconds, loads.guessed)


def _relief(loads: GroupLoads, before: Index, after: Index | None) -> float:
    """See `Gain.relief_percent`; as a load."""
    least = loads.best
    then = least if after is None else np.sort(loads.of(after))[::-1]
    drop = np.maximum(np.sort(loads.of(before))[::-1], least) - np.maximum(then, least)
    increase_above = np.minimum.accumulate(np.append(0.0, drop[:-1]))
    return float((drop + increase_above).max(initial=0.0)) if len(drop) else 0.0
