"""Bars and curves made of characters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from equilag.domain.figures import FORMS
from equilag.report.report_blocks import Chart
from equilag.report.terminal import Screen

UPWARDS: Final = " ▁▂▃▄▅▆▇█"
ALONG: Final = " ▏▎▍▌▋▊▉█"
"""A cell filled by 0 to 8 eighths, from below and from the left."""
EIGHTHS: Final = 8
ROWS: Final = 3
"""Lines of a curve: 24 heights."""
CURVE_WIDTHS: Final = ((120, 110), (0, 60))
"""Columns of the screen from which on a curve has so many: at most its points."""
BAR_WIDTHS: Final = ((130, 20), (90, 10), (70, 6), (0, 0))
"""The same of a bar: names and figures come first."""
NAME: Final = 8
"""Columns of the name of a curve."""


def bar_cells(width: int) -> int:
    """Columns of the longest bar on a screen so wide; 0 if there is no room for bars."""
    return next(cells for columns, cells in BAR_WIDTHS if width >= columns)


def bar(value: float, largest: float, cells: int) -> str:
    """A bar up to `cells` columns wide; anything above 0 shows."""
    if value <= 0 or not cells:
        return ""
    eighths = max(1, min(EIGHTHS * cells, round(EIGHTHS * cells * value / (largest or 1.0))))
    return "█" * (eighths // EIGHTHS) + ALONG[eighths % EIGHTHS].strip()


def area(values: Sequence[float], highest: float, rows: int) -> list[str]:
    """Lines from the top, as wide as there are values; `highest` fills all rows. What is above 0
    shows."""
    full = rows * EIGHTHS
    heights = [
        0 if value <= 0 or highest <= 0 else max(1, min(full, round(full * value / highest)))
        for value in values
    ]
    return [
        "".join(UPWARDS[max(0, min(EIGHTHS, height - below))] for height in heights)
        for below in range(full - EIGHTHS, -1, -EIGHTHS)
    ]


def picture(chart: Chart, screen: Screen) -> Iterator[str]:
    """The curves of a chart, one below the other, at one scale; nothing in ASCII."""
    known = {
        one.name: [(point.x, point.y) for point in one.points if point.y is not None]
        for one in chart.series
        if one.style != "mark"
    }
    highest = max((y for points in known.values() for _, y in points), default=0.0)
    if screen.ascii or not highest:
        return
    width = next(cells for columns, cells in CURVE_WIDTHS if screen.prose >= columns)
    write = FORMS[chart.y.form].full
    yield f"{chart.title}; the full height is {write(highest)} {chart.y.title}"
    for name, points in known.items():
        across, up = zip(*points, strict=True)
        times = np.linspace(across[0], across[-1], min(width, screen.prose - NAME - 4))
        *upper, lowest = area(np.interp(times, across, up).tolist(), highest, ROWS)
        yield from (f"  {'':{NAME}}{line}" for line in upper if line.strip())
        yield f"  {name[: NAME - 1]:{NAME}}{lowest}"
