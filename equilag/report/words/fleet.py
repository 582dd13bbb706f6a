"""What a fleet needs, in words, and the words for the figures of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from equilag.domain.figures import form, number, percent, plural, printable, short_number, time_span
from equilag.planner.facts.fleet_run import MAX_NAMED, FleetRun, FleetVerdictFacts, GroupThroughput
from equilag.report.words.group import group_name

WEIGHTS: Final = {
    "work": "work (lag and what comes within the horizon), in records; lag where no rate is known",
    "lag": "lag, in records",
    "rate": "records produced per hour",
    "forecast": "the lag forecast, in records",
    "bytes": "lag, in bytes",
}
FAULTS: Final = {
    "invalid": "rows of offsets that contradict themselves",
    "after_at": "rows of offsets after the time of the run",
    "duplicates": "duplicate samples",
    "late": "samples that came late",
    "missing": "missing samples",
    "commit_backwards": "commits that went backwards",
    "end_backwards": "log ends that went backwards",
    "ahead_of_end": "samples committed beyond the end of the log",
    "below_log_start": "samples committed below the start of the log",
    "no_commit": "partitions without a commit",
    "appeared": "partitions that appeared",
    "vanished": "partitions that vanished",
    "no_rate": "partitions of unknown rate",
    "filled": "partitions never sampled, below others that were",
    "duplicate_members": "duplicate rows of members",
    "invalid_members": "rows of members that contradict themselves",
    "unknown_topics": "subscribed topics without offsets",
}


class FleetNeed(NamedTuple):
    """What some groups of a fleet need."""

    action: str
    counted: str
    """The field of `FleetVerdictFacts` that counts them."""
    note: str
    """Beside their number; empty where it depends on the groups."""
    one: str = ""
    """What follows their number in a headline, for one group and for several; empty for those that
    it begins with, or does not name."""
    many: str = ""


NEEDS: Final = (
    FleetNeed("assign", "unread", ""),
    FleetNeed("move", "rebalance", ""),
    FleetNeed("add-members", "overloaded", "overloaded", "is overloaded", "are overloaded"),
    FleetNeed("repartition", "hot", "too much for any member", "has a hot partition",
         "have a hot partition"),
    FleetNeed("loosen", "loosen", "members would be enough", "needs looser settings",
         "need looser settings"),
    FleetNeed("look", "look", "", "has to be looked at", "have to be looked at"),
    FleetNeed("undecided", "undecided", "too little time", "is undecided", "are undecided"),
    FleetNeed("leave", "leave", "a plan brings little"),
    FleetNeed("not planned", "failed", "see the reasons below", "was not planned",
              "were not planned"),
)  # fmt: skip
KEEPS_UP: Final = {
    "keeps_up": "yes",
    "moves": "with the plan",
    "members": "more members",
    "uneven": "no",
    "hot": "no: hot partition",
}
"""What a column says of a verdict of `facts.fleet_run.VERDICTS`."""
BEHIND: Final = {
    "moves": "would keep up with the plan",
    "members": "would keep up with more members, or where rates alone are spread",
    "uneven": "with a member that falls behind, whatever was tried",
    "hot": "with a partition that no assignment helps: no member reads so fast",
}
"""Verdict of groups that fall behind -> what follows their number."""
MAX_HOT: Final = 2
"""Partitions named in a cell; --json has more of them."""


def fleet_headline(found: FleetVerdictFacts) -> str:
    """What to do with a fleet, in one line: the worst first, and the group to begin with."""
    if not found.planned:
        return f"None of {plural(found.failed, 'group')} was planned"
    counts = [(one, getattr(found, one.counted)) for one in NEEDS if one.one]
    also = ", ".join(f"{number(n)} {form(n, one.one, one.many)}" for one, n in counts if n)
    begin = [] if found.first is None else [f"begin with {group_name(found.first)}"]
    return "; ".join([*filter(None, (_unread(found), _rebalance(found), also)), *begin])


def _unread(found: FleetVerdictFacts) -> str:
    """How many partitions nobody reads, which is worse than anything else."""
    if not found.unread:
        return ""
    of = f"{number(found.unread)} of {plural(found.planned, 'group')}"
    return f"Nobody reads {plural(found.unread_partitions, 'partition')} of {of}"


def _rebalance(found: FleetVerdictFacts) -> str:
    """What to rebalance, and what that brings."""
    groups, moves = plural(found.planned, "group"), plural(found.moves, "move")
    if not found.rebalance:
        return "" if found.unread else f"None of {groups} is worth a rebalance"
    which = f"Rebalance {number(found.rebalance)} of {groups}"
    if found.unread:
        which = f"rebalance {number(found.rebalance)}"
    if not found.saved:
        return f"{which}: {moves}"
    relief = f"{short_number(round(found.saved))} {found.unit}"
    takes = form(found.moves, "takes", "take")
    return f"{which}: {moves} {takes} {relief} off their heaviest members"


def need_note(need: FleetNeed, run: FleetRun, found: FleetVerdictFacts) -> str:
    """What is said beside the number of groups that need something."""
    if need.action == "assign" and found.unread:
        return f"nobody reads {plural(found.unread_partitions, 'partition')} of them"
    if need.action == "move":
        saved = f"{short_number(round(found.saved))} {found.unit}"
        return f"{plural(found.moves, 'move')} save {saved}"
    asked = (row for row in run.groups if row.action in ("look", "cannot-tell"))
    causes = dict.fromkeys(printable(row.cause) for row in asked if row.cause)
    return ", ".join(causes) if need.action == "look" else need.note


def help_words(row: GroupThroughput) -> str:
    """What helps a group that falls behind."""
    if row.verdict == "moves":
        return "the plan"
    if row.verdict == "members":
        more = row.members_short or 0  # none where a plan that spreads rates alone keeps up
        return f"{number(more)} more {form(more, 'member')}" if more else "--weight rate"
    if row.verdict == "hot":
        more = len(row.hot) - MAX_HOT
        named = ", ".join(printable(name) for name in row.hot[:MAX_HOT])
        least = "at least " if len(row.hot) == MAX_NAMED else ""
        return f"split {named}" + (f" and {least}{number(more)} more" if more > 0 else "")
    return "equilag size"


def optimal_words(planned: Mapping[str, Any]) -> str:
    """How many plans are proved to be the best."""
    if not planned["groups"]:
        return ""
    optimal = planned["by_status"].get("optimal", 0)
    text = f"{number(optimal)} ({percent(100 * optimal / planned['groups'])})"
    on_solver = planned.get("optimal_by_solver")
    return f"{text}, {number(on_solver)} of them on the solver's word" if on_solver else text


def gap_words(planned: Mapping[str, Any]) -> str:
    median, p95 = planned["median_gap_percent"], planned["p95_gap_percent"]
    if not planned["groups"] or median is None or p95 is None:
        return ""
    within = f"95 % of the groups within {percent(p95)} of their mean load"
    return f"median {percent(median)}, {within}"


def unowned_words(planned: Mapping[str, Any]) -> str:
    """Partitions that nobody owns."""
    if not planned["unowned"]:
        return ""
    return (
        f"{plural(planned['unowned'], 'partition')} with {number(planned['unowned_lag'])} of it, in"
        f" {plural(planned['unowned_groups'], 'group')}; the figures of today do not count them"
    )


def forecast_words(forecast: Mapping[str, Any], horizon_s: float) -> str:
    """How the forecast did on samples that were held back."""
    ahead = time_span(horizon_s)
    if not forecast["partitions"]:
        return f"not tested; no partition has two samples more than {ahead} before its newest"
    off, still = (
        _error(forecast[f"mean_error{end}"], forecast.get(f"error_percent{end}"))
        for end in ("", "_unchanged")
    )
    return (
        f"{ahead} ahead, tested on the newest samples of"
        f" {plural(forecast['partitions'], 'partition')}: off by {off} on average; a forecast that"
        f" nothing changes is off by {still}"
    )


def _error(records: float, share: float | None) -> str:
    part = "" if share is None else f" ({percent(share)} of the lag)"
    return f"{number(records)} records{part}"
