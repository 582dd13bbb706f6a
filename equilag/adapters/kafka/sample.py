"""One sample of a cluster, as rows: members, subscriptions, commits and log ends of every group."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from equilag.adapters.kafka.client_config import Config
from equilag.adapters.kafka.cluster import TIMEOUT
from equilag.adapters.kafka.described import TopicPartition
from equilag.adapters.kafka.group_kinds import described_kind
from equilag.adapters.kafka.group_reader import GroupReader
from equilag.adapters.kafka.reading import Reading, several
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
        self._reader = GroupReader(config, timeout=timeout)
        self._groups = groups or re.compile(".*", re.DOTALL)
        self._racks_kept = -RACKS_EVERY_S

    def close(self) -> None:
        self._reader.close()

    def round(self, whole: bool = False) -> Sample:
        """Return a sample of all readable groups. Raises NoAnswer.

        With `whole` it is for a plan: it waits longer for groups that rebalance, leaves out those
        of which a partition's lag is unknown, and has no sizes of logs.
        """
        read = self._reader.read_all(self._groups.fullmatch, patient=whole)
        sizes, problems = ({}, []) if whole else self._reader.log_sizes(read)
        left_out = {
            name: f"it is {described_kind(one.kind)[0]}" for name, one in read.others.items()
        }
        left_out |= read.left_out
        rows = SampleRows(read.ts_ms, sizes)
        for one in read.groups:
            unknown = rows.add(one, whole)
            if whole and unknown:
                left_out[one.group] = f"lag unknown: {several(unknown)}"
        racks = {}
        if time.monotonic() - self._racks_kept >= RACKS_EVERY_S:
            racks = {topic: read.topics.racks[topic] for topic, _ in read.ends}
            self._racks_kept = time.monotonic()
        remarks = [*read.remarks, *read.problems, *by_reason(read.no_ends), *problems]
        return Sample(
            read.ts_ms,
            rows.offsets,
            rows.members,
            left_out,
            list(dict.fromkeys(remarks)),
            rack_rows(read.ts_ms, racks),
        )


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


class SampleRows:
    """The columns of both tables, filled group by group.

    `sizes` has the bytes of each partition's log if known.
    """

    def __init__(self, ts_ms: int, sizes: Mapping[TopicPartition, int]) -> None:
        self.ts_ms = ts_ms
        self.offsets: dict[str, list[Any]] = {name: [] for name in OFFSETS}
        self.members: dict[str, list[Any]] = {name: [] for name in MEMBERS}
        self._sizes = sizes

    def add(self, read: Reading, whole: bool = False) -> list[TopicPartition]:
        """Add a group; return its partitions of which the lag is unknown, which have no row.

        With `whole` a group that has any is not added.
        """
        offsets = read.offsets
        places = [*partitions_of(read)]
        unknown = [
            (topic, number) for topic, number in places if offsets.log_end[topic][number] is None
        ]
        if whole and unknown:
            return unknown
        for topic, number in places:
            if offsets.log_end[topic][number] is not None:
                known = (
                    one[topic][number]
                    for one in (offsets.log_start, offsets.log_end, offsets.committed)
                )
                values = (
                    self.ts_ms,
                    read.group,
                    topic,
                    number,
                    *known,
                    self._sizes.get((topic, number)),
                )
                for name, value in zip(OFFSETS, values, strict=True):
                    self.offsets[name].append(value)
        for member in read.members:
            owned = sorted((topic, sorted(held)) for topic, held in member.owned.items() if held)
            self._add_member(
                read.group,
                member=member.id,
                subscription=list(member.topics),
                owned=owned,
                rack=member.rack,
                instance_id=member.instance_id,
                generation=member.generation,
                client_id=member.client_id,
                host=member.host,
            )
        if not read.members:
            self._add_member(read.group, subscription=[], owned=[])
        return unknown

    def _add_member(self, group: str, **known: Any) -> None:
        known |= {"ts_ms": self.ts_ms, "group": group}
        for name in MEMBERS:
            self.members[name].append(known.get(name))


def partitions_of(read: Reading) -> Iterator[TopicPartition]:
    """Yield the partitions of a group's rows: committed, subscribed or owned, if they exist."""
    subscribed = {topic for member in read.members for topic in member.topics}
    owned = {(t, n) for member in read.members for t, held in member.owned.items() for n in held}
    for topic, committed in read.offsets.committed.items():
        for number, offset in enumerate(committed):
            if topic in subscribed or offset is not None or (topic, number) in owned:
                yield topic, number
