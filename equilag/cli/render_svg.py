"""The trade-offs between moves and lag spread as a drawing (SVG), without a plotting library."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from equilag.cli.svg import Scale, Sheet, line, polyline, text
from equilag.cli.text import number, plural, printable, shorten

if TYPE_CHECKING:
    from equilag.planner.frontier import Point

MOST_DOTS: Final = 150

STYLE: Final = """\
.spread { stroke: #1f5fa8; stroke-width: 2; fill: none }
.bound { stroke: #b3541e; stroke-width: 1.5; stroke-dasharray: 5 4; fill: none }
.dot { fill: #1f5fa8 }"""
SHEET: Final = Sheet(720, 440, left=84, right=696, top=64, bottom=376, letters=13, style=STYLE)


def frontier_svg(group: str, points: Sequence[Point]) -> str:
    """A step line: the spread that each number of moves buys, and the bound where it is below."""
    x_ticks = ticks(max((p.moves for p in points), default=0))
    y_ticks = ticks(max((p.spread for p in points), default=0))
    width, height = max(x_ticks), max(y_ticks)

    def x(moves: float) -> float:
        return SHEET.x(moves / width)

    def y(spread: float) -> float:
        return SHEET.y(spread / height)

    parts = []
    open_points = [p for p in points if p.spread_lower_bound < p.spread]
    if open_points:
        least = _steps((x(p.moves), y(p.spread_lower_bound)) for p in points)
        parts.append(polyline(least, "bound"))
    if points:
        parts.append(polyline(_steps((x(p.moves), y(p.spread)) for p in points), "spread"))
    if len(points) <= MOST_DOTS:
        parts += [
            f'<circle class="dot" cx="{x(p.moves):.1f}" cy="{y(p.spread):.1f}" r="3.5"><title>'
            f"{plural(p.moves, 'move')}: spread {number(p.spread)}, at least"
            f" {number(p.spread_lower_bound)}</title></circle>"
            for p in points
        ]
    parts += _legend(bool(open_points))
    return SHEET.svg(
        f"Lag spread by number of moves: {shorten(printable(group), 50)}",
        Scale("moves", [(tick / width, short_number(tick)) for tick in x_ticks]),
        Scale("lag spread (records)", [(tick / height, short_number(tick)) for tick in y_ticks]),
        parts,
    )


def ticks(largest: int, most: int = 6) -> list[int]:
    """Round numbers from 0 to `largest` or just above it."""
    if largest <= 0:
        return [0, 1]
    rough = largest / (most - 1)
    power = 10 ** max(0, math.floor(math.log10(rough)))
    step = next(m * power for m in (1, 2, 5, 10, 20) if m * power >= rough)
    return list(range(0, (-(-largest // step) + 1) * step, step))


def short_number(value: int) -> str:
    """A tick's label: `250`, `1.5 M`."""
    for size, unit in ((10**15, "P"), (10**12, "T"), (10**9, "G"), (10**6, "M"), (10**4, "k")):
        if value >= size:
            scale = 1000 if unit == "k" else size
            return f"{value / scale:.6g} {unit}"
    return number(value)


def _legend(bound: bool) -> list[str]:
    entries = [("spread", "smallest spread found")]
    entries += [("bound", "no spread can be below")] if bound else []
    parts = []
    for i, (kind, words) in enumerate(entries):
        left = SHEET.left + 220 * i
        parts.append(line(left, 48, left + 26, 48, kind))
        parts.append(text(left + 34, 52, words, "start"))
    return parts


def _steps(corners: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """A line that keeps its height up to the next corner, and after the last one."""
    path: list[tuple[float, float]] = []
    for across, up in corners:
        if path:
            path.append((across, path[-1][1]))
        path.append((across, up))
    return [*path, (SHEET.right, path[-1][1])]
