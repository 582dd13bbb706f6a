"""Which group of a text is meant, whether the text says who reads what, and why it is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from equilag.adapters.describe import table_header as col
from equilag.adapters.describe.cut_lines import CutLine, headless_table, mend_ends
from equilag.adapters.describe.find_tables import TablesFound, find_tables
from equilag.adapters.describe.partition_rows import PrintedOwner, RowNames, read_rows
from equilag.adapters.describe.printed_group import PrintedGroup, read_groups
from equilag.adapters.describe.printed_table import PrintedTable
from equilag.adapters.describe.printed_text import TextLine
from equilag.adapters.describe.row_cells import closest_cut
from equilag.adapters.describe.row_pieces import lacks_of
from equilag.adapters.describe.table_header import TableHeader
from equilag.adapters.mistaken_file import TEXT_KIND, mistaken_text
from equilag.domain.errors import InputError
from equilag.domain.show import form, plural, shorten, show, some_of

EXAMPLE: Final = (
    "paste what kafka-consumer-groups --describe --group G prints, from the line TOPIC PARTITION"
    " CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID on"
)
_UUID: Final = re.compile(r".*[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""How ids of members end that clients of Kafka have."""
MAX_NAMES: Final = 10
"""Groups that a message names."""


class DescribedText(NamedTuple):
    """The groups of a text, and what is doubtful about all of it."""

    groups: list[PrintedGroup]
    remarks: list[str]

    def chosen(self, name: str | None) -> PrintedGroup:
        """Return the group of that name, or the only one, with all remarks. Raises InputError.

        A group without any name is called what `name` says, else nothing.
        """
        groups = self.groups
        if len(groups) == 1 and groups[0].name is None:
            groups[0].name = name
        found = [one for one in groups if name in (None, one.name)]
        if len(found) > 1:
            several = f"{len(groups)} groups in one text, pick one with --group"
            raise InputError(f"{several}: {_names(groups)}")
        if not found:
            problem = f"no group {show(name)} in the text, but {_names(groups)}"
            raise InputError(problem, "--group")
        others = len(groups) - 1
        remarks = [f"{plural(others, 'other group')} in the text left out"] if others else []
        if found[0].name is None:
            remarks = ["the text does not name the group; --group names it"]
        found[0].remarks = [*remarks, *found[0].remarks, *self.remarks]
        return found[0]


def described_groups(text: str, show: Callable[[int], object] = lambda _: None) -> DescribedText:
    """Return the groups of a text, one at least. Raises InputError.

    A text whose tables do not say the group gives it the name of the command or message above
    them.
    """
    found = find_tables(text, show)
    tables = [table for table in found.tables if table.header.has_offsets]
    if not any(table.rows or table.unfit for table in tables):
        table = headless_table(text, found)
        if table is not None:
            found.tables.append(table)
    unfit = _unfit_cuts(found)
    ends = mend_ends(found)
    cut = unfit or ends.left_out
    groups = read_groups(found)
    if not groups:
        raise _nothing_to_read(found, text)
    only, by_group = found.only_name(), tables_by_group(found)
    in_cut = {line.group or only for line in (*cut, *ends.ended)}
    remarks = [
        *ends.remarks,
        *(f"line {line.number} is cut off and left out: paste the whole text" for line in cut),
    ]
    failure = found.messages.failure
    if failure is not None:
        shown = shorten(failure.text.strip())
        remarks.append(f"WARNING: line {failure.number} reports an error: {shown}")
    for group in groups:
        group.found, group.is_cut = by_group(group.name), group.name in in_cut
        if group.name is None and group.tables > 1:
            told = f"{group.tables} tables without the name of a group are read as one group"
            group.remarks = [f"{told}; if they are of several, give one table at a time"]
    return DescribedText(groups, remarks)


def tables_by_group(found: TablesFound) -> Callable[[str | None], TablesFound]:
    """Return what tells the tables that have rows of a group, or do not say of which they are."""
    tables: dict[str | None, list[PrintedTable]] = {}
    for table in found.tables:
        has_offsets = table.header.has_offsets
        names = (
            {name for name, _ in table.by_group()}
            if has_offsets
            else set(map(table.group_of, table.rows))
        )
        for name in names or {None}:
            tables.setdefault(name, []).append(table)
    of_any = tables.pop(None, [])

    def of(name: str | None) -> TablesFound:
        own = sorted((*of_any, *tables.get(name, ())), key=lambda table: table.header.line)
        return replace(found, tables=own)

    return of


