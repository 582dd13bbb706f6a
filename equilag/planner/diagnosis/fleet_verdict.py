"""What a fleet needs, in counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from equilag.planner.facts.fleet_run import FleetRun

UNITS: Final = {"rate": "records per hour", "bytes": "bytes"}
"""What is saved where it is not records."""


@dataclass(frozen=True, slots=True)
class FleetVerdictFacts:
    """What a fleet needs. Every group is counted under one of `rebalance`, `overloaded`, `hot`,
    `loosen`, `unread`, `look`, `undecided`, `leave` and `failed`."""

    groups: int
    planned: int
    rebalance: int
    """Groups that their plan helps: partitions are worth a move, or nobody owns them."""
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
    """Groups with a lag that no member reads."""
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
    headline: str = ""
    """One line of words, where it has been put into words."""


def fleet_verdict(report: FleetRun) -> FleetVerdictFacts:
    """The verdict on a run."""
    actions = Counter(row.action for row in report.groups)
    worth = [row for row in report.groups if row.action in ("move", "assign")]
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
        unread=actions["start-members"],
        look=actions["look"] + actions["cannot-tell"],
        undecided=actions["undecided"],
        leave=actions["leave"],
        failed=failed,
        behind_now=sum(one.verdict != "keeps_up" for one in report.throughput),
        behind_planned=sum(one.short > 0 for one in report.throughput),
    )
