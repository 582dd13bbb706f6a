"""What is doubtful about a group read from a text, as data and in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Final

from equilag.adapters.describe.partition_rows import PrintedPartition, partition_name
from equilag.adapters.describe.printed_group import PrintedGroup
from equilag.domain.show import form, plural, shorten, some_of

MAX_SHOWN: Final = 10
"""Partitions that a sentence names."""
_MAX_DETAILS: Final = 3
"""Partitions of which a sentence gives figures too."""


@dataclass(frozen=True, slots=True)
class DescribeDoubts:
    """Names of partitions, each with what is doubtful about it; missing ones by topic."""

    hand_lags: tuple[str, ...]
    """`orders-3 (LAG 9, read as 1)`."""
    ahead: tuple[str, ...]
    end_unknown: tuple[str, ...]
    owner_unknown: tuple[str, ...]
    twice: tuple[str, ...]
    """`orders-3 (c-1, c-2)`."""
    gaps: tuple[tuple[str, int, int, tuple[int, ...]], ...]
    """Topic, its highest partition, how many below it are not listed, and the first of these."""


def doubts_of(group: PrintedGroup) -> DescribeDoubts:
    """Return what is doubtful about the rows of the group."""

    def names(doubtful: Callable[[PrintedPartition], bool]) -> tuple[str, ...]:
        rows = group.partitions()
        return tuple(partition_name(t, n) for t, n, partition in rows if doubtful(partition))

    first = {(row.topic, row.number): row.member for _, _, row in group.rows()}
    return DescribeDoubts(
        hand_lags=tuple(_hand_lags(group)),
        ahead=names(
            lambda p: p.committed is not None and p.end is not None and p.committed > p.end
        ),
        end_unknown=names(lambda p: p.end is None),
        owner_unknown=tuple(
            partition_name(t, n) for t, n, row in group.rows() if row.owner_unknown
        ),
        twice=tuple(
            f"{partition_name(row.topic, row.number)}"
            f" ({shorten(first[row.topic, row.number] or '')}, {shorten(row.member or '')})"
            for row in group.second
        ),
        gaps=tuple(_gaps(group)),
    )


def _hand_lags(group: PrintedGroup) -> Iterable[str]:
    for topic, number, row in group.partitions():
        if row.hand_lag is not None and row.end is not None and row.committed is not None:
            read = max(row.end - row.committed, 0)
            yield f"{partition_name(topic, number)} (LAG {row.hand_lag}, read as {read})"


def _gaps(group: PrintedGroup) -> Iterable[tuple[str, int, int, tuple[int, ...]]]:
    for topic in sorted(group.topics):
        listed, size = group.topics[topic], group.size(topic)
        count = size - len(listed)
        if count:
            missing = (number for number in range(size) if number not in listed)
            yield topic, size - 1, count, tuple(islice(missing, MAX_SHOWN))


def sentences(group: PrintedGroup, doubts: DescribeDoubts, reset: str) -> list[str]:
    """Return a sentence for each kind of doubt; `reset` is auto.offset.reset."""
    found = []
    if group.moments > 1:
        found.append(f"the text shows the group {group.moments} times; the last one counts")
    if group.rebalancing:
        found.append("the group was rebalancing, so its owners are those of a moment in between")
    if doubts.hand_lags:
        shown = some_of(doubts.hand_lags, _MAX_DETAILS)
        found.append(f"LAG is not LOG-END-OFFSET - CURRENT-OFFSET, the offsets count: {shown}")
    if doubts.ahead:
        count = plural(len(doubts.ahead), "partition")
        are = form(len(doubts.ahead), "is", "are")
        shown = some_of(doubts.ahead, MAX_SHOWN)
        found.append(f"{count} {are} committed beyond the log end, which counts as lag 0: {shown}")
    if doubts.end_unknown:
        shown = some_of(doubts.end_unknown, MAX_SHOWN)
        count = plural(len(doubts.end_unknown), "partition")
        found.append(f"the log end of {count} is not known, so neither is the lag: {shown}")
    if doubts.owner_unknown:
        shown = some_of(doubts.owner_unknown, MAX_SHOWN)
        count = plural(len(doubts.owner_unknown), "partition")
        found.append(f"the owner of {count} is not known, which counts as nobody: {shown}")
    if doubts.twice:
        shown = some_of(doubts.twice, _MAX_DETAILS)
        count = plural(len(doubts.twice), "partition")
        has, them = form(len(doubts.twice), "has", "have"), form(len(doubts.twice), "it", "them")
        found.append(f"{count} {has} two members, so nobody owns {them}: {shown}")
    return [*found, *(_gap_sentence(gap, reset) for gap in doubts.gaps)]


def _gap_sentence(gap: tuple[str, int, int, tuple[int, ...]], reset: str) -> str:
    topic, last, count, numbers = gap
    shown = ", ".join(map(str, numbers)) + (", …" if count > len(numbers) else "")
    missing = f"{plural(count, 'partition')} below {last} {form(count, 'is', 'are')}"
    counts = "They count" if count > 1 else "It counts"
    sentence = (
        f"WARNING: {shorten(topic)}: {missing} not listed ({shown}): is the text complete?"
        f" {counts} as empty and as owned by nobody"
    )
    if reset == "latest":
        return sentence
    return (
        f"{sentence}, but under auto.offset.reset {reset} the whole log counts, which the text does"
        " not have"
    )
