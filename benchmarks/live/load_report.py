"""The load tables of docs/benchmark/live.md, from the results of full runs.

    python -m benchmarks.live.load_report [--take .cache/live]

`--take` first copies what full runs left in a folder to benchmarks/live/results/, from which the
tables are made. Shortened runs are left out.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from benchmarks.assignors.target import summary
from benchmarks.kafka_broker import CHECKOUT
from benchmarks.live.load_scenarios import BY_HAND, BY_WORK, OTHER_SEED, SCENARIOS
from benchmarks.live.load_targets import Results, judged_load
from benchmarks.simulation.report import table

RESULTS: Final = CHECKOUT / "benchmarks" / "live" / "results"
PAGE: Final = CHECKOUT / "docs" / "benchmark" / "live.md"
BEGIN: Final = "<!-- load: python -m benchmarks.live.load_report writes what follows -->"
END: Final = "<!-- load: end -->"
INTRO: Final = """\
Groups side by side on the same records, each on {members} librdkafka members with their default
settings and cooperative-sticky, with speeds in records per second. *By hand*: `assign()`
with the best plan for the true rates and speeds, again at once when rates change. Lag is what was
produced and not yet processed, delay the time from producing a record to the end of its processing.
`benchmarks/live/results/` has the lag of each minute, versions and logs.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    args = report_arguments("load_report", arguments)
    if args.take is not None:
        take(args.take, args.results)
    page = args.page.read_text("utf-8")
    args.page.write_text(with_section(page, section(args.results)), "utf-8")
    return 0


def report_arguments(module: str, arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return where results come from, where they are kept, and the page for their tables."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.live.{module}")
    parser.add_argument("--take", type=Path, metavar="FOLDER")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--page", type=Path, default=PAGE)
    return parser.parse_args(arguments)


def take(source: Path, results: Path) -> None:
    """Copy figures and logs of full runs."""
    results.mkdir(parents=True, exist_ok=True)
    for path in sorted(source.glob("load-*.json")):
        if json.loads(path.read_text("utf-8"))["full"]:
            shutil.copy(path, results)
            for log in source.glob(f"{path.stem}-*.log"):
                shutil.copy(log, results)


def with_section(page: str, lines: Iterable[str], begin: str = BEGIN, end: str = END) -> str:
    """Return the page with these lines between two markers. Raises ValueError without them."""
    before, found_begin, rest = page.partition(begin)
    _, found_end, after = rest.partition(end)
    if not found_begin or not found_end:
        raise ValueError("the page has no markers")
    return "\n".join([before + begin, "", *lines, "", end + after])


def section(folder: Path) -> list[str]:
    """Return the lines of all scenarios that have results, in their order."""
    files = [folder / f"load-{name}.json" for name in SCENARIOS]
    found = [json.loads(path.read_text("utf-8")) for path in files if path.exists()]
    goals = [goal for results in found for goal in judged_load(results)]
    members = " or ".join(map(str, sorted({len(results["speeds"]) for results in found})))
    return [
        *INTRO.format(members=members).splitlines(),
        "",
        *summary(goals),
        "",
        *scenario_lines(found),
        *other_seeds(folder, found),
        "",
        *side_lines(found),
        "",
        f"Partitions with two owners at any moment: {_two_owners(found)}.",
    ]


def scenario_lines(found: list[Results]) -> list[str]:
    """Return what each scenario is, its speeds unless they are those of the one before, and the
    options of its stewards unless the first has them."""
    lines, first, before = list[str](), list[str](), list[float]()
    for results in found:
        speeds = ", ".join(
            f"{number} at {speed:g}" for speed, number in Counter[float](results["speeds"]).items()
        )
        options = [
            f"{row['words']} with `{row['options']}`" for row in results["sides"] if row["options"]
        ]
        same = bool(options) and set(options) <= set(first)
        parts = [
            f"{results['measured_from']:g}",
            *([] if results["speeds"] == before else [speeds]),
        ]
        before = results["speeds"]
        first = first or options
        lines.append(
            f"- **{results['words'][:1].upper()}{results['words'][1:]}**: "
            f"{results['seconds'] / 60.0:g} minutes, figures from second "
            f"{'; '.join([*parts, *([] if same else options)])}; load {_load(results['machine'])}."
        )
    return lines


def other_seeds(folder: Path, found: list[Results]) -> list[str]:
    """Return a line for each scenario that was run with other arrivals, too."""
    lines = []
    for results in found:
        runs = [
            {
                row["side"]: f"{row['lag_mean']:,.0f}"
                for row in json.loads(path.read_text())["sides"]
            }
            for path in sorted(folder.glob(f"load-{results['name']}{OTHER_SEED}*.json"))
        ]
        if runs:
            others = ", ".join(f"{one[BY_WORK.name]} ({one[BY_HAND.name]})" for one in runs)
            what = f"Mean total lag by work (by hand) with other arrivals, {results['words']}"
            lines.append(f"- {what}: {others}.")
    return lines


def _load(machine: Results) -> str:
    """Of the machine, at the start and at the end."""
    return f"{machine['load_at_start']:.0f} to {machine['load_at_end']:.0f}"


def _two_owners(found: list[Results]) -> int:
    return sum(row["two_owners"] for results in found for row in results["sides"])


def side_lines(found: list[Results]) -> list[str]:
    """Return a table with a row for each group of each scenario."""
    rows = [
        (results["words"] if at == 0 else "", row["words"], *(cell(row) for _, cell in COLUMNS))
        for results in found
        for at, row in enumerate(results["sides"])
    ]
    return table(("scenario", "group", *(words for words, _ in COLUMNS)), rows)


COLUMNS: Final[list[tuple[str, Callable[[Results], str]]]] = [
    ("mean total lag", lambda row: f"{row['lag_mean']:,.0f}"),
    (
        "delay: p99 (longest), s",
        lambda row: f"{row['delay_p99_s']:.2f} ({row['delay_max_s']:.2f})",
    ),
    (
        "busiest member at the start, end, % of its speed",
        lambda row: ", ".join(map(str, row["busiest_percent"])),
    ),
    (
        "rebalances (moves)",
        lambda row: f"{len(row['rebalances'])} ({sum(one['moves'] for one in row['rebalances'])})",
    ),
    ("partition-seconds without an owner", lambda row: f"{row['unowned_partition_s']:.1f}"),
]


if __name__ == "__main__":
    sys.exit(main())
