"""Plots with matplotlib (the extra `plot`). The same chart gives the same file, byte by byte."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

from equilag.domain.errors import InputError, MissingExtra
from equilag.domain.figures import printable, shorten
from equilag.report.charts import scales_of
from equilag.report.report_blocks import Chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.typing import RcKeyType

FORMATS: Final = ("svg", "png")
SIZE: Final = (7.2, 4.4)
"""Inches: 720 by 440 pixels at DOTS_PER_INCH."""
DOTS_PER_INCH: Final = 100
"""Of a PNG: one pixel for each point of a common screen."""
MAX_DOTS: Final = 150
"""Points up to which each gets a dot; more of them would touch."""
MAX_NAME: Final = 50
"""Characters of a group's name: what fits above the axes."""
SPREAD_COLOUR: Final = "#1f5fa8"
BOUND_COLOUR: Final = "#b3541e"
"""The two differ for people with any kind of colour blindness."""

_SETTINGS: Final[Mapping[RcKeyType, Any]] = {
    "svg.hashsalt": "equilag",  # else matplotlib makes ids in an SVG at random
    "svg.fonttype": "none",  # words stay words, which can be searched for
    "text.parse_math": False,  # a "$" in a name is a dollar sign
    "font.family": "sans-serif",
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def check_plot(path: str) -> str:
    """The format that a file's ending asks for, SVG if it has none. Raises InputError, or
    MissingExtra without matplotlib."""
    ending = PurePath(path).suffix.lower().removeprefix(".") or "svg"
    if ending not in FORMATS:
        raise InputError(f"{path!r} must end in .svg or .png", "--plot")
    if find_spec("matplotlib") is None:
        raise MissingExtra("a plot needs matplotlib: pip install 'equilag[plot]'")
    return ending


@contextmanager
def plot_style() -> Iterator[None]:
    """The same looks everywhere, whatever the user's matplotlibrc says."""
    from matplotlib import rc_context, rcdefaults, rcParams

    with rc_context(), warnings.catch_warnings():
        rcdefaults()
        rcParams.update(_SETTINGS)
        # A name in a script that the font lacks shows as boxes in a PNG, and is whole in an SVG.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        yield


def new_figure(title: str, across: str, up: str) -> tuple[Figure, Axes]:
    """An empty plot, within `plot_style`; the words may hold anything."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE, dpi=DOTS_PER_INCH, layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title, loc="left", fontweight="bold")
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(axis="y", color="#dddddd")
    axes.set_axisbelow(True)
    return figure, axes


def write_figure(figure: Figure, ending: str) -> bytes:
    """The figure as SVG or PNG, within `plot_style`."""
    stream = io.BytesIO()
    metadata = {"Date": None, "Creator": "equilag"} if ending == "svg" else {"Software": "equilag"}
    figure.savefig(stream, format=ending, metadata=metadata)
    return stream.getvalue()


def plot_of(chart: Chart, group: str, ending: str) -> bytes:
    """The chart as a file; `group` is the name of the group."""
    title = f"{chart.title}: {shorten(printable(group), MAX_NAME)}"
    with plot_style():
        figure, axes = new_figure(title, chart.x.title, chart.y.title)
        scales = scales_of(chart)
        for one in chart.series:
            dashed = one.style in ("dashed", "bound")
            is_step = one.style in ("step", "bound")
            across = [point.x for point in one.points]
            up = [math.nan if point.y is None else point.y for point in one.points]
            dots = one.style == "step" and len(across) <= MAX_DOTS
            axes.plot(
                across,
                up,
                drawstyle="steps-post" if is_step else "default",
                color=BOUND_COLOUR if dashed else SPREAD_COLOUR,
                linestyle="--" if dashed else "-",
                linewidth=1.5 if dashed else 2,
                marker="o" if dots else None,
                markersize=5,
                label=one.name,
                gid=one.name,
            )
        if scales is not None:
            axes.legend(frameon=False)
            for axis, scale in zip((axes.xaxis, axes.yaxis), scales, strict=True):
                axis.set_ticks([at.value for at in scale.ticks], [at.words for at in scale.ticks])
            axes.set(xlim=(scales[0].low, scales[0].high), ylim=(scales[1].low, scales[1].high))
        return write_figure(figure, ending)
