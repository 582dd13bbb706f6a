"""A line of a table, cut into the cells of its columns."""

from __future__ import annotations

import csv
import re
from collections.abc import Container, Iterator
from functools import lru_cache
from itertools import chain
from typing import Final, TypeAlias

from equilag.adapters.describe import table_header as col
from equilag.adapters.describe.table_header import DELIMITERS, MAX_SPACES, TableHeader

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
_GLUED: Final = re.compile(r"(.+?)(/[^/\s]+)")
_NUMERIC: Final = re.compile(r"[+-]?[0-9][\w.,'+-]{0,30}|-|unknown", re.IGNORECASE)
_MIN_RUN: Final = 3
"""Numbers side by side in a row: partition, commit, log end. Sentences seldom have as many."""


def integer_of(cell: str) -> int | None:
    """Return the integer in a cell, with or without separators of thousands; None for none."""
    if cell.isdecimal() and cell.isascii():
        return int(cell) if len(cell) <= MAX_DIGITS else None
    if _INTEGER.fullmatch(cell):
        return int(cell)
    if _GROUPED.fullmatch(cell):
        return int(re.sub(r"[,_'.]", "", cell))
    return None


def read_cells(line: str, header: TableHeader, above: Cells | None = None) -> Cells | None:
    """Return the cells of a row by column; None if the line is no row of the table.

    In a table with delimiters, an empty group or topic is that of the row `above`.

    Of the ways to cut it, the types of the columns tell the right one, LAG where several are left.
    """
    found = []
    for cells in _cuts(line, header):
        if above is not None and header.delimiter is not None:
            cells |= {name: above[name] for name in (col.GROUP, col.TOPIC) if cells.get(name) == ""}
        if fits(cells):
            found.append(cells)
    return min(found, key=lambda cells: not lag_agrees(cells), default=None)


@lru_cache(maxsize=64)
def row_pattern(names: tuple[str, ...], delimiter: str | None) -> re.Pattern[str]:
    """Return what matches rows that can be cut in one way alone: one word for each column of the
    header, and not numbers alone."""
    word, gap, end, begin = r"(\S++)", r"\s++", "", r"(?![\s\d|,;]*$)"
    if delimiter is not None:
        word, gap = r"([^\s|,;\"*`]++)", rf"[^\S\t]*+{re.escape(delimiter)}[^\S\t]*+"
    if delimiter == "|":  # in a frame, or without one
        begin, end = r"\s*+(?:\|(?=.*\|$)|(?!\||.*\|$))", r"\s*+\|?+"
    patterns = dict.fromkeys((*col.NUMBERS, col.COUNT), r"(-?[0-9]{0,18}+)")
    patterns |= {col.PARTITION: r"([0-9]{1,18}+)", col.TOPIC: r"([\w.-]{1,249}+)"}
    cells = gap.join(patterns.get(name, word) for name in names)
    return re.compile(rf"{begin}\s*+{cells}{end}\s*+")


def closest_cut(line: str, header: TableHeader) -> Cells | None:
    """Return the cells of a line with as many of them as columns, whatever is in them."""
    columns = set(header.names)
    return next((c for c in _cuts(line, header) if columns <= c.keys()), None)


def like_a_row(
    line: str, topics: Container[str] = (), header: TableHeader | None = None
) -> tuple[bool, list[str]]:
    """Return whether a line gives offsets: numbers side by side, or a known topic and a number; and
    the words that stand where a topic would, before a number.

    A few words more than the columns before the numbers make it a sentence.
    """
    words = re.sub(r"[|;]", " ", line).split()
    before = len(words) if header is None else header.before_numbers + MAX_SPACES
    at = [
        place for place, word in enumerate(words[: before + _MIN_RUN]) if _NUMERIC.fullmatch(word)
    ]
    named = [words[place - 1] for place in at if place]
    is_row = False
    for first in at:
        run = words[first : first + _MIN_RUN]
        side_by_side = len(run) == _MIN_RUN and all(map(_NUMERIC.fullmatch, run))
        numbers = sum(any(map(str.isdigit, word)) for word in run)
        is_row |= first <= before and side_by_side and numbers >= _MIN_RUN - 1
    if header is not None and len(words) == len(header.names):
        cells = dict(zip(header.names, words, strict=True))
        if any(is_count(cells[name]) for name in col.NUMBERS & cells.keys()):
            named.append(cells[col.TOPIC])
    if header is not None and header.pieces > 1:
        named += words[:1]
    is_known = any(word in topics for word in named)
    names = header is None or not all(map(str.isdecimal, words))
    return is_known or (is_row and names), named


