"""One sample of a cluster from `__consumer_offsets`, without a request about any group."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final, NamedTuple

from equilag.adapters.kafka.client_config import Config
from equilag.adapters.kafka.cluster import Cluster, connected
from equilag.adapters.kafka.described import DescribedMember, TopicPartition
from equilag.adapters.kafka.group_state import GONE, GroupState, read_state
from equilag.adapters.kafka.offsets_topic import (
    REQUEST_S,
    TOPIC,
    PartitionRecords,
    check_not_empty,
    partitions,
    read_partition,
)
from equilag.adapters.kafka.sample import Sample, SampleRows, partitions_of, rack_rows
from equilag.domain.errors import InputError

DEADLINE_S: Final = 600.0
"""Seconds after which the read of one partition fails; a million records take about four."""
_READERS: Final = 8
"""Partitions that are read at a time: most of the time is spent waiting for brokers."""


class TopicSample(NamedTuple):
    """The groups that can be read, at one moment; `left_out` has why others cannot."""

    sample: Sample
    notes: dict[str, Any]
    """Figures about the reading by name."""


def sample_offsets_topic(config: Config) -> TopicSample:
    """Read the current state of every group of the cluster. Joins no group and commits nothing.

    A group is left out if it could not be decoded or read completely, since a plan must cover all
    its partitions. Raises MissingExtra, and InputError if the cluster cannot be reached, cannot be
    read to its end or has no groups, or if nothing was read although there are records.
    """
    with connected(config, REQUEST_S) as cluster:
        every = _read_groups(config, cluster)
        wanted = every.topics()
        topics = cluster.topics(wanted)  # by name, so that forbidden ones are told from missing
        # Log ends are read after commits; otherwise a commit could lie beyond an outdated end.
        ts_ms = time.time_ns() // 1_000_000
        ends, unknown = cluster.ends(sorted(topics.leaders()), topics.found)
    refused = dict.fromkeys(sorted(topics.forbidden), "the right Describe is missing")
    rows = SampleRows(ts_ms, ends, {})
    left_out: dict[str, str] = {}
    for group in sorted(every.places):
        members, commits = every.members.get(group, []), every.commits.get(group, {})
        touched = partitions_of(members, commits, topics.found)
        if reasons := [*every.reasons_of(group, touched, unknown, refused)]:
            left_out[group] = min(reasons)
        else:
            rows.add(group, members, commits, touched)
    notes = {
        "records_read": every.read,
        "held_back_by_transactions": every.held_back,
        "not_understood": dict(sorted(every.not_understood.items())),
        "commits_of_deleted_topics": sum(wanted[name] for name in topics.missing),
        "topics_refused": refused,
    }
    racks = rack_rows(ts_ms, topics.racks)
    return TopicSample(Sample(ts_ms, rows.offsets, rows.members, left_out, racks=racks), notes)


def _read_groups(config: Config, cluster: Cluster) -> _Groups:
    numbers = partitions(cluster)
    if not numbers:
        problem = "has no consumer groups: the topic __consumer_offsets does not exist"
        raise InputError(problem, source=cluster.servers)
    every, names = _Groups(), cluster.topics().ids
    for records in _records(config, numbers):
        state = read_state(records.survivors.items(), names)
        if not state.not_understood.keys().isdisjoint(GONE):  # or newer than `names`
            names = cluster.topics().ids
            state = read_state(records.survivors.items(), names)
        every.add(records, state)
    check_not_empty(config, every.in_log, every.read)
    if not every.places:
        raise InputError("has no consumer groups", source=cluster.servers)
    return every


class _Groups:
    """What the partitions of the topic have of each group."""

    def __init__(self) -> None:
        self.places: Counter[str] = Counter()
        """Partitions of the topic in which a group was found, normally one."""
        self.commits: dict[str, dict[TopicPartition, int]] = {}
        self.members: dict[str, list[DescribedMember]] = {}
        self.reasons: dict[str, list[str]] = {}
        self.not_understood: Counter[str] = Counter()
        self.in_log = self.read = self.held_back = 0

    def add(self, records: PartitionRecords, state: GroupState) -> None:
        self.in_log += records.end - records.begin
        self.read += records.read
        self.held_back += records.held_back
        self.places.update(state.groups)
        self.not_understood.update(state.not_understood)
        for group, commits in state.commits.items():
            self.commits.setdefault(group, {}).update(commits)
        for group, members in state.members.items():
            self.members.setdefault(group, []).extend(members)
        for group, reason in state.unreadable.items():
            self.reasons.setdefault(group, []).append(reason)

    def topics(self) -> Counter[str]:
        """Return the number of commits of each topic that is committed, owned or subscribed to."""
        found = Counter(topic for commits in self.commits.values() for topic, _ in commits)
        named = (one for members in self.members.values() for one in members)
        found.update(dict.fromkeys({t for one in named for t in (*one.topics, *one.owned)}, 0))
        return found

    def reasons_of(
        self,
        group: str,
        partitions: Iterable[TopicPartition],
        unknown: Mapping[TopicPartition, str],
        refused: Mapping[str, str],
    ) -> Iterator[str]:
        """Yield why a group cannot be planned; `unknown` has log ends, `refused` topics."""
        yield from self.reasons.get(group, ())
        for topic, number in partitions:
            if (topic, number) in unknown:
                yield f"log end unknown for {topic}-{number}: {unknown[topic, number]}"
        mine = {topic for topic, _ in self.commits.get(group, ())}
        mine.update(t for one in self.members.get(group, ()) for t in (*one.topics, *one.owned))
        yield from (f"topic {topic}: {refused[topic]}" for topic in mine & refused.keys())
        if self.places[group] > 1:
            yield f"its records are spread over {self.places[group]} partitions of {TOPIC}"


def _records(config: Config, numbers: list[int]) -> Iterator[PartitionRecords]:
    """Yield the records of each partition."""
    pool = ThreadPoolExecutor(_READERS)
    try:
        yield from pool.map(partial(read_partition, config, deadline_s=DEADLINE_S), numbers)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
