"""What to do with a fleet, in one line, and the counts behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from equilag.report.facts.fleets.fleet_run import FleetReport, GroupRow
from equilag.report.wording.words import form, number, plural, short_number

UNITS: Final = {"rate": "records per hour", "bytes": "bytes"}
"""What is saved where it is not records."""


@dataclass(frozen=True, slots=True)
class FleetVerdictFacts:
    """What a fleet needs. Every group is counted under one of `rebalance`, `overloaded`, `hot`,
    `loosen`, `unread`, `undecided`, `leave` and `failed`."""

    headline: str
    """One line of words."""
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
    undecided: int
    """Groups for which there was only time for a heuristic's plan, which does not help."""
    leave: int
    failed: int
    """Groups without a plan."""
    behind_now: int
    """Groups that fall behind today, of those whose rates and capacities are known."""
    behind_planned: int
    """Groups that fall behind with the plan too."""


def fleet_verdict(report: FleetReport, weight: str) -> FleetVerdictFacts:
    """The verdict on a run in which `weight` was spread."""
    actions = Counter(row.action for row in report.groups)
    worth = [row for row in report.groups if row.action in ("move", "assign")]
    unit = UNITS.get(weight, "records")
    moves = sum(row.moves for row in worth)
    saved = sum(max(row.saved or 0.0, 0.0) for row in worth)
    failed = len(report.failures)
    first, also = _first(report.groups, worth, moves, saved, unit), _also(actions, failed)
    headline = f"{first}; {also}" if also else first
    if not report.groups:
        headline = f"None of {plural(failed, 'group')} was planned"
    return FleetVerdictFacts(
        headline=headline,
        groups=len(report.groups) + failed,
        planned=len(report.groups),
        rebalance=len(worth),
        moves=moves,
        saved=saved,
        above=sum(row.excess_now or 0.0 for row in report.groups),
        unit=unit,
        overloaded=actions["add-members"],
        hot=actions["repartition"],
        loosen=actions["loosen"],
        unread=actions["start-members"],
        undecided=actions["undecided"],
        leave=actions["leave"],
        failed=failed,
        behind_now=sum(one.verdict != "keeps_up" for one in report.throughput),
        behind_planned=sum(one.short > 0 for one in report.throughput),
    )


def _also(actions: Counter[str], failed: int) -> str:
    """What a plan does not help."""
    short, hot, held = (actions[name] for name in ("add-members", "repartition", "loosen"))
    unread, undecided = actions["start-members"], actions["undecided"]
    parts = (
        (short, f"{form(short, 'is', 'are')} overloaded"),
        (hot, f"{form(hot, 'has', 'have')} a hot partition"),
        (held, f"{form(held, 'needs', 'need')} looser settings"),
        (unread, f"{form(unread, 'has', 'have')} no reader"),
        (undecided, f"{form(undecided, 'is', 'are')} undecided"),
        (failed, f"{form(failed, 'was', 'were')} not planned"),
    )
    return ", ".join(f"{number(count)} {words}" for count, words in parts if count)


def _first(
    groups: Sequence[GroupRow], worth: Sequence[GroupRow], moves: int, saved: float, unit: str
) -> str:
    """What to rebalance, and what that brings."""
    if not worth:
        return f"None of {plural(len(groups), 'group')} is worth a rebalance"
    which = f"Rebalance {number(len(worth))} of {plural(len(groups), 'group')}"
    if not saved:
        return f"{which}: {plural(moves, 'move')}"
    relief = f"{form(moves, 'takes', 'take')} {short_number(round(saved))} {unit}"
    return f"{which}: {plural(moves, 'move')} {relief} off their heaviest members"
