"""What a rebalance would gain, and the thresholds that it must reach."""

from __future__ import annotations

from dataclasses import dataclass

from equilag.group import Group, Index
from equilag.metrics import count_moves, load_figures, mean_load


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When a rebalance is worth it. All conditions must hold.

    The defaults are those of `equilag steward`, which docs/live.md explains.
    """

    gain_percent: float = 20.0
    """Lag spread saved, in percent of the mean lag per member."""
    gain_records: int = 1000
    """Lag spread saved, in records."""
    gain_per_move: int = 0
    """Lag spread saved per moved partition, in records."""
    confirm: int = 3
    """Consecutive observations that must reach the thresholds."""
    min_interval_s: float = 300.0
    """Seconds from one rebalance that the steward starts to the next."""


@dataclass(frozen=True, slots=True)
class Gain:
    """The lag spread before and after a plan, in records, and the moves that it takes."""

    spread_now: int
    spread_then: int
    mean: float
    """Mean lag per active member, in records."""
    moves: int

    @property
    def saved(self) -> int:
        return self.spread_now - self.spread_then

    @property
    def percent(self) -> float:
        """Lag spread saved, in percent of the mean lag per member; 0 without lag."""
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
        return (
            f"lag spread {self.spread_now:,} to {self.spread_then:,}"
            f" ({self.percent:.1f} % of the mean) for {self.moves} moves"
        )


def gain_of(group: Group, before: Index, after: Index) -> Gain:
    """Return the gain of changing from one assignment [P] to another."""
    now, then = (load_figures(group, assigned).spread for assigned in (before, after))
    return Gain(now, then, mean_load(group), count_moves(before, after))
