"""A group at several moments, and what changed from one to the next: figures, and how they are
shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.figures import (
    listed,
    natural_key,
    number,
    partition_name,
    percent,
    plural,
    time_span,
)
from equilag.domain.group.group import NOBODY, Group
from equilag.domain.plan.metrics import member_loads
from equilag.domain.show import MAX_IN_LINE
from equilag.report import report_blocks as b

LEAST_CURVE: Final = 3
"""Points from which on lags are a curve."""


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
    times = [at for at in map(_read_at, groups) if at is not None]
    if len(times) < len(groups):
        return ()
    rows = zip(times, groups, strict=True)
    return tuple(CoursePoint(at - times[0], int(group.lag.sum())) for at, group in rows)


def in_order(groups: Sequence[Group]) -> tuple[Group, ...]:
    """The oldest first, if it is known of all when they were read; else as they are."""
    if all(group.taken_at for group in groups):
        return tuple(sorted(groups, key=lambda group: _read_at(group) or 0.0))
    return tuple(groups)


def _read_at(group: Group) -> float | None:
    """When it was read, in seconds since 1970; None if unknown."""
    at = group.taken_at
    return datetime.fromisoformat(at.upper()).timestamp() if at else None


def moment_facts(group: Group) -> MomentFacts:
    lags, total = member_loads(group.owner, group.lag, group.n_members), int(group.lag.sum())
    most = int(lags.argmax()) if lags.any() else None
    fair = total / max(1, int(np.count_nonzero(~group.idle)))
    return MomentFacts(
        taken_at=group.taken_at or "",
        members=group.n_members,
        partitions=group.n_partitions,
        unowned=int(np.count_nonzero(group.assignable & (group.owner == NOBODY))),
        total_lag=total,
        heaviest=None if most is None else group.members[most].id,
        heaviest_percent=None if most is None else 100 * int(lags[most]) / fair,
    )


def change_facts(before: Group, after: Group) -> ChangeFacts:
    """What changed from one moment to a later one."""
    (old_owner, old_lag), (owner, lag) = _by_name(before), _by_name(after)
    both = old_lag.keys() & lag.keys()
    ids = {one.id for one in before.members}, {one.id for one in after.members}
    grown = [GrownPartition(*name, old_lag[name], lag[name]) for name in both]
    grown.sort(key=lambda one: (one.lag_before - one.lag, natural_key(one.topic), one))
    return ChangeFacts(
        joined=tuple(sorted(ids[1] - ids[0], key=natural_key)),
        left=tuple(sorted(ids[0] - ids[1], key=natural_key)),
        changed_hands=sum(
            owner[name] is not None and old_owner[name] not in (None, owner[name]) for name in both
        ),
        new_partitions=len(lag.keys() - old_lag.keys()),
        gone_partitions=len(old_lag.keys() - lag.keys()),
        lag=int(after.lag.sum()) - int(before.lag.sum()),
        grown=tuple(one for one in grown[:MAX_IN_LINE] if one.lag > one.lag_before),
    )


def _by_name(group: Group) -> tuple[dict[tuple[str, int], str | None], dict[tuple[str, int], int]]:
    """The owner and the lag of each partition."""
    ids = [*(member.id for member in group.members), None]  # the last one is nobody's
    names = [*map(group.partition_name, range(group.n_partitions))]
    owners = (ids[owner] for owner in group.owner.tolist())
    return dict(zip(names, owners, strict=True)), dict(zip(names, group.lag.tolist(), strict=True))


def history_section(
    groups: Sequence[Group], course: Sequence[CoursePoint] = ()
) -> b.Section | None:
    """The first snapshot beside the last one, and a row for each; `groups` are in their order, and
    `course` is the lag from the first to the last, or over a recording."""
    span = time_span(course[-1].after_s) if course else ""
    chart = _course(course) if len(course) >= LEAST_CURVE else None
    if len(groups) < 2:
        recorded = b.section("What was recorded", chart, rest=f" in {span}", anchor="changes")
        return None if chart is None else recorded
    moments = [moment_facts(group) for group in groups]
    whole = change_facts(groups[0], groups[-1])
    rest = f" between {plural(len(groups), 'snapshot')}{f', in {span}' if span else ''}"
    changes = [None, *(change_facts(*pair) for pair in pairwise(groups))]
    columns = (
        b.Column("taken", "text"), b.Column("lag"), b.Column("members"),
        b.Column("partitions", optional=True),
        b.Column("changed hands", note="partitions with another owner than in the row before"),
        b.Column("heaviest", "percent", "most lag of a member, of what all have if it is even"),
        b.Column("heaviest member", "member"),
    )  # fmt: skip
    rows = tuple(
        (
            one.taken_at or number(place), one.total_lag, one.members, one.partitions,
            change and change.changed_hands, one.heaviest_percent, one.heaviest,
        )
        for place, (one, change) in enumerate(zip(moments, changes, strict=True), 1)
    )  # fmt: skip
    said = b.Notes(tuple(_sentences(whole, moments[0], moments[-1])), "list")
    table = b.Table(columns, rows, "Snapshots, the oldest first")
    return b.section("What changed", said, chart, table, rest=rest, anchor="changes")


def _sentences(found: ChangeFacts, before: MomentFacts, after: MomentFacts) -> Iterator[str]:
    lag = f"{number(before.total_lag)} → {number(after.total_lag)} records"
    grew = "stayed" if not found.lag else "shrank" if found.lag < 0 else "grew"
    yield f"The lag {grew}: {lag}."
    for what, ids in (("Joined", found.joined), ("Left", found.left)):
        if ids:
            yield f"{what}: {listed(ids, MAX_IN_LINE)}."
    if not (found.joined or found.left):
        yield f"The same {plural(after.members, 'member')}."
    of = f"{number(found.changed_hands)} of {plural(after.partitions, 'partition')}"
    yield f"{of} changed hands." if found.changed_hands else "No partition changed hands."
    for count, what in ((found.new_partitions, "new"), (found.gone_partitions, "gone")):
        if count:
            yield f"{plural(count, f'{what} partition')}."
    if before.heaviest_percent is not None and after.heaviest_percent is not None:
        yield (
            f"Heaviest: {before.heaviest} had {percent(before.heaviest_percent)} of a fair share of"
            f" the lag, {after.heaviest} has {percent(after.heaviest_percent)}."
        )
    grown = [
        f"{partition_name((one.topic, one.partition))} ({number(one.lag_before)} →"
        f" {number(one.lag)})"
        for one in found.grown
    ]
    if grown:
        yield f"The lag grew most of {', '.join(grown)}."


def _course(course: Sequence[CoursePoint]) -> b.Chart:
    """The lag from the first point to the last."""
    points = tuple(b.ChartPoint(at, lag, plural(lag, "record")) for at, lag in course)
    since = b.Axis("since the first sample", "seconds")
    return b.Chart("Lag over time", since, b.Axis("records"), (b.Series("lag", points),))
