"""The table of `groups`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from equilag.cli.text import Style, middle, number, percent, plural, printable, table, wrap

HEADINGS: Final = (
    "group", "state", "kind", "members", "partitions", "lag", "lag spread", "worst member",
)  # fmt: skip
NONE: Final = "-"
_GAP: Final = "  "
_NARROWEST: Final = 16
"""Columns that the name of a group gets at least."""


def render_live_groups(rows: Sequence[Mapping[str, Any]], style: Style) -> str:
    """The rows, as wide as the screen; says so if there are none."""
    if not rows:
        return "no groups: there is none, none matches, or none may be described\n"
    figures = [list(HEADINGS[1:]), *(_cells(row) for row in rows)]
    taken = sum(max(map(len, column)) + len(_GAP) for column in zip(*figures, strict=True))
    width = max(_NARROWEST, style.width - taken)
    names = [HEADINGS[0], *(middle(printable(row["group"]), width, style.dots) for row in rows)]
    cells = [[name, *rest] for name, rest in zip(names, figures, strict=True)]
    first, *body = table(cells, "<<<>>>>>", gap=_GAP)
    lag = sum(row["lag"] for row in rows)
    lines = [
        f"{plural(len(rows), 'group')}, total lag {number(lag)}", "", style.bold(first), *body,
    ]  # fmt: skip
    unknown = sum(row["unknown_lags"] for row in rows)
    if unknown:
        told = f"* without {plural(unknown, 'partition')} whose lag nobody could tell"
        lines += ["", *wrap(told, style, "  ")]
    return "\n".join(lines) + "\n"


def _cells(row: Mapping[str, Any]) -> list[str]:
    spread, share = row["lag_spread"], row["worst_share_percent"]
    return [
        printable(row["state"]),
        row["kind"],
        number(row["members"]),
        number(row["partitions"]),
        number(row["lag"]) + ("*" if row["unknown_lags"] else ""),
        NONE if spread is None else number(spread),
        NONE if share is None else percent(share),
    ]
