"""Whether a text says who reads what: a copy that is cut off does not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from equilag.adapters.describe import column_names as col
from equilag.adapters.describe.partition_rows import PartitionRow
from equilag.adapters.describe.printed_group import PrintedGroup
from equilag.adapters.describe.printed_table import TablesFound
from equilag.adapters.describe.table_header import TableHeader
from equilag.domain.show import form, plural, shorten, show

_UUID: Final = re.compile(r".*[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""How ids of members end that clients of Kafka have."""


def incomplete(group: PrintedGroup, found: TablesFound, is_cut: bool) -> Iterator[str]:
    """Yield a sentence for each reason why nobody can tell who reads the partitions of a group."""
    if group.name in found.messages.inactive:
        return
    headers = {table.header for table in found.tables if table.header.has_offsets}
    cut = [one for header in headers for one in _of_header(header)]
    owners = [row for row in group.rows() if row.member is not None]
    yield from cut or _of_rows(headers, owners)
    if unknown := sum(row.owner_unknown for row in group.rows()):
        are = form(unknown, "row ends", "rows end")
        yield f"{unknown} {are} inside the id of a member that no other row has."
    if is_cut:
        yield "The last line is cut off, so partitions may be missing."
    for gap in group.gaps():
        missing = plural(gap.missing, "partition")
        yield f"{missing} of {shorten(gap.topic)} {form(gap.missing, 'is', 'are')} not in the text."


def _of_header(header: TableHeader) -> Iterator[str]:
    """A header without the column of the members."""
    if not {col.MEMBER, col.OWNER} & set(header.names):
        last = header.names[-1]
        at = "before" if last in col.NUMBERS else "inside"
        where = f"line {header.line} ends {at} CONSUMER-ID" if header.starts else "there is none"
        yield f"The header has no column of the members: {where}."


def _of_rows(headers: set[TableHeader], owners: list[PartitionRow]) -> Iterator[str]:
    """Rows in which nothing follows an id that is not whole: Kafka's tool prints HOST there."""
    if not any({col.MEMBER, col.END} <= set(header.names) for header in headers):
        return
    for row in owners:
        alone = row.known.host is None and row.known.client_id is None
        if row.member is not None and alone and not _UUID.fullmatch(row.member):
            yield f"Rows end inside CONSUMER-ID, as line {row.line}: {show(row.member)}."
            return
