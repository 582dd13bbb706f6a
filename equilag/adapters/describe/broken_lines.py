"""Lines that a narrow screen broke: headers and rows put together from their pieces.

A break within a word leaves nothing between two pieces, one between words a space, which a copy
often loses. The columns tell which one it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Final

from equilag.adapters.describe.printed_text import TextLine
from equilag.adapters.describe.row_cells import (
    NOTHING,
    Cells,
    lag_agrees,
    missing_words,
    read_cells,
)
from equilag.adapters.describe.table_header import (
    HOST,
    MEMBER,
    PARTITION,
    TOPIC,
    TableHeader,
    column_of,
    read_header,
)
from equilag.domain.errors import InputError

MAX_PIECES: Final = 4
"""Lines of a screen that one row may take: ids seldom have more than 250 characters."""
MIN_SCREEN: Final = 60
"""Columns of the narrowest screen in use; shorter rows are not broken in their last word."""
_IDENTITY: Final = re.compile(
    r"(?:^|\s)(?:/\S+|\S*[0-9a-f]{4}-[0-9a-f]{4}\S*|-|(?:\S+/)?\d{1,3}(?:\.\d{1,3}){3})(?:\s|$)"
)
"""A host, an id or a dash: the rest of a row has one, a sentence does not."""

_TOPIC: Final = re.compile(r"(?=.*[^\W\d])[\w.-]{1,249}")
"""A name with a letter, so no number."""


def broken_table(line: int, width: int) -> InputError:
    """Return why a broken table is refused."""
    return InputError(
        f"the table is broken into lines of {width} columns: paste it from a wider terminal, or"
        " from a file",
        f"line {line}",
    )


def has_identity(line: str) -> bool:
    """True if the line has what only rows have: a host, an id or a dash."""
    return _IDENTITY.search(line) is not None


def header_at(lines: list[TextLine], at: int) -> TableHeader | None:
    """Return the header that begins at this line, of as many lines as have only names of columns.

    Of the ways to put the pieces together, the one with the most known names is right.
    """
    header = read_header(lines[at].text, lines[at].number)
    if header is None:
        return header
    best = header
    for count in range(2, MAX_PIECES + 1):
        pieces = [line.text for line in lines[at : at + count]]
        if len(pieces) < count or re.search(r"\d", pieces[-1]):
            break
        for joined in _joined(pieces, header.delimiter):
            longer = read_header(joined, header.line)
            if longer is None or longer.delimiter != header.delimiter:
                continue
            known = [name for name in longer.names if column_of(name) is not None]
            if len(known) == len(longer.names) and len(known) > _known(best):
                width = len(pieces[0])
                in_word = not joined[width].isspace()
                best = replace(longer, pieces=count, width=width, in_word=in_word)
    return best


def row_at(
    lines: list[TextLine], at: int, header: TableHeader, above: Cells | None = None
) -> tuple[Cells | None, int]:
    """Return the cells of the row that begins at this line, and how many lines it takes; `above`
    are those of the row before it."""
    if not (header.has_offsets or header.has_members):
        return None, 1
    text = lines[at].text
    whole = read_cells(text, header, above)
    if header.delimiter is not None:
        return whole, 1
    if header.pieces > 1:
        found = _broken_row(lines, at, header)
        if found is not None:
            return found
        following = lines[at + 1].text if at + 1 < len(lines) else ""
        rest = following and read_cells(following, header) is None and has_identity(following)
        return (None if missing_words(text, header) > 0 and rest else whole), 1
    if missing_words(text, header) > 0:
        found = _longer_row(lines, at, header)
        if found is not None:
            return found
        if whole is not None and _is_broken(lines[at : at + 2], header):
            raise broken_table(lines[at].number, len(text))
    return whole, 1


def _is_broken(pieces: list[TextLine], header: TableHeader) -> bool:
    """True if the second line may have the words that the first lacks."""
    if len(pieces) < 2 or pieces[1].number != pieces[0].number + 1:
        return False
    first, rest = (piece.text for piece in pieces)
    words = rest.split()
    if len(first) < MIN_SCREEN or not 0 < len(words) <= missing_words(first, header) + 1:
        return False
    if not re.search(r"\d", rest) or read_header(rest, 0) is not None:
        return False
    return read_cells(rest, header) is None


def _broken_row(lines: list[TextLine], at: int, header: TableHeader) -> tuple[Cells, int] | None:
    """Return the row below a header that is broken too; None if there is not just one way to put
    it together."""
    text = lines[at].text
    if missing_words(text, header) <= 0 and len(text) < header.width:
        return None
    counts = [count for count in (header.pieces, header.pieces - 1, header.pieces + 1) if count > 1]
    exact = _exact_row(lines, at, header, counts)
    if exact is not None or header.in_word:  # only screens break words, and they lose nothing
        return exact
    for count in counts:
        pieces = [line.text for line in lines[at : at + count]]
        if len(pieces) < count or len(pieces[0]) * 2 < header.width:
            continue
        found: list[Cells] = []
        for joined in _joined(pieces):
            cells = read_cells(joined, header) if missing_words(joined, header) in (0, 1) else None
            if cells is not None and _is_whole(cells) and cells not in found:
                found.append(cells)
        if len(found) == 1:
            return found[0], count
    return None


def _exact_row(
    lines: list[TextLine], at: int, header: TableHeader, counts: list[int]
) -> tuple[Cells, int] | None:
    """Return the row of pieces that all had the width of the screen, spaces at its edge included;
    None if they do not make a whole one."""
    for count in counts:
        pieces = [line.text for line in lines[at : at + count]]
        width = max(header.width, *(len(piece) for piece in pieces))
        row = "".join(piece.ljust(width) for piece in pieces[:-1]) + pieces[-1]
        if len(pieces) < count or missing_words(row, header) not in (0, 1):
            continue
        cells = read_cells(row, header)
        if cells is not None and _is_whole(cells):
            return cells, count
    return None


def _is_whole(cells: Cells) -> bool:
    """True if nothing of the row is missing or in the wrong place."""
    host = cells.get(HOST, NOTHING)
    sound = host == NOTHING or (("." in host or ":" in host) and "/" not in host[1:])
    sound = sound or (host.startswith("/") and "/" not in host[1:])
    return sound and lag_agrees(cells) and all(cells.values())


def _longer_row(lines: list[TextLine], at: int, header: TableHeader) -> tuple[Cells, int] | None:
    """Return the row of this line and the next ones, if together they have a word per column."""
    text = lines[at].text
    for taken in range(2, MAX_PIECES + 1):
        if at + taken > len(lines):
            return None
        following = lines[at + taken - 1].text
        if read_header(following, 0) is not None or read_cells(following, header) is not None:
            return None
        if not has_identity(following) or _begins_a_row(following, header):
            return None
        for joined in _joined([text, following]):
            if missing_words(joined, header) == 0:
                cells = read_cells(joined, header)
                if cells is None:
                    return None
                return (_unglued(text + following, header, cells) or cells), taken
        text = f"{text} {following.strip()}"
    return None


def _unglued(row: str, header: TableHeader, cells: Cells) -> Cells | None:
    """Return the cells of a row whose id runs into its host, if a screen broke one of the two;
    `cells` are those with a space at the break."""
    host, member = cells.get(HOST, NOTHING), cells.get(MEMBER, "")
    if "/" not in host[1:] and (host[:1] in ("/", NOTHING) or "/" not in member):
        return None
    glued = read_cells(row, header) if missing_words(row, header) == 1 else None
    return glued if glued is not None and _is_whole(glued) else None


def _begins_a_row(line: str, header: TableHeader) -> bool:
    """True if the line has a name and then a number where a row has its topic and partition."""
    words = line.split()
    if TOPIC not in header.names or PARTITION not in header.names:
        return False
    topic, number = header.names.index(TOPIC), header.names.index(PARTITION)
    if len(words) <= max(topic, number) or not words[number].isdigit():
        return False
    return _TOPIC.fullmatch(words[topic]) is not None


def _joined(pieces: list[str], delimiter: str | None = None) -> Iterator[str]:
    """Every way to put the pieces together, with a space or tab between two of them or without."""
    for gaps in product(("", "\t" if delimiter == "\t" else " "), repeat=len(pieces) - 1):
        yield pieces[0] + "".join(gap + piece for gap, piece in zip(gaps, pieces[1:], strict=True))


def _known(header: TableHeader) -> int:
    return sum(column_of(name) is not None for name in header.names)
