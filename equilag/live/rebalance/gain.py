"""What a rebalance would change, and what is asked of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equilag.group import Group, Index
from equilag.metrics import count_moves, member_loads, spread


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When a rebalance is worth it; all have to be met."""

    gain_percent: float = 20.0
    """Lag spread saved, in percent of the mean load per member."""
    gain_records: int = 1000
    """Lag spread saved, in records."""
    gain_per_move: int = 0
    """Lag spread saved for each partition that is moved, in records."""
    confirm: int = 3
    """Rounds in a row that have to say so."""
    min_interval_s: float = 300.0
    """Seconds from one rebalance of ours to the next."""


@dataclass(frozen=True, slots=True)
class Gain:
    """What a plan would change."""

    spread_now: int
    spread_then: int
    mean: float
    """Lag per member."""
    moves: int

    @property
    def saved(self) -> int:
        return self.spread_now - self.spread_then

    @property
    def percent(self) -> float:
        """Of the mean load."""
        return 100.0 * self.saved / self.mean if self.mean else 0.0

    def reaches(self, thresholds: Thresholds, share: float = 1.0) -> bool:
        """Is it `share` of what the thresholds ask for?"""
        return (
            self.saved > 0
            and self.percent >= share * thresholds.gain_percent
            and self.saved >= share * thresholds.gain_records
            and self.saved >= share * thresholds.gain_per_move * self.moves
        )

    def __str__(self) -> str:
        return (
            f"lag spread {self.spread_now:,} to {self.spread_then:,}"
            f" ({self.percent:.1f} % of the mean) for {self.moves} moves"
        )


def gain_of(group: Group, before: Index, after: Index) -> Gain:
    """What it would change to go from one assignment [P] to another."""
    now, then = (
        spread(member_loads(assigned, group.lag, group.n_members), group.idle)
        for assigned in (before, after)
    )
    active = int(np.count_nonzero(~group.idle))
    mean = float(group.lag[group.assignable].sum()) / active if active else 0.0
    return Gain(now, then, mean, count_moves(before, after))
