"""One sample of a cluster, as rows: members, subscriptions, commits and log ends of every group."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from equilag.adapters.kafka.client_config import Config
from equilag.adapters.kafka.cluster import TIMEOUT, Cluster, NoAnswer
from equilag.adapters.kafka.described import DescribedMember, TopicPartition
from equilag.adapters.kafka.group_kinds import PLANNED, described_kind
from equilag.adapters.kafka.plain.plain_ends import log_sizes
from equilag.adapters.kafka.plain.plain_requests import read_groups
from equilag.adapters.kafka.reading import resolved, several
from equilag.domain.group.lag import lag_list

RACKS_EVERY_S: Final = 3600.0
"""Seconds between two samples with racks, which change when an operator moves replicas."""


class ClusterSampler:
    """Samples one cluster, round by round; connections stay open in between.

    `config` is librdkafka's; `groups` selects groups whose whole name it matches. Raises InputError
    if the cluster does not answer or a client refuses a setting; MissingExtra without the packages
    of `equilag[kafka]`.
    """

    def __init__(
        self,
        config: Config,
        groups: re.Pattern[str] | None = None,
        timeout: float = TIMEOUT,
    ) -> None:
        self._cluster = Cluster(config, timeout)
        self._groups = groups or re.compile(".*", re.DOTALL)
        self._racks_kept = -RACKS_EVERY_S

    def close(self) -> None:
        self._cluster.close()

    def round(self) -> Sample:
        """Return a sample of all readable groups. Raises NoAnswer.

        Commits are read before log ends, so that no commit seems too far ahead; the time of the
        sample lies between the two.
        """
        read = self._cluster.call(read_groups, self._groups.fullmatch)
        topics = read.topics.found
        left_out = {
            name: f"it is {described_kind(one.kind)[0]}"
            for name, one in read.listed.items()
            if one.kind not in PLANNED
        }
        unread = read.unread.items()
        left_out |= {name: failure.reason for name, failure in unread if not failure.gone}
        ts_ms = time.time_ns() // 1_000_000
        remarks = list(read.remarks)
        members: dict[str, list[DescribedMember]] = {}
        partitions: dict[str, set[TopicPartition]] = {}
        for group, commits in sorted(read.commits.items()):
            members[group], problems = resolved(read.described[group].members, topics)
            remarks += [f"group {group}: {problem}" for problem in problems]
            found = partitions_of(members[group], commits.offsets, topics)
            partitions[group] = found - commits.failed.keys()
            if commits.failed:
                remarks.append(f"group {group}: no commits: {several(sorted(commits.failed))}")
        ends, no_ends = self._cluster.ends(sorted(set().union(*partitions.values())), topics)
        if no_ends and not ends and any(reason != "no leader" for reason in no_ends.values()):
            raise NoAnswer(next(reason for reason in no_ends.values() if reason != "no leader"))
        led = {(t, p): topics[t][p] for t, p in ends if topics[t][p] >= 0}
        sizes, size_problems = self._cluster.call(log_sizes, led) if led else ({}, [])
        rows = SampleRows(ts_ms, ends, sizes)
        for group, found in partitions.items():
            rows.add(group, members[group], read.commits[group].offsets, found)
        racks = {}
        if time.monotonic() - self._racks_kept >= RACKS_EVERY_S:
            racks = {topic: read.topics.racks[topic] for topic, _ in ends}
            self._racks_kept = time.monotonic()
        remarks = list(dict.fromkeys([*remarks, *by_reason(no_ends), *size_problems]))
        return Sample(ts_ms, rows.offsets, rows.members, left_out, remarks, rack_rows(ts_ms, racks))


def by_reason(failed: Mapping[TopicPartition, str]) -> list[str]:
    """Return one remark per reason, with its first partition."""
    partitions: dict[str, list[TopicPartition]] = {}
    for tp, reason in sorted(failed.items()):
        partitions.setdefault(reason, []).append(tp)
    return [f"no log ends ({reason}): {several(tps)}" for reason, tps in partitions.items()]


OFFSETS: Final = (
    "ts_ms", "group", "topic", "partition", "log_start", "log_end", "committed", "log_bytes",
)  # fmt: skip
MEMBERS: Final = (
    "ts_ms", "group", "member", "subscription", "owned", "rack", "capacity", "instance_id",
    "generation", "client_id", "host", "max_partitions", "instance",
)  # fmt: skip


RACKS: Final = ("ts_ms", "topic", "partition", "racks")


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample: tables by column, in the order of `OFFSETS`, `MEMBERS` and `RACKS`.

    `racks` is empty if they were not read this time. `left_out` maps each group without rows to
    the reason; `remarks` are about everything else.
    """

    ts_ms: int
    offsets: dict[str, list[Any]]
    members: dict[str, list[Any]]
    left_out: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    racks: dict[str, list[Any]] = field(default_factory=dict)

    @property
    def n_groups(self) -> int:
        return len(set(self.members["group"]))

    @property
    def n_partitions(self) -> int:
        """Rows of offsets: a partition counts once per group that reads it."""
        return len(self.offsets["partition"])

    @property
    def lag(self) -> int:
        """Lag of all partitions with a commit, in records."""
        rows = self.offsets
        return sum(lag_list(rows["committed"], rows["log_start"], rows["log_end"], "latest"))


