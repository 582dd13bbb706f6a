"""What the fleet benchmark has to reach, and whether a result does."""

from __future__ import annotations

from typing import Any, Final

OVERHEAD: Final = 25.0
"""Percent that the solve stage may take longer than the bare loop divided by the cores."""
GROWTH: Final = 1.0
"""Times the seconds per group that all groups may take, against a tenth of them."""
DEMO: Final = 120.0
"""Seconds for 500 groups, with the making of their history."""


def judged(result: dict[str, Any]) -> list[tuple[str, bool]]:
    """Each target with its figure, and whether it is met."""
    demo, small, large, loop = (result[k] for k in ("demo", "small", "large", "loop"))
    cores = result["machine"]["cores"]
    solving = large["summary"]["stages_s"]["solve"]
    overhead = 100 * (solving / (loop["seconds"] / cores) - 1)
    seconds = demo["making_s"] + demo["command_s"]
    growth = _per_group(large) / _per_group(small)
    same = result["same"]
    peak = large["peak_mib"]
    checks = [
        (f"demo: {seconds:.0f} s (target {DEMO:.0f})", seconds <= DEMO),
        (
            (
                f"same plan as the library: {same['equal']} of {same['groups']} groups; as the command:"
                f" {same['equal_commands']} of {same['commands']}"
            ),
            same["equal"] == same["groups"] and same["equal_commands"] == same["commands"],
        ),
        (
            (
                f"scale: {large['summary']['groups']:,} groups, {large['offset_rows']:,} offset rows in"
                f" {large['command_s']:.0f} s"
            ),
            large["summary"]["planned"]["groups"] == loop["groups"],
        ),
        (
            (
                f"overhead: solve stage {solving:.0f} s, bare loop {loop['seconds']:.0f} s over {cores}"
                f" cores: {overhead:+.1f} % (target {OVERHEAD:.0f} %)"
            ),
            overhead <= OVERHEAD,
        ),
        (
            (
                f"growth: {1000 * _per_group(small):.0f} ms a group for a tenth of them,"
                f" {1000 * _per_group(large):.0f} ms for all: {growth:.2f} times"
            ),
            growth <= GROWTH,
        ),
        (
            "peak memory: "
            + ", ".join(f"{kind} {size:,.0f} MiB" for kind, size in sorted(peak.items())),
            True,
        ),
    ]
    return [(f"{'ok    ' if fine else 'MISSED'} {text}", fine) for text, fine in checks]


def _per_group(run: dict[str, Any]) -> float:
    return float(run["command_s"]) / int(run["summary"]["groups"])
