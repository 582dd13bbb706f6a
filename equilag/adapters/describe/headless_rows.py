"""Rows whose header was not copied: read only if the order of their columns is certain."""

from __future__ import annotations

from typing import Final

from equilag.adapters.describe.printed_table import Messages, PrintedRow, PrintedTable
from equilag.adapters.describe.printed_text import TextLine
from equilag.adapters.describe.row_cells import (
    ABSENT,
    Cells,
    fits,
    integer_of,
    looks_like_a_row,
)
from equilag.adapters.describe.table_header import (
    CLIENT,
    COMMITTED,
    END,
    GROUP,
    HOST,
    LAG,
    MEMBER,
    PARTITION,
    START,
    TOPIC,
    TableHeader,
)

_PLAIN: Final = (TOPIC, PARTITION, COMMITTED, END, LAG)
_WITH_START: Final = (TOPIC, PARTITION, COMMITTED, START, END, LAG)
_ORDERS: Final = tuple(
    (*group, *numbers, *members)
    for numbers in (_PLAIN, _WITH_START)
    for group in ((), (GROUP,))
    for members in ((), (MEMBER,), (MEMBER, HOST), (MEMBER, HOST, CLIENT), (MEMBER, CLIENT, HOST))
)
"""Orders of columns in which Kafka's tool and rpk print the offsets of a group."""


def headless_table(lines: list[TextLine], messages: Messages) -> PrintedTable | None:
    """Return the table that the lines are, if one order of columns fits every row of them.

    In at least one row, LAG has to be what the order of columns makes it.
    """
    candidates = [line for line in lines if looks_like_a_row(line.text, set())]
    if not candidates:
        return None
    for names in _ORDERS:
        rows = [dict(zip(names, line.text.split(), strict=False)) for line in candidates]
        sizes = {len(line.text.split()) for line in candidates}
        if sizes != {len(names)} or not all(map(_certain, rows)) or not any(map(_told, rows)):
            continue
        found = PrintedTable(TableHeader(candidates[0].number, names, ()), messages.current)
        pairs = zip(candidates, rows, strict=True)
        found.rows = [PrintedRow(line.number, cells) for line, cells in pairs]
        return found
    return None


def _certain(cells: Cells) -> bool:
    """True if the row may be one of the order: the types fit, and LAG if it is there."""
    host = cells.get(HOST, "-")
    if host != "-" and not any(sign in host for sign in "/.:"):
        return False
    return fits(cells) and (_told(cells) or cells[LAG].lower() in ABSENT)


def _told(cells: Cells) -> bool:
    """True if LAG is the log end less what is committed."""
    committed, end, lag = (integer_of(cells[name]) for name in (COMMITTED, END, LAG))
    return None not in (committed, end, lag) and (end or 0) - (committed or 0) == lag
