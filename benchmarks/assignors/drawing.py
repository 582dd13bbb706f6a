"""Dots on two logarithmic axes, as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from equilag.report.plot import BOUND_COLOUR, SPREAD_COLOUR, new_figure, plot_style, write_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FACES: Final = {"own": SPREAD_COLOUR, "other": BOUND_COLOUR, "hollow": "white"}
EDGES: Final = {"own": SPREAD_COLOUR, "other": BOUND_COLOUR, "hollow": BOUND_COLOUR}
WIDTH: Final = 440
HEIGHT: Final = 240
"""Points between the ends of the axes, about: what is left of the figure by titles and ticks."""
GAP: Final = 9
"""Points from a dot to its label."""
LINE_HEIGHT: Final = 14
"""Points from one label to the next."""
LETTER: Final = 6.0
"""Points of one letter, about."""
MAX_TICKS: Final = 8
MARKER_SIZE: Final = 6.0


@dataclass(frozen=True, slots=True)
class Dot:
    """`kind` is ``own``, ``other`` or ``hollow``; without a label there are no words beside it."""

    x: float
    y: float
    label: str = ""
    kind: str = "other"


@dataclass(frozen=True, slots=True)
class LogAxis:
    """A logarithmic axis from `low` to `high`, powers of ten. What is below `low` is drawn there;
    with `zero` that end is called 0."""

    title: str
    low: float
    high: float
    zero: bool = False

    @staticmethod
    def over(title: str, values: Sequence[float], least: float, zero: bool = False) -> LogAxis:
        """Wide enough for the values, from `least` on."""
        seen = [max(value, least) for value in values] or [least]
        low, high = math.floor(math.log10(min(seen))), math.ceil(math.log10(max(seen)))
        return LogAxis(title, 10.0**low, 10.0 ** max(high, low + 1), zero)

    def within(self, value: float) -> float:
        """The value, or the end of the axis that it lies beyond."""
        return min(max(value, self.low), self.high)

    def share(self, value: float) -> float:
        """Where a value lies, from 0 to 1."""
        return math.log10(self.within(value) / self.low) / math.log10(self.high / self.low)

    def ticks(self) -> list[tuple[float, str]]:
        low, high = round(math.log10(self.low)), round(math.log10(self.high))
        step = -(-(high - low) // MAX_TICKS)
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
    title: str, across: LogAxis, up: LogAxis, dots: Sequence[Dot], line: Sequence[Dot] = ()
) -> str:
    """The dots with their labels, and a line through the dots of `line`."""
    with plot_style():
        figure, axes = new_figure(title, across.title, up.title)
        _scale(axes, across, up)
        if line:
            axes.plot(
                [across.within(dot.x) for dot in line],
                [up.within(dot.y) for dot in line],
                color=SPREAD_COLOUR,
                linewidth=2,
                gid="line",
            )
        for dot in [*line, *dots]:
            axes.plot(
                across.within(dot.x),
                up.within(dot.y),
                marker="o",
                markersize=MARKER_SIZE,
                markerfacecolor=FACES[dot.kind],
                markeredgecolor=EDGES[dot.kind],
                clip_on=False,
                gid="dot",
            )
        _add_labels(axes, across, up, [*line, *dots])
        return write_figure(figure, "svg").decode("utf-8")


def _scale(axes: Axes, across: LogAxis, up: LogAxis) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(across.low, across.high)
    axes.set_ylim(up.low, up.high)
    for axis, scale in ((axes.xaxis, across), (axes.yaxis, up)):
        ticks = scale.ticks()
        axis.set_ticks([value for value, _ in ticks], [words for _, words in ticks])
        axis.set_ticks([], minor=True)


def _add_labels(axes: Axes, across: LogAxis, up: LogAxis, dots: Sequence[Dot]) -> None:
    """Beside the dots, on the side with more room; one that would cover another moves down."""
    taken: list[tuple[float, float, float]] = []
    for dot in sorted((d for d in dots if d.label), key=lambda d: (-up.share(d.y), d.x)):
        x, y = WIDTH * across.share(dot.x), HEIGHT * up.share(dot.y)
        width = LETTER * len(dot.label)
        is_right = x + GAP + width <= WIDTH
        left = x + GAP if is_right else x - GAP - width
        height = y
        for from_x, to_x, at in sorted(taken, key=lambda label: -label[2]):
            if left < to_x and from_x < left + width and abs(height - at) < LINE_HEIGHT:
                height = at - LINE_HEIGHT
        taken.append((left, left + width, height))
        axes.annotate(
            dot.label,
            (across.within(dot.x), up.within(dot.y)),
            xytext=(GAP if is_right else -GAP, height - y),
            textcoords="offset points",
            ha="left" if is_right else "right",
            va="center",
        )
