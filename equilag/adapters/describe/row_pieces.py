"""Lines that a narrow screen broke: headers and rows put together from their pieces.

A break within a word leaves nothing between two pieces, one between words a space, which a copy
often loses. The columns tell which one it was; what they leave open is refused, since a wrong group
is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product, takewhile
from typing import Final

from equilag.adapters.describe import table_header as col
from equilag.adapters.describe.printed_text import MAX_PIECES, Lookahead, TextLine
from equilag.adapters.describe.row_cells import (
    NOTHING,
    Cells,
    lag_agrees,
    missing_words,
    read_cells,
    without_prefix,
)
from equilag.adapters.describe.table_header import TableHeader, read_header
from equilag.domain.errors import InputError

MIN_SCREEN: Final = 60
"""Columns of the narrowest screen in use; shorter rows are not broken in their last word."""
_IDENTITY: Final = re.compile(
    r"(?:^|\s)(?:/\S+|\S*[0-9a-f]{4}-[0-9a-f]{4}\S*|-|(?:\S+/)?\d{1,3}(?:\.\d{1,3}){3})(?:\s|$)"
)
"""A host, an id or a dash: the rest of a row has one, a sentence does not."""
_TOPIC: Final = re.compile(r"(?=.*[^\W\d])[\w.-]{1,249}")
"""A name with a letter, so no number."""
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


def header_at(ahead: Lookahead) -> TableHeader | None:
    """Return the header that begins at the first line, of as many lines as have only names of
    columns.

    Of the ways to put the pieces together, the one with the most known names is right.
    """
    header = read_header(ahead.line.text, ahead.line.number)
    if header is None:
        return header
    lines = ahead.first(MAX_PIECES)
    best, most = header, sum(col.column_of(name) is not None for name in header.names)
    for count in range(2, len(lines) + 1):
        pieces = [line.text for line in lines[:count]]
        if re.search(r"\d", pieces[-1]):
            break
        for joined in _joined(pieces, header.delimiter):
            longer = read_header(joined, header.line)
            if longer is None or longer.delimiter != header.delimiter:
                continue
            if len(longer.names) > most and None not in map(col.column_of, longer.names):
                width = len(pieces[0])
                in_word = not joined[width].isspace()
                best = replace(longer, pieces=count, width=width, in_word=in_word)
                most = len(longer.names)
    return best


def row_at(
    ahead: Lookahead, header: TableHeader, above: Cells | None, width: int
) -> tuple[Cells | None, int]:
    """Return the cells of the row that begins at the line, and the number of its last line.

    `above` are the cells of the row before it, `width` the length of the longest row so far. Raises
    InputError for a row that is broken in no certain way.
    """
    number, text = ahead.line
    whole = read_cells(text, header, above)
    if header.delimiter is None and whole is None and not _may_begin_a_row(text, header):
        return None, number
    missing = missing_words(text, header)
    is_full = missing <= 0 and (header.pieces == 1 or len(text) < header.width)
    if header.delimiter is None and is_full:
        return whole, number
    first, *below = ahead.first(MAX_PIECES)
    below = [*takewhile(lambda line: read_header(line.text, 0) is None, below)]
    lines, width = [first, *below], max(width, header.width)
    find = _broken_row if header.delimiter is None else _delimited_row
    found = find(lines, header, above, width)
    if found is not None:
        return found[0], lines[found[1] - 1].number
    if header.delimiter is not None:
        return whole, number
    following = lines[1].text if len(lines) > 1 else ""
    if not following or read_cells(following, header) is not None:
        return whole, number
    if header.pieces > 1:
        return (None if missing > 0 and has_identity(following) else whole), number
    if whole is not None and _may_go_on(lines, missing):
        raise broken_table(number, len(text))
    return whole, number


def _may_begin_a_row(text: str, header: TableHeader) -> bool:
    """False for a line with a word where a row has its partition."""
    if col.PARTITION not in header.names:
        return True
    at = header.names.index(col.PARTITION)
    words = without_prefix(text, header).split(None, at + 1)
    return len(words) <= at or words[at][0].isdigit() or words[at] == NOTHING


def _may_go_on(lines: Sequence[TextLine], missing: int) -> bool:
    """True if the second line may have the words that the first one lacks."""
    first, rest = lines[:2]
    few = 0 < len(rest.text.split()) <= missing + 1
    if rest.number != first.number + 1 or len(first.text) < MIN_SCREEN or not few:
        return False
    return re.search(r"\d", rest.text) is not None and read_header(rest.text, 0) is None


def _broken_row(
    lines: Sequence[TextLine], header: TableHeader, _above: Cells | None, width: int
) -> tuple[Cells, int] | None:
    """Return the row that the first lines make; None if there is not just one."""
    counts: Sequence[int] = range(2, MAX_PIECES + 1)
    if header.pieces > 1:
        counts = [n for n in (header.pieces, header.pieces - 1, header.pieces + 1) if n > 1]
    # Only screens break words, and they lose nothing.
    for exact in (True,) if header.in_word else (True, False):
        for count in counts:
            pieces = [line.text for line in lines[:count]]
            if len(pieces) < count or not _fit_together(pieces, header, exact):
                continue
            found: list[Cells] = []
            for joined in _exactly(pieces, width) if exact else _joined(pieces):
                near = missing_words(joined, header) in (0, 1)
                cells = read_cells(joined, header) if near else None
                if cells is not None and _is_whole(cells) and cells not in found:
                    found.append(cells)
            if len(found) == 1:
                return found[0], count
    return None


def _fit_together(pieces: list[str], header: TableHeader, exact: bool) -> bool:
    """True if no piece but the first one can be anything else than the rest of a row."""
    if header.pieces > 1:
        return exact or len(pieces[0]) * 2 >= header.width
    return all(
        has_identity(piece)
        and read_header(piece, 0) is None
        and read_cells(piece, header) is None
        and not _begins_a_row(piece, header)
        for piece in pieces[1:]
    )


def _begins_a_row(line: str, header: TableHeader) -> bool:
    """True if the line has a name and then a number where a row has its topic and partition."""
    words = line.split()
    if col.TOPIC not in header.names or col.PARTITION not in header.names:
        return False
    topic, number = header.names.index(col.TOPIC), header.names.index(col.PARTITION)
    if len(words) <= max(topic, number) or not words[number].isdigit():
        return False
    return _TOPIC.fullmatch(words[topic]) is not None


def _is_whole(cells: Cells) -> bool:
    """True if nothing of the row is missing or in the wrong place."""
    host = cells.get(col.HOST, NOTHING)
    sound = host == NOTHING or (("." in host or ":" in host) and "/" not in host[1:])
    sound = sound or (host.startswith("/") and "/" not in host[1:])
    return sound and lag_agrees(cells) and all(cells.values())


def _delimited_row(
    lines: Sequence[TextLine], header: TableHeader, above: Cells | None, width: int
) -> tuple[Cells, int] | None:
    """Return the row of the first lines, whose delimiters tell where it ends; None if it is not
    broken."""
    delimiter = header.delimiter or ""
    counts = [line.text.count(delimiter) for line in lines]
    framed = delimiter == "|" and lines[0].text.lstrip().startswith("|")
    wanted = len(header.names) + (1 if framed else -1)
    if 0 < counts[0] < wanted:
        taken = _pieces(counts, wanted, delimiter)
    elif counts[0] == wanted and not framed and _lacks_end(lines, delimiter, width):
        taken = 2
    else:
        return None
    pieces = [line.text for line in lines[:taken]]
    full = all(len(piece) >= width - 1 for piece in pieces[:-1])
    if pieces and (full or (framed and pieces[-1].endswith("|"))):
        exact = next(_exactly(pieces, width)) if delimiter != "\t" else "".join(pieces)
        if sum(counts[:taken]) < wanted:
            exact = "\t".join(pieces)  # a copy loses a tab at the end of a line
        cells = read_cells(exact, header, above)
        if cells is not None:
            return cells, taken
    if header.pieces > 1 and len(counts) > 1 and counts[1] < min(wanted, counts[0]):
        raise broken_table(lines[0].number, width)
    return None


def _pieces(counts: list[int], wanted: int, delimiter: str) -> int:
    """Lines that together have as many delimiters as a row; 0 for none."""
    for taken in range(2, len(counts) + 1):
        lost = wanted - sum(counts[:taken])
        if lost == 0 or (taken == 2 and lost == 1 and counts[1] < counts[0] and delimiter == "\t"):
            return taken
    return 0


def _lacks_end(lines: Sequence[TextLine], delimiter: str, width: int) -> bool:
    """True if the last cell of a row stands alone on the next line."""
    line, *below = lines
    ends = line.text.endswith(delimiter) and len(line.text) >= width - 1 >= MIN_SCREEN
    if not ends or not below or below[0].number != line.number + 1:
        return False
    return len(below[0].text.split()) == 1 and delimiter not in below[0].text


def is_rest(line: str, header: TableHeader) -> bool:
    """True if the line right below a row is one word that is none."""
    if line[:1].isspace() or len(line.split(None, 1)) != 1 or _PROMPT.fullmatch(line):
        return False
    return read_cells(line, header) is None


def _exactly(pieces: list[str], width: int) -> Iterator[str]:
    """The pieces as they are on a screen of this width, spaces at its edge included."""
    width = max(width, *map(len, pieces))
    yield "".join(piece.ljust(width) for piece in pieces[:-1]) + pieces[-1]


def _joined(pieces: list[str], delimiter: str | None = None) -> Iterator[str]:
    """Every way to put the pieces together, with a space or tab between two of them or without."""
    for gaps in product(("", "\t" if delimiter == "\t" else " "), repeat=len(pieces) - 1):
        yield pieces[0] + "".join(gap + piece for gap, piece in zip(gaps, pieces[1:], strict=True))
