"""The rows of `--describe --members`: who is in the group, and what they own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final, TypeAlias

import numpy as np

from equilag.adapters.describe.find_tables import TablesFound
from equilag.adapters.describe.partition_rows import (
    AGREES,
    NONE,
    ROW,
    PrintedMember,
    PrintedRow,
    is_nobody,
    owner_of,
)
from equilag.adapters.describe.printed_group import MAX_SHOWN, PrintedGroup
from equilag.adapters.describe.row_cells import NOTHING, integer_of
from equilag.adapters.describe.table_header import ASSIGNMENT, COUNT, MEMBER
from equilag.domain.building.topic_index import MAX_PARTITIONS
from equilag.domain.errors import InputError
from equilag.domain.show import form, guess, plural, shorten, show, some_of
from equilag.domain.values import below

# `files(0,1), lines(2)`, as printed before Kafka 4; since then `files:0,1;lines:2`.
_BRACKETS: Final = re.compile(r"\s*([^\s(),;:]+)\(([0-9, ]*)\)\s*(?:[,;]|$)")
_CUT: Final = ("…", "...")
"""How people end an id that they shortened."""


@dataclass(slots=True)
class MemberRow:
    """A row and the member that it is about, by the id that the offsets have for it."""

    row: PrintedRow
    member: str
    known: PrintedMember


def listed_members(
    found: TablesFound, group: PrintedGroup
) -> tuple[dict[str, PrintedMember], list[str], InputError | None]:
    """Return all members of the tables and of the group, what to remark, and how the tables
    contradict the offsets, if they do.

    Partitions and owners that only the tables have are added to the group.
    """
    rows: list[MemberRow] = []
    remarks: list[str] = []
    error = None
    try:
        rows = _member_rows(found, group)
        if missing := _complete(rows, group):
            count = f"{plural(len(missing), 'partition')} {form(len(missing), 'is', 'are')}"
            whole = "is the text of the offsets complete? Offsets are missing"
            shown = some_of(missing, MAX_SHOWN)
            remarks = [f"WARNING: {count} only in the members' table: {whole}: {shown}"]
        _check(rows, group)
    except InputError as raised:
        error = raised
    known = dict(group.members)
    for one in rows:
        known[one.member] = one.known.completed(known.get(one.member, PrintedMember()))
    return known, remarks, error


def _member_rows(found: TablesFound, group: PrintedGroup) -> list[MemberRow]:
    """Return the rows about the group's members; of several tables that list one, the last.

    Raises InputError for a member that one table lists twice.
    """
    latest: dict[str, MemberRow] = {}
    for table in found.tables:
        here: dict[str, MemberRow] = {}
        for row in table.rows if table.header.has_members else ():
            member = _whole_id(row.cells[MEMBER], group.members)
            if table.group_of(row) not in (group.name, None):
                continue
            if member in here:
                raise row.error(f"member {show(member)} is listed twice")
            if not is_nobody(member):
                here[member] = MemberRow(row, member, owner_of(row.cells).known)
        latest = here if latest.keys() & here.keys() else latest | here
    return list(latest.values())


def _complete(rows: list[MemberRow], group: PrintedGroup) -> list[str]:
    """Take partitions and owners that only ASSIGNMENT has, if it contradicts nothing.

    The offsets of such partitions are missing. Returns their names. Raises InputError for a cell
    that cannot be read.
    """
    owner: dict[tuple[str, int], MemberRow] = {}
    for one in rows:
        if ASSIGNMENT not in one.row.cells:
            return []
        held = [(t, n) for t, numbers in _assignment(one.row).items() for n in numbers]
        if integer_of(one.row.cells[COUNT]) != len(held) or owner.keys() & held:
            return []
        owner.update(dict.fromkeys(held, one))
    if any(number >= MAX_PARTITIONS for _, number in owner) or len(group.second):
        return []
    rows_of_group, names = group.rows.copy(), group.names
    items = sorted(owner.items(), key=itemgetter(0))
    for row in rows_of_group:
        there = names.owners[row["owner"]]
        place = names.topics.names[row["topic"]], int(row["number"])
        member = owner.pop(place).member if place in owner else None
        if not there.unknown and there.member != member:
            return []
        if there.unknown and member is not None:
            row["owner"] = names.add_owner(member, there.known)
    missing = np.full(len(owner), NONE, ROW)
    for row, (topic, number) in zip(missing, sorted(owner), strict=True):
        one = owner[topic, number]
        row["topic"], row["number"], row["line"] = names.topics[topic], number, one.row.line
        row["owner"], row["lag"] = names.add_owner(one.member, one.known), AGREES
    for _, one in items:
        group.members.setdefault(one.member, one.known)
    group.take(np.concatenate([rows_of_group, missing]))
    return [group.partition(row) for row in missing]


def _check(rows: list[MemberRow], group: PrintedGroup) -> None:
    """Raise InputError if the members' tables contradict the offsets, or cannot be read."""
    owned = group.owned()
    for one in rows:
        row, held = one.row, owned.pop(one.member, {})
        count, printed = sum(map(len, held.values())), row.cells[COUNT]
        if integer_of(printed) != count:
            raise row.error(f"#PARTITIONS is {printed} here, but {count} in the other text")
        if ASSIGNMENT in row.cells:
            here = {topic: set(numbers) for topic, numbers in _assignment(row).items()}
            if here != {topic: set(numbers) for topic, numbers in held.items()}:
                raise row.error("owns other partitions here than in the other text")
    missing = next((member for member, held in owned.items() if held), None)
    if missing is not None:
        raise InputError(f"member {show(missing)} is missing, though it owns partitions")


