"""The targets of the parts with one table each: a list of rows in the results."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

from benchmarks.assignors.streams import PUBLISHED
from benchmarks.assignors.target import OVERRUN_MS, Results, Target, largest, overrun

GAP_TOPICS: Final = 1.0
GAP_CAPACITIES: Final = 0.05
"""Percent of the mean load."""
EXACT_S: Final = 1.0
"""Seconds for exact counts, reads across racks and moves."""
FEW_MOVES: Final = (60, 72)
"""Limits on moves with a proved optimum, and how many there are."""
ABOVE: Final = 0.1
"""Percent of the mean load."""
PERFECT: Final = 33
"""Lists at their optimum, of the 35 of each draw."""


def part_targets(results: Results) -> Iterator[Target]:
    yield _perfect(results.get("perfect") or [])
    yield from _few_moves(results.get("few moves") or [])
    yield from _topics(results.get("topics") or [])
    yield _racks(results.get("racks") or [])
    yield from _capacities(results.get("capacities") or [])
    if rows := results.get("streams"):
        yield _streams(rows)


def _streams(rows: Sequence[dict[str, Any]]) -> Target:
    """Met if less changes hands than published for the best of the autoscalers."""
    pairs = [(row, PUBLISHED[row["delta"]][1]) for row in rows if row["delta"] in PUBLISHED]
    figures = ", ".join(f"δ {row['delta']}: {row['r_score']:.1f}" for row, _ in pairs)
    wanted = ", ".join(f"δ {row['delta']}: {best}" for row, best in pairs)
    met = all(row["r_score"] < best for row, best in pairs)
    return Target("R-score", f"below {wanted}", figures, met)


def _perfect(rows: Sequence[dict[str, Any]]) -> Target:
    """Met if enough lists reach the known optimum, proved, with even counts."""
    lists = len({row["list"] for row in rows})
    short = [row["list"] for row in rows if not row["solved"]]
    figures = f"{len(rows) - len(short)} of {len(rows)} lists" if rows else "not run"
    if short:
        figures += f", not {short[0]}"
    elif rows:
        figures += f", at most {max(row['seconds'] for row in rows):.1f} s"
    met = (len(rows) - len(short)) * lists >= PERFECT * len(rows) if rows else None
    return Target("perfect plans", f"at least {PERFECT} of 35", figures, met)


def _few_moves(rows: Sequence[dict[str, Any]]) -> Iterator[Target]:
    """Met if enough limits on moves have a proved optimum, and no plan is far above the best."""
    sound = [row for row in rows if row["proved"] and not row["problems"]]
    figures = f"{len(sound)} of {len(rows)} cases" if rows else "not run"
    met = len(sound) * FEW_MOVES[1] >= FEW_MOVES[0] * len(rows) if rows else None
    yield Target("few moves", "proved in at least {} of {}".format(*FEW_MOVES), figures, met)
    above = {row["case"]: row["above_percent"] for row in rows}
    yield largest("few moves, above the best plan", above, ABOVE, lambda part: f"{part:.3f} %")


def _topics(rows: Sequence[dict[str, Any]]) -> Iterator[Target]:
    """Large groups whose topics count one by one: overruns of short limits, and even loads."""
    failed = [row["group"] for row in rows if not row["exact"]]
    over = sorted(row["overrun_ms"] for row in rows if not row["even"])
    yield overrun("overrun, topics one by one", over, failed, 0.95, OVERRUN_MS)
    gaps = {
        f"{row['group']}, {row['balance']}": row["gap_percent"] if row["exact"] else math.inf
        for row in rows
        if row["even"]
    }
    name = "proved gap, topics one by one, 10,000 x 200,000, 2 s"
    yield largest(name, gaps, GAP_TOPICS, lambda gap: f"{gap:.3g} %")


def _racks(rows: Sequence[dict[str, Any]]) -> Target:
    """Met if the fewest reads across racks are proved, with the most even counts, in all groups."""
    plans = [row for row in rows if "fewest_cross_rack" in row]
    short = [
        row["group"]
        for row in plans
        if not row["counts_optimal"] or row["cross_rack"] != row["fewest_cross_rack"]
    ]
    figures = f"{len(plans) - len(short)} of {len(plans)} groups" if plans else "not run"
    if short:
        figures += f", not {short[0]}"
    return Target("racks: fewest reads", "all proved", figures, not short if plans else None)


def _capacities(rows: Sequence[dict[str, Any]]) -> Iterator[Target]:
    """Members of different speed: exact plans of a large group, and even loads."""
    exact, gaps = {}, {}
    for row in rows:
        sound = not row["findings"]
        if "gap_percent" in row:
            gaps[row["group"]] = row["gap_percent"] if sound else math.inf
        elif row["fields"] != "none":
            exact[row["group"]] = row["seconds"] if sound else math.inf
    name = "capacities and racks, 10,000 x 500,000: counts, racks, moves"
    yield largest(name, exact, EXACT_S, lambda s: f"{s:.2f} s")
    name = "proved gap, capacities 1 to 4, 100 x 1,000 to 1,000 x 10,000, 2 s"
    yield largest(name, gaps, GAP_CAPACITIES, lambda gap: f"{gap:.3g} %")
