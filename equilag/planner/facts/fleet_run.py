"""A finished fleet run as its tables say it: the summary, and a row per group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from equilag.domain.document import Shown
from equilag.domain.plan.verdict import Action

VERDICTS: Final = ("keeps_up", "moves", "members", "uneven", "hot")
"""What `plans/` says: see `equilag.pipeline.sources.group_columns`."""
MAX_NAMED: Final = 20
"""Hot partitions of a group that are named: more are no list that somebody reads."""


@dataclass(frozen=True, slots=True)
class GroupThroughput:
    """A group whose rates and capacities are known; rates in records per second."""

    group: str
    verdict: str
    members: int
    moves: int
    utilisation_now: float
    """Rate over capacity of the busiest member."""
    utilisation: float
    """The same with the plan."""
    short_now: float
    """By so much the members fall behind, in all."""
    short: float
    members_short: int | None
    """So many more members keep up; 0 if the present ones would, where rates alone are balanced.
    None where the plan keeps up, and where no number was found."""
    hot: tuple[str, ...]
    """Partitions that are produced to faster than any member reads, `MAX_NAMED` at most."""


class GroupCommands(NamedTuple):
    """Shell commands that show one group of a run."""

    export: str
    """Writes its snapshot and its plan to the current directory."""
    plan: str
    """Finds the plan again from that snapshot."""


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A planned group now and under its plan. Loads and spreads are in units of the weight, as if
    every member had the mean capacity of its group."""

    group: str
    status: str
    evidence: str | None
    """What proves an optimum; None for a plan that is none."""
    partitions: int
    members: int
    load_mean: float
    """Mean over the members that are not idle."""
    max_now: float | None
    """None, like `spread_now` and `excess_now`, if no partition of the group has an owner."""
    spread_now: float | None
    excess_now: float | None
    """Sum over the members of what lies above the mean load."""
    max_planned: float
    spread_planned: float
    excess_planned: float
    spread_lower_bound: float
    excess_lower_bound: float
    gap_percent_of_mean: float
    moves: int
    lag: int
    """Of all its partitions, in records."""
    unowned: int
    """Partitions that nobody owns today; the figures of today do not count them."""
    weight: str
    """What is spread in the group: lag where no rate is known."""
    action: str
    """What to do, as `equilag plan` says it: one of `Action`."""
    headline: str | None
    """Of that verdict; None where what is spread are not records."""
    relief_percent: float
    """By how much the plan relieves the most relieved member, in percent of a fair share."""
    cause: str | None = None
    """The cause that the action is about; None for none."""
    throughput: GroupThroughput | None = None
    """None where rates or capacities are not known."""
    commands: GroupCommands | None = None

    @property
    def saved(self) -> float | None:
        """Current excess minus planned excess; None where nobody owns anything.

        Below 0 only if the current counts are less even than possible, if partitions have no owner,
        or if the plan's smaller spread takes more excess.
        """
        return None if self.excess_now is None else self.excess_now - self.excess_planned

    @property
    def max_over_mean(self) -> float | None:
        """The largest current load divided by the mean load."""
        if self.max_now is None or not self.load_mean:
            return None
        return self.max_now / self.load_mean

    @property
    def planned_over_mean(self) -> float | None:
        """The largest planned load divided by the mean load."""
        return self.max_planned / self.load_mean if self.load_mean else None


class FailedGroup(NamedTuple):
    """A group without a plan."""

    group: str
    kind: str
    reason: str


BAND_LIMITS: Final = (1.0, 10.0, 50.0, 100.0)
"""Upper limits of all bands but the last, in percent of a group's mean load: as good as the default
tolerance; hardly felt; half a fair share; a whole one."""
_PERCENTILES: Final = (0, 5, 25, 50, 75, 95, 100)


@dataclass(frozen=True, slots=True)
class AssignorGaps:
    """The gaps of an assignor in percent of a group's mean load, over the groups of which one is
    known."""

    assignor: str
    groups: int
    bands: tuple[int, ...]
    """Groups with a gap up to each of `BAND_LIMITS`, and above the last of them."""
    minimum: float | None
    """None, like the others, without any group. Below 0 where counts are less even than the
    plan's."""
    p5: float | None
    p25: float | None
    median: float | None
    p75: float | None
    p95: float | None
    maximum: float | None


def assignor_gaps(assignor: str, gaps: Sequence[float]) -> AssignorGaps:
    """The distribution of an assignor's gaps, one per group."""
    values = np.asarray(gaps, dtype=np.float64)
    found = np.searchsorted(BAND_LIMITS, values)
    bands = np.bincount(found, minlength=len(BAND_LIMITS) + 1)
    known = np.percentile(values, _PERCENTILES).tolist() if len(values) else [None] * 7
    return AssignorGaps(assignor, len(values), tuple(bands.tolist()), *known)


