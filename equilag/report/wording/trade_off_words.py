"""The headlines of a comparison and of a frontier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from equilag.planner.compare import CURRENT
from equilag.report.wording.words import number, plural, printable, short_percent

if TYPE_CHECKING:
    from equilag.report.facts.comparison import AssignorFacts
    from equilag.report.facts.frontier import PointFacts


EQUILAG: Final = "equilag"
"""The row of equilag's own plan."""


def comparison_headline(rows: Sequence[AssignorFacts], has_readers: bool, by_solver: bool) -> str:
    """How far equilag, the best assignor and the current assignment are from the bound.

    `by_solver`: it rests on a solver's word. An assignor that the bound does not hold for is not
    the best.
    """
    gaps = {row.name: row.gap_percent for row in rows if row.gap_percent is not None}
    others = {
        row.name: row.gap_percent
        for row in rows
        if row.name not in (CURRENT, EQUILAG)
        and row.gap_percent is not None
        and not row.beyond_bound
    }
    parts = []
    if EQUILAG in gaps:
        parts.append(f"equilag {short_percent(gaps[EQUILAG])}")
    if others:
        best = min(others, key=lambda name: others[name])
        parts.append(f"the best assignor ({printable(best)}) {short_percent(others[best])}")
    if CURRENT in gaps:
        parts.append(f"the current assignment {short_percent(gaps[CURRENT])}")
    if not parts or not has_readers:
        return "Nothing to compare: no member reads a partition"
    bound = "solver's" if by_solver else "proved"
    return f"From the {bound} bound: {', '.join(parts)} of the mean load"


def frontier_headline(points: Sequence[PointFacts], what: str) -> str:
    """What the fewest moves, the knee and equilag's plan get of the possible gain."""
    if not points:
        return "No trade-offs: there is nothing to assign"
    if len(points) == 1:
        moves = plural(points[0].moves, "move")
        return f"One point: no plan with more than {moves} and a smaller {what} spread was found"
    first = points[0]
    marked = {mark: point for point in points for mark in point.marks}
    shown = [marked[mark] for mark in ("knee", "plan") if mark in marked]
    shown = [point for point in shown if point.moves > first.moves] or [points[-1]]
    differ = any(point.gain_percent > first.gain_percent for point in shown)
    chosen = dict.fromkeys(_point(point, differ) for point in shown)
    start = f"{what} spread {number(first.spread)} with {plural(first.moves, 'move')}"
    return f"Trade-offs: {start}; {'; '.join(chosen)}"


def _point(point: PointFacts, shows_gain: bool) -> str:
    text = f"{number(point.spread)} with {number(point.moves)}"
    if not shows_gain:
        return text
    return f"{text} ({short_percent(point.gain_percent)} of the possible gain)"
