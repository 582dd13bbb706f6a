"""What 120 members on 1,200 partitions cost, as lines: led, and beside it their own assignor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from benchmarks.simulation.report import table

Results = Mapping[str, Any]

COLUMNS: Final = {
    "moves": "moves",
    "unowned_partition_s": "partition-seconds without an owner",
    "twice": "records read twice",
    "delay_p90_s": "p90 of age when read, s",
}
BEFORE: Final = "before"
"""The step in which nothing changes."""
MEAN: Final = "delay_p90_s"
"""The only one that is not summed over repeated changes."""


def big_lines(results: Sequence[Results]) -> list[str]:
    """Return a table of changes, and a sentence on steady traffic, of the cases that are there."""
    lines = []
    for one in results:
        if "steps" in one:
            rows = [
                (f"{name} ({len(each)})", *(_cell(each, figure) for figure in COLUMNS))
                for name, each in one["steps"].items()
                if name != BEFORE
            ]
            lines += [*table(("led (alone)", *COLUMNS.values()), rows), ""]
        else:
            led, alone = one["groups"]
            what = f"{one['seconds'] / 60:g} minutes, 240 records/s, 20 members of 120 slow"
            lags = [
                f"{side['lag_mean']:,}, at the end {side['lag_end']:,}" for side in (led, alone)
            ]
            lines += [f"{what}: mean lag {lags[0]}; alone {lags[1]}.", ""]
    used = [(one["cpu_percent"], one["memory_mib"]) for one in results]
    cpu, memory = (max(each) for each in zip(*used, strict=True))
    return [*lines, f"The steward took {cpu:.1f} % of a core and {memory:.0f} MiB at most."]


def _cell(each: Sequence[Sequence[Results]], figure: str) -> str:
    """The sums over all times, of the led group and of the other."""
    led, alone = (sum(step[side][figure] for step in each) for side in (0, 1))
    if figure == MEAN:
        return f"{led / len(each):.1f} ({alone / len(each):.1f})"
    return f"{led:,.0f} ({alone:,.0f})"
