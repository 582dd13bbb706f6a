"""Plots with matplotlib (the extra `plot`). The same facts give the same file, byte by byte."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

from equilag.domain.errors import InputError, MissingExtra
from equilag.report.text.work import load_words
from equilag.report.wording.words import number, printable, short_number, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.typing import RcKeyType

    from equilag.report.facts.frontier import FrontierFacts
    from equilag.report.facts.simulation import SimulationFacts


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


def frontier_plot(facts: FrontierFacts, ending: str) -> bytes:
    """A step line: the lag spread that each number of moves buys, and the bound where it is
    below."""
    group = shorten(printable(facts.group.name), MAX_NAME)
    what, unit = ("Lag", "records")
    if facts.per_capacity:
        what, unit = ("Load", load_words(facts.group.load_unit))
    title = f"{what} spread by number of moves: {group}"
    with plot_style():
        figure, axes = new_figure(title, "moves", f"{what.lower()} spread ({unit})")
        _draw_frontier(axes, facts)
        _scale_axes(axes)
        return write_figure(figure, ending)


def _draw_frontier(axes: Axes, facts: FrontierFacts) -> None:
    moves = [point.moves for point in facts.points]
    if facts.unproved:
        axes.step(
            moves,
            [point.bound for point in facts.points],
            where="post",
            color=BOUND_COLOUR,
            linestyle="--",
            label="no spread can be below",
            gid="bound",
        )
    if moves:
        axes.step(
            moves,
            [point.spread for point in facts.points],
            where="post",
            color=SPREAD_COLOUR,
            linewidth=2,
            marker="o" if len(moves) <= MAX_DOTS else None,
            markersize=5,
            label="smallest spread found",
            gid="spread",
        )
        axes.legend(frameon=False)


def _scale_axes(axes: Axes) -> None:
    """Whole numbers from 0 on."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    for axis, write in ((axes.xaxis, number), (axes.yaxis, short_number)):
        axis.set_major_locator(MaxNLocator(integer=True))
        axis.set_major_formatter(FuncFormatter(lambda value, _, write=write: write(round(value))))


TIME_UNITS: Final = ((7200.0, 3600.0, "hours"), (180.0, 60.0, "minutes"), (0.0, 1.0, "seconds"))
"""From which duration on times are in which unit."""


def simulation_plot(facts: SimulationFacts, ending: str) -> bytes:
    """Two lines: the lag in all, now and with the plan."""
    group = shorten(printable(facts.group.name), MAX_NAME)
    _, unit, name = next(row for row in TIME_UNITS if facts.duration >= row[0])
    with plot_style():
        figure, axes = new_figure(f"Lag over time: {group}", name, "lag (records)")
        _draw_courses(axes, facts, unit)
        return write_figure(figure, ending)


def _draw_courses(axes: Axes, facts: SimulationFacts, unit: float) -> None:
    from matplotlib.ticker import FuncFormatter

    across = [time / unit for time in facts.curve_times]
    axes.plot(
        across,
        facts.current.curve,
        color=BOUND_COLOUR,
        linestyle="--",
        label="current assignment",
        gid="current",
    )
    if facts.changes:
        axes.plot(
            across,
            facts.planned.curve,
            color=SPREAD_COLOUR,
            linewidth=2,
            label="with the plan",
            gid="plan",
        )
    axes.legend(frameon=False)
    axes.set_xlim(0, facts.duration / unit)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: short_number(round(value))))
