"""What changes of the membership cost, as tables: with the steward beside the members' own
assignors alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any, Final

from benchmarks.simulation.report import table

Results = Mapping[str, Any]

CLIENTS: Final = ("java", "librdkafka")
SIDES: Final = ("steward", "alone")
NOTHING: Final = "0 (0.0)"
STEWARD_ONLY: Final = ("a second steward", "the second steward", "the steward")
"""How the names of changes begin that a group without a steward does not have."""
_DEATHS: Final = "coordinator"
"""How the names of faults begin that the twin without a steward has too."""


def membership_lines(results: Sequence[Results]) -> list[str]:
    """Return a table for each protocol, from all results on it."""
    lines = []
    for strategy in dict.fromkeys(one["strategy"] for one in results):
        ours = [one for one in results if one["strategy"] == strategy]
        lines += [
            f"**{strategy}**, moves (partition-seconds without an owner):",
            "",
            *_table(ours),
            "",
            f"Partitions with two owners at any moment: {_two_owners(ours)}.",
            *(f"More moves than alone: {one}." for one in more_moves(ours)),
            "",
        ]
    return lines[:-1]


def take_over_lines(results: Sequence[Results]) -> list[str]:
    """Return one row for each protocol."""
    return table(
        (
            "`--take-over`", "leads after, s", "all have their share after, s",
            "partitions with two owners (longest, s)",
            "partition-seconds without an owner (longest, s)",
        ),
        [
            (
                str(one["case"]).removeprefix("take-over-"),
                f"{one['leads_after_s']:.1f}",
                f"{one['settled_after_s']:.1f}",
                f"{one['two_owners']} ({one['longest_two_owners_s']:.2f})",
                f"{one['unowned_partition_s']:.1f} ({one['longest_unowned_s']:.2f})",
            )
            for one in results
        ],
    )  # fmt: skip


def pair_lines(results: Sequence[Results]) -> list[str]:
    """Return one row for each fault that two stewards were tried with, and what the deaths of
    coordinators cost."""
    found: dict[str, dict[str, Sequence[Results]]] = {}
    for one in results:
        for name, cases in one["faults"].items():
            found.setdefault(name, {})[one["strategy"]] = cases
    head = list(dict.fromkeys(one["strategy"] for one in results))
    rows = [
        (name, *(_pair_cell(by_strategy.get(strategy, [])) for strategy in head))
        for name, by_strategy in sorted(found.items(), key=lambda one: one[0].startswith(_DEATHS))
    ]
    lines = [*table(("fault of the one that leads", *head), rows), ""]
    for strategy in head:
        led, alone = deaths_cost({name: one.get(strategy, ()) for name, one in found.items()})
        if not alone:
            continue
        pauses = [f"{one['unowned_partition_s']:.0f} ({one['moves']:.0f})" for one in (led, alone)]
        lines.append(f"Coordinators' deaths, {strategy}: {pauses[0]}, without steward {pauses[1]}.")
    return lines


def deaths_cost(found: Mapping[str, Sequence[Results]]) -> tuple[Counter[str], Counter[str]]:
    """Return the sums of all figures over the deaths of coordinators, and those of the twin."""
    cases = [one for name, many in found.items() if name.startswith(_DEATHS) for one in many]
    sums: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    for one in cases:
        for total, figures in zip(sums, (one, one["alone"]), strict=True):
            total.update({name: figures[name] for name in ("moves", "unowned_partition_s")})
    return sums


def _pair_cell(cases: Sequence[Results]) -> str:
    if not cases:
        return "–"
    leads = [one["leads_s"] for one in cases]
    if None in leads:
        return f"{leads.count(None)} of {len(leads)}: nobody leads"
    sums = [sum(one[name] for one in cases) for name in ("rebalances", "moves", "two_owners")]
    times = f"{len(leads)}: {median(leads):.1f} ({max(leads):.1f})"
    return "; ".join([times, *(map(str, sums) if any(sums) else ())])


def more_moves(results: Sequence[Results]) -> list[str]:
    """Return the changes in which a steward moved more than the members' own assignor alone."""
    found = []
    for one in results:
        for client in CLIENTS:
            led, alone = (one["groups"][f"{client}, {side}"] for side in SIDES)
            found += [
                f"{one['strategy']}, {client}: {change}: {figures['moves']} "
                f"(alone {alone[change]['moves']})"
                for change, figures in led.items()
                if figures["moves"] > alone[change]["moves"]
            ]
    return found


def _table(results: Sequence[Results]) -> list[str]:
    """The changes that moved or paused a partition, and the names of the others."""
    columns = [f"{client}, {side}" for client in CLIENTS for side in SIDES]
    rows = [
        (change, *(_cell(one["groups"][column][change], change, column) for column in columns))
        for one in results
        for change in one["groups"][columns[0]]
    ]
    quiet = [change for change, *cells in rows if set(cells) <= {NOTHING, "–"}]
    lines = table(("", *columns), [row for row in rows if row[0] not in quiet])
    return [*lines, "", f"No move and no pause: {'; '.join(quiet)}."] if quiet else lines


def _cell(figures: Results, change: str, column: str) -> str:
    if column.endswith("alone") and change.startswith(STEWARD_ONLY):
        return "–"
    return f"{figures['moves']} ({figures['unowned_partition_s']:.1f})"


def _two_owners(results: Sequence[Results]) -> int:
    return sum(
        figures["two_owners"]
        for one in results
        for changes in one["groups"].values()
        for figures in changes.values()
    )


def carrier_lines(results: Sequence[Results]) -> list[str]:
    """Return a line for each case of KIP-848 groups alone: what carriers use, what a member that
    comes or goes moves, what happens without carriers and in a conversion."""
    lines = ["Moves (partition-seconds without an owner), 12 partitions unless it says more:", ""]
    for one in results:
        parts = [one["words"]]
        if "cpu_percent" in one:
            thread = max(one["threads"].values())
            parts.append(
                f"the steward uses {one['cpu_percent']:.1f} % of a core, a thread {thread:.1f} %"
            )
        for name, figures in one["changes"].items():
            seconds = f" in {figures['seconds']:.1f} s" if "seconds" in figures else ""
            parts.append(
                f"{name} {figures['moves']} ({figures['unowned_partition_s']:.1f}){seconds}"
            )
            twice, back = figures["two_owners"], figures.get("given_back", 0)
            if twice or back:
                parts.append(f"two owners of {twice}, {back} given up for nothing")
        lines.append(f"- {'; '.join(parts)}.")
    return lines
