"""The targets of the fleet benchmark, and the comparison of a result with them."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

OVERHEAD: Final = 25.0
"""Percent that the solve stage may take longer than the bare loop divided by the cores."""
GROWTH: Final = 1.0
"""Largest ratio of the seconds per group of all groups to those of a tenth of the groups."""
DEMO: Final = 120.0
"""Seconds for 500 groups, including the generation of their history."""


MEMORY: Final = 2_048.0
"""MiB of all processes together, at the peak of the large run."""
SCALE: Final = 200.0
"""Seconds for 5,000 groups; in proportion for other numbers."""


class Target(NamedTuple):
    name: str
    figures: str
    met: bool

    def __str__(self) -> str:
        return f"{'ok    ' if self.met else 'MISSED'} {self.name}: {self.figures}"


def judged(result: dict[str, Any]) -> list[Target]:
    """Return each target with its figures."""
    return [
        _demo(result), _same(result), _scale(result), _overhead(result), _growth(result),
        _memory(result),
    ]  # fmt: skip


def memory_line(result: dict[str, Any]) -> str:
    peaks = sorted(result["large"]["peak_mib"].items())
    return "peak memory: " + ", ".join(f"{kind} {size:,.0f} MiB" for kind, size in peaks)


def _demo(result: dict[str, Any]) -> Target:
    seconds = result["demo"]["making_s"] + result["demo"]["command_s"]
    return Target("demo", f"{seconds:.0f} s (target {DEMO:.0f} s)", seconds <= DEMO)


def _same(result: dict[str, Any]) -> Target:
    same = result["same"]
    figures = (
        f"{same['equal']} of {same['groups']} groups by the library,"
        f" {same['equal_commands']} of {same['commands']} by equilag plan"
    )
    met = same["equal"] == same["groups"] and same["equal_commands"] == same["commands"]
    return Target("same plan from the exported snapshot", figures, met)


def _scale(result: dict[str, Any]) -> Target:
    large = result["large"]
    summary = large["summary"]
    figures = (
        f"{summary['groups']:,} groups, {summary['planned']['partitions']:,} partitions,"
        f" {large['offset_rows']:,} offset rows in {large['command_s']:.0f} s"
    )
    limit = SCALE * summary["groups"] / 5_000
    same = summary["planned"]["groups"] == result["loop"]["groups"]
    return Target(
        "scale", f"{figures} (target {limit:.0f} s)", same and large["command_s"] <= limit
    )


def _overhead(result: dict[str, Any]) -> Target:
    cores = result["machine"]["cores"]
    solving, loop = result["large"]["summary"]["stages_s"]["solve"], result["loop"]["seconds"]
    percent = 100 * (solving / (loop / cores) - 1)
    figures = (
        f"solve stage {solving:.0f} s, bare loop {loop:.0f} s over {cores} cores:"
        f" {percent:+.1f} % (target {OVERHEAD:.0f} %)"
    )
    return Target("overhead", figures, percent <= OVERHEAD)


def _memory(result: dict[str, Any]) -> Target:
    peak = result["large"]["peak_mib"]["all"]
    return Target("memory", f"{peak:,.0f} MiB (target {MEMORY:,.0f} MiB)", peak < MEMORY)


def _growth(result: dict[str, Any]) -> Target:
    few, all_ = (
        1000 * run["command_s"] / run["summary"]["groups"]
        for run in (result["small"], result["large"])
    )
    figures = f"{few:.0f} ms a group for a tenth of them, {all_:.0f} ms for all"
    return Target("growth", figures, all_ <= GROWTH * few)
