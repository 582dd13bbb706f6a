"""The worst groups of a fleet: what is uneven today, and what a plan would make of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from equilag.cli.text import (
    Style,
    abbreviate,
    columns,
    middle,
    number,
    percent,
    printable,
    shorten,
    table,
    wrap,
)

if TYPE_CHECKING:
    from equilag.pipeline.fleet_report import GroupRow

HEADINGS: Final = (
    "group", "today", "max/mean", "planned", "saved", "moves", "gap", "status",
)  # fmt: skip
ROOM: Final = 24
"""Columns that long names should have before figures are given in full."""
LEAST: Final = 8
NONE: Final = "-"
_PREFIXES: Final = "kMGTPE"


def groups_block(groups: Sequence[GroupRow], top: int, style: Style) -> list[str]:
    """The first `top` groups, which come the worst first."""
    shown = groups[:top]
    if not shown:
        return []
    which = "" if len(shown) == len(groups) else f" {number(len(shown))} of {number(len(groups))},"
    lines = style.titled(
        "Worst groups",
        f",{which} by the spread (heaviest member less lightest) that a plan saves",
    )
    rows, short = _fitting(shown, style)
    first, *body = table(rows, "<>>>>>><")
    lines += [f"  {style.bold(first)}", *(f"  {line}" for line in body)]
    if any(row.spread_now is None for row in shown):
        lines += wrap(f"  {NONE} today: nobody owns anything", style, "  ")
    if any((row.saved or 0) < 0 for row in shown):
        lines += wrap(
            "  saved is below 0 where today's counts are less even than they can be, or not every"
            " partition is owned",
            style,
            "  ",
        )
    if short:
        lines += wrap("  names are shortened; --json has them whole", style, "  ")
    return lines


def _fitting(shown: Sequence[GroupRow], style: Style) -> tuple[list[list[str]], bool]:
    """The rows of the table, and whether names had to be shortened.

    Figures are given in full where that leaves enough of the width to the names.
    """
    names = [printable(row.group) or "(a group without a name)" for row in shown]
    longest = max(map(columns, names))
    figures: list[list[str]] = []
    room = 0
    for write in (number, short_number):
        figures = [list(HEADINGS[1:]), *(_figures(row, write) for row in shown)]
        # Two columns before the table, and two between any two of its own.
        taken = sum(max(map(len, column)) + 2 for column in zip(*figures, strict=True))
        room = style.width - 2 - taken
        if room >= min(longest, ROOM):
            break
    labels = _labels(names, max(LEAST, room), style.dots)
    cells = [[name, *row] for name, row in zip([HEADINGS[0], *labels], figures, strict=True)]
    return cells, labels != names


def _labels(names: Sequence[str], room: int, dots: str) -> list[str]:
    """The names in no more than so many columns each, cut where they do not differ."""
    if max(map(columns, names)) <= room:
        return list(names)
    short = abbreviate(names, room, dots)
    labels = {name: fitted(short[name], room, dots) for name in names}
    alike: dict[str, list[str]] = {}
    for name, label in labels.items():
        alike.setdefault(label, []).append(name)
    for some in alike.values():
        if len(some) > 1:
            front = max(0, _alike(some) - room // 4)
            labels |= {name: fitted(dots + name[front:], room, dots, shorten) for name in some}
    return [labels[name] for name in names]


def _alike(names: Sequence[str]) -> int:
    """How many characters all names begin with in common."""
    first, last = min(names), max(names)
    pairs = enumerate(zip(first, last, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(first), len(last)))


def _figures(row: GroupRow, write: Callable[[int], str]) -> list[str]:
    over = row.max_over_mean
    return [
        NONE if row.spread_now is None else write(row.spread_now),
        NONE if over is None else _ratio(over),
        write(row.spread_planned),
        NONE if row.saved is None else write(row.saved),
        number(row.moves),
        short_percent(row.gap_percent_of_mean),
        row.status,
    ]


def _ratio(value: float) -> str:
    if value < 10:
        return f"{value:.2f}"
    return f"{value:,.1f}" if value < 10_000 else short_number(round(value))


def short_number(value: int) -> str:
    """A whole number in few columns: `2.34M`; up to four digits as it is."""
    size = float(abs(value))
    if size < 10_000:
        return number(value)
    for prefix in _PREFIXES:
        size /= 1000
        if size < 999.5:
            digits = 2 if size < 9.995 else 1 if size < 99.95 else 0
            return f"{'-' if value < 0 else ''}{size:.{digits}f}{prefix}"
    return number(value)


def short_percent(value: float) -> str:
    """A percentage in few columns."""
    if 0 < abs(value) < 0.01:
        return "<0.01 %" if value > 0 else ">-0.01 %"
    return percent(value)


def fitted(text: str, room: int, dots: str, cut: Callable[[str, int, str], str] = middle) -> str:
    """`text`, printable already, cut to so many columns of a terminal."""
    short, width = text, room
    while columns(short) > room and width > 1:
        short = cut(text, width, dots)
        width -= 1
    return short
