"""A group at several moments, and what changed from one to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.figures import natural_key
from equilag.domain.group.group import NOBODY, Group
from equilag.domain.plan.metrics import member_loads

MAX_GROWN: Final = 5
"""Partitions that are named as those whose lag grew most."""

Partition = tuple[str, int]


@dataclass(frozen=True, slots=True)
class MomentFacts:
    """A group when it was read."""

    taken_at: str
    """RFC 3339 in UTC; empty if unknown."""
    members: int
    partitions: int
    unowned: int
    """Partitions that a member subscribes to and that nobody owns."""
    total_lag: int
    heaviest: str | None
    """The member with the most lag; None where nobody has any."""
    heaviest_percent: float | None
    """Its lag in percent of what each member would have if all had as much."""


class GrownPartition(NamedTuple):
    """A partition whose lag grew."""

    topic: str
    partition: int
    lag_before: int
    lag: int


@dataclass(frozen=True, slots=True)
class ChangeFacts:
    """What is different from the moment before."""

    joined: tuple[str, ...]
    left: tuple[str, ...]
    changed_hands: int
    """Partitions that another member owns now."""
    new_partitions: int
    gone_partitions: int
    lag: int
    """By how many records the lag of the group grew; below 0 if it shrank."""
    grown: tuple[GrownPartition, ...]
    """The partitions whose lag grew most, the first ones."""


class CoursePoint(NamedTuple):
    """The lag of a group at one time."""

    after_s: float
    """Seconds since the first point."""
    lag: int
    """Of all partitions of which it is known, in records."""


def course_of(groups: Sequence[Group]) -> tuple[CoursePoint, ...]:
    """The lag at each of some moments, in their order; empty unless all their times are known."""
    times = [at for at in map(read_at, groups) if at is not None]
    if len(times) < len(groups):
        return ()
    rows = zip(times, groups, strict=True)
    return tuple(CoursePoint(at - times[0], int(group.lag.sum())) for at, group in rows)


def in_order(groups: Sequence[Group]) -> tuple[Group, ...]:
    """The oldest first, if it is known of all when they were read; else as they are."""
    if all(group.taken_at for group in groups):
        return tuple(sorted(groups, key=lambda group: read_at(group) or 0.0))
    return tuple(groups)


def read_at(group: Group) -> float | None:
    """When it was read, in seconds since 1970; None if unknown."""
    at = group.taken_at
    return datetime.fromisoformat(at.upper()).timestamp() if at else None


def moment_facts(group: Group) -> MomentFacts:
    busy = ~group.idle
    lags = member_loads(group.owner, group.lag, group.n_members)
    most = int(lags.argmax()) if lags.any() else None
    fair = int(group.lag.sum()) / max(1, int(busy.sum()))
    return MomentFacts(
        taken_at=group.taken_at or "",
        members=group.n_members,
        partitions=group.n_partitions,
        unowned=int(np.count_nonzero(group.assignable & (group.owner == NOBODY))),
        total_lag=int(group.lag.sum()),
        heaviest=None if most is None else group.members[most].id,
        heaviest_percent=None if most is None else 100 * int(lags[most]) / fair,
    )


def change_facts(before: Group, after: Group) -> ChangeFacts:
    """What changed from one moment to a later one."""
    old, new = _partitions(before), _partitions(after)
    both = old.keys() & new.keys()
    ids = {one.id for one in before.members}, {one.id for one in after.members}
    grown = (
        GrownPartition(*name, old[name].lag, new[name].lag)
        for name in both
        if new[name].lag > old[name].lag
    )
    largest = sorted(grown, key=lambda one: (one.lag_before - one.lag, natural_key(one.topic), one))
    return ChangeFacts(
        joined=tuple(sorted(ids[1] - ids[0], key=natural_key)),
        left=tuple(sorted(ids[0] - ids[1], key=natural_key)),
        changed_hands=sum(
            new[name].owner is not None and old[name].owner not in (None, new[name].owner)
            for name in both
        ),
        new_partitions=len(new.keys() - old.keys()),
        gone_partitions=len(old.keys() - new.keys()),
        lag=int(after.lag.sum()) - int(before.lag.sum()),
        grown=tuple(largest[:MAX_GROWN]),
    )


class _State(NamedTuple):
    owner: str | None
    lag: int


def _partitions(group: Group) -> dict[Partition, _State]:
    ids = [member.id for member in group.members]
    names = (
        (topic, partition)
        for topic, size in zip(group.topics, group.topic_size.tolist(), strict=True)
        for partition in range(size)
    )
    rows = zip(names, group.owner.tolist(), group.lag.tolist(), strict=True)
    return {name: _State(None if owner == NOBODY else ids[owner], lag) for name, owner, lag in rows}
