"""The page of a run, from its JSON.

python -m benchmarks.simulation.report RESULTS.json --out PAGE.md
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.assignors.target import Target, summary
from benchmarks.simulation.targets import Results, judged

RULES_INTRO: Final = """\
Each cell: age of the oldest unread record in seconds, 95th percentile over time, and moves; medians
of {seeds} seeds. A fluid model of half an hour: 120 partitions with lognormal rates (sigma
{sigma:g}) drawn anew every 10 minutes, {speed:.0f} records/s per member, 80 % used, commits every
{commit_s} s. A controller samples every {look_every_s} s, rates over {window_s} s, and rebalances
if a plan saves {gain_percent:.0f} % of the mean load in {confirm} samples in a row, at most every
{min_interval_s} s; horizon {horizon_s:.0f} s, tolerance {tolerance:g} %, effort {effort:g}. A
partition that moves pauses {pause_s} s."""
SCALE_INTRO: Final = """\
Run of {when}. Days in the shape of NAB's tweets, {partitions} partitions, {speed:,.0f} records/s
per member; age of the oldest unread record in seconds, 99th percentile over a day; medians of
{seeds} days, which take {needed:.0f} member-hours to read. A look every {look_s} s; a number falls
after {stable_s} s; a new member reads after {start_s} s. Bin packing moves partitions itself, the
others follow equilag's plans."""
BROKER_INTRO: Final = """\
{members} librdkafka members that commit every 5 s, one at a third of the speed of the others,
{partitions} partitions with lognormal rates, 80 % of the capacity used, a backlog everywhere.
`equilag.simulate` forecasts from one `equilag snapshot --sample {sampled}s`; nothing rebalances.
*Came* is what was produced and not yet processed, *by commits* what a tool reads at that moment."""
TARGETS_NOTE: Final = """\
*The same per measured speed, counts in proportion* (below) should have at most 1/5 of the age under
a balance of lag, and the age of the best other rule; at most 1.5 times the moves of that rule; both
against the best rule without speeds:"""
MOVES_NOTE: Final = """\
Rows per measured speed are `--weight work` with capacities, the first with `--balance none`: an
exchange takes two moves where free counts take one."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulation.report")
    parser.add_argument("results", type=Path)
    parser.add_argument("--out", type=Path, required=True, metavar="PAGE")
    args = parser.parse_args(arguments)
    args.out.write_text(markdown(json.loads(args.results.read_text("utf-8"))), "utf-8")
    return 0


def markdown(results: Results) -> str:
    """Targets, then the tables of all parts that were run."""
    machine, versions = results["machine"], results["versions"]
    where = f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_gib']} GiB"
    lines = [
        "# Work per speed: simulation, forecast, size",
        "",
        f"`make bench-simulation`, run of {results['when']} on {where}; "
        + ", ".join(f"{name} {what}" for name, what in versions.items())
        + f". Load at the start: {machine['load_at_start']:.1f}. All figures are in",
        "`benchmarks/simulation/results.json`.",
        "",
        "## Targets",
        "",
        *target_lines(results),
    ]
    for part, lines_of in PARTS.items():
        if results.get(part) and "left_out" not in results[part]:
            lines += ["", *lines_of(results[part])]
    return "\n".join([*lines, ""])


def target_lines(results: Results) -> list[str]:
    """The targets of scenarios by what they are about, then the others."""
    scenarios = {one["words"] for one in results.get("rules", {}).get("scenarios", ())}
    missed: dict[str, list[str]] = {}
    others = list[Target]()
    for goal in judged(results):
        scenario, _, what = goal.name.partition(": ")
        if scenario in scenarios:
            missed.setdefault(what, []).extend([] if goal.met else [scenario])
        else:
            others.append(goal)
    lines = [f"- {what}: {_missed(names, len(scenarios))}" for what, names in missed.items()]
    return [*([TARGETS_NOTE, "", *lines, ""] if lines else []), *summary(others)]


def _missed(names: list[str], scenarios: int) -> str:
    return f"**missed** in {len(names)} of {scenarios} scenarios" if names else "met"


def rule_lines(rules: Results) -> list[str]:
    settings = rules["settings"]
    names = [row["words"] for row in rules["scenarios"][0]["rules"]]
    rows = [
        (name, *(_cell(scenario["rules"][at]) for scenario in rules["scenarios"]))
        for at, name in enumerate(names)
    ]
    head = ("a rebalance balances", *(scenario["words"] for scenario in rules["scenarios"]))
    return [
        "## What a rebalance balances", "",
        RULES_INTRO.format(seeds=rules["seeds"], **settings), "",
        *table(head, rows), "", MOVES_NOTE,
    ]  # fmt: skip


def _cell(row: Results) -> str:
    age, moves = row["age_p95_s"], row["moves"]
    return f"{_seconds(age['median'])}, {moves['median']:.0f}"


def _seconds(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def scale_lines(scale: Results) -> list[str]:
    rows = [
        (row["rule"], *(f"{row[name]:,.0f}" for name in ("member_hours", "p99_s", "changes")))
        for row in scale["rows"]
    ]
    needed = scale["rows"][0]["needed_hours"]
    return [
        "## How many members", "",
        SCALE_INTRO.format(when=scale["when"], seeds=scale["seeds"], needed=needed,
                           **scale["settings"]), "",
        *table(("rule", "member-hours", "age", "changes"), rows),
    ]  # fmt: skip


def broker_lines(broker: Results) -> list[str]:
    minutes = [
        (str(minute), *(f"{broker[name][at]:,}" for name in ("forecast", "came", "by_commits")))
        for at, minute in [*enumerate(broker["minutes"])][::2]
    ]
    return [
        "## A real broker", "",
        BROKER_INTRO.format(
            members=len(broker["speeds"]["truth"]), partitions=len(broker["rates"]["truth"]),
            sampled=broker["sampled_s"],
        ), "",
        *table(("minute", "forecast", "came", "by commits"), minutes),
    ]  # fmt: skip


PARTS: Final[dict[str, Any]] = {
    "rules": rule_lines, "scale": scale_lines, "broker": broker_lines,
}  # fmt: skip


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows)]


if __name__ == "__main__":
    sys.exit(main())
