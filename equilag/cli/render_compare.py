"""The table of `compare`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from equilag.cli.render_plan import header
from equilag.cli.text import Style, number, percent, printable, table, wrap
from equilag.group import NOBODY, Group

HEADINGS: Final = (
    "assignor", "count spread", "moves", "lag max", "lag spread", "gap", "ms",
)  # fmt: skip
CURRENT: Final = "current"
NONE: Final = "-"


def render_compare(group: Group, document: Mapping[str, Any], style: Style) -> str:
    """The JSON of a comparison as a table, with what its figures rest on."""
    rows: list[Mapping[str, Any]] = document["rows"]
    cells = [list(HEADINGS), *(_cells(row) for row in rows)]
    first, *body = table(cells, "<>>>>>>", gap="   ")
    lines = [*header(group, style), "", style.bold(first), *body, ""]
    bound = document["spread_lower_bound"]
    lines += wrap(
        f"proved bound {number(bound)}: no assignment with counts as even as can be has a smaller"
        " lag spread; gap: the distance to it in percent of the mean load",
        style,
        "  ",
    )
    in_force = any(row["assignor"] == CURRENT for row in rows)
    if in_force and (group.owner == NOBODY)[group.assignable].any():
        lines += wrap(f"{CURRENT}: counts only what is owned, which is not everything", style, "  ")
    if any((row["gap_percent_of_mean"] or 0) < 0 for row in rows):
        lines += wrap(
            "* below the bound, which holds for even counts and whole assignments only: this one"
            " gave up count balance to get there, or leaves partitions out",
            style,
            "  ",
        )
    return "\n".join(lines) + "\n"


def _cells(row: Mapping[str, Any]) -> list[str]:
    gap, wall = row["gap_percent_of_mean"], row["wall_ms"]
    shown = NONE if gap is None else percent(gap) + ("*" if gap < 0 else "")
    return [
        printable(str(row["assignor"])),
        _whole(row["count_spread"]),
        _whole(row["moves"]),
        _whole(row["lag_max"]),
        _whole(row["lag_spread"]),
        shown,
        NONE if wall is None or row["assignor"] == CURRENT else f"{wall:,.1f}",
    ]


def _whole(value: int | None) -> str:
    return NONE if value is None else number(value)