def _unfit_cuts(found: TablesFound) -> list[CutLine]:
    """Return the lines that a copy cut off to no row. Raises InputError for another line that looks
    like a row and is none: its lag would be lost."""
    cut = []
    for table in found.tables:
        for line in table.unfit if table.header.has_offsets else ():
            if line != table.last or lacks_of(line.text, table.header) <= 0:
                raise unfit_row(line, table.header)
            cut.append(CutLine(line.number, table.last_group))
    return cut


def unfit_row(line: TextLine, header: TableHeader) -> InputError:
    """Return what is wrong with a line that looks like a row."""
    cells = closest_cut(line.text, header) if header.has_offsets else None
    if cells is not None:
        try:
            read_rows([line.number], {name: [cell] for name, cell in cells.items()}, RowNames())
        except InputError as error:
            return error
    problem = f"does not fit the header in line {header.line}: {show(line.text.strip())}"
    return InputError(problem, f"line {line.number}")


def _names(groups: list[PrintedGroup]) -> str:
    names = sorted(show(group.name) for group in groups if group.name is not None)
    if len(names) < len(groups):
        names.append("one without a name")
    return some_of(names, MAX_NAMES)


def _nothing_to_read(found: TablesFound, text: str) -> InputError:
    """Return why no group can be read, in one line that says what is missing."""
    error = found.messages.error()
    if error is not None:
        return error
    if not found.tables:
        mistaken = mistaken_text(text, TEXT_KIND) if found.last else f"empty; {EXAMPLE}"
        nothing = f"no table with the offsets of a group's partitions in it; {EXAMPLE}"
        return InputError(mistaken or nothing)
    table = next((t for t in found.tables if t.header.has_offsets), None)
    if table is not None:
        what = "members without partitions" if table.rows or table.parts else "no row"
        return InputError(f"a header in line {table.header.line} and {what} below it; {EXAMPLE}")
    header = found.tables[0].header
    if header.has_members:
        problem = "members only, as of --describe --members: topics and offsets are missing"
    elif header.has_state:
        problem = "a state only, as of --describe --state: topics and offsets are missing"
    else:
        missing = [name for name in (col.TOPIC, col.PARTITION) if name not in header.names]
        offsets = [n for n in (col.COMMITTED, col.END, col.LAG) if n not in header.names]
        missing += offsets if len(offsets) > 1 else []
        problem = f"a table without the {form(len(missing), 'column')} {', '.join(missing)}"
    return InputError(f"{problem}; {EXAMPLE}", f"line {header.line}")


def incomplete(group: PrintedGroup) -> Iterator[str]:
    """Yield a sentence for each reason why nobody can tell who reads the partitions of a group."""
    if group.name in group.found.messages.inactive:
        return
    offsets = (table.header for table in group.found.tables if table.header.has_offsets)
    headers = list(dict.fromkeys(offsets))
    cut = [one for header in headers for one in _of_header(header)]
    yield from cut or _of_rows(headers, group)
    if unknown := int(group.owners(lambda owner: owner.unknown).sum()):
        are = form(unknown, "row ends", "rows end")
        yield f"{unknown} {are} inside the id of a member that no other row has."
    if group.is_cut:
        yield "The last line is cut off, so partitions may be missing."
    for gap in group.gaps():
        missing = plural(gap.missing, "partition")
        yield f"{missing} of {shorten(gap.topic)} {form(gap.missing, 'is', 'are')} not in the text."


def _of_header(header: TableHeader) -> Iterator[str]:
    """A header without the column of the members."""
    if not {col.MEMBER, col.OWNER} & set(header.names):
        if header.starts:
            at = "before" if header.names[-1] in col.NUMBERS else "inside"
            where = f"line {header.line} ends {at} CONSUMER-ID"
            yield f"The header has no column of the members: {where}."
        elif header.delimiter is not None:
            yield f"The header in line {header.line} has no column of the members."
        else:
            yield "The text has no header line, and its rows name no member."


def _of_rows(headers: list[TableHeader], group: PrintedGroup) -> Iterator[str]:
    """Rows in which nothing follows an id that is not whole: Kafka's tool prints HOST there."""
    if any({col.MEMBER, col.END} <= set(header.names) for header in headers):
        for row in group.rows[group.owners(_ends_in_id)][:1]:
            member = group.names.owners[row["owner"]].member
            yield f"Rows end inside CONSUMER-ID, as line {row['line']}: {show(member)}."


def _ends_in_id(owner: PrintedOwner) -> bool:
    alone = owner.known.host is None and owner.known.client_id is None
    return alone and owner.member is not None and not _UUID.fullmatch(owner.member)
