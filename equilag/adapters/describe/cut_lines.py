"""Lines that a copy cut off: the last one of a text, or of what stands before another table."""

from __future__ import annotations

import re
from typing import Final

from equilag.adapters.describe.partition_rows import UNKNOWN_OWNER, is_nobody
from equilag.adapters.describe.printed_table import PrintedRow, PrintedTable, TablesFound
from equilag.adapters.describe.printed_text import TextLine
from equilag.adapters.describe.row_cells import NOTHING, Cells, integer_of, lag_agrees
from equilag.adapters.describe.table_header import (
    COMMITTED,
    END,
    GROUP,
    LAG,
    MEMBER,
    NUMBERS,
    OWNER,
    PARTITION,
    TOPIC,
    TableHeader,
)
from equilag.domain.show import show

_NAME: Final = re.compile(r"[\w.-]{1,249}")
_RANDOM: Final = re.compile(r".*-[0-9a-f]{4}[0-9a-f-]*")
"""An id that goes on into its random digits: the rest of it tells no members apart."""
_DIGITS: Final = re.compile(r"[0-9a-f-]+")


def is_shorter(line: TextLine, header: TableHeader) -> bool:
    """True if the line has fewer cells than the header has columns."""
    return len(_pieces(line.text, header)) < len(header.names)


def leave_out_cut_rows(found: TablesFound) -> list[int]:
    """Take rows that are cut off before their owner out of the tables. Returns their lines.

    A line without a line break that is no row, but begins as one, counts too.
    """
    cut = []
    for table in found.tables:
        if not (table.header.has_offsets and table.rows):
            continue
        row = table.rows[-1]
        at_end = row.last in found.ends
        if table.header.pieces > 1:
            following = [line.number for line in found.lines if line.number > row.line]
            at_end = at_end or bool(found.ends & set(following[: table.header.pieces - 1]))
        unended = found.unended or row.last < found.lines[-1].number
        if at_end and _is_cut(row, table, unended):
            cut.append(table.rows.pop().line)
    return cut or _cut_beginning(found)


def mend_cut_owners(found: TablesFound) -> list[str]:
    """Complete the owner of rows that are cut off in it, by the only id that begins so.

    Without one, nobody knows the owner. Returns what to remark.
    """
    tables = [table for table in found.tables if table.header.has_offsets and table.rows]
    ids = {
        row.cells[MEMBER if MEMBER in row.cells else OWNER]
        for table in found.tables
        for row in table.rows
        if row.cells.keys() & {MEMBER, OWNER}
        and (table.header.has_members or row.last not in found.ends)
    }
    return [
        remark
        for table in tables
        if table.rows[-1].last in found.ends
        for remark in _mended(table, table.rows[-1], ids, found)
    ]


def _mended(table: PrintedTable, row: PrintedRow, ids: set[str], found: TablesFound) -> list[str]:
    column = _owner_column(table.header)
    names = table.header.names
    if column not in names or _last_filled(row, table) > names.index(column):
        return []
    is_last = names.index(column) == len(names) - 1
    unended = found.unended and row.last == found.lines[-1].number
    printed = row.cells.get(column, "")
    if is_last and not unended:
        return []
    if is_nobody(printed):
        if is_last or not unended or printed:
            return []
        row.cells[column] = UNKNOWN_OWNER
        return [f"{row.place} has no line break: its owner may be cut off, and is not known"]
    others = {one.cells.get(column) for one in table.rows[:-1]}
    begin = [other for other in ids - {printed} if other.startswith(printed)]
    if is_last and not begin:
        if printed in others:
            return []
        return [f"{row.place} has no line break: its owner {show(printed)} may be cut off"]
    sure = [one for one in begin if _DIGITS.fullmatch(one[len(printed) :])]
    known = len(begin) == len(sure) == 1 and _RANDOM.fullmatch(printed) is not None
    row.cells[column] = sure[0] if known else UNKNOWN_OWNER
    read = f"read as {show(sure[0])}" if known else "not known"
    return [f"{row.place} is cut off in the id {show(printed)}, {read}"]


def _owner_column(header: TableHeader) -> str:
    return MEMBER if MEMBER in header.names else OWNER


def _is_cut(row: PrintedRow, table: PrintedTable, unended: bool) -> bool:
    """True if the row ends in its numbers, or with them where all other rows go on."""
    names = table.header.names
    filled = _last_filled(row, table)
    numbers = max(place for place, name in enumerate(names) if name in NUMBERS)
    nobody = row.cells.get(_owner_column(table.header)) == NOTHING
    if table.header.pieces > 1 and filled < len(names) - 1 and not nobody:
        return True
    others = [_last_filled(other, table) for other in table.rows[:-1]]
    if filled < numbers:
        return not others or filled < min(others) or unended
    if filled > numbers:
        return False
    fewer = bool(others) and filled < min(others)
    if names[numbers] == LAG and _begins_lag(row.cells):
        return unended or fewer
    if names[numbers] != LAG and not lag_agrees(row.cells):
        return unended or fewer
    return fewer and unended


def _begins_lag(cells: Cells) -> bool:
    """True if LAG is the beginning of what the offsets make it."""
    committed, end = (integer_of(cells.get(name, "")) for name in (COMMITTED, END))
    if committed is None or end is None or (lag_agrees(cells) and cells[LAG] != NOTHING):
        return False
    return cells[LAG] == NOTHING or str(end - committed).startswith(cells[LAG])


def _last_filled(row: PrintedRow, table: PrintedTable) -> int:
    """The place of the last column that the row has something in."""
    names = table.header.names
    return max((at for at, name in enumerate(names) if row.cells.get(name)), default=-1)


def _cut_beginning(found: TablesFound) -> list[int]:
    """The last line if it has no line break, follows a row, and begins as one."""
    tables = [table for table in found.tables if table.rows]
    if not (found.unended and tables and tables[-1].header.has_offsets):
        return []
    table, line = tables[-1], found.lines[-1]
    header, above = table.header, table.rows[-1]
    if line.number != above.last + 1 or not is_shorter(line, header):
        return []
    pieces = _pieces(line.text, header)
    for place, (name, piece) in enumerate(zip(header.names, pieces, strict=False)):
        last = place == len(pieces) - 1
        group = above.cells.get(GROUP, "")
        if name == GROUP and not (group.startswith(piece) if last else group == piece):
            return []
        if name == TOPIC and not _NAME.fullmatch(piece):
            return []
        if name == PARTITION and integer_of(piece) is None:
            return []
    return [line.number]


def _pieces(text: str, header: TableHeader) -> list[str]:
    """What stands in the columns of a line, as far as it goes."""
    if header.delimiter is None:
        return text.split()
    bare = text.strip().removeprefix("|") if header.delimiter == "|" else text
    return [piece.strip() for piece in bare.split(header.delimiter) if piece.strip()]
