"""A line of a table, cut into the cells of its columns."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import Final, TypeAlias

from equilag.adapters.describe.table_header import (
    BLANK,
    COMMITTED,
    COUNT,
    DELIMITERS,
    END,
    GROUP,
    HOST,
    LAG,
    MEMBER,
    NUMBERS,
    PARTITION,
    SPACED,
    START,
    TOPIC,
    TableHeader,
)

Cells: TypeAlias = dict[str, str]

NOTHING: Final = "-"
ABSENT: Final = frozenset({"", NOTHING, "unknown", "none", "n/a", "na", "null", "nil", "<none>"})
"""What tools print in place of a number, in lower case."""
MAX_DIGITS: Final = 19
"""Digits of the largest 64-bit integer."""

_INTEGER: Final = re.compile(rf"[+-]?[0-9]{{1,{MAX_DIGITS}}}")
_GROUPED: Final = re.compile(
    r"[+-]?[0-9]{1,3}(?:(?:,[0-9]{3})+|(?:_[0-9]{3})+|(?:'[0-9]{3})+|(?:\.[0-9]{3}){2,})"
)
"""With separators of thousands; one point alone may be a decimal point."""
_NAME: Final = re.compile(r"[\w.-]{1,249}")
_GLUED: Final = re.compile(r"(.+?)(/[^/\s]+)")
_DIGIT: Final = re.compile(r"[0-9]")
_NUMERIC: Final = re.compile(r"[+-]?\d[\w.,'+-]{0,30}|-|unknown", re.IGNORECASE)
_MIN_RUN: Final = 3
"""Numbers side by side in a row: a partition, what is committed, the log end. Sentences seldom
have as many."""


def integer_of(cell: str) -> int | None:
    """Return the integer in a cell, with or without separators of thousands; None for none."""
    if _INTEGER.fullmatch(cell):
        return int(cell)
    if _GROUPED.fullmatch(cell):
        return int(re.sub(r"[,_'.]", "", cell))
    return None


def read_cells(line: str, header: TableHeader, above: Cells | None = None) -> Cells | None:
    """Return the cells of a row by column; None if the line is no row of the table.

    In a table with delimiters, an empty group or topic is that of the row `above`.

    Ways to cut a line are tried in turn; the types of the columns tell which one is right, and LAG
    where that leaves several.
    """
    line = without_prefix(line, header)
    first: Cells | None = None
    for cells in _cuts(line, header):
        if above is not None and header.delimiter is not None:
            cells |= {name: above[name] for name in (GROUP, TOPIC) if cells.get(name) == ""}
        if fits(cells):
            if lag_agrees(cells):
                return cells
            first = first or cells
    return first


def without_prefix(line: str, header: TableHeader) -> str:
    """Return the line without what stands before the first column, in the header and here.

    Times may differ in their digits.
    """
    size = len(header.prefix)
    same = _DIGIT.sub("0", line[:size]) == _DIGIT.sub("0", header.prefix)
    return line[size:] if size and same else line


def closest_cut(line: str, header: TableHeader) -> Cells | None:
    """Return the cells of a line with as many of them as columns, whatever is in them."""
    columns = set(header.names)
    return next((c for c in _cuts(line, header) if columns <= c.keys()), None)


def missing_words(line: str, header: TableHeader) -> int:
    """Number of columns that the words of a line do not reach."""
    return len(header.names) - len(line.split()) if header.delimiter is None else 0


def looks_like_a_row(line: str, topics: set[str], words_before: int | None = None) -> bool:
    """True for a line that gives offsets: numbers side by side, or a known topic and a number.

    More than `words_before` words before the numbers make it a sentence.
    """
    run = digits = 0
    words = line.replace("|", " ").replace(";", " ").split()
    for place, word in enumerate(words):
        if _NUMERIC.fullmatch(word):
            run, digits = run + 1, digits + any(map(str.isdigit, word))
            if place and words[place - 1] in topics:
                return True
        else:
            run = digits = 0
        if run >= _MIN_RUN and digits >= _MIN_RUN - 1:
            return words_before is None or place + 1 - run <= words_before
    return False


def fits(cells: Cells) -> bool:
    """True if each cell has what its column is for."""
    for name, cell in cells.items():
        if name in NUMBERS or name == COUNT:
            if cell.lower() not in ABSENT and integer_of(cell) is None:
                return False
        elif name == TOPIC:
            if not _NAME.fullmatch(cell):
                return False
        elif name == GROUP:
            if not cell:
                return False
        elif name == HOST:
            if len(cell.split()) > 1:
                return False
        elif name not in SPACED and len(cell.split()) > 1:
            return False
    return _names_something(cells)


def _names_something(cells: Cells) -> bool:
    """True if the row is about a partition, or about a member that owns none."""
    if PARTITION not in cells:
        return True
    number = integer_of(cells[PARTITION])
    if number is None:
        return cells[PARTITION] == cells.get(TOPIC) == NOTHING
    known = (cells.get(name, "") for name in (COMMITTED, END))
    return number >= 0 and any(cell != "" for cell in known)


def lag_agrees(cells: Cells) -> bool:
    """True if LAG does not contradict the offsets; of two ways to cut a line it tells one."""
    numbers = [integer_of(cells.get(name, "")) for name in (COMMITTED, END, LAG)]
    committed, end, lag = numbers
    if committed is None or end is None or lag is None:
        return True
    return lag == end - committed or (lag == 0 and committed > end)


def _cuts(line: str, header: TableHeader) -> Iterator[Cells]:
    """Every way to cut the line, the most certain ones first."""
    n = len(header.names)
    for delimiter in DELIMITERS:
        if delimiter == header.delimiter or line.count(delimiter) >= n - 1:
            cells = _split(line, delimiter, n)
            if cells is not None:
                yield dict(zip(header.names, cells, strict=True))
    if header.starts:
        cells = _by_position(line, header)
        if cells is not None:
            yield dict(zip(header.names, cells, strict=True))
    yield from _by_words(line.split(), header.names)


def _split(line: str, delimiter: str, n: int) -> list[str] | None:
    if delimiter == "|":
        line = line.strip().removeprefix("|").removesuffix("|")
    cells = [cell.strip().strip('*`"') for cell in _fields(line, delimiter)]
    while len(cells) > n and not cells[-1]:
        cells.pop()
    if len(cells) < n and delimiter == "\t":
        cells += [""] * (n - len(cells))
    return cells if len(cells) == n else None


def _fields(line: str, delimiter: str) -> list[str]:
    """Return what stands between the delimiters; those within quote marks count as text."""
    if '"' not in line or delimiter == "|":
        return line.split(delimiter)
    try:
        return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True))
    except csv.Error:  # a carriage return in the middle
        return line.split(delimiter)


def _by_position(line: str, header: TableHeader) -> list[str] | None:
    """Cells cut at the starts of the header's words; None if one of them lies across a cell."""
    cells: list[str] = []
    for name, start, end in zip(
        header.names, header.starts, (*header.starts[1:], None), strict=True
    ):
        cell = line[start:end]
        if (start and line[start - 1 : start].strip()) or (cell.strip() and cell[0].isspace()):
            return None
        cell = cell.strip()
        if not cell and name not in BLANK:
            return None
        cells.append(cell)
    return cells


