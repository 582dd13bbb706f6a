"""What the members of a live group report to hold, and what follows from it."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

Partition = tuple[str, int]
What = Literal["assign", "revoke", "lost", "closed", "failed", "frozen"]


@dataclass(frozen=True, slots=True)
class Event:
    """`at` is in seconds since 1970, by one clock for all processes."""

    at: float
    member: str
    what: What
    partitions: tuple[Partition, ...] = ()


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

    def twice(self) -> list[tuple[float, Partition, str, str]]:
        """Return every moment when a member got a partition that another member still held."""
        held: dict[str, set[Partition]] = {}
        found = []
        for event in self.events:
            if event.what == "assign":
                for partition in event.partitions:
                    found += [
                        (event.at, partition, other, event.member)
                        for other, theirs in held.items()
                        if other != event.member and partition in theirs
                    ]
            _apply(held, event)
        return found

    def gaps(self) -> dict[Partition, list[tuple[float, float]]]:
        """Return when each partition had no owner until now, as `gaps_of`."""
        return gaps_of(self.events, time.time())

    def rebalances(self) -> int:
        """Count bursts of assignments; assignments within a second are one burst."""
        times = [event.at for event in self.events if event.what == "assign"]
        return sum(b - a > 1.0 for a, b in pairwise(times)) + bool(times)


def gaps_of(events: Iterable[Event], now: float) -> dict[Partition, list[tuple[float, float]]]:
    """Return when each partition had no owner after its first one, as (from, to)."""
    free: dict[Partition, float] = {}
    gaps: dict[Partition, list[tuple[float, float]]] = defaultdict(list)
    held: dict[str, set[Partition]] = {}
    for event in events:
        before = {p for theirs in held.values() for p in theirs}
        _apply(held, event)
        after = {p for theirs in held.values() for p in theirs}
        for partition in before - after:
            free[partition] = event.at
        for partition in after - before:
            if partition in free:
                gaps[partition].append((free.pop(partition), event.at))
    for partition, at in free.items():
        gaps[partition].append((at, now))
    return gaps


def _apply(held: dict[str, set[Partition]], event: Event) -> None:
    if event.what in ("closed", "failed", "frozen"):
        held.pop(event.member, None)
        return
    partitions = held.setdefault(event.member, set())
    if event.what == "assign":
        partitions.update(event.partitions)
    else:
        partitions.difference_update(event.partitions)
