"""Dots on two logarithmic axes as SVG, without a plotting library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape

WIDTH: Final = 760
HEIGHT: Final = 460
LEFT: Final = 96
RIGHT: Final = 730
TOP: Final = 64
BOTTOM: Final = 392
LINE: Final = 14
"""Pixels from one label to the next."""
LETTER: Final = 6.6
"""Pixels of one letter, about."""
MOST_TICKS: Final = 8

STYLE: Final = """\
text { font: 12px sans-serif; fill: #222 }
.title { font-size: 16px; font-weight: bold }
.grid { stroke: #ddd }
.axis { stroke: #222 }
.line { stroke: #1f5fa8; stroke-width: 2; fill: none }
.own { fill: #1f5fa8; stroke: #1f5fa8 }
.other { fill: #b3541e; stroke: #b3541e }
.hollow { fill: #fff; stroke: #b3541e; stroke-width: 1.5 }"""


@dataclass(frozen=True, slots=True)
class Dot:
    """`kind` is ``own``, ``other`` or ``hollow``; no label, no words beside it."""

    x: float
    y: float
    label: str = ""
    kind: str = "other"


@dataclass(frozen=True, slots=True)
class Axis:
    """A logarithmic axis from `low` to `high`, powers of ten. What is below `low` is drawn there;
    with `zero` that end is called 0."""

    title: str
    low: float
    high: float
    zero: bool = False

    @staticmethod
    def over(title: str, values: Sequence[float], least: float, zero: bool = False) -> Axis:
        """Wide enough for the values, from `least` on."""
        seen = [max(value, least) for value in values] or [least]
        low, high = math.floor(math.log10(min(seen))), math.ceil(math.log10(max(seen)))
        return Axis(title, 10.0**low, 10.0 ** max(high, low + 1), zero)

    def share(self, value: float) -> float:
        """Where a value lies, from 0 to 1."""
        value = min(max(value, self.low), self.high)
        return math.log10(value / self.low) / math.log10(self.high / self.low)

    def ticks(self) -> list[tuple[float, str]]:
        low, high = round(math.log10(self.low)), round(math.log10(self.high))
        step = -(-(high - low) // MOST_TICKS)
        found = [(10.0**power, decade(power)) for power in range(low, high + 1, step)]
        if self.zero:
            found[0] = (self.low, "0")
        return found


def decade(power: int) -> str:
    """A power of ten in words: 0.01, 1, 1,000, 1 M."""
    if power >= 6:
        return f"{10 ** (power - 6):,} M"
    return f"{10**power:,}" if power >= 0 else f"{10.0**power:.{-power}f}"


def scatter(
    title: str, across: Axis, up: Axis, dots: Sequence[Dot], line: Sequence[Dot] = ()
) -> str:
    """The dots with their labels, and a line through the dots of `line`."""
    box, size = f"0 0 {WIDTH} {HEIGHT}", f'width="{WIDTH}" height="{HEIGHT}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" {size} role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>\n{STYLE}\n</style>",
        f'<rect {size} fill="#fff"/>',
        _text(LEFT, 30, title, "start", ' class="title"'),
    ]
    for value, name in up.ticks():
        y = _y(up, value)
        parts += [_rule(LEFT, y, RIGHT, y, "grid"), _text(LEFT - 8, y + 4, name, "end")]
    for value, name in across.ticks():
        x = _x(across, value)
        parts += [_rule(x, BOTTOM, x, BOTTOM + 5, "axis"), _text(x, BOTTOM + 20, name, "middle")]
    middle = (TOP + BOTTOM) / 2
    parts += [
        _rule(LEFT, BOTTOM, RIGHT, BOTTOM, "axis"),
        _rule(LEFT, TOP, LEFT, BOTTOM, "axis"),
        _text((LEFT + RIGHT) / 2, BOTTOM + 46, across.title, "middle"),
        f'<g transform="rotate(-90 20 {middle:.1f})">{_text(20, middle, up.title, "middle")}</g>',
    ]
    if line:
        corners = " ".join(f"{_x(across, dot.x):.1f},{_y(up, dot.y):.1f}" for dot in line)
        parts.append(f'<polyline class="line" points="{corners}"/>')
    for dot in [*line, *dots]:
        parts.append(
            f'<circle class="{dot.kind}" cx="{_x(across, dot.x):.1f}" cy="{_y(up, dot.y):.1f}"'
            ' r="4.5"/>'
        )
    parts += _labels(across, up, [*line, *dots])
    return "\n".join([*parts, "</svg>", ""])


def _labels(across: Axis, up: Axis, dots: Sequence[Dot]) -> list[str]:
    """Beside the dots, on the side with more room; one that would cover another moves down."""
    taken: list[tuple[float, float, float]] = []
    parts = []
    for dot in sorted((d for d in dots if d.label), key=lambda d: (_y(up, d.y), d.x)):
        x, y = _x(across, dot.x), _y(up, dot.y) + 4
        width = LETTER * len(dot.label)
        right = x + 9 + width <= RIGHT
        left = x + 9 if right else x - 9 - width
        for from_x, to_x, at in sorted(taken, key=lambda label: label[2]):
            if left < to_x and from_x < left + width and abs(y - at) < LINE:
                y = at + LINE
        taken.append((left, left + width, y))
        parts.append(_text(x + 9 if right else x - 9, y, dot.label, "start" if right else "end"))
    return parts


def _x(axis: Axis, value: float) -> float:
    return LEFT + (RIGHT - LEFT) * axis.share(value)


def _y(axis: Axis, value: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * axis.share(value)


def _rule(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, words: str, anchor: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(words)}</text>'
