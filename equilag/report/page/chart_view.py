"""Charts and flows as shapes: places in percent of a picture, which scales with the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from equilag.domain.figures import FORMS, number, plural, printable
from equilag.report.charts import Scale, clock, scales_of
from equilag.report.report_blocks import Chart, ChartPoint, Flows, Series

if TYPE_CHECKING:
    from equilag.planner.facts.moves import FlowFacts

HINTS: Final = 120
"""Places along a line that say what it is there."""
MAX_DOTS: Final = 60
"""Points up to which each has a dot."""
MAX_FLOWS: Final = 20
"""Flows that a picture shows: in one of a screen's height each has room for its name."""
LEAST: Final = 0.5
"""Part of an equal share of the height that a flow has at least, so that it is seen and can be
pointed at."""
GAP: Final = 2.5
"""Percent of the height between two members."""


def chart_view(chart: Chart) -> dict[str, Any]:
    """What a template draws of a chart; no series where there are no points."""
    scales = scales_of(chart)
    if scales is None:
        return {"series": []}
    x, y = scales
    return {
        "x": x,
        "y": y,
        "series": [_series_view(one, x, y) for one in chart.series],
        "lines": [
            (line, (x if line.axis == "x" else y).at(line.at))
            for line in chart.lines
            if line.axis == "y" or x.low <= line.at <= x.high
        ],
        "hints": [*_hints(chart, x)],
        "picks": chart.series[0].points if chart.picked >= 0 else (),
    }


def _has_dots(series: Series) -> bool:
    return series.style in ("step", "mark") and len(series.points) <= MAX_DOTS


def _series_view(series: Series, x: Scale, y: Scale) -> dict[str, Any]:
    known = [point for point in series.points if point.y is not None]
    places = [(x.at(one.x), round(100 - y.at(one.y or 0.0), 2), one) for one in known]
    return {
        "series": series,
        "path": "" if series.style == "mark" else _path(series, x, y),
        "start": places[0][0] if places else 0,
        "dots": places if _has_dots(series) else [],
    }


def _path(series: Series, x: Scale, y: Scale) -> str:
    """The line as a path of SVG in a picture of 100 by 100; a gap where nothing is known."""
    parts, begins = [], True
    for point in series.points:
        if point.y is not None:
            left, top = x.at(point.x), round(100 - y.at(point.y), 2)
            steps = series.style in ("step", "bound")
            on = f"H{left}V{top}" if steps else f"L{left} {top}"
            parts.append(f"M{left} {top}" if begins else on)
        begins = point.y is None
    return "".join(parts)


def _hints(chart: Chart, x: Scale) -> Iterator[tuple[float, float, str]]:
    """What the lines are at some places of the first one: from the left, width, words."""
    points = chart.series[0].points
    if _has_dots(chart.series[0]):
        return
    every = max(1, len(points) // HINTS)
    at = [{point.x: point for point in one.points} for one in chart.series]
    for place in points[::every]:
        shown = [
            (one.name, found.get(place.x)) for one, found in zip(chart.series, at, strict=True)
        ]
        lines = [_hint(name, point, chart) for name, point in shown if point is not None]
        yield x.at(place.x), round(100 * every / len(points), 2), "\n".join(lines)


def _hint(name: str, point: ChartPoint, chart: Chart) -> str:
    if point.words:
        return f"{name}: {point.words}"
    figure = "-" if point.y is None else f"{FORMS[chart.y.form].full(point.y)} {chart.y.title}"
    return f"{clock(point.x)}, {name}: {figure}" if chart.x.form == "clock" else f"{name}: {figure}"


def flows_view(flows: Flows, label: Callable[[str], str]) -> dict[str, Any]:
    """What a template draws of flows: ribbons between members, wide by lag and by partitions."""
    shown, others = flows.rows[:MAX_FLOWS], flows.rows[MAX_FLOWS:]
    partitions = plural(sum(one.partitions for one in others), "partition")
    records = plural(sum(one.lag for one in others), "record")
    rest = f"{number(len(others))} smaller flows are left out: {partitions}, {records}."
    by = {"records": [one.lag for one in shown], "partitions": [one.partitions for one in shown]}
    return {
        "rest": rest if others else "",
        "height": max(len({one.source for one in shown}), len({one.target for one in shown})),
        "pictures": {name: _ribbons(shown, sizes, label) for name, sizes in by.items()},
    }


def _ribbons(
    flows: Sequence[FlowFacts], sizes: Sequence[int], label: Callable[[str], str]
) -> dict[str, Any]:
    total = sum(sizes) or 1
    widths = [max(size / total, LEAST / len(sizes)) for size in sizes]
    ends = [
        _side([one.source for one in flows], widths),
        _side([one.target for one in flows], widths),
    ]
    sides = [
        [(round(top, 2), round(size, 2), label(name)) for name, top, size in nodes]
        for nodes, _ in ends
    ]
    sources = [name for name, _, _ in ends[0][0]]
    ribbons = [
        {
            "path": _ribbon(*left, *right),
            "colour": sources.index(one.source) % 5 + 1,
            "words": f"{printable(one.source)} → {printable(one.target)}\n"
            f"{plural(one.partitions, 'partition')}, {plural(one.lag, 'record')}",
        }
        for one, left, right in zip(flows, ends[0][1], ends[1][1], strict=True)
    ]
    return {"left": sides[0], "right": sides[1], "ribbons": ribbons}


Span = tuple[float, float]


def _side(
    names: Sequence[str], widths: Sequence[float]
) -> tuple[list[tuple[str, float, float]], list[Span]]:
    """The members of one side with their top and size, and the place of each flow."""
    order = [*dict.fromkeys(names)]
    unit, top = (100 - GAP * (len(order) - 1)) / sum(widths), 0.0
    begins, nodes, spans = {}, [], []
    for name in order:
        size = unit * sum(w for w, own in zip(widths, names, strict=True) if own == name)
        begins[name] = top
        nodes.append((name, top, size))
        top += size + GAP
    for name, width in zip(names, widths, strict=True):
        spans.append((begins[name], begins[name] + unit * width))
        begins[name] += unit * width
    return nodes, spans


def _ribbon(top: float, bottom: float, to_top: float, to_bottom: float) -> str:
    a, b, c, d = (round(place, 2) for place in (top, bottom, to_top, to_bottom))
    return f"M0 {a}C50 {a} 50 {c} 100 {c}V{d}C50 {d} 50 {b} 0 {b}Z"
