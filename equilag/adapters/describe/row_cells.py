"""A line of a table, cut into the cells of its columns."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Container, Iterator
from functools import lru_cache
from itertools import chain, pairwise
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
_NAME: Final = re.compile(r"[\w.-]{1,249}")
_GLUED: Final = re.compile(r"(.+?)(/[^/\s]+)")
_DIGIT: Final = re.compile(r"[0-9]")
_NUMERIC: Final = re.compile(r"[+-]?[0-9][\w.,'+-]{0,30}|-|unknown", re.IGNORECASE)
_MIN_RUN: Final = 3
"""Numbers side by side in a row: a partition, what is committed, the log end. Sentences seldom
have as many."""
_MAX_COLUMNS: Final = 99
"""More columns than any tool prints."""


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

    Ways to cut a line are tried in turn; the types of the columns tell which one is right, and LAG
    where that leaves several.
    """
    line = without_prefix(line, header)
    if (usual := usual_cells(header)(line)) is not None:
        return usual
    first: Cells | None = None
    for cells in _cuts(line, header):
        if above is not None and header.delimiter is not None:
            cells |= {name: above[name] for name in (col.GROUP, col.TOPIC) if cells.get(name) == ""}
        if fits(cells):
            if lag_agrees(cells):
                return cells
            first = first or cells
    return first


@lru_cache(maxsize=64)
def usual_cells(header: TableHeader) -> Callable[[str], Cells | None]:
    """Return what cuts a row with one word for each column, as nearly all are; None for other
    lines, which take ten times as long."""
    if not header.starts:
        return lambda _line: None
    patterns = dict.fromkeys((*col.NUMBERS, col.COUNT), r"(-?[0-9]{1,18}|-)")
    patterns |= {col.PARTITION: r"([0-9]{1,18})", col.TOPIC: r"([\w.-]{1,249})"}
    names, starts = header.names, frozenset(header.starts)
    match = re.compile(
        r"\s*" + r"\s+".join(patterns.get(name, r"(\S+)") for name in names) + r"\s*"
    ).fullmatch
    blank = {at for name, at in zip(names, header.starts, strict=True) if name in col.BLANK}

    def cut(line: str) -> Cells | None:
        whole = match(line)
        if whole is None:
            return None
        begins = {begin for begin, _ in whole.regs[1:]}
        if begins != starts and starts - begins <= blank and _by_position(line, header):
            return None
        return dict(zip(names, whole.groups(), strict=True))

    return cut


def topics_of(line: str, header: TableHeader) -> Iterator[str]:
    """Words that stand where a topic would, if the line were a row: before a number, or in the
    column of the topics of a line with as many words as columns."""
    words = _words(line, header)
    for before, word in pairwise(words):
        if _NUMERIC.fullmatch(word):
            yield before
    if len(words) == len(header.names) and col.TOPIC in header.names:
        yield words[header.names.index(col.TOPIC)]


def _words(line: str, header: TableHeader | None) -> list[str]:
    """The words down to where a row has its numbers, without bars and semicolons; a line in a frame
    that is too narrow for the table keeps its bars."""
    before = _MAX_COLUMNS if header is None else header.before_numbers
    if header is None or not _is_framed(line, header):
        line = line.replace("|", " ").replace(";", " ")
    return line.split(None, before + MAX_SPACES + _MIN_RUN)


def _is_framed(line: str, header: TableHeader) -> bool:
    """True for a line of another table, in a frame and with fewer columns."""
    plain = header.delimiter is None and header.pieces == 1
    return plain and line.lstrip().startswith("|") and line.count("|") < len(header.names) - 1


def without_prefix(line: str, header: TableHeader) -> str:
    """Return the line without what stands before the first column, in the header and here.

    Times may differ in their digits.
    """
    size = len(header.prefix)
    if not size or _DIGIT.sub("0", line[:size]) != _DIGIT.sub("0", header.prefix):
        return line
    return line[size:]


def closest_cut(line: str, header: TableHeader) -> Cells | None:
    """Return the cells of a line with as many of them as columns, whatever is in them."""
    columns = set(header.names)
    return next((c for c in _cuts(line, header) if columns <= c.keys()), None)


def missing_words(line: str, header: TableHeader) -> int:
    """Number of columns that the words of a line do not reach."""
    return len(header.names) - len(line.split()) if header.delimiter is None else 0


def looks_like_a_row(line: str, topics: Container[str], header: TableHeader | None = None) -> bool:
    """True for a line that gives offsets: numbers side by side, or a known topic and a number.

    A few words more than the columns before the numbers make it a sentence.
    """
    run = digits = 0
    words, before = _words(line, header), header.before_numbers if header else _MAX_COLUMNS
    for place, word in enumerate(words):
        if not _NUMERIC.fullmatch(word):
            run = digits = 0
            continue
        run, digits = run + 1, digits + any(map(str.isdigit, word))
        if place and words[place - 1] in topics:
            return True
        if run >= _MIN_RUN and digits >= _MIN_RUN - 1:
            return place + 1 - run <= before + MAX_SPACES
    return False


def fits(cells: Cells) -> bool:
    """True if each cell has what its column is for."""
    return all(_fits(name, cell) for name, cell in cells.items()) and _names_something(cells)


def is_count(cell: str) -> bool:
    """True for an integer, or a word for none."""
    return cell.lower() in ABSENT or integer_of(cell) is not None


def _fits(name: str, cell: str) -> bool:
    if name in col.NUMBERS or name == col.COUNT:
        return is_count(cell)
    if name == col.TOPIC:
        return _NAME.fullmatch(cell) is not None
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
    names = header.names
    found = [
        _split(line, delimiter, len(names))
        for delimiter in DELIMITERS
        if delimiter == header.delimiter or line.count(delimiter) >= len(names) - 1
    ]
    if header.starts:
        found.append(_by_position(line, header))
    for cells in chain(found, _by_words(line.split(), names)):
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
