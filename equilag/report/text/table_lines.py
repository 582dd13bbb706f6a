"""Tables within the screen: short figures before fewer columns, fewer columns before cut names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from rich.cells import cell_len, set_cell_size
from rich.text import Text

from equilag.domain.figures import FIGURES, FORMS, cell, plural
from equilag.report.report_blocks import Bars, Breakdown, Cell, Chart, Column, Flows, Table
from equilag.report.short_names import front_of, labels
from equilag.report.terminal import Screen

GAP: Final = 2
"""Blank columns between two columns of a table."""
ROOM: Final = 24
"""Columns that long names should have before figures are written in full."""
LEAST_ROOM: Final = 18
"""Columns that they should have before figures are left out: the longest assignor of Kafka's."""
PART: Final = 4
"""Names get one part in so many of the screen at least, before figures are left out."""
WORDS: Final = 24
"""Columns that words in a table get at least, before names are cut."""
MIN_ROOM: Final = 8
"""Columns that names and words get at least: enough to tell a few apart."""
NAMES: Final = frozenset({"name", "member"})
WITH_MEMBERS: Final = frozenset({"member", "text"})
"""Forms whose cells are ids of members, or name some."""


class TableLines(NamedTuple):
    heading: list[Text]
    rows: list[Text]
    notes: list[str]
    """What its figures are, and what is left out."""


def table_of(block: Table | Bars | Flows | Breakdown) -> Table:
    """The table that a screen shows of a block."""
    match block:
        case Bars(table):
            return table
        case Flows(rows):
            ends = Column("from", "member"), Column("to", "member")
            columns = (*ends, Column("partitions"), Column("lag"))
            return Table(columns, tuple(map(tuple, rows)), few=15)
        case Breakdown(rows):
            kinds = Column(""), Column("", "text"), Column("", "text")
            return Table(kinds, tuple((p.size, p.label, p.note) for p in rows if p.size))
    return block


def table_lines(
    table: Table, screen: Screen, indent: int, named: Callable[[str], str]
) -> TableLines:
    """The lines of a table; `named` puts the short names of members into words."""
    cells = 0 if screen.ascii else bar_cells(screen.width)
    shown = _with_bars(replace(table, rows=table.rows[: table.few]), bool(cells))
    texts_of = _texts(shown, screen, cells, named)
    kept, texts = _fitted(shown.columns, texts_of, screen, screen.width - indent)
    columns = [shown.columns[i] for i in kept]
    widths = [_width(column, own) for column, own in zip(columns, texts, strict=True)]
    _shrink(columns, widths, screen.width - indent)
    headings = [_heading(column, width) for column, width in zip(columns, widths, strict=True)]
    height = max(map(len, headings))
    above = [[""] * (height - len(heading)) + heading for heading in headings]
    dots = screen.dots

    def line(cells: Sequence[str], style: str = "") -> Text:
        parts = (
            _placed(text, width, column, dots)
            for text, width, column in zip(cells, widths, columns, strict=True)
        )
        return Text(" " * indent + (" " * GAP).join(parts), style)

    heading = [line(cells, "bold") for cells in zip(*above, strict=True)]
    return TableLines(
        heading if any(column.heading for column in columns) else [],
        [line(cells) for cells in zip(*texts, strict=True)],
        [*_notes(table, columns, screen)],
    )


def _with_bars(table: Table, fit: bool) -> Table:
    """With bars if they `fit`, but without those that are all of the same length, since a screen
    does not show their parts."""
    if not fit:
        return table.without_bars()
    columns = enumerate(table.columns)
    return table.only(i for i, one in columns if not (one.parts and one.parts.is_whole))


def _notes(table: Table, columns: Sequence[Column], screen: Screen) -> Iterator[str]:
    left = len(table.rows) - table.few
    if left > 0:
        yield f"… and {plural(left, 'more row')} (--json lists all)"
    noted = [f"{column.heading}: {column.note}" for column in columns if column.note]
    if noted:
        yield "; ".join(noted)
    missing = [c.heading for c in table.columns if c not in columns and c.form != "bar"]
    if missing:
        yield f"left out for lack of room: {', '.join(missing)}"


