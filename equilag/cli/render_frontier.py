"""The table of `frontier`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from equilag.cli.render_plan import header
from equilag.cli.text import Style, number, percent, table, wrap
from equilag.group import Group

if TYPE_CHECKING:
    from equilag.planner.frontier import Point

HEADINGS: Final = ("moves", "lag spread", "of the mean", "at least", "gain", "lag spread")
CELLS: Final = 20


def render_frontier(group: Group, points: Sequence[Point], style: Style) -> str:
    """All trade-offs, fewest moves first."""
    lines = [*header(group, style), ""]
    if not points:
        return "\n".join([*lines, "No trade-offs: there is nothing to assign.", ""])
    mean = mean_load(group)
    most, least = points[0].spread, points[-1].spread
    rows = [list(HEADINGS)]
    for point in points:
        gain = 100 * (most - point.spread) / (most - least) if most > least else 0.0
        rows.append([
            number(point.moves),
            number(point.spread),
            percent(100 * point.spread / mean) if mean else percent(0),
            "proved" if point.spread_lower_bound == point.spread
            else number(point.spread_lower_bound),
            percent(gain),
            style.bar(point.spread, most, CELLS),
        ])  # fmt: skip
    first, *body = table(rows, ">>>>><")
    lines += [style.bold(first), *body, ""]
    if len(points) == 1:
        text = "One point: no plan with more moves and a smaller lag spread was found."
    else:
        text = "Any of them: equilag plan with --max-moves N, N being in the first column."
    open_points = sum(point.spread_lower_bound < point.spread for point in points)
    if open_points:
        text += (
            f" For {number(open_points)} of {number(len(points))} the smallest spread is not"
            ' proved: it lies between "at least" and "lag spread", and a longer --time-limit may'
            " find better ones."
        )
    return "\n".join([*lines, *wrap(text, style), ""])


def mean_load(group: Group) -> float:
    """Mean lag of the members that are not idle."""
    active = int((~group.idle).sum())
    return int(group.lag[group.assignable].sum()) / active if active else 0.0
