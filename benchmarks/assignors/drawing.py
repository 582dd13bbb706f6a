"""Dots on two logarithmic axes as SVG, without a plotting library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from equilag.cli.svg import Scale, Sheet, polyline, text

LINE: Final = 14
"""Pixels from one label to the next."""
LETTER: Final = 6.6
"""Pixels of one letter, about."""
MOST_TICKS: Final = 8

STYLE: Final = """\
.line { stroke: #1f5fa8; stroke-width: 2; fill: none }
.own { fill: #1f5fa8; stroke: #1f5fa8 }
.other { fill: #b3541e; stroke: #b3541e }
.hollow { fill: #fff; stroke: #b3541e; stroke-width: 1.5 }"""
SHEET: Final = Sheet(760, 460, left=96, right=730, top=64, bottom=392, letters=12, style=STYLE)


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
    parts = []
    if line:
        parts.append(polyline(((_x(across, dot.x), _y(up, dot.y)) for dot in line), "line"))
    parts += [
        f'<circle class="{dot.kind}" cx="{_x(across, dot.x):.1f}" cy="{_y(up, dot.y):.1f}"'
        ' r="4.5"/>'
        for dot in [*line, *dots]
    ]
    parts += _labels(across, up, [*line, *dots])
    return SHEET.svg(title, _scale(across), _scale(up), parts)


def _labels(across: Axis, up: Axis, dots: Sequence[Dot]) -> list[str]:
    """Beside the dots, on the side with more room; one that would cover another moves down."""
    taken: list[tuple[float, float, float]] = []
    parts = []
    for dot in sorted((d for d in dots if d.label), key=lambda d: (_y(up, d.y), d.x)):
        x, y = _x(across, dot.x), _y(up, dot.y) + 4
        width = LETTER * len(dot.label)
        right = x + 9 + width <= SHEET.right
        left = x + 9 if right else x - 9 - width
        for from_x, to_x, at in sorted(taken, key=lambda label: label[2]):
            if left < to_x and from_x < left + width and abs(y - at) < LINE:
                y = at + LINE
        taken.append((left, left + width, y))
        parts.append(text(x + 9 if right else x - 9, y, dot.label, "start" if right else "end"))
    return parts


def _scale(axis: Axis) -> Scale:
    return Scale(axis.title, [(axis.share(value), words) for value, words in axis.ticks()])


def _x(axis: Axis, value: float) -> float:
    return SHEET.x(axis.share(value))


def _y(axis: Axis, value: float) -> float:
    return SHEET.y(axis.share(value))
