"""A group from a text of `kafka-consumer-groups --describe` or of a similar tool.

The text has no subscriptions, often no log starts, and no time. `DescribeResult` lists what is
assumed instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias, TypedDict, Unpack

import numpy as np

from equilag.adapters.describe.described_group import (
    described_groups,
    incomplete,
    tables_by_group,
    unfit_row,
)
from equilag.adapters.describe.find_tables import TablesFound, find_tables
from equilag.adapters.describe.listed_members import assume_subscriptions, listed_members
from equilag.adapters.describe.partition_rows import NONE, PrintedMember
from equilag.adapters.describe.printed_group import PrintedGroup, sentences, some_names
from equilag.adapters.describe.printed_text import PrintedText
from equilag.domain.building.group_input import GroupInput, PartitionOffsets
from equilag.domain.building.topic_index import MAX_PARTITIONS
from equilag.domain.columns import Ints
from equilag.domain.errors import InputError
from equilag.domain.group.group import Member
from equilag.domain.group.lag import MAX_LAG, as_reset
from equilag.domain.show import form, plural, shorten

LATEST: Final = "latest"


@dataclass(frozen=True, slots=True)
class DescribeResult:
    """What is known of the group, and in sentences what was assumed."""

    given: GroupInput
    assumed: list[str]


@dataclass(frozen=True, slots=True)
class DescribedGroups:
    """All groups of a text by name, why others cannot be read, and what is doubtful about it."""

    groups: dict[str, DescribeResult]
    left_out: dict[str, str]
    remarks: list[str]


class Assumptions(TypedDict, total=False):
    """What a text does not say. A member subscribes to the topics that `subscribe` has for its id,
    else with `as_owned` to the topics it owns partitions of, else to all topics of the group."""

    subscribe: Mapping[str, Sequence[str]]
    as_owned: bool
    auto_offset_reset: str
    """`latest` unless given."""


def read_describe(
    describe: PrintedText,
    members: PrintedText | None = None,
    *,
    group: str | None = None,
    show: Callable[[int], object] = lambda _: None,
    **assumptions: Unpack[Assumptions],
) -> DescribeResult:
    """Read a group from the output of `--describe`, and of `--describe --members --verbose`.

    `members` adds the members that own nothing; they may stand in `describe` as well. `group`
    picks one of several groups, or names one without a name. `show` is called with the number of
    characters of `describe` that have been read. Raises InputError with the text's source and a
    place like `line 12`, or with the name of the argument that is wrong.
    """
    as_reset(assumptions.get("auto_offset_reset", LATEST))
    with _source_of(describe):
        described = described_groups(describe.text, show).chosen(group)
    return _result(described, describe, _members_text(members), assumptions)


def read_all_described(
    describe: PrintedText,
    members: PrintedText | None = None,
    *,
    show: Callable[[int], object] = lambda _: None,
    **assumptions: Unpack[Assumptions],
) -> DescribedGroups:
    """Read every group of the output of `--describe --all-groups`; as `read_describe`.

    A group that cannot be read is left out.
    """
    as_reset(assumptions.get("auto_offset_reset", LATEST))
    with _source_of(describe):
        text = described_groups(describe.text, show)
    listed = _members_text(members)
    found = DescribedGroups({}, {}, text.remarks)
    for one in text.groups:
        name = one.name or ""
        try:
            found.groups[name] = _result(one, describe, listed, assumptions)
        except InputError as error:
            found.left_out[name] = str(error)
    return found


_MembersText: TypeAlias = tuple[PrintedText, Callable[[str | None], TablesFound]]
"""A second text, with the members, and for each group what of it is about the group."""


def _members_text(members: PrintedText | None) -> _MembersText | None:
    if members is None:
        return None
    with _source_of(members):
        return members, tables_by_group(find_tables(members.text))


def _result(
    printed: PrintedGroup,
    describe: PrintedText,
    members: _MembersText | None,
    assumptions: Assumptions,
) -> DescribeResult:
    """The group with its members, and what is assumed. Raises InputError."""
    reset = as_reset(assumptions.get("auto_offset_reset", LATEST))
    with _source_of(describe):
        _check_lags(printed, reset)
        known, remarks = _members_beside(printed)
    if members is not None:
        text, of = members
        with _source_of(text):
            known, remarks = _members_of(of(printed.name), printed)
    with _source_of(describe):
        assumed = [*printed.remarks, _sizes(printed)]
    assumed += [*sentences(printed, reset), *remarks, *_about_offsets(printed, reset)]
    is_whole = not printed.is_cut and not any(printed.gaps())
    owned = printed.owned()
    ids = sorted(known)
    subscriptions, guessed, about_topics = assume_subscriptions(
        sorted(printed.topics),
        ids,
        owned,
        assumptions.get("subscribe", {}),
        assumptions.get("as_owned", False),
        is_whole,
    )
    given: GroupInput = {
        "name": printed.name or "",
        "topics": dict(sorted(printed.sizes.items())),
        "members": [Member(member, **known[member]._asdict()) for member in ids],
        "subscriptions": subscriptions,
        "owned": owned,
        "offsets": _offsets(printed),
        "auto_offset_reset": reset,
    }
    if unknown := _unknown(printed):
        given["unknown_lags"] = unknown
    if guessed:
        given["assumed_subscribers"] = guessed
    if unsaid := tuple(incomplete(printed)):
        given["incomplete"] = unsaid
    return DescribeResult(given, [*assumed, *about_topics])


@contextmanager
def _source_of(printed: PrintedText) -> Iterator[None]:
    """Add the name of the file to what is wrong in it."""
    try:
        yield
    except InputError as error:
        raise InputError(error.problem, error.place, printed.source) from error


def _sizes(group: PrintedGroup) -> str:
    """Return what is assumed of the sizes of topics. Raises InputError for too large ones."""
    total = sum(group.sizes.values())
    if total > MAX_PARTITIONS:
        raise InputError(f"the partition numbers make {total} in all, more than {MAX_PARTITIONS}")
    listed = ", ".join(f"{shorten(topic)} {size}" for topic, size in sorted(group.sizes.items()))
    return f"each topic ends with the highest partition listed: {listed}"


def _check_lags(group: PrintedGroup, reset: str) -> None:
    """Raise InputError with the line of a partition whose lag no snapshot can hold."""
    rows, end = group.rows, np.maximum(group.rows["end"], 0)
    begin = np.maximum(rows["start"], 0) if reset == "earliest" else end
    lag = end - np.where(rows["committed"] < 0, begin, rows["committed"])
    for at in np.flatnonzero(lag >= MAX_LAG)[:1]:
        problem = f"the lag {lag[at]} of {group.partition(rows[at])} is 2^53 or more"
        raise InputError(problem, f"line {rows['line'][at]}")


def _members_beside(group: PrintedGroup) -> tuple[dict[str, PrintedMember], list[str]]:
    """Return the members that the offsets and a members' table in the same text have, and what
    is assumed of others."""
    if not any(table.header.has_members for table in group.found.tables):
        if len(group.members) > len(group.owner_ids()):
            return group.members, []  # the table of offsets lists the others too
        no_members = (
            "members that own nothing are not in the text; add what --describe --members prints"
            " if there are any"
        )
        return group.members, [no_members]
    known, remarks, error = listed_members(group.found, group)
    if error is not None:
        problem = f"{error.place}: {error.problem}" if error.place else error.problem
        remarks = [f"the members' table and the offsets differ, the offsets count: {problem}"]
    return known, remarks


def _members_of(
    found: TablesFound, group: PrintedGroup
) -> tuple[dict[str, PrintedMember], list[str]]:
    """Return the members of another text, and what to remark. Raises InputError if it is of
    another moment."""
    tables = [table for table in found.tables if table.header.has_members]
    if not tables and group.name not in found.messages.named:
        raise found.messages.error() or InputError(
            "no table of members, as of --describe --members --verbose: the columns CONSUMER-ID"
            " and #PARTITIONS are missing"
        )
    for table in tables:
        for line in table.unfit:
            raise unfit_row(line, table.header)
    known, remarks, error = listed_members(found, group)
    if error is not None:
        raise error
    return known, remarks


def _offsets(group: PrintedGroup) -> PartitionOffsets:
    """The offsets of all topics; a partition that is not listed has no commit."""
    rows = group.rows
    start = np.maximum(rows["start"], 0)
    end = np.where(rows["end"] < 0, np.maximum(rows["committed"], start), rows["end"])
    committed = _by_topic(group, rows["committed"], NONE)
    return PartitionOffsets(
        _by_topic(group, start, 0),
        _by_topic(group, end, 0),
        {topic: [None if n == NONE else n for n in one] for topic, one in committed.items()},
    )


def _by_topic(group: PrintedGroup, values: Ints, unlisted: int) -> dict[str, list[int]]:
    ends = np.cumsum([*group.sizes.values()])
    listed = [where.stop - where.start for where in group.topics.values()]
    column = np.full(ends[-1], unlisted, np.int64)
    starts = (0, *ends.tolist())
    column[np.repeat(starts[:-1], listed) + group.rows["number"]] = values
    cells = column.tolist()
    return {topic: cells[a:b] for topic, (a, b) in zip(group.sizes, pairwise(starts), strict=True)}


def _unknown(group: PrintedGroup) -> dict[str, list[int]]:
    """The partitions whose log end is not known, and so neither is their lag."""
    found: dict[str, list[int]] = {}
    for row in group.rows[group.rows["end"] < 0]:
        topic = group.names.topics.names[row["topic"]]
        found.setdefault(topic, []).append(int(row["number"]))
    return found


def _about_offsets(group: PrintedGroup, reset: str) -> list[str]:
    """Return what is assumed of log starts, and of partitions without a commit."""
    remarks, rows = [], group.rows
    if (rows["start"] < 0).any():
        remarks.append("log starts are not in the text and count as 0")
    uncommitted = (rows["committed"] < 0) & (rows["end"] >= 0)
    if none := int(uncommitted.sum()):
        counts = "0" if reset == "latest" else "everything up to the log end"
        remarks.append(
            f"{plural(none, 'partition')} {form(none, 'has', 'have')} no commit: under"
            f" auto.offset.reset {reset} {form(none, 'its', 'their')} lag is {counts}:"
            f" {some_names(group, uncommitted)}"
        )
    return remarks
