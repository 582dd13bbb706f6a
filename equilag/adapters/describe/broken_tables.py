"""Tables that a narrow screen broke: rows with delimiters, and the last column of any table.

What cannot be put together in just one way is refused: a wrong group is worse than none.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from equilag.adapters.describe.broken_lines import MAX_PIECES, MIN_SCREEN, broken_table, header_at
from equilag.adapters.describe.printed_text import TextLine
from equilag.adapters.describe.row_cells import missing_words, read_cells
from equilag.adapters.describe.table_header import TableHeader, read_header

_PROMPT: Final = re.compile(r"\S*[$#%>]")


def unbroken_lines(lines: list[TextLine]) -> list[TextLine]:
    """Return the lines, with the pieces of rows put together where that is certain.

    Raises InputError for pieces of rows that are not.
    """
    heads = [at for at, line in enumerate(lines) if read_header(line.text, 0) is not None]
    found = lines[: heads[0]] if heads else lines
    for at, end in pairwise([*heads, len(lines)]):
        header = header_at(lines, at)
        if header is None:
            continue
        below = min(at + header.pieces, end)
        rows = lines[below:end]
        if header.has_offsets or header.has_members:
            rows = _rows_joined(rows, header) if header.delimiter is not None else rows
            rows = _last_cells_joined(rows, header)
        found = [*found, *lines[at:below], *rows]
    return found


def _rows_joined(lines: list[TextLine], header: TableHeader) -> list[TextLine]:
    """Put rows with delimiters together: their number tells where a row ends."""
    delimiter = header.delimiter or ""
    counts = [line.text.count(delimiter) for line in lines]
    pairs = zip(lines, counts, strict=True)
    width = max((len(line.text) for line, count in pairs if count), default=0)
    found: list[TextLine] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        framed = delimiter == "|" and line.text.lstrip().startswith("|")
        wanted = len(header.names) + (1 if framed else -1)
        taken = _pieces(counts, at, wanted) if 0 < counts[at] < wanted else 1
        if counts[at] == wanted and not framed and _lacks_end(lines, at, delimiter, width):
            taken = 2
        joined = _joined([one.text for one in lines[at : at + taken]], width, wanted, delimiter)
        if joined is None:
            rest = at + 1 < len(lines) and counts[at + 1] < min(wanted, counts[at])
            if header.pieces > 1 and rest:
                raise broken_table(line.number, width)
            joined, taken = line.text, 1
        found.append(TextLine(line.number, joined))
        at += taken
    return found


def _lacks_end(lines: list[TextLine], at: int, delimiter: str, width: int) -> bool:
    """True if the last cell of a row stands alone on the next line."""
    line, below = lines[at], lines[at + 1 : at + 2]
    ends = line.text.endswith(delimiter) and len(line.text) >= width - 1 >= MIN_SCREEN
    if not ends or not below or below[0].number != line.number + 1:
        return False
    return len(below[0].text.split()) == 1 and delimiter not in below[0].text


def _pieces(counts: list[int], at: int, wanted: int) -> int:
    """Lines from this one on that together have as many delimiters as a row; 0 for none."""
    total = counts[at]
    for taken in range(2, MAX_PIECES + 1):
        if at + taken > len(counts):
            return 0
        total += counts[at + taken - 1]
        lost = wanted - total  # a copy loses a tab at the end of a line
        if total == wanted or (taken == 2 and lost == 1 and counts[at + 1] < counts[at]):
            return taken
        if total > wanted:
            return 0
    return 0


def _joined(pieces: list[str], width: int, wanted: int, delimiter: str) -> str | None:
    """Return the row of these pieces; None if they are none."""
    if len(pieces) < 2:
        return pieces[0] if pieces else None
    full = all(len(piece) >= width - 1 for piece in pieces[:-1])
    framed = pieces[0].lstrip().startswith("|") and pieces[-1].endswith("|")
    if not full and not framed:
        return None
    if sum(piece.count(delimiter) for piece in pieces) < wanted:
        return "\t".join(pieces) if delimiter == "\t" else None
    if delimiter == "\t":
        return "".join(pieces)
    return "".join(piece.ljust(width) for piece in pieces[:-1]) + pieces[-1]


def _last_cells_joined(lines: list[TextLine], header: TableHeader) -> list[TextLine]:
    """Put the pieces of the last column together, if all rows are broken at one place."""
    rests = [at for at in range(1, len(lines)) if _is_rest(lines, at, header)]
    if not rests:
        return lines
    rows = [at for at, line in enumerate(lines) if _reaches_end(line.text, header)]
    width = max(len(lines[at].text) for at in rows)
    broken = {at - 1 for at in rests}
    if width < MIN_SCREEN or all(len(lines[at].text) < width for at in broken):
        return lines
    whole = [at for at in rows if at not in broken and len(lines[at].text) == width]
    plain = all(lines[at].text.strip().isalpha() for at in rests) and rests == [rows[-1] + 1]
    if plain and whole:
        return lines  # a word of a sentence below the table
    sure = all(len(lines[at].text) == width for at in broken) and not whole and not plain
    if not sure or any(len(lines[at].text.split()) > 1 for at in rests):
        raise broken_table(lines[min(broken)].number, width)
    joined: list[TextLine] = []
    for at, line in enumerate(lines):
        if at in rests:
            joined[-1] = TextLine(joined[-1].number, joined[-1].text + line.text)
        else:
            joined.append(line)
    return joined


def _is_rest(lines: list[TextLine], at: int, header: TableHeader) -> bool:
    """True for one word right below a row, which is none itself."""
    line, above = lines[at], lines[at - 1]
    words = line.text.split()
    if len(words) != 1 or line.number != above.number + 1 or _PROMPT.fullmatch(words[0]):
        return False
    if line.text[:1].isspace() or not header.has_offsets:
        return False
    return _reaches_end(above.text, header) and read_cells(line.text, header) is None


def _reaches_end(text: str, header: TableHeader) -> bool:
    """True for a row that has something in its last column."""
    cells = read_cells(text, header) if missing_words(text, header) <= 1 else None
    return cells is not None and cells[header.names[-1]] != ""