def _whole_id(printed: str, members: dict[str, PrintedMember]) -> str:
    """Return the id that a cut one begins, if there is just one."""
    cut = next((end for end in _CUT if printed.endswith(end)), None)
    if cut is None:
        return printed
    begins = [member for member in members if member.startswith(printed.removesuffix(cut))]
    return begins[0] if len(begins) == 1 else printed


def _assignment(row: PrintedRow) -> dict[str, list[int]]:
    """`files:0,1;lines:2`, `files(0,1), lines(2)` or `-`."""
    cell = row.cells[ASSIGNMENT]
    found: dict[str, list[int]] = {}
    if cell in ("", NOTHING):
        return found
    if "(" in cell:
        parts = [(match[1], match[2]) for match in _BRACKETS.finditer(cell)]
        whole = sum(len(match.group()) for match in _BRACKETS.finditer(cell)) == len(cell)
    else:
        split = [part.rpartition(":") for part in cell.split(";")]
        parts = [(topic.strip(), numbers) for topic, _, numbers in split]
        whole = all(topic for topic, _ in parts)
    for topic, numbers in parts:
        for number in numbers.split(","):
            whole = whole and re.fullmatch(r"\s*[0-9]{1,10}\s*", number) is not None
            if whole:
                found.setdefault(topic, []).append(int(number))
    if not whole:
        raise row.error(f"ASSIGNMENT {show(cell)} is not understood")
    return found


DIFFERENT_TOPICS: Final = (
    "WARNING: members own partitions of different topics; if they also subscribe to different"
    " topics, a plan from this snapshot is wrong; use --as-owned or --subscribe"
)
DIFFERENT_ROWS: Final = (
    "the rows of members are of different topics, maybe because other rows are missing: paste the"
    " whole text before using --as-owned or --subscribe"
)
"""The same of a text that is not whole."""
Owned: TypeAlias = Mapping[str, Mapping[str, Sequence[int]]]
"""Member -> topic -> partitions."""


def assume_subscriptions(
    topics: list[str],
    members: list[str],
    held: Owned,
    subscribe: Mapping[str, Sequence[str]],
    as_owned: bool,
    is_whole: bool = True,
) -> tuple[dict[str, list[str]], list[str], list[str]]:
    """Return the topics of each member, the members for which these are a guess, since members own
    partitions of different topics, and what is assumed; `is_whole` is false for a text that leaves
    out partitions. Raises InputError."""
    for member in subscribe:
        if member not in members:
            raise _unknown_member(member, members)
    chosen: dict[str, list[str]] = {}
    remarks: list[str] = []
    for member in members:
        owned = sorted(held.get(member, {}))
        if member not in subscribe:
            chosen[member] = owned if as_owned else topics
            continue
        wanted = subscribe[member]
        if isinstance(wanted, str):
            raise InputError("a string, not a list of topics", below("subscribe", member))
        chosen[member] = sorted(set(wanted))
        remarks += [
            f"{shorten(member)} subscribes to {shorten(topic)}, of which the text has no partition"
            for topic in sorted(set(wanted) - set(topics))
        ]
        remarks += [
            f"{shorten(member)} owns partitions of {shorten(topic)} without subscribing to it"
            for topic in owned
            if topic not in wanted
        ]
    unsaid = [member for member in members if member not in subscribe]
    assumed = len(unsaid)
    if assumed:
        which = "the topics they own" if as_owned else "all topics of the group"
        members_assumed = plural(assumed, "member")
        remarks.insert(0, f"subscriptions are not in the text: {which} for {members_assumed}")
    differ = not as_owned and len({frozenset(held.get(m, {})) for m in unsaid} - {frozenset()}) > 1
    if differ:
        remarks.insert(1, DIFFERENT_TOPICS if is_whole else DIFFERENT_ROWS)
    idle = sum(not chosen[member] and member not in subscribe for member in members)
    if idle:
        remarks.append(
            f"{plural(idle, 'member')} {form(idle, 'owns', 'own')} nothing and"
            f" {form(idle, 'is', 'are')} assumed to subscribe to nothing"
        )
    return chosen, unsaid if differ else [], remarks


def _unknown_member(member: str, members: list[str]) -> InputError:
    begins = [known for known in members if known.startswith(member)]
    if begins:
        shown = ", ".join(map(show, begins[:3])) + (", …" if len(begins) > 3 else "")
        hint = f"; the whole id is needed: {shown}"
    else:
        hint = guess(member, members)
    return InputError(f"no member has the id {show(member)}{hint}", "subscribe")
