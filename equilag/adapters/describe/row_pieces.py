"""Lines that a narrow screen broke: headers and rows put together from their pieces.

A break within a word leaves nothing between two pieces, one between words a space, which a copy
often loses. The columns tell which one it was; what they leave open is refused, since a wrong group
is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Final

from equilag.adapters.describe import table_header as col
from equilag.adapters.describe.printed_text import MAX_PIECES, TextLine
from equilag.adapters.describe.row_cells import NOTHING, Cells, lag_agrees, read_cells, row_pattern
from equilag.adapters.describe.table_header import TableHeader, read_header
from equilag.domain.errors import InputError

MIN_SCREEN: Final = 60
"""Columns of the narrowest screen in use; shorter rows are not broken in their last word."""
_IDENTITY: Final = re.compile(
    r"(?:^|\s)(?:/\S+|\S*[0-9a-f]{4}-[0-9a-f]{4}\S*|-|(?:\S+/)?\d{1,3}(?:\.\d{1,3}){3})(?:\s|$)"
)
"""A host, an id or a dash: the rest of a row has one, a sentence does not."""
_PROMPT: Final = re.compile(r"\S*[$#%>]")


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


def header_at(lines: Sequence[TextLine]) -> TableHeader:
    """Return the header that begins at the first line, which is one, of as many lines as have only
    names of columns.

    Of the ways to put the pieces together, the one with the most known names is right.
    """
    header = read_header(lines[0].text, lines[0].number)
    assert header is not None
    best, most = header, (sum(col.column_of(name) is not None for name in header.names), 1)
    for count in range(2, len(lines) + 1):
        pieces = [line.text for line in lines[:count]]
        if re.search(r"\d", pieces[-1]):
            break
        for joined in _joined(pieces, header.delimiter):
            longer = read_header(joined, header.line)
            if longer is None or longer.delimiter != header.delimiter:
                continue
            size = len(longer.names), count
            if size > most and None not in map(col.column_of, longer.names):
                width = len(pieces[0])
                in_word = not joined[width].isspace()
                best = replace(longer, pieces=count, width=width, in_word=in_word)
                most = size
    return best


def row_at(
    lines: Sequence[TextLine], header: TableHeader, above: Cells | None, width: int
) -> tuple[Cells | None, int]:
    """Return the cells of the row that begins at the line, and the number of its last line.

    `above` are the cells of the row before it, `width` the length of the longest row so far. Raises
    InputError for a row that is broken in no certain way.
    """
    (number, text), pieces = lines[0], lines[: header.pieces]
    if len(pieces) > 1 and header.delimiter is None and len(text) >= header.width:
        on_screen = _together([line.text for line in pieces], header, width, exact=True)
        whole = row_pattern(header.names, None).fullmatch(next(on_screen))
        if whole is not None and len(pieces) == header.pieces:
            at_once = dict(zip(header.names, whole.groups(), strict=True))
            if is_whole(at_once, header):
                return at_once, pieces[-1].number
    cells = read_cells(text, header, above)
    lacks = lacks_of(text, header)
    ended = header.pieces == 1 or len(text) < header.width
    filled = cells is not None and cells[header.names[-1]] != ""
    if (lacks <= 0 and ended and filled) or (cells is None and not _may_begin(text, header)):
        return cells, number
    texts = [line.text for line in lines]
    near = (header.pieces, header.pieces - 1, header.pieces + 1)
    counts = near if header.pieces > 1 else range(2, MAX_PIECES + 1)
    # Only screens break words, and they lose nothing: what looks like a row is the rest of one.
    for exact in (True,) if header.in_word and header.delimiter is None else (True, False):
        is_screen = exact and header.pieces > 1
        most = len(texts) if is_screen else _next_row(texts, header)
        for count in (count for count in counts if 1 < count <= most):
            found: list[Cells] = []
            for joined in _together(texts[:count], header, width, exact):
                is_near = 0 <= lacks_of(joined, header) <= (header.delimiter is None)
                one = read_cells(joined, header, above) if is_near else None
                if one is not None and is_whole(one, header) and one not in found:
                    found.append(one)
            if len(found) == 1:
                return found[0], lines[count - 1].number
    follows = [line.number for line in lines[1:2]] == [number + 1]
    if follows and _may_go_on(text, texts[1], cells, header):
        raise broken_table(number, len(text))
    return cells, number


def lacks_of(text: str, header: TableHeader) -> int:
    """Columns that the words or the delimiters of a line do not reach."""
    if header.delimiter is None:
        return len(header.names) - len(text.split())
    framed = header.delimiter == "|" and text.lstrip().startswith("|")
    return len(header.names) + (1 if framed else -1) - text.count(header.delimiter)


def _may_begin(text: str, header: TableHeader) -> bool:
    """False for a line that no row begins with: a word stands where it has its partition."""
    if header.delimiter is not None or col.PARTITION not in header.names:
        return header.delimiter is None or header.delimiter in text
    at = header.names.index(col.PARTITION)
    words = text.split(None, at + 1)
    return len(words) <= at or words[at][0].isdigit() or words[at] == NOTHING


def _next_row(texts: list[str], header: TableHeader) -> int:
    """The place of the first line below that is none of the pieces of a row; after all if none."""
    places = range(1, len(texts))
    return next((at for at in places if _stands_alone(texts[at], header)), len(texts))


def _stands_alone(line: str, header: TableHeader) -> bool:
    """True if the line is a header or a row, or begins one with a name and a number."""
    if read_header(line, 0) is not None or read_cells(line, header) is not None:
        return True
    cells = dict(zip(header.names, line.split(), strict=False))
    name, number = cells.get(col.TOPIC, ""), cells.get(col.PARTITION, "")
    return (
        number.isdigit()
        and any(map(str.isalpha, name))
        and col.TOPIC_NAME.fullmatch(name) is not None
    )


def is_whole(cells: Cells, header: TableHeader) -> bool:
    """True if nothing of the row is missing or in the wrong place."""
    host = cells.get(col.HOST, NOTHING)
    sound = host == NOTHING or (re.search("^/|[.:]", host) is not None and "/" not in host[1:])
    filled = header.delimiter is not None or all(cells.values())
    return sound and filled and lag_agrees(cells)


def _together(pieces: list[str], header: TableHeader, width: int, exact: bool) -> Iterator[str]:
    """Ways to put the first lines together to a row: as they are on a screen of this width, spaces
    at its edge included, or with a gap between two of them or without."""
    delimiter = header.delimiter
    if delimiter is None and header.pieces == 1 and not all(map(has_identity, pieces[1:])):
        return
    width = max(width, header.width)
    full = all(len(piece) >= width - 1 for piece in pieces[:-1])
    framed = delimiter == "|" and pieces[-1].endswith("|")
    if delimiter is not None and not full and not framed:
        return
    width = max(width, *map(len, pieces))
    if exact:
        yield "".join(piece.ljust(width) for piece in pieces[:-1]) + pieces[-1]
    elif delimiter is not None or header.pieces == 1 or len(pieces[0]) * 2 >= header.width:
        yield from _joined(pieces, delimiter)


def _may_go_on(text: str, below: str, cells: Cells | None, header: TableHeader) -> bool:
    """True if the line below a row may have what the row lacks."""
    lacks = lacks_of(text, header)
    if _stands_alone(below, header):
        return False
    if header.delimiter is not None:
        return header.pieces > 1 and 0 < lacks < len(header.names) - 1
    if cells is None or lacks <= 0:
        return False
    if header.pieces > 1:
        return has_identity(below)
    few = 0 < len(below.split()) <= lacks + 1
    return few and len(text) >= MIN_SCREEN and re.search(r"\d", below) is not None


def is_rest(line: str, header: TableHeader) -> bool:
    """True if the line right below a row is one word that is none."""
    if line[:1].isspace() or len(line.split(None, 1)) != 1 or _PROMPT.fullmatch(line):
        return False
    return read_cells(line, header) is None


def _joined(pieces: list[str], delimiter: str | None = None) -> Iterator[str]:
    """Every way to put the pieces together, with a space or tab between two of them or without."""
    for gaps in product(("", "\t" if delimiter == "\t" else " "), repeat=len(pieces) - 1):
        yield pieces[0] + "".join(gap + piece for gap, piece in zip(gaps, pieces[1:], strict=True))