Texts: TypeAlias = Callable[[int, bool], list[str]]
"""The cells of a column as text, by its place and whether figures are short."""


def _texts(table: Table, screen: Screen, bar_cells: int, named: Callable[[str], str]) -> Texts:
    bars = [i for i, column in enumerate(table.columns) if column.form == "bar"]
    longest = max((sum(row[i]) for row in table.rows for i in bars), default=0.0)

    def written(value: Cell, column: Column, short: bool) -> str:
        if column.form == "bar":
            return bar(sum(value), longest, bar_cells)
        text = cell(value, column.form, short)
        return screen.signs(named(text) if column.form in WITH_MEMBERS else text)

    def texts(place: int, short: bool) -> list[str]:
        return [written(row[place], table.columns[place], short) for row in table.rows]

    return texts


def _fitted(
    columns: Sequence[Column], texts_of: Texts, screen: Screen, width: int
) -> tuple[list[int], list[list[str]]]:
    """The columns that are kept and their texts: of the widest of the possible tables that leaves
    names enough room, else of the narrowest."""
    elastic = next((i for i, column in enumerate(columns) if column.form in NAMES), None)
    names = [] if elastic is None else texts_of(elastic, False)
    longest = 0 if elastic is None else _width(columns[elastic], names)
    part, room = screen.width // PART, 0
    for short, kept in _possible(columns):
        texts = [texts_of(i, short) for i in kept]
        widths = {i: _width(columns[i], own) for i, own in zip(kept, texts, strict=True)}
        others = [_least_width(columns[i], widths[i]) for i in kept if i != elastic]
        room = width - sum(others) - GAP * len(others)
        least = 0 if elastic is None else min(longest, max(LEAST_ROOM if short else ROOM, part))
        if room >= least - (GAP if elastic is None else 0):
            break
    if elastic is not None and longest > room:
        short_names = labels(names, max(MIN_ROOM, room), screen.dots)
        texts[kept.index(elastic)] = [short_names[name] for name in names]
    return kept, texts


def _possible(columns: Sequence[Column]) -> Iterator[tuple[bool, list[int]]]:
    """Whether figures are short, and which columns are kept, from the widest table to the
    narrowest."""
    kept = list(range(len(columns)))
    yield False, kept
    yield True, kept
    for last in reversed([i for i in kept if columns[i].optional]):
        kept = [i for i in kept if i != last]
        yield False, kept
        yield True, kept


def _least_width(column: Column, width: int) -> int:
    """Words may be cut before names are."""
    return min(width, WORDS) if column.form == "text" else width


def _width(column: Column, texts: Sequence[str]) -> int:
    words = column.heading.split()
    return max([*map(cell_len, texts), *map(len, words)], default=0)


def _shrink(columns: Sequence[Column], widths: list[int], width: int) -> None:
    """Cut what is no figure where even the narrowest table is too wide."""
    soft = [i for i, column in enumerate(columns) if column.form not in FIGURES]
    while soft and (excess := sum(widths) + GAP * (len(widths) - 1) - width) > 0:
        widest = max(soft, key=lambda i: widths[i])
        if widths[widest] <= MIN_ROOM:
            return
        widths[widest] = max(MIN_ROOM, widths[widest] - excess)


def _heading(column: Column, width: int) -> list[str]:
    """The words of a heading in lines of a width that the longest of them fits."""
    lines: list[str] = []
    for word in column.heading.split():
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines or [""]


def _placed(text: str, width: int, column: Column, dots: str) -> str:
    """A cell: figures to the right, everything else to the left."""
    size = cell_len(text)
    if size > width:
        cut = front_of(text, width - len(dots)) + dots
        return set_cell_size(cut, width)
    blanks = " " * (width - size)
    return blanks + text if column.form in FIGURES else text + blanks


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
