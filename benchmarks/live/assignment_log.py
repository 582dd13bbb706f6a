"""What the members of a live group report to hold, and what follows from it.

All times are in seconds since 1970, as in the events.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

Partition = tuple[str, int]
What = Literal["assign", "revoke", "lost", "closed", "failed", "frozen"]


CLOCK_S: Final = 0.001
"""Members in other processes cut their times to milliseconds: a shorter overlap may be none."""


@dataclass(frozen=True, slots=True)
class Event:
    """`at` is in seconds since 1970, by one clock for all processes."""

    at: float
    member: str
    what: What
    partitions: tuple[Partition, ...] = ()


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


class Log:
    """The events of all members of one group; several threads may write."""

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._lock = threading.Lock()

    def add(
        self, member: str, what: What, partitions: Iterable[Partition] = (), at: float | None = None
    ) -> None:
        with self._lock:
            now = time.time() if at is None else at
            self._events.append(Event(now, member, what, tuple(sorted(partitions))))

    @property
    def events(self) -> list[Event]:
        with self._lock:
            return sorted(self._events, key=lambda event: event.at)

    def since(self, at: float) -> list[Event]:
        return [event for event in self.events if event.at >= at]

    def held(self) -> dict[str, set[Partition]]:
        """Return what each member holds now, without members that closed or failed."""
        held: dict[str, set[Partition]] = {}
        for event in self.events:
            _apply(held, event)
        return held

    def owners(self) -> dict[Partition, list[str]]:
        owners: dict[Partition, list[str]] = defaultdict(list)
        for member, partitions in self.held().items():
            for partition in partitions:
                owners[partition].append(member)
        return owners

    def shared(self, every: Set[Partition], members: Set[str] | int | None = None) -> bool:
        """True if each of these partitions has one owner, and just these members, or so many, hold
        one. Other topics do not count: members may keep what was deleted."""
        topics = {topic for topic, _ in every}
        owners = {place: one for place, one in self.owners().items() if place[0] in topics}
        holders = {name for name, theirs in self.held().items() if theirs}
        return (
            set(owners) == every
            and all(len(one) == 1 for one in owners.values())
            and members in (None, len(holders), holders)
        )

    def quiet_s(self) -> float:
        """Seconds since the last event."""
        return time.time() - self.events[-1].at

    def twice(self) -> list[Overlap]:
        """Return all times until now in which two members held one partition."""
        return overlaps_of(holdings_of(self.events, time.time()))

    def gaps(self) -> dict[Partition, list[tuple[float, float]]]:
        """Return when each partition had no owner until now, as `gaps_of`."""
        return gaps_of(self.events, time.time())

    def rebalances(self) -> int:
        """Count bursts of assignments; assignments within a second are one burst."""
        times = [event.at for event in self.events if event.what == "assign"]
        return sum(b - a > 1.0 for a, b in pairwise(times)) + bool(times)


def holdings_of(events: Iterable[Event], now: float) -> list[Holding]:
    """Return every time that a member held a partition, by begin; `now` ends the observation."""
    open_since: dict[str, dict[Partition, float]] = defaultdict(dict)
    found: list[Holding] = []

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
    for theirs in by_partition(holdings).values():
        for at, one in enumerate(theirs):
            for other in theirs[at + 1 :]:
                if other.begin >= one.end:
                    break
                end = min(one.end, other.end)
                if other.member != one.member and end - other.begin > CLOCK_S:
                    members = (one.member, other.member)
                    found.append(Overlap(one.partition, members, other.begin, end))
    return sorted(found, key=lambda overlap: overlap.begin)


def gaps_of(events: Iterable[Event], now: float) -> dict[Partition, list[tuple[float, float]]]:
    """Return when each partition had no owner after its first one, as (from, to)."""
    gaps: dict[Partition, list[tuple[float, float]]] = defaultdict(list)
    for partition, theirs in by_partition(holdings_of(events, now)).items():
        until = theirs[0].end
        for one in theirs[1:]:
            if one.begin > until:
                gaps[partition].append((until, one.begin))
            until = max(until, one.end)
        if until < now:
            gaps[partition].append((until, now))
    return gaps


def by_partition(holdings: Iterable[Holding]) -> dict[Partition, list[Holding]]:
    found: dict[Partition, list[Holding]] = defaultdict(list)
    for one in sorted(holdings, key=lambda holding: (holding.begin, holding.end)):
        found[one.partition].append(one)
    return found


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


def _apply(held: dict[str, set[Partition]], event: Event) -> None:
    if event.what in ("closed", "failed", "frozen"):
        held.pop(event.member, None)
        return
    partitions = held.setdefault(event.member, set())
    if event.what == "assign":
        partitions.update(event.partitions)
    else:
        partitions.difference_update(event.partitions)