@dataclass(frozen=True, slots=True, repr=False)
class FleetRun(Shown):
    """The results of the run in the directory `path`."""

    path: str
    summary: dict[str, Any]
    groups: tuple[GroupRow, ...]
    """Sorted by `saved`, largest first; groups without any owner come last."""
    failures: tuple[FailedGroup, ...]
    """Sorted by group name."""
    gaps: tuple[AssignorGaps, ...] = ()
    """Of every assignor, in the order of the summary."""

    @property
    def throughput(self) -> tuple[GroupThroughput, ...]:
        """Of the groups whose rates and capacities are known."""
        return tuple(row.throughput for row in self.groups if row.throughput is not None)

    @property
    def kept(self) -> dict[str, int]:
        """Groups of each of `VERDICTS`, of those whose rates and capacities are known."""
        known = self.throughput
        return {verdict: sum(row.verdict == verdict for row in known) for verdict in VERDICTS}

    @property
    def behind(self) -> tuple[GroupThroughput, ...]:
        """Groups that do not keep up, the one that falls behind the fastest first."""
        behind = (row for row in self.throughput if row.verdict != "keeps_up")
        return tuple(sorted(behind, key=lambda row: (-row.short_now, row.group)))


UNITS: Final = {"rate": "records per hour", "bytes": "bytes"}
"""What is saved where it is not records."""


@dataclass(frozen=True, slots=True)
class FleetVerdictFacts:
    """What a fleet needs. Every group is counted under one of `rebalance`, `overloaded`, `hot`,
    `loosen`, `unread`, `look`, `undecided`, `leave` and `failed`."""

    groups: int
    planned: int
    rebalance: int
    """Groups of which partitions are worth a move."""
    moves: int
    """Of the plans of these."""
    saved: float
    """Load above a fair share that these plans take off members."""
    above: float
    """Load above a fair share today, of all groups."""
    unit: str
    """Of `saved` and `above`."""
    overloaded: int
    """Groups whose members do not keep up, and that need more of them."""
    hot: int
    """Groups with a partition that is too much for any member: it has to be split."""
    loosen: int
    """Groups whose members keep up under looser settings only."""
    unread: int
    """Groups with partitions that no member reads."""
    unread_partitions: int
    """The partitions that no member of these reads."""
    look: int
    """Groups of which a member or a partition is to be looked at first."""
    undecided: int
    """Groups for which there was only time for a heuristic's plan, which does not help."""
    leave: int
    failed: int
    """Groups without a plan."""
    behind_now: int
    """Groups that fall behind today, of those whose rates and capacities are known."""
    behind_planned: int
    """Groups that fall behind with the plan too."""
    first: str | None
    """The group to begin with: of those with the most urgent need, the one with most partitions
    that nobody owns, else the one whose plan saves most. None if no group needs anything."""
    headline: str = ""
    """One line of words, where it has been put into words."""


URGENT: Final[tuple[tuple[Action, ...], ...]] = (
    ("assign", "start-members"), ("move",), ("add-members",), ("repartition",), ("loosen",),
    ("look", "cannot-tell"),
)  # fmt: skip
"""Actions of groups in the order of a headline."""


def fleet_verdict(report: FleetRun) -> FleetVerdictFacts:
    """The verdict on a run."""
    actions = Counter(row.action for row in report.groups)
    worth = [row for row in report.groups if row.action == "move"]
    urgent = ([row for row in report.groups if row.action in alike] for alike in URGENT)
    first = max(next(filter(None, urgent), ()), key=lambda row: row.unowned, default=None)
    unread = [row for row in report.groups if row.action in URGENT[0]]
    unit = UNITS.get(report.summary["settings"]["weight"], "records")
    failed = len(report.failures)
    return FleetVerdictFacts(
        groups=len(report.groups) + failed,
        planned=len(report.groups),
        rebalance=len(worth),
        moves=sum(row.moves for row in worth),
        saved=sum(max(row.saved or 0.0, 0.0) for row in worth),
        above=sum(row.excess_now or 0.0 for row in report.groups),
        unit=unit,
        overloaded=actions["add-members"],
        hot=actions["repartition"],
        loosen=actions["loosen"],
        unread=len(unread),
        unread_partitions=sum(row.unowned or row.partitions for row in unread),
        look=actions["look"] + actions["cannot-tell"],
        undecided=actions["undecided"],
        leave=actions["leave"],
        failed=failed,
        behind_now=sum(one.verdict != "keeps_up" for one in report.throughput),
        behind_planned=sum(one.short > 0 for one in report.throughput),
        first=None if first is None else first.group,
    )
