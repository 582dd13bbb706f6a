"""A finished fleet run as its tables say it: the summary, and a row per group."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from equilag.report.facts.fleet_throughput import GroupThroughput


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A planned group now and under its plan. Loads and spreads are in units of the weight, as if
    every member had the mean capacity of its group."""

    group: str
    status: str
    evidence: str | None
    """None in runs from before it was known."""
    partitions: int
    members: int
    load_mean: float
    """Mean over the members that are not idle."""
    max_now: float | None
    """None, like `spread_now` and `excess_now`, if no partition of the group has an owner."""
    spread_now: float | None
    excess_now: float | None
    """Sum over the members of what lies above the mean load; None, like `excess_planned` and
    `excess_lower_bound`, in runs from before it was known."""
    max_planned: float
    spread_planned: float
    excess_planned: float | None
    spread_lower_bound: float
    excess_lower_bound: float | None
    gap_percent_of_mean: float
    moves: int

    @property
    def saved(self) -> float | None:
        """Current excess minus planned excess; the same of the spread where excess is not known.

        Below 0 only if the current counts are less even than possible, if partitions have no owner,
        or if the plan's smaller spread takes more excess.
        """
        if self.spread_now is None:
            return None
        if self.excess_now is None or self.excess_planned is None:
            return self.spread_now - self.spread_planned
        return self.excess_now - self.excess_planned

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
    throughput: tuple[GroupThroughput, ...] = ()
    """Of the groups whose rates and capacities are known."""

    @property
    def knows_excess(self) -> bool:
        """False in runs from before it was known, where `saved` is of the spread."""
        return all(row.excess_planned is not None for row in self.groups)
