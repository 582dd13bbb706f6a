"""The tables of docs/benchmark/live.md on changes and faults, from the results of full runs.

    python -m benchmarks.live.faults_report [--take .cache/live]

`--take` first copies what full runs left in a folder to benchmarks/live/results/, from which the
tables are made. Shortened runs are left out.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.live.big_table import big_lines
from benchmarks.live.faults_table import faults_lines, total_line
from benchmarks.live.load_report import report_arguments, with_section
from benchmarks.live.membership_table import (
    carrier_lines,
    membership_lines,
    pair_lines,
    take_over_lines,
)

BEGIN: Final = "<!-- faults: python -m benchmarks.live.faults_report writes what follows -->"
END: Final = "<!-- faults: end -->"
NAMES: Final = (
    "membership-*.json", "take-over-*.json", "pair-*.json", "faults*.json", "carriers-*.json",
    "big-*.json",
)  # fmt: skip

INTRO: Final = """\
8 members of one client, 24 partitions with 10 records/s each, heartbeats every 0.3 s; the same
changes at the same time in four groups that read the same topics; stewards with `--every 2s`.
"""
TAKE_OVER: Final = """\
8 Java members with heartbeats every 0.3 s and 8 of librdkafka with heartbeats every 3 s on 48
partitions; a steward starts with `--take-over`:
"""
PAIR: Final = """\
Two stewards with `--every 2s`, 4 librdkafka members, 12 partitions with 10 records/s each,
three brokers where they die. How often; seconds until a steward leads, median (longest); if any:
rebalances, moves, partitions with two owners in all. Coordinators' deaths cost partition-seconds
without an owner (moves).
"""
BIG: Final = """\
120 Java members with cooperative-sticky work 1 to 5 s on each poll of 1,200 partitions with one
record/s.
"""
FAULTS: Final = """\
Fault after fault in four groups: two members each of librdkafka, Java, kafka-python
and, under range, aiokafka, with sessions of 6 s; 120 records/s; two stewards with `--every 2s`, or
none. A client not back 120 s after a fault (*late*) hung for good.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    args = report_arguments("faults_report", arguments)
    if args.take is not None:
        take(args.take, args.results)
    page = args.page.read_text("utf-8")
    args.page.write_text(with_section(page, section(args.results), BEGIN, END), "utf-8")
    return 0


def take(source: Path, results: Path) -> None:
    """Copy the figures of full runs."""
    results.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        for path in sorted(source.glob(name)):
            if json.loads(path.read_text("utf-8")).get("full", True):
                shutil.copy(path, results)


def section(folder: Path) -> list[str]:
    """Return the lines of all results that are there."""
    changes, take_overs, pairs, faults, carriers, big = (_read(folder, name) for name in NAMES)
    soaks = [one for one in faults if next(iter(one["groups"])) == "KIP-848"]
    faults = [one for one in faults if one not in soaks]
    lines = []
    if changes:
        lines += [
            "## Members come and go",
            "",
            *_intro(INTRO, changes),
            *membership_lines(changes),
        ]
    if take_overs:
        lines += ["", *_intro(TAKE_OVER, take_overs), *take_over_lines(take_overs)]
    if pairs:
        lines += ["", "## Two stewards", "", *_intro(PAIR, pairs), *pair_lines(pairs)]
    if big:
        lines += ["", "## 120 members", "", *_intro(BIG, big), *big_lines(big)]
    if faults:
        lines += ["", "## Random faults", "", *_intro(FAULTS, faults)[:-1]]
        for results in faults:
            lines += ["", *faults_lines(results)]
    if carriers:
        lines += ["", "## KIP-848 groups", "", *_intro("", carriers), *carrier_lines(carriers)]
    for results in soaks:
        groups = results["groups"]
        total = total_line("random faults", groups["KIP-848"], groups.get("KIP-848, alone"))
        load = f" at a load of {results['load']:.0f}" if "load" in results else ""
        times = f"{len(results['steps'])} in {results['seconds'] / 60:g} minutes{load}"
        refused = groups["KIP-848"]["records_refused"]
        hung = (
            f"; {refused:,} records were not produced: its producer hung (librdkafka 5301)"
            if refused
            else ""
        )
        lines.append(f"- {total[:-1]}; {times}{hung}.")
    return lines


def _intro(text: str, cases: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the lines of a text, and when cases were run and beside what load, if they say so."""
    lines = text.splitlines()
    if known := [one for one in cases if "load" in one]:
        days = " and ".join(sorted({one["when"][:10] for one in known}))
        loads = [round(one["load"]) for one in known]
        which = [] if len(known) == len(cases) else [one["case"] for one in known]
        what = f"{', '.join(which)}: run" if which else "Run"
        load = "–".join(map(str, sorted({min(loads), max(loads)})))
        lines.append(f"{what} on {days} at a load of {load}.")
    return [*lines, ""]


def _read(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob(name))]


if __name__ == "__main__":
    sys.exit(main())
