"""What a copy cut off: the end of the last line of a text, or of what stands before another table,
and the header of a table."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from equilag.adapters.describe import table_header as col
from equilag.adapters.describe.find_tables import TablesFound
from equilag.adapters.describe.partition_rows import UNKNOWN_OWNER, PrintedRow, is_nobody
from equilag.adapters.describe.printed_table import PrintedTable
from equilag.adapters.describe.printed_text import PrintedLines
from equilag.adapters.describe.row_cells import (
    NOTHING,
    Cells,
    fits,
    integer_of,
    lag_agrees,
    like_a_row,
)
from equilag.adapters.describe.row_pieces import is_whole, lacks_of
from equilag.adapters.describe.table_header import TableHeader
from equilag.domain.show import show

_RANDOM: Final = re.compile(r".*-[0-9a-f]{4}[0-9a-f-]*")
"""An id that goes on into its random digits: the rest of it tells no members apart."""
_DIGITS: Final = re.compile(r"[0-9a-f-]+")
_RANDOM_END: Final = re.compile(r"-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_UUID_END: Final = re.compile(rf"{_RANDOM_END.pattern}$")


class CutLine(NamedTuple):
    """A line that is cut off, and the group of the table that it is in; None if unknown."""

    number: int
    group: str | None


class CutEnds(NamedTuple):
    """What a copy cut off: rows that are left out, others below which some may be missing, and what
    to remark on owners."""

    left_out: list[CutLine]
    ended: list[CutLine]
    remarks: list[str]


def mend_ends(found: TablesFound) -> CutEnds:
    """Take rows that are cut off before their owner out of the tables, and complete the owner of
    those that are cut off in it by the only id that begins so; without one, nobody knows it.

    A line without a line break that is no row, but begins as one, counts as a row.
    """
    ids = {member for table in found.tables for member in table.owners()}
    for table in found.tables:
        if table.header.has_members:
            ids |= {row.cells[col.MEMBER] for row in table.rows}
    ends = CutEnds([], [], [])
    for table in found.tables:
        if not (table.header.has_offsets and table.rows and table.below < table.header.pieces):
            continue
        group, row, is_end = table.last_group, table.rows[-1], table is found.tables[-1]
        if _is_cut(row, table, found.unended or table.below > 0 or not is_end):
            ends.left_out.append(CutLine(row.line, group))
            table.rows.pop()
        elif not table.below:
            mended = _mended(table, ids, found.unended and is_end)
            ends.remarks.extend(mended)
            if found.unended and is_end and (mended or _ends_behind_owner(table)):
                ends.ended.append(CutLine(row.line, group))
    return ends if ends.left_out else ends._replace(left_out=_cut_beginning(found))


def _ends_behind_owner(table: PrintedTable) -> bool:
    """True if the last row ends before its last column, which all others have, or within it."""
    (row,), least = table.rows, table.least_filled
    owner = row.cells.get(_owner_column(table.header), "")
    if is_nobody(owner):
        return False
    if least is not None and table.filled(row) < least:
        return True
    client = row.cells.get(col.CLIENT, "")
    if table.header.names[-1] == col.CLIENT and client and owner.startswith(client):
        # Kafka's brokers make the id of a dynamic member of the client's id and a UUID.
        return not _RANDOM_END.fullmatch(owner, len(client)) and bool(_UUID_END.search(owner))
    return False


def _mended(table: PrintedTable, ids: set[str], unended: bool) -> list[str]:
    (row,), names = table.rows, table.header.names
    column = _owner_column(table.header)
    if column not in names or table.filled(row) > names.index(column):
        return []
    is_last = names.index(column) == len(names) - 1
    printed = row.cells.get(column, "")
    if is_last and not unended:
        return []
    if is_nobody(printed):
        if is_last or not unended or printed:
            return []
        row.cells[column] = UNKNOWN_OWNER
        return [f"{row.place} has no line break: its owner may be cut off, and is not known"]
    begin = [other for other in ids - {printed} if other.startswith(printed)]
    if is_last and not begin:
        if printed in table.owners():
            return []
        return [f"{row.place} has no line break: its owner {show(printed)} may be cut off"]
    sure = [one for one in begin if _DIGITS.fullmatch(one[len(printed) :])]
    known = len(begin) == len(sure) == 1 and _RANDOM.fullmatch(printed) is not None
    row.cells[column] = sure[0] if known else UNKNOWN_OWNER
    read = f"read as {show(sure[0])}" if known else "not known"
    return [f"{row.place} is cut off in the id {show(printed)}, {read}"]


def _owner_column(header: TableHeader) -> str:
    return col.MEMBER if col.MEMBER in header.names else col.OWNER


def _is_cut(row: PrintedRow, table: PrintedTable, unended: bool) -> bool:
    """True if the row ends in its numbers, or with them where all other rows go on."""
    names = table.header.names
    filled, least = table.filled(row), table.least_filled
    numbers = max(place for place, name in enumerate(names) if name in col.NUMBERS)
    nobody = row.cells.get(_owner_column(table.header)) == NOTHING
    if table.header.pieces > 1 and filled < len(names) - 1 and not nobody:
        return True
    fewer = least is not None and filled < least
    if filled < numbers:
        return least is None or fewer or unended
    is_lag = names[numbers] == col.LAG
    doubtful = _begins_lag(row.cells) if is_lag else not lag_agrees(row.cells)
    return filled == numbers and fewer + unended + doubtful > 1


def _begins_lag(cells: Cells) -> bool:
    """True if LAG is the beginning of what the offsets make it."""
    committed, end = (integer_of(cells.get(name, "")) for name in (col.COMMITTED, col.END))
    if committed is None or end is None or (lag_agrees(cells) and cells[col.LAG] != NOTHING):
        return False
    return cells[col.LAG] == NOTHING or str(end - committed).startswith(cells[col.LAG])


def _cut_beginning(found: TablesFound) -> list[CutLine]:
    """The last line if it has no line break, follows a row, and begins as one."""
    tables = [table for table in found.tables if table.rows]
    if not (found.unended and tables and tables[-1].header.has_offsets and found.last):
        return []
    line, header, above = found.last, tables[-1].header, tables[-1].rows[-1]
    if line.number != above.last + 1 or lacks_of(line.text, header) <= 0:
        return []
    cells = dict(zip(header.names, _pieces(line.text, header), strict=False))
    group, of_row = cells.get(col.GROUP, ""), above.cells.get(col.GROUP, "")
    number = integer_of(cells.get(col.PARTITION, "0"))
    is_row = group == of_row or (len(cells) == 1 and of_row.startswith(group))
    is_row = is_row and number is not None
    if not is_row or not col.TOPIC_NAME.fullmatch(cells.get(col.TOPIC, "t")):
        return []
    return [CutLine(line.number, tables[-1].last_group)]


def _pieces(text: str, header: TableHeader) -> list[str]:
    """What stands in the columns of a line, as far as it goes."""
    if header.delimiter is None:
        return text.split()
    bare = text.strip().removeprefix("|") if header.delimiter == "|" else text
    return [piece.strip() for piece in bare.split(header.delimiter) if piece.strip()]


_PLAIN: Final = (col.TOPIC, col.PARTITION, col.COMMITTED, col.END, col.LAG)
_WITH_START: Final = (col.TOPIC, col.PARTITION, col.COMMITTED, col.START, col.END, col.LAG)
_ORDERS: Final = tuple(
    (*group, *numbers, *members)
    for numbers in (_PLAIN, _WITH_START)
    for group in ((), (col.GROUP,))
    for members in (
        (),
        (col.MEMBER,),
        (col.MEMBER, col.HOST),
        (col.MEMBER, col.HOST, col.CLIENT),
        (col.MEMBER, col.CLIENT, col.HOST),
    )
)
"""Orders of columns in which Kafka's tool and rpk print the offsets of a group."""


def headless_table(text: str, found: TablesFound) -> PrintedTable | None:
    """Return the table whose header was not copied, if one order of columns fits all its rows.

    In at least one row, LAG has to be what the order of columns makes it.
    """
    lines = [line for line in PrintedLines(text) if like_a_row(line.text)[0]]
    words = [line.text.split() for line in lines]
    for names in _ORDERS:
        if {len(names)} != set(map(len, words)):
            continue
        rows = [dict(zip(names, cells, strict=True)) for cells in words]
        header = TableHeader(lines[0].number, names, ())
        certain = (fits(row) and is_whole(row, header) for row in rows)
        if all(certain) and any(map(_told, rows)):
            table = PrintedTable(header, found.messages.current, found.names)
            pairs = zip(lines, rows, strict=True)
            table.rows = [PrintedRow(line.number, cells, line.number) for line, cells in pairs]
            table.end(lines[-1])
            return table
    return None


def _told(cells: Cells) -> bool:
    """True if LAG is the log end less what is committed."""
    committed, end, lag = (integer_of(cells[name]) for name in (col.COMMITTED, col.END, col.LAG))
    return None not in (committed, end, lag) and (end or 0) - (committed or 0) == lag
