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
    even = rows[-1]["count_spread"]
    cells = [list(HEADINGS), *(_cells(row, even) for row in rows)]
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
    if any(_uneven(row, even) or (row["gap_percent_of_mean"] or 0) < 0 for row in rows):
        lines += wrap(
            "* counts less even than they can be, or partitions left out: the bound, and so the"
            " gap, says little of this one",
            style,
            "  ",
        )
    return "\n".join(lines) + "\n"


def _uneven(row: Mapping[str, Any], even: int | None) -> bool:
    spread = row["count_spread"]
    return spread is not None and even is not None and spread > even


def _cells(row: Mapping[str, Any], even: int | None) -> list[str]:
    gap, wall = row["gap_percent_of_mean"], row["wall_ms"]
    mark = "*" if _uneven(row, even) or (gap or 0) < 0 else ""
    shown = NONE if gap is None else percent(gap) + mark
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
