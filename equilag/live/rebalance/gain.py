"""What a rebalance would gain, and the thresholds that it must reach.

A gain is excess saved: records that lie above a fair share now, and would not under the plan.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from equilag.group import Floats, Group, Index, Ints
from equilag.metrics import excess, mean_load, member_loads, moved, spread
from equilag.reduction.capacities import known_capacities


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When a rebalance is worth it. All conditions must hold.

    The defaults are those of `equilag steward`, which docs/live.md explains.
    """

    gain_percent: float = 20.0
    """Excess saved, in percent of the mean lag per member."""
    gain_records: int = 1000
    """Excess saved, in records."""
    gain_per_move: int = 0
    """Excess saved per moved partition, in records."""
    confirm: int = 3
    """Consecutive observations that must reach the thresholds."""
    min_interval_s: float = 300.0
    """Seconds from one rebalance that the steward starts to the next."""


@dataclass(frozen=True, slots=True)
class Imbalance:
    """How uneven an assignment is, over the members that are not idle, in records."""

    excess: float
    """Sum over the members of what lies above the mean lag per member; where capacities differ,
    above a member's share by capacity."""
    spread: int
    """Lag of the heaviest member minus lag of the lightest; where capacities differ, as if a
    member of average capacity were as long at work."""


PERFECT: Final = Imbalance(0.0, 0)
"""All loads equal: no assignment is more even."""


@dataclass(frozen=True, slots=True)
class Gain:
    """The imbalance before and after a plan, and the moves that it takes."""

    now: Imbalance
    planned: Imbalance
    mean: float
    """Mean lag per active member, in records."""
    moves: int

    @property
    def saved(self) -> float:
        """Excess saved, in records."""
        return self.now.excess - self.planned.excess

    @property
    def percent(self) -> float:
        """Excess saved, in percent of the mean lag per member; 0 without lag."""
        return 100.0 * self.saved / self.mean if self.mean else 0.0

    def reaches(self, thresholds: Thresholds, share: float = 1.0) -> bool:
        """Return True if the gain reaches `share` of every threshold."""
        return (
            self.saved > 0
            and self.percent >= share * thresholds.gain_percent
            and self.saved >= share * thresholds.gain_records
            and self.saved >= share * thresholds.gain_per_move * self.moves
        )

    def __str__(self) -> str:
        moves = "1 move" if self.moves == 1 else f"{self.moves:,} moves"
        return (
            f"excess {self.now.excess:,.0f} to {self.planned.excess:,.0f}"
            f" (saves {self.percent:.1f} % of the mean),"
            f" lag spread {self.now.spread:,} to {self.planned.spread:,}, {moves}"
        )


def imbalance_of(group: Group, assigned: Index) -> Imbalance:
    """Return the imbalance under an assignment [P]."""
    loads = member_loads(assigned, group.lag, group.n_members)
    if len({member.capacity for member in group.members} - {None}) > 1:
        capacities = np.array(known_capacities(group))
        return _imbalance_by_capacity(loads[~group.idle], capacities[~group.idle])
    return Imbalance(excess(loads[~group.idle]), spread(loads, group.idle))


def _imbalance_by_capacity(loads: Ints, capacities: Floats) -> Imbalance:
    if not len(loads):
        return PERFECT
    fair = loads.sum() * capacities / capacities.sum()
    of_average = loads * capacities.mean() / capacities
    above = float(np.maximum(loads - fair, 0.0).sum())
    return Imbalance(above, round(float(of_average.max() - of_average.min())))


def gain_of(group: Group, before: Index, after: Index) -> Gain:
    """Return the gain of changing from one assignment [P] to another."""
    now, planned = (imbalance_of(group, assigned) for assigned in (before, after))
    return Gain(now, planned, mean_load(group), int(moved(before, after).sum()))
