"""What changed in a group from one snapshot to another: before, after."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from equilag.domain.figures import listed, number, partition_name, percent, plural, time_span
from equilag.domain.group.group import Group
from equilag.planner.facts.history import (
    ChangeFacts,
    CoursePoint,
    MomentFacts,
    change_facts,
    moment_facts,
)
from equilag.report import report_blocks as b

MAX_NAMES: Final = 5
LEAST_CURVE: Final = 3
"""Points from which on lags are a curve."""


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
    return b.section(
        "What changed",
        b.Notes(tuple(_sentences(whole, moments[0], moments[-1])), "list"),
        chart,
        b.Table(columns, rows, "Snapshots, the oldest first"),
        rest=rest,
        anchor="changes",
    )


def _sentences(found: ChangeFacts, before: MomentFacts, after: MomentFacts) -> Iterator[str]:
    lag = f"{number(before.total_lag)} → {number(after.total_lag)} records"
    grew = "shrank" if found.lag < 0 else "grew"
    yield f"The lag {grew}: {lag}." if found.lag else f"The lag stayed: {lag}."
    if found.joined:
        yield f"Joined: {listed(found.joined, MAX_NAMES)}."
    if found.left:
        yield f"Left: {listed(found.left, MAX_NAMES)}."
    if not (found.joined or found.left):
        yield f"The same {plural(after.members, 'member')}."
    of = plural(after.partitions, "partition")
    yield (
        f"{number(found.changed_hands)} of {of} changed hands."
        if found.changed_hands
        else ("No partition changed hands.")
    )
    for count, what in ((found.new_partitions, "new"), (found.gone_partitions, "gone")):
        if count:
            yield f"{plural(count, f'{what} partition')}."
    if before.heaviest_percent is not None and after.heaviest_percent is not None:
        yield (
            f"Heaviest: {before.heaviest} had {percent(before.heaviest_percent)} of a fair share of"
            f" the lag, {after.heaviest} has {percent(after.heaviest_percent)}."
        )
    if found.grown:
        grown = [
            f"{partition_name((one.topic, one.partition))} ({number(one.lag_before)} →"
            f" {number(one.lag)})"
            for one in found.grown
        ]
        yield f"The lag grew most of {', '.join(grown)}."


def _course(course: Sequence[CoursePoint]) -> b.Chart:
    """The lag from the first point to the last."""
    points = tuple(b.ChartPoint(at, lag, plural(lag, "record")) for at, lag in course)
    since = b.Axis("since the first sample", "seconds")
    return b.Chart("Lag over time", since, b.Axis("records"), (b.Series("lag", points),))
