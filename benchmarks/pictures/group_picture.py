"""A group before and after its plan: a bar for each member, a block for each partition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from equilag.domain.group.group import Group, Index
from equilag.domain.plan.plan import Plan
from equilag.report.plot import plot_style, write_figure
from equilag.report.short_names import member_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE: Final = (8.6, 3.1)
"""Inches, of 100 pixels: as wide as a page on a code-hosting site."""
MAX_NAME: Final = 14
"""Characters of a member's id: what tells the sample's members apart."""
ROOM: Final = 1.22
"""Width of the axes over the longest bar, so that its figure has a place."""


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of a picture with its own background, so that it can be read on any page."""

    paper: str
    ink: str
    faint: str
    stays: str
    moves: str
    """Differs from `stays` for people with any kind of colour blindness, and in lightness."""


LIGHT: Final = Palette("#ffffff", "#1f2328", "#8c959f", "#9ec1e6", "#d9730d")
DARK: Final = Palette("#0d1117", "#e6edf3", "#7d8590", "#3d6a9e", "#f0a04b")


def group_picture(group: Group, plan: Plan, palette: Palette) -> bytes:
    """The picture as SVG. The same plan gives the same file."""
    from matplotlib.figure import Figure

    moved = (group.owner != plan.assigned) & (group.owner >= 0)
    longest = max(_loads(group, group.owner).max(), _loads(group, plan.assigned).max())
    with plot_style():
        figure = Figure(figsize=SIZE, layout="constrained", facecolor=palette.paper)
        now, then = figure.subplots(1, 2, sharey=True)
        for axes, assigned in ((now, group.owner), (then, plan.assigned)):
            axes.set_xlim(0, longest * ROOM)
            _draw(axes, group, assigned, moved, palette)
        now.set_title("Now: lag of each member", loc="left", color=palette.ink, fontsize=10)
        then.set_title(
            f"Plan: {int(moved.sum())} of {group.n_partitions} partitions moved",
            loc="left",
            color=palette.ink,
            fontsize=10,
        )
        return write_figure(figure, "svg")


def alternative_text(group: Group, plan: Plan) -> str:
    """The figures of the picture in words."""
    before, after = (
        f"{int(load.min()):,} to {int(load.max()):,} records"
        for load in (_loads(group, group.owner), _loads(group, plan.assigned))
    )
    return (
        f"Lag of the {group.n_members} members of {group.name}: now {before}, with equilag's plan"
        f" {after}; {len(plan.moves)} of {group.n_partitions} partitions move"
    )


def _loads(group: Group, assigned: Index) -> np.ndarray:
    return np.bincount(assigned, weights=group.lag, minlength=group.n_members)


def _draw(axes: Axes, group: Group, assigned: Index, moved: np.ndarray, palette: Palette) -> None:
    """A bar for each member, the first on top; partitions that move are at its end."""
    right = axes.get_xlim()[1]
    for member in range(group.n_members):
        start = 0.0
        held = np.flatnonzero(assigned == member)
        for partition in _in_order(held, moved, group.lag):
            lag = float(group.lag[partition])
            colour = palette.moves if moved[partition] else palette.stays
            axes.barh(
                member, lag, left=start, height=0.72, color=colour, edgecolor=palette.paper, lw=0.8
            )
            start += lag
        axes.text(
            right, member, f"{start:,.0f}", va="center", ha="right", fontsize=9, color=palette.ink
        )
    fair = float(group.lag[assigned >= 0].sum()) / group.n_members
    line = [-0.6, group.n_members - 0.4]
    axes.plot([fair, fair], line, color=palette.ink, lw=1, ls=(0, (4, 3)))
    axes.text(
        fair, group.n_members - 0.35, f"mean {fair:,.0f}", va="top", ha="center", fontsize=8,
        color=palette.faint, bbox={"facecolor": palette.paper, "edgecolor": "none", "pad": 1},
    )  # fmt: skip
    names = member_names([member.id for member in group.members], MAX_NAME)
    axes.set_ylim(group.n_members - 0.05, -0.6)
    axes.set_yticks(range(group.n_members), [names[member.id] for member in group.members])
    axes.set_xticks([])
    axes.set_facecolor(palette.paper)
    axes.tick_params(length=0, labelsize=9, labelcolor=palette.ink)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _in_order(held: np.ndarray, moved: np.ndarray, lag: np.ndarray) -> Sequence[int]:
    """Those that stay first, each part by falling lag."""
    return [int(p) for p in held[np.lexsort((-lag[held], moved[held]))]]