def rack_rows(ts_ms: int, racks: Mapping[str, Mapping[int, Sequence[str]]]) -> dict[str, list[Any]]:
    """The table of racks by column, from topic -> partition -> racks; none is left out."""
    known = [
        (topic, partition, list(names))
        for topic, partitions in sorted(racks.items())
        for partition, names in sorted(partitions.items())
        if names
    ]
    topics, partitions, names = zip(*known, strict=True) if known else ((), (), ())
    values = ([ts_ms] * len(known), [*topics], [*partitions], [*names])
    return dict(zip(RACKS, values, strict=True))


def partitions_of(
    members: Iterable[DescribedMember],
    committed: Iterable[TopicPartition],
    topics: Mapping[str, Iterable[int]],
) -> set[TopicPartition]:
    """Return the partitions of a group's rows: committed, subscribed or owned, if they exist.

    `topics` has the partitions of each topic of the cluster.
    """
    found, subscribed = {*committed}, set[str]()
    for member in members:
        subscribed.update(member.topics)
        found.update((topic, p) for topic, partitions in member.owned.items() for p in partitions)
    found.update((topic, p) for topic in subscribed for p in topics.get(topic, ()))
    return {(topic, p) for topic, p in found if p in topics.get(topic, ())}


class SampleRows:
    """The columns of both tables, filled group by group.

    `ends` has first offset and end of each partition's log, `sizes` its bytes if known.
    """

    def __init__(
        self,
        ts_ms: int,
        ends: Mapping[TopicPartition, tuple[int, int]],
        sizes: Mapping[TopicPartition, int],
    ) -> None:
        self.ts_ms = ts_ms
        self.offsets: dict[str, list[Any]] = {name: [] for name in OFFSETS}
        self.members: dict[str, list[Any]] = {name: [] for name in MEMBERS}
        self._ends = ends
        self._sizes = sizes

    def add(
        self,
        group: str,
        members: Collection[DescribedMember],
        committed: Mapping[TopicPartition, int],
        partitions: Iterable[TopicPartition],
    ) -> None:
        """Add a group; its members have all their topics. A partition without log ends gets no
        row."""
        for tp in sorted(tp for tp in partitions if tp in self._ends):
            offsets = (*self._ends[tp], committed.get(tp), self._sizes.get(tp))
            values = (self.ts_ms, group, *tp, *offsets)
            for name, value in zip(OFFSETS, values, strict=True):
                self.offsets[name].append(value)
        for member in members:
            owned = sorted((topic, sorted(held)) for topic, held in member.owned.items() if held)
            self._add_member(
                group,
                member=member.id,
                subscription=list(member.topics),
                owned=owned,
                rack=member.rack,
                instance_id=member.instance_id,
                generation=member.generation,
                client_id=member.client_id,
                host=member.host,
            )
        if not members:
            self._add_member(group, subscription=[], owned=[])

    def _add_member(self, group: str, **known: Any) -> None:
        known |= {"ts_ms": self.ts_ms, "group": group}
        for name in MEMBERS:
            self.members[name].append(known.get(name))
