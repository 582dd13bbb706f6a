"""The plot of `simulate`: lag over time under the current assignment and under the plan's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from equilag.report.plot import (
    BOUND_COLOUR,
    MAX_NAME,
    SPREAD_COLOUR,
    new_figure,
    plot_style,
    write_figure,
)
from equilag.report.wording.words import printable, short_number, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from equilag.report.facts.simulation import SimulationFacts

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
