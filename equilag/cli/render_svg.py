"""The trade-offs between moves and lag spread as a drawing (SVG), without a plotting library."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape

from equilag.cli.text import number, plural, printable, shorten

if TYPE_CHECKING:
    from equilag.planner.frontier import Point

WIDTH: Final = 720
HEIGHT: Final = 440
LEFT: Final = 84
RIGHT: Final = 696
TOP: Final = 64
BOTTOM: Final = 376
MOST_DOTS: Final = 150

STYLE: Final = """\
text { font: 13px sans-serif; fill: #222 }
.title { font-size: 16px; font-weight: bold }
.grid { stroke: #ddd }
.axis { stroke: #222 }
.spread { stroke: #1f5fa8; stroke-width: 2; fill: none }
.bound { stroke: #b3541e; stroke-width: 1.5; stroke-dasharray: 5 4; fill: none }
.dot { fill: #1f5fa8 }"""


def frontier_svg(group: str, points: Sequence[Point]) -> str:
    """A step line: the spread that each number of moves buys, and the bound where it is below."""
    x_ticks = ticks(max((p.moves for p in points), default=0))
    y_ticks = ticks(max((p.spread for p in points), default=0))
    width, height = max(x_ticks), max(y_ticks)

    def x(moves: float) -> float:
        return LEFT + (RIGHT - LEFT) * moves / width

    def y(spread: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * spread / height

    title = f"Lag spread by number of moves: {shorten(printable(group), 50)}"
    box, size = f"0 0 {WIDTH} {HEIGHT}", f'width="{WIDTH}" height="{HEIGHT}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" {size} role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>\n{STYLE}\n</style>",
        f'<rect {size} fill="#fff"/>',
        _text(LEFT, 30, title, "start", ' class="title"'),
    ]
    for tick in y_ticks:
        parts.append(_line(LEFT, y(tick), RIGHT, y(tick), "grid"))
        parts.append(_text(LEFT - 8, y(tick) + 4, short_number(tick), "end"))
    for tick in x_ticks:
        parts.append(_line(x(tick), BOTTOM, x(tick), BOTTOM + 5, "axis"))
        parts.append(_text(x(tick), BOTTOM + 20, short_number(tick), "middle"))
    parts += [
        _line(LEFT, BOTTOM, RIGHT, BOTTOM, "axis"),
        _line(LEFT, TOP, LEFT, BOTTOM, "axis"),
        _text((LEFT + RIGHT) / 2, BOTTOM + 46, "moves", "middle"),
        f'<g transform="rotate(-90 20 {(TOP + BOTTOM) / 2:.1f})">'
        + _text(20, (TOP + BOTTOM) / 2, "lag spread (records)", "middle")
        + "</g>",
    ]
    open_points = [p for p in points if p.spread_lower_bound < p.spread]
    if open_points:
        steps = _steps(((x(p.moves), y(p.spread_lower_bound)) for p in points), RIGHT)
        parts.append(f'<polyline class="bound" points="{steps}"/>')
    if points:
        steps = _steps(((x(p.moves), y(p.spread)) for p in points), RIGHT)
        parts.append(f'<polyline class="spread" points="{steps}"/>')
    if len(points) <= MOST_DOTS:
        parts += [
            f'<circle class="dot" cx="{x(p.moves):.1f}" cy="{y(p.spread):.1f}" r="3.5"><title>'
            f"{plural(p.moves, 'move')}: spread {number(p.spread)}, at least"
            f" {number(p.spread_lower_bound)}</title></circle>"
            for p in points
        ]
    parts += _legend(bool(open_points))
    return "\n".join([*parts, "</svg>", ""])


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
        left = LEFT + 220 * i
        parts.append(_line(left, 48, left + 26, 48, kind))
        parts.append(_text(left + 34, 52, words, "start"))
    return parts


def _steps(corners: Iterable[tuple[float, float]], right: float) -> str:
    """A line that keeps its height up to the next corner, and after the last one."""
    path: list[tuple[float, float]] = []
    for across, up in corners:
        if path:
            path.append((across, path[-1][1]))
        path.append((across, up))
    path.append((right, path[-1][1]))
    return " ".join(f"{across:.1f},{up:.1f}" for across, up in path)


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, words: str, anchor: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(words)}</text>'
