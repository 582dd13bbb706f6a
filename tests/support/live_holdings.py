"""Who held each partition when, and what a change in a group cost: from the events of its members.

All times are in seconds since 1970, as in the events.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from benchmarks.live.assignment_log import Event, Partition, gaps_of

CLOCK_S: Final = 0.001
"""Members in other processes cut their times to milliseconds: a shorter overlap may be none."""


@dataclass(frozen=True, slots=True)
class Holding:
    """A member's time with a partition; `end` is the end of the observation if it lasts."""

    partition: Partition
    member: str
    begin: float
    end: float


@dataclass(frozen=True, slots=True)
class Overlap:
    """A time in which two members held one partition."""

    partition: Partition
    members: tuple[str, str]
    begin: float
    end: float


@dataclass(frozen=True, slots=True)
class ChangeFigures:
    """What one change in a group cost."""

    moves: int
    """Changes of owner in which the former owner was still there."""
    owner_changes: int
    """All changes of owner, those away from members that left included."""
    unowned_partition_s: float
    longest_unowned_s: float
    two_owners: int
    """Partitions that had two owners at some moment."""
    longest_two_owners_s: float


def holdings_of(events: Iterable[Event], now: float) -> list[Holding]:
    """Return every time that a member held a partition, by begin; `now` ends the observation."""
    open_since: dict[str, dict[Partition, float]] = defaultdict(dict)
    found = []

    def close(member: str, partitions: Iterable[Partition], at: float) -> None:
        mine = open_since[member]
        found.extend(
            Holding(partition, member, mine.pop(partition), at)
            for partition in partitions
            if partition in mine
        )

    for event in events:
        mine = open_since[event.member]
        if event.what == "assign":
            for partition in event.partitions:
                mine.setdefault(partition, event.at)
        elif event.what in ("revoke", "lost"):
            close(event.member, event.partitions, event.at)
        else:  # the member is gone, or cannot act
            close(event.member, list(mine), event.at)
    for member, mine in open_since.items():
        close(member, list(mine), now)
    return sorted(found, key=lambda one: one.begin)


def overlaps_of(holdings: Sequence[Holding]) -> list[Overlap]:
    """Return all times with two owners of one partition."""
    found = []
    for theirs in _by_partition(holdings).values():
        for at, one in enumerate(theirs):
            for other in theirs[at + 1 :]:
                if other.begin >= one.end:
                    break
                end = min(one.end, other.end)
                if other.member != one.member and end - other.begin > CLOCK_S:
                    members = (one.member, other.member)
                    found.append(Overlap(one.partition, members, other.begin, end))
    return sorted(found, key=lambda overlap: overlap.begin)


def change_figures(
    events: Iterable[Event],
    began: float,
    ended: float,
    left: Mapping[str, float],
    gone: Iterable[str] = (),
) -> ChangeFigures:
    """Return what happened between `began` and `ended`.

    `left` maps members that were told to leave, or killed, to the moment of that. Topics in `gone`
    are deleted in that time, and count for nothing.
    """
    deleted = set(gone)
    seen = [event for event in events if event.at <= ended]
    kept = [one for one in holdings_of(seen, ended) if one.partition[0] not in deleted]
    moves = changes = 0
    for theirs in _by_partition(kept).values():
        for before, after in pairwise(theirs):
            if after.member != before.member and began <= after.begin:
                changes += 1
                moves += left.get(before.member, ended) >= after.begin
    free = [
        end - max(begin, began)
        for (topic, _), each in gaps_of(seen, ended).items()
        for begin, end in each
        if end > began and topic not in deleted
    ]
    twice = [one for one in overlaps_of(kept) if one.end > began]
    return ChangeFigures(
        moves,
        changes,
        round(sum(free), 2),
        round(max(free, default=0.0), 2),
        len({one.partition for one in twice}),
        round(max((one.end - max(one.begin, began) for one in twice), default=0.0), 3),
    )


def _by_partition(holdings: Iterable[Holding]) -> dict[Partition, list[Holding]]:
    found: dict[Partition, list[Holding]] = defaultdict(list)
    for one in sorted(holdings, key=lambda holding: (holding.begin, holding.end)):
        found[one.partition].append(one)
    return found
