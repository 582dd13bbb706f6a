"""What a change in a group cost: from the events of its members, in seconds since 1970."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from benchmarks.live.assignment_log import (
    Event,
    Partition,
    by_partition,
    gaps_of,
    holdings_of,
    overlaps_of,
)


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
    for theirs in by_partition(kept).values():
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


def given_back(events: Iterable[Event]) -> int:
    """Partitions that a member gave up and got again, with nobody in between: for nothing."""
    gave: dict[Partition, str] = {}
    found = 0
    for event in events:
        for partition in event.partitions:
            if event.what in ("revoke", "lost"):
                gave[partition] = event.member
            elif event.what == "assign":
                found += gave.pop(partition, "") == event.member
    return found
