"""What a rebalance would gain: by how much members are relieved, and what pauses meanwhile.

Members are compared by their load: the weight of their partitions per unit of capacity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from equilag.domain.columns import Flags
from equilag.domain.group.group import NOBODY, Floats, Index
from equilag.domain.plan.metrics import moved
from equilag.planner.worth.group_loads import GroupLoads


@dataclass(frozen=True, slots=True)
class Imbalance:
    """How uneven an assignment is, over the members that are not idle."""

    heaviest_percent: float
    """Load of the heaviest member in percent of a fair share; 100 without any load."""
    excess: float
    """Weight above what no plan falls below, rank by rank, for members of average capacity."""


class Paused(NamedTuple):
    """Records per second that arrive for partitions while these pause in a rebalance."""

    moved: float
    """For the partitions that move: all that pauses in a cooperative group."""
    all: float
    """For every partition: an eager group stands still."""


@dataclass(frozen=True, slots=True)
class Gain:
    """The gain of changing from one assignment to another."""

    now: Imbalance
    planned: Imbalance
    relief_percent: float
    """By how much the most relieved member is relieved, in percent of a fair share.

    Loads are compared rank by rank, the k-th heaviest now with the k-th heaviest then: the largest
    decrease, less the largest increase of a heavier rank. What lighter ranks get more is what the
    heavier ones are relieved of. A load counts down to what no plan falls below at its rank: a hot
    partition is no relief, and does not hide that of the others.
    """
    relief_s: float | None
    """The same in seconds of work of that member; None if no rate and no capacity is known."""
    saved: float
    """Excess saved."""
    noise_percent: float
    """Standard error of a member's load from the rates' errors, in percent of a fair share."""
    moves: int
    paused: Paused
    looks_ahead_s: float = 0.0
    """Seconds of production that loads have in them; 0 where they are lag alone."""
    relief_records: float | None = None
    """The relief in records of a member of average capacity; None where loads are no records."""
    second_records: float = 0.0
    """Records that the average member gets in a second; 0 where no rate is known."""

    def __str__(self) -> str:
        moves = "1 move" if self.moves == 1 else f"{self.moves:,} moves"
        return (
            f"heaviest member {self.now.heaviest_percent:.0f} to"
            f" {self.planned.heaviest_percent:.0f} % of a fair share, {moves}"
        )


def imbalance_of(loads: GroupLoads, assigned: Index) -> Imbalance:
    """Return the imbalance under an assignment [P]."""
    by_member = loads.of(assigned)
    if not len(by_member) or not loads.fair:
        return Imbalance(100.0, 0.0)
    above = np.maximum(np.sort(by_member)[::-1] - loads.best, 0.0)
    excess = float(above.sum()) * float(loads.capacity.mean())
    return Imbalance(100.0 * float(by_member.max()) / loads.fair, excess)


def gain_of(loads: GroupLoads, before: Index, after: Index) -> Gain:
    """Return the gain of changing from one assignment [P] to another."""
    changes = moved(before, after)
    now, planned = imbalance_of(loads, before), imbalance_of(loads, after)
    return _gain(loads, now, planned, np.sort(loads.of(after))[::-1], before, changes)


def possible_gain(loads: GroupLoads, before: Index) -> Gain:
    """Return the gain of the loads that no plan falls below, without moves: no plan has more."""
    now = imbalance_of(loads, before)
    perfect = Imbalance(100.0 * loads.best[0] / loads.fair if loads.fair else 100.0, 0.0)
    nothing: Flags = np.zeros(len(before), dtype=np.bool_)
    return _gain(loads, now, perfect, loads.best, before, nothing)


def _gain(
    loads: GroupLoads, now: Imbalance, planned: Imbalance, then: Floats, before: Index,
    changes: Flags,
) -> Gain:  # fmt: skip
    """`then` are the planned loads, the heaviest first."""
    least = loads.best
    heaviest_first = np.sort(loads.of(before))[::-1]
    drop = np.maximum(heaviest_first, least) - np.maximum(then, least)
    increase_above = np.minimum.accumulate(np.append(0.0, drop[:-1]))
    relief = float((drop + increase_above).max(initial=0.0)) if len(drop) else 0.0
    base = loads.usual or loads.fair  # most members may have nothing
    rate = loads.rate
    return Gain(
        now,
        planned,
        100.0 * relief / base if base else 0.0,
        loads.seconds(relief),
        now.excess - planned.excess,
        100.0 * loads.error / base if base else 0.0,
        int(changes.sum()),
        Paused(float(rate[changes].sum()), float(rate[before != NOBODY].sum())),
        loads.looks_ahead_s,
        relief * float(loads.capacity.mean()) if loads.in_records and len(drop) else None,
        float(rate.sum()) / max(1, len(drop)),
    )
