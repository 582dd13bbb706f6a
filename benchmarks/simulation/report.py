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

from benchmarks.simulation.rule_part import TRIED_ON
from benchmarks.simulation.rules import RULES
from benchmarks.simulation.scenarios import SCENARIOS
from benchmarks.simulation.targets import Results, forecast_errors, judged, relative_errors

WORDS: Final = {True: "met", False: "**missed**", None: "not measured"}
RULES_INTRO: Final = """\
Each cell: age of the oldest unread record, 95th percentile over time, median of the seeds (worst
seed) / mean total lag / moves. A fluid model (`planner/simulation/`) plays half an hour of 120
partitions. Members commit every {commit_s} s; a controller sees log ends and commits every
{look_every_s} s and measures rates (over {window_s} s) and speeds from them (`adapters/measuring`);
it is never told the truth. All rules share one controller: it rebalances if a plan saves excess of
{gain_percent:.0f} % of the mean load in {confirm} samples in a row, at most every
{min_interval_s} s; the horizon is {horizon_s:.0f} s, the tolerance {tolerance:g} %, the effort
{effort:g}. A partition that moves is not read for {pause_s} s. A member that never had a backlog
counts as fast as the fastest that was seen; speeds within 15 % count as one. When a member joins,
every rule assigns anew. {seeds} seeds; {speed:.0f} records per second a member; lognormal rates
with sigma {sigma:g}, dealt anew every 10 minutes; 80 % of the capacity used."""
BROKER_INTRO: Final = """\
{members} librdkafka members with automatic commits every 5 s, member 0 at a third of the speed of
the others, {partitions} partitions with lognormal rates, 80 % of the capacity used. All members
have a backlog at the start. `equilag snapshot --sample {sampled}s` reads the group,
`equilag.simulate` forecasts from that snapshot alone, and the group is left to itself. *Came* is
what was produced and not yet processed, *by commits* what a tool reads at that moment, which has
the records since the last commit too. The discrepancy is the forecast against what came."""
COST: Final = """\
{members:,} members, {partitions:,} partitions, one subscription, lognormal lags and rates:
{lag_s:.2f} s of CPU time by lag, {work_s:.2f} s by work. Medians of {pairs} pairs, each in one
process; the median ratio of the pairs is {ratio:.2f}."""
TRIED_INTRO: Final = "Other settings, {words}, {seeds} seeds:"
MOVES_NOTE: Final = """\
Moves are compared with those of the other rule that has the lowest age, since a rule that
leaves records unread for minutes also needs no moves. Both rows per measured speed are
equilag's: `--weight work` with capacities, the first one with `--balance none`. The targets are
for the second one, whose counts are hard. An exchange takes two moves where free counts take
one, so hard counts cost moves; where one partition is nearly as fast as a member (Zipf rates),
they also cost age."""


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
        f"`make bench-simulation`, run of {results['when']} on {where}.",
        f"Load at the start: {machine['load_at_start']:.1f}.",
        "Versions: " + ", ".join(f"{name} {what}" for name, what in versions.items()) + ".",
        "",
        "## Targets",
        "",
        *table(
            ("what", "target", "measured", ""),
            [(g.name, g.limit, g.figures, WORDS[g.met]) for g in judged(results)],
        ),
    ]
    for part, lines_of in PARTS.items():
        if results.get(part) and "left_out" not in results[part]:
            lines += ["", *lines_of(results[part])]
    return "\n".join([*lines, ""])


def rule_lines(rules: Results) -> list[str]:
    settings = rules["settings"]
    names = [row["words"] for row in rules["scenarios"][0]["rules"]]
    rows = [
        (name, *(_cell(scenario["rules"][at]) for scenario in rules["scenarios"]))
        for at, name in enumerate(names)
    ]
    head = ("a rebalance balances", *(scenario["words"] for scenario in rules["scenarios"]))
    rebalances = [
        (name, *(f"{s['rules'][at]['rebalances']['median']:.0f}" for s in rules["scenarios"]))
        for at, name in enumerate(names)
    ]
    return [
        "## What a rebalance balances", "",
        RULES_INTRO.format(seeds=rules["seeds"], **settings), "",
        *table(head, rows), "", MOVES_NOTE, "",
        "Rebalances, medians:", "", *table(head, rebalances), "",
        *_tried_lines(rules),
    ]  # fmt: skip


def _tried_lines(rules: Results) -> list[str]:
    """Work per speed with other settings."""
    by_speed = [rule for rule in RULES if rule.by_speed]
    rows = [
        (tried["words"], *(_cell(tried[rule.name]) for rule in by_speed))
        for tried in rules["tried"]
    ]
    return [
        TRIED_INTRO.format(seeds=rules["tried"][0]["seeds"], words=_words_of(TRIED_ON)), "",
        *table(("settings", *(rule.words for rule in by_speed)), rows),
    ]  # fmt: skip


def _words_of(scenario: str) -> str:
    return next(one.words for one in SCENARIOS if one.name == scenario)


def _cell(row: Results) -> str:
    age, lag, moves = (row[name] for name in ("age_p95_s", "lag", "moves"))
    return (
        f"{_seconds(age['median'])} s ({_seconds(age['worst'])}) / {lag['median']:,.0f}"
        f" / {moves['median']:.0f}"
    )


def _seconds(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def broker_lines(broker: Results) -> list[str]:
    errors = ["", *(f"{error:+.1f} %" for error in forecast_errors(broker))]
    minutes = [
        (str(minute), *(f"{broker[name][at]:,}" for name in ("forecast", "came", "by_commits")),
         errors[at])
        for at, minute in enumerate(broker["minutes"])
    ]  # fmt: skip
    speeds = broker["speeds"]
    members = [
        (str(at), f"{truth:g}", _known(speeds["measured"][at]), _percent(error))
        for at, (truth, error) in enumerate(
            zip(speeds["truth"], relative_errors(speeds), strict=True)
        )
    ]
    return [
        "## A real broker", "",
        BROKER_INTRO.format(
            members=len(speeds["truth"]), partitions=len(broker["rates"]["truth"]),
            sampled=broker["sampled_s"],
        ), "",
        *table(("minute", "forecast", "came", "by commits", "discrepancy"), minutes), "",
        *table(("member", "records/s", "measured", "error"), members),
    ]  # fmt: skip


def _known(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.1f}"


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:+.1f} %"


def size_lines(size: Results) -> list[str]:
    rows = [
        (
            case["words"], ", ".join(map(str, case["helping"])),
            ", ".join(f"{load:.1%}" for load in case["loads"]),
            f"{case['proved']} of {case['sizes']}", f"{case['cpu_s']:.2f} s",
        )
        for case in size["cases"]
    ]  # fmt: skip
    head = ("group", "members (processes) at which one more helps", "heaviest utilisation",
            "sizes proved", "CPU time")  # fmt: skip
    return ["## Size", "", *table(head, rows)]


def cost_lines(cost: Results) -> list[str]:
    return ["## Cost", "", COST.format(**cost)]


PARTS: Final[dict[str, Any]] = {
    "rules": rule_lines, "broker": broker_lines, "size": size_lines, "cost": cost_lines,
}  # fmt: skip


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows)]


if __name__ == "__main__":
    sys.exit(main())