def fits(cells: Cells) -> bool:
    """True if each cell has what its column is for."""
    if "".join(cells.values()).isdecimal() and not lag_agrees(cells):
        return False  # numbers below a table
    return all(_fits(name, cell) for name, cell in cells.items()) and _names_something(cells)


def is_count(cell: str) -> bool:
    """True for an integer, or a word for none."""
    return cell.lower() in ABSENT or integer_of(cell) is not None


def _fits(name: str, cell: str) -> bool:
    if name in col.NUMBERS or name == col.COUNT:
        return is_count(cell)
    if name == col.TOPIC:
        return col.TOPIC_NAME.fullmatch(cell) is not None
    if name == col.GROUP:
        return cell != ""
    return name in col.SPACED or len(cell.split(None, 1)) <= 1


def _names_something(cells: Cells) -> bool:
    """True if the row is about a partition, or about a member that owns none."""
    if col.PARTITION not in cells:
        return True
    number = integer_of(cells[col.PARTITION])
    if number is None:
        return cells[col.PARTITION] == cells.get(col.TOPIC) == NOTHING
    known = (cells.get(name, "") for name in (col.COMMITTED, col.END))
    return number >= 0 and any(cell != "" for cell in known)


def lag_agrees(cells: Cells) -> bool:
    """True if LAG does not contradict the offsets; of two ways to cut a line it tells one."""
    numbers = [integer_of(cells.get(name, "")) for name in (col.COMMITTED, col.END, col.LAG)]
    committed, end, lag = numbers
    if committed is None or end is None or lag is None:
        return True
    return lag == end - committed or (lag == 0 and committed > end)


def _cuts(line: str, header: TableHeader) -> Iterator[Cells]:
    """Every way to cut the line, the most certain ones first."""
    names, words = header.names, line.split()
    often = (one for one in DELIMITERS if line.count(one) >= len(names) - 1)
    found = [
        _split(line, header.delimiter, len(names)) if header.delimiter else None,
        _by_position(line, header) if header.starts else None,
        words if header.starts and len(words) == len(names) else None,
        *(_split(line, delimiter, len(names)) for delimiter in often),
    ]
    for cells in chain(found, _by_words(words, names)):
        if cells is not None:
            yield dict(zip(names, cells, strict=True))


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
    ends = (*header.starts[1:], None)
    for name, start, end in zip(header.names, header.starts, ends, strict=True):
        cell = line[start:end]
        if (start and line[start - 1 : start].strip()) or (cell.strip() and cell[0].isspace()):
            return None
        cell = cell.strip()
        if not cell and name not in col.BLANK:
            return None
        cells.append(cell)
    return cells


def _by_words(words: list[str], names: tuple[str, ...]) -> Iterator[list[str]]:
    """Ways to give the words of a line to the columns, where a long value shifted them."""
    more = len(words) - len(names)
    if more == 0:
        yield words
    elif more < 0:
        yield from _by_fewer_words(words, names)
    else:
        for at in (names.index(name) for name in reversed(col.SPACED) if name in names):
            # One of the ids holds the spaces.
            yield [*words[:at], " ".join(words[at : at + more + 1]), *words[at + more + 1 :]]


def _by_fewer_words(words: list[str], names: tuple[str, ...]) -> Iterator[list[str]]:
    """Ways to cut a line with too few words: ids glued to hosts, or cells left empty."""
    missing = len(names) - len(words)
    if missing == 1:
        at = names.index(col.MEMBER) if col.MEMBER in names else len(words)
        glued = _GLUED.fullmatch(words[at]) if at < len(words) else None
        if glued is not None and names[at + 1 : at + 2] == (col.HOST,):
            yield [*words[:at], *glued.groups(), *words[at + 1 :]]
        for at, name in reversed([*enumerate(names)]):
            if name in col.BLANK:
                yield [*words[:at], "", *words[at:]]
    rest = names[len(words) :]
    if col.NUMBERS.isdisjoint(rest) and col.GROUP not in rest and col.TOPIC not in rest:
        yield [*words, *[""] * missing]
