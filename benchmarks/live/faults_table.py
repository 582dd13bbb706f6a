"""What random faults did to groups of mixed clients, as a table by kind of fault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any, Final

from benchmarks.simulation.report import table

Results = Mapping[str, Any]

NEVER: Final = "late"
"""Not within the time that a fault is followed."""


def faults_lines(results: Results) -> list[str]:
    """Return the totals of a run, and a row for each kind of fault."""
    steps = results["steps"]
    strategies = list(results["groups"])
    kinds = Counter(step["kind"] for step in steps)
    rows = [
        (kind, str(number), *(_cell(steps, kind, strategy) for strategy in strategies))
        for kind, number in kinds.items()
    ]
    head = ("fault", "times", *strategies)
    return [
        f"{results['seconds'] / 60:g} minutes, {len(steps)} faults (seed {results['seed']}).",
        *(total_line(strategy, one) for strategy, one in results["groups"].items()),
        "",
        "Seconds after a fault until the steward takes part again, at most; until every partition",
        "has one owner and nothing is behind, median and longest:",
        "",
        *table(head, rows),
    ]


def total_line(strategy: str, group: Results) -> str:
    """Return what became of the records of a group."""
    twice = Counter(one["kind"] for one in group["two_owners"])
    where = "; ".join(f"{kind}: {number}" for kind, number in twice.items())
    return (
        f"{strategy[:1].upper()}{strategy[1:]}: {group['records']:,} records, not read "
        f"{group['records_not_read']}; partitions with two owners {sum(twice.values())}"
        f"{f' ({where})' if where else ''}"
        f"{_names('processes lost', group['processes_lost'])}"
        f"{_names('clients that hung for good', group['clients_stuck'])}."
    )


def _names(what: str, ended: Sequence[Results]) -> str:
    """Return the steward and the clients of members, with their numbers; "" without any."""
    names = Counter(
        "the steward" if one["what"] == "steward" else one["what"].rpartition("-")[0]
        for one in ended
    )
    listed = ", ".join(f"{name} ({number})" for name, number in names.items())
    return f"; {what}: {listed}" if names else ""


def _cell(steps: Sequence[Results], kind: str, strategy: str) -> str:
    ours = [step["groups"][strategy] for step in steps if step["kind"] == kind]
    read = [one["read_s"] for one in ours]
    in_time = [one for one in read if one is not None]
    middle = f"{median(in_time):.1f}" if in_time else NEVER
    return f"{_most([one['role_s'] for one in ours])}; {middle}, {_most(read)}"


def _most(seconds: Sequence[float | None]) -> str:
    known = [one for one in seconds if one is not None]
    return f"{max(known):.1f}" if len(known) == len(seconds) else NEVER
