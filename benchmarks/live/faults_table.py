"""What random faults did to groups of mixed clients, as lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any, Final

Results = Mapping[str, Any]

ALONE: Final = ", alone"
"""How the names of groups end that are their twins without a steward."""
NEVER: Final = "late"
"""Not within the time that a fault is followed."""


def faults_lines(results: Results) -> list[str]:
    """Return what became of the groups with a steward, beside their twins."""
    steps, groups = results["steps"], results["groups"]
    led = [name for name in groups if not name.endswith(ALONE)]
    return [
        f"{results['seconds'] / 60:g} minutes, {len(steps)} faults. *Leads*: seconds after a fault",
        "until a steward leads again, at most; *read*: until every partition has one owner and",
        "nothing is behind, median and longest.",
        "",
        *(
            f"- {total_line(name, groups[name], groups.get(name + ALONE))[:-1]}; "
            f"{_times([step['groups'][name] for step in steps])}."
            for name in led
        ),
    ]


def total_line(strategy: str, group: Results, alone: Results | None = None) -> str:
    """Return what became of the records of a group, and of its partitions beside a twin alone."""
    twice = group["two_owners"]
    where = "; ".join(f"{one['kind']}: {one['seconds']:g} s" for one in twice)
    hung = _names("clients that hung for good", group["clients_stuck"])
    beside = f" (alone {len(alone['clients_stuck'])})" if alone else ""
    return (
        f"{strategy[:1].upper()}{strategy[1:]}: {group['records']:,} records, not read "
        f"{group['records_not_read']}; partitions with two owners {len(twice)}"
        f"{f' ({where})' if where else ''}"
        f"{_names('processes lost', group['processes_lost'])}"
        f"{hung}{beside if hung else ''}"
        f"{_owned(group, alone)}."
    )


def _owned(group: Results, alone: Results | None) -> str:
    if alone is None:
        return ""
    seconds = [f"{one['complete_s']:,.0f}" for one in (group, alone)]
    return f"; every partition owned for {seconds[0]} s (alone {seconds[1]})"


def _names(what: str, ended: Sequence[Results]) -> str:
    """Return the steward and the clients of members, with their numbers; "" without any."""
    names = Counter(
        "the steward" if one["what"] == "steward" else one["what"].rpartition("-")[0]
        for one in ended
    )
    listed = ", ".join(f"{name} ({number})" for name, number in names.items())
    return f"; {what}: {listed}" if names else ""


def _times(found: Sequence[Results]) -> str:
    read = [one["read_s"] for one in found]
    in_time = [one for one in read if one is not None]
    middle = f"{median(in_time):.1f}" if in_time else NEVER
    return f"leads {_most([one['role_s'] for one in found])}; read {middle}, {_most(read)}"


def _most(seconds: Sequence[float | None]) -> str:
    known = [one for one in seconds if one is not None]
    return f"{max(known):.1f}" if len(known) == len(seconds) else NEVER
