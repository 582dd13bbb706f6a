"""Groups over time from series, as if a broker had been asked at each scrape."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import numpy as np

from equilag.adapters.kafka.described import DescribedMember
from equilag.adapters.kafka.group_samples import GroupSamples
from equilag.adapters.kafka.reading import Reading, TopicOffsets
from equilag.adapters.prometheus.series import OWNER, OWNER_LABELS, MetricSeries, MetricsRead
from equilag.domain.building.topic_index import MAX_PARTITIONS
from equilag.domain.errors import InputError
from equilag.domain.figures import in_a_row, utc
from equilag.domain.show import show

GAP: Final = 2.5
"""Times the usual time between two scrapes for which a sample stands: two were missed."""
MIN_GAP_S: Final = 60.0
"""At least: half of the longest time between scrapes that is in use."""
MAX_LAG: Final = 2**53
"""From here on a sample, which is a float, is no exact offset."""

MAX_DIGITS: Final = 7
"""Of the number of a partition: topics have fewer than ten million."""
MAX_MISSING: Final = 10_000
"""Partitions of a group without a series: more than a group has on most clusters."""

Place = tuple[str, int]


class Course:
    """What was said of one partition: several series, one after the other, if its owner changed."""

    def __init__(self, series: list[MetricSeries], name: str, place: str, source: str) -> None:
        first = series[0].labels
        for one in series[1:]:
            other = {
                key for key in first.keys() | one.labels if first.get(key) != one.labels.get(key)
            }
            if other - OWNER_LABELS:
                which = in_a_row(sorted(other - OWNER_LABELS))
                problem = f"{name} of {place} has several series, which differ by {which}"
                raise InputError(f"{problem}: choose one with --selector", source=source)
        points = sorted(
            (at, number, value) for number, one in enumerate(series) for at, value in one.points
        )
        self.labels = [one.labels for one in series]
        self.times = [at for at, _, _ in points]
        self.numbers = [number for _, number, _ in points]
        self.values = [value for _, _, value in points]

    def place(self, at: float, gap: float) -> int | None:
        """The newest point at a time; None if it is too old."""
        found = bisect_right(self.times, at) - 1
        return found if found >= 0 and self.times[found] >= at - gap else None

    def value(self, at: float, gap: float) -> int | None:
        """The offset at a time; None for none, or what no offset can be."""
        found = self.place(at, gap)
        value = -1.0 if found is None else self.values[found]
        return int(value) if 0 <= value < MAX_LAG else None


def _courses(read: MetricsRead, name: str, group: str = "") -> dict[str, dict[Place, Course]]:
    """Group, or "", -> partition -> what was said of it. Raises InputError."""
    dialect = read.dialect
    found: defaultdict[str, defaultdict[Place, list[MetricSeries]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for one in read.metrics.get(name, ()):
        topic, number = one.labels.get(dialect.topic, ""), one.labels.get(dialect.partition, "")
        is_number = number.isascii() and number.isdecimal() and len(number) <= MAX_DIGITS
        if not topic or not is_number:
            problem = f"{name} has the topic {show(topic)} and the partition {show(number)}"
            raise InputError(problem, source=read.source)
        found[one.labels.get(group, "")][topic, int(number)].append(one)
    return {
        of: {
            place: Course(series, name, f"{place[0]}-{place[1]}", read.source)
            for place, series in places.items()
        }
        for of, places in found.items()
    }


def groups_of(
    read: MetricsRead, wanted: Callable[[str], object] = bool, *, newest: bool = False
) -> dict[str, GroupSamples]:
    """The groups that are wanted, each at the times at which it was scraped, with `newest` at the
    last of them; those of an exporter without owners have members that own nothing. Raises
    InputError for series that contradict each other."""
    dialect = read.dialect
    lags, commits = (_courses(read, name, dialect.group) for name in dialect[1:3])
    ends, starts = (_courses(read, name).get("", {}) for name in dialect[3:5])
    in_topic: defaultdict[str, list[int]] = defaultdict(list)
    for topic, number in ends:
        in_topic[topic].append(number)
    counts = {
        one.labels.get(dialect.group, ""): one.points[-1][1]
        for one in read.metrics.get(dialect.members, ())
    }
    told = f"{dialect.tool} does not say who reads what."
    unsaid = () if dialect.has_owners else (f"{told} Only size, and plans with --fresh, tell it.",)
    found = {}
    for group in sorted(name for name in lags.keys() | commits if name and wanted(name)):
        own, committed = lags.get(group, {}), commits.get(group, {})
        topics = {topic for topic, _ in own.keys() | committed}
        known = *own, *committed, *((topic, n) for topic in topics for n in in_topic[topic])
        sizes = _sizes({*known}, read.source)
        moments = sorted({at for one in (own or committed).values() for at in one.times})
        gaps = np.diff(moments)
        gap = max(MIN_GAP_S, GAP * float(np.median(gaps))) if len(gaps) else MIN_GAP_S
        moments = moments[-1:] if newest else moments
        columns = own, committed, ends, starts
        offsets = [_offsets(columns, sizes, at, gap) for at in moments]
        first, last = (
            Reading(
                group, "", "", "", utc(moments[place]) if read.at else "",
                _members(read, committed or own, sizes, moments[place], gap, counts.get(group)),
                offsets[place], [], unsaid,
            )
            for place in (0, -1)
        )  # fmt: skip
        found[group] = GroupSamples(first, last, moments, offsets)
    return found


def _sizes(known: Iterable[Place], source: str) -> dict[str, int]:
    """Topic -> partitions. Raises InputError where so many are missing that one number is wrong."""
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    for topic, number in sorted(known):
        numbers[topic].append(number)
    missing = 0
    for topic, found in numbers.items():
        if (missing := missing + found[-1] + 1 - len(found)) > MAX_MISSING:
            problem = (
                f"there are {len(found)} partitions of {topic}, and one is {topic}-{found[-1]}"
            )
            raise InputError(problem, source=source)
    return {topic: found[-1] + 1 for topic, found in numbers.items()}


def _offsets(
    columns: Iterable[Mapping[Place, Course]], sizes: Mapping[str, int], at: float, gap: float
) -> TopicOffsets:
    """What was known at a time. The lag tells the end from the commit, and the other way round."""
    found = TopicOffsets(sizes=dict(sizes))
    for topic, size in sizes.items():
        rows: Any = [
            [(one := course.get((topic, n))) and one.value(at, gap) for n in range(size)]
            for course in columns
        ]
        lags, commits, ends, starts = rows
        for n, lag in enumerate(lags):
            if lag is not None and ends[n] is None and commits[n] is not None:
                ends[n] = commits[n] + lag
            elif lag is not None and commits[n] is None and ends[n] is not None and lag <= ends[n]:
                commits[n] = ends[n] - lag
            if ends[n] is not None:
                starts[n] = min(starts[n] or 0, ends[n])
        found.log_start[topic], found.log_end[topic] = starts, ends
        found.committed[topic] = commits
        if unknown := [n for n, end in enumerate(ends) if end is None]:
            found.unknown[topic] = unknown
    return found


def _members(
    read: MetricsRead, courses: Mapping[Place, Course], sizes: Mapping[str, int], at: float,
    gap: float, count: float | None,
) -> list[DescribedMember]:  # fmt: skip
    """The members at a time, who are taken to subscribe to all topics of the group."""
    topics = tuple(sizes)
    if not read.dialect.has_owners:
        number = int(count) if count is not None and 0 <= count < MAX_PARTITIONS else 0
        return [DescribedMember(f"member-{n}", topics) for n in range(1, number + 1)]
    owned: defaultdict[str, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    labels: dict[str, Mapping[str, str]] = {}
    for (topic, number), course in sorted(courses.items()):
        if (place := course.place(at, gap)) is not None:
            said = course.labels[course.numbers[place]]
            if owner := said.get(OWNER):
                owned[owner][topic].append(number)
                labels[owner] = said
    return [
        DescribedMember(
            owner, topics, owned=dict(held), client_id=labels[owner].get("client_id") or None,
            host=(labels[owner].get("member_host") or "").removeprefix("/") or None,
        )
        for owner, held in sorted(owned.items())
    ]  # fmt: skip
