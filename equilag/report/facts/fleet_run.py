"""A finished fleet run as its tables say it: the summary, and a row per group."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A planned group now and under its plan. Loads and spreads are in units of the weight."""

    group: str
    status: str
    evidence: str | None
    """None in runs from before it was known."""
    partitions: int
    members: int
    load_mean: float
    """Mean over the members that are not idle."""
    max_now: int | None
    """None, like `spread_now`, if no partition of the group has an owner."""
    spread_now: int | None
    max_planned: int
    spread_planned: int
    spread_lower_bound: int
    gap_percent_of_mean: float
    moves: int

    @property
    def saved(self) -> int | None:
        """Current spread minus planned spread.

        Below 0 only if the current counts are less even than possible, or partitions have no owner.
        """
        return None if self.spread_now is None else self.spread_now - self.spread_planned

    @property
    def max_over_mean(self) -> float | None:
        """The largest current load divided by the mean load."""
        if self.max_now is None or not self.load_mean:
            return None
        return self.max_now / self.load_mean

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "saved": self.saved, "max_over_mean": self.max_over_mean}


class FailedGroup(NamedTuple):
    """A group without a plan."""

    group: str
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class FleetReport:
    """The results of the run in the directory `path`."""

    path: str
    summary: dict[str, Any]
    groups: tuple[GroupRow, ...]
    """Sorted by `saved`, largest first; groups without any owner come last."""
    failures: tuple[FailedGroup, ...]
    """Sorted by group name."""
