"""Charts, and the scales of their axes: where their ticks are, and what these say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal, NamedTuple

from equilag.domain.figures import FORMS

TICKS: Final = 6
"""Steps of an axis at most."""
SECONDS: Final = (
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400,
)  # fmt: skip
"""Steps of an axis of time that people count in."""


class ChartPoint(NamedTuple):
    x: float
    y: float | None
    words: str = ""
    """What the point says when somebody points at it."""
    label: str = ""
    """What stands beside it."""
    command: str = ""
    """The command that makes it, where it can be picked."""


class Series(NamedTuple):
    name: str
    points: tuple[ChartPoint, ...]
    style: Literal["line", "dashed", "step", "bound", "mark"] = "line"
    """``bound``: dashed steps; ``mark``: single points."""


class Axis(NamedTuple):
    title: str
    form: str = "number"
    """One of `equilag.domain.figures.FORMS`, or ``clock`` for seconds since 1970."""


class MarkLine(NamedTuple):
    """A line across a chart: `at` a value of one axis."""

    words: str
    axis: Literal["x", "y"]
    at: float


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over numbers or over time."""

    title: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    lines: tuple[MarkLine, ...] = ()
    from_zero: bool = True
    """False if the y axis may begin above 0 to tell values apart."""
    picked: int = -1
    """The point of the first series that is picked at first; -1 if none can be."""


class Tick(NamedTuple):
    value: float
    at: float
    """Percent from the left, or from below."""
    words: str


class Scale(NamedTuple):
    low: float
    high: float
    ticks: tuple[Tick, ...] = ()

    def at(self, value: float) -> float:
        """Percent of the picture."""
        return round(100 * (value - self.low) / ((self.high - self.low) or 1.0), 2)


def scales_of(chart: Chart) -> tuple[Scale, Scale] | None:
    """The scales of both axes: across from end to end, up from 0 or to the next ticks; None for a
    chart without points."""
    known = [(p.x, p.y) for one in chart.series for p in one.points if p.y is not None]
    if not known:
        return None
    across, up = zip(*known, strict=True)
    up += tuple(one.at for one in chart.lines if one.axis == "y")
    low = min(0.0, *up) if chart.from_zero else min(up)
    return _scale(chart.x, across, min(across), ends=False), _scale(chart.y, up, low, ends=True)


def _scale(axis: Axis, values: Sequence[float], low: float, *, ends: bool) -> Scale:
    """With `ends` the axis ends with ticks, else where the values do."""
    high = max(max(values), low) if max(values) > low else low + 1.0
    counts = axis.form != "percent" and all(float(value).is_integer() for value in values)
    step = _step(high - low, axis.form, counts)
    places = [n * step for n in range(math.floor(low / step), math.ceil(high / step) + 1)]
    if ends:
        low, high = places[0], places[-1]
    scale = Scale(low, high)
    inside = [float(f"{at:.12g}") for at in places if low <= at <= high]
    words = _words(inside, axis.form, step)
    return scale._replace(
        ticks=tuple(Tick(at, scale.at(at), text) for at, text in zip(inside, words, strict=True))
    )


def _step(span: float, form: str, counts: bool) -> float:
    if form in ("seconds", "clock"):
        return next((one for one in SECONDS if span / one <= TICKS), 86_400 * math.ceil(span / 5e5))
    size = 10.0 ** math.floor(math.log10(span / TICKS))
    step = next(size * one for one in (1, 2, 5, 10) if span / (size * one) <= TICKS)
    return max(1.0, step) if counts else step


def _words(places: Sequence[float], form: str, step: float) -> list[str]:
    """No two of them alike."""
    if form == "clock":
        end = 8 if step < 60 else 5
        return [clock(at)[:end] for at in places]
    words = [FORMS[form].short(at) if at or form != "seconds" else "0" for at in places]
    return words if len(set(words)) == len(words) else [FORMS[form].full(at) for at in places]


def clock(at: float) -> str:
    """The time of day of seconds since 1970, in UTC."""
    return f"{datetime.fromtimestamp(at, UTC):%H:%M:%S}"