def _by_words(words: list[str], names: tuple[str, ...]) -> Iterator[Cells]:
    """Ways to give the words of a line to the columns, where a long value shifted them."""
    n = len(names)
    if len(words) == n:
        yield dict(zip(names, words, strict=True))
    elif len(words) > n:
        for column in reversed(SPACED):  # one of the ids holds the spaces
            if column in names:
                at, extra = names.index(column), len(words) - n
                joined = " ".join(words[at : at + extra + 1])
                cells = [*words[:at], joined, *words[at + extra + 1 :]]
                yield dict(zip(names, cells, strict=True))
    else:
        yield from _by_fewer_words(words, names)


def _by_fewer_words(words: list[str], names: tuple[str, ...]) -> Iterator[Cells]:
    """Ways to cut a line with too few words: ids glued to hosts, or cells left empty."""
    missing = len(names) - len(words)
    if missing == 1 and MEMBER in names and HOST in names:
        at = names.index(MEMBER)
        glued = _GLUED.fullmatch(words[at]) if at < len(words) else None
        if glued is not None and names[at + 1] == HOST:
            cells = [*words[:at], *glued.groups(), *words[at + 1 :]]
            yield dict(zip(names, cells, strict=True))
    blank = [place for place, name in enumerate(names) if name in BLANK]
    if missing == 1:
        for place in reversed(blank):
            cells = [*words[:place], "", *words[place:]]
            yield dict(zip(names, cells, strict=True))
    trailing = [name for name in names[len(words) :] if name in NUMBERS or name in (GROUP, TOPIC)]
    if not trailing and START not in names[len(words) :]:
        yield dict(zip(names, [*words, *[""] * missing], strict=True))
