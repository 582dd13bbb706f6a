"""One sample of a cluster, as rows: members, subscriptions, commits and log ends of every group."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from equilag.adapters.kafka.client_config import Config
from equilag.adapters.kafka.described import DescribedMember, NoAnswer, TopicPartition
from equilag.adapters.kafka.group_kinds import described_kind
from equilag.adapters.kafka.group_reader import TIMEOUT, GroupReader
from equilag.adapters.kafka.plain.plain_ends import NO_LEADER
from equilag.adapters.kafka.reading import Reading, TopicRacks, several
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
        self, config: Config, groups: re.Pattern[str] | None = None, timeout: float = TIMEOUT
    ) -> None:
        self._reader = GroupReader(config, timeout=timeout)
        self._groups = groups or re.compile(".*", re.DOTALL)
        self._racks_kept = -RACKS_EVERY_S

    def close(self) -> None:
        self._reader.close()

    def round(self, whole: bool = False) -> Sample:
        """Return a sample of all readable groups. Raises NoAnswer, also if no leader answers.

        With `whole` it is for a plan: it waits longer for groups that rebalance, leaves out those
        of which a partition's lag is unknown, and has no sizes of logs.
        """
        read = self._reader.read_all(self._groups.fullmatch, patient=whole)
        silent = [reason for reason in read.logs.failed.values() if reason != NO_LEADER]
        if silent and not read.logs.found:
            raise NoAnswer(silent[0])
        sizes, problems = ({}, []) if whole else self._reader.log_sizes(read)
        kinds = read.unplannable.items()
        left_out = {name: f"it is {described_kind(kind)[0]}" for name, kind in kinds}
        left_out |= read.left_out
        groups = []
        for one in read.groups:
            if one.group in left_out:
                continue
            ends = one.offsets.log_end
            unknown = [(topic, n) for topic, n in partitions_of(one) if ends[topic][n] is None]
            if whole and unknown:
                left_out[one.group] = f"lag unknown: {several(unknown)}"
            else:
                groups.append(one)
        offsets, members = tables_of(read.ts_ms, groups, sizes)
        racks: list[_Row] = []
        if time.monotonic() - self._racks_kept >= RACKS_EVERY_S:
            topics = sorted({topic for topic, _ in read.logs.found})
            racks = [(read.ts_ms, *row) for row in rack_rows(topics, read.topics.racks)]
            self._racks_kept = time.monotonic()
        remarks = [*read.remarks, *read.problems, *by_reason(read.logs.failed), *problems]
        return Sample(
            read.ts_ms,
            offsets,
            members,
            left_out,
            list(dict.fromkeys(remarks)),
            _table(RACKS, racks),
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
_Row: TypeAlias = tuple[Any, ...]


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


def _table(names: Sequence[str], rows: Sequence[_Row]) -> dict[str, list[Any]]:
    """Return a table by column."""
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def tables_of(
    ts_ms: int, groups: Iterable[Reading], sizes: Mapping[TopicPartition, int]
) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """Return the tables of offsets and of members of these groups; partitions whose log end is
    unknown are left out."""
    offsets: list[_Row] = []
    members: list[_Row] = []
    for one in groups:
        ends = one.offsets.log_end
        known = [(topic, n) for topic, n in partitions_of(one) if ends[topic][n] is not None]
        offsets += ((ts_ms, *row) for row in offset_rows(one, known, sizes))
        members += ((ts_ms, one.group, *row) for row in member_rows(one.members))
    return _table(OFFSETS, offsets), _table(MEMBERS, members)


def partitions_of(read: Reading) -> Iterator[TopicPartition]:
    """Yield the partitions of a group's rows: committed, subscribed or owned, if they exist."""
    subscribed = {topic for member in read.members for topic in member.topics}
    owned = {(t, n) for member in read.members for t, held in member.owned.items() for n in held}
    for topic, committed in read.offsets.committed.items():
        for number, offset in enumerate(committed):
            if topic in subscribed or offset is not None or (topic, number) in owned:
                yield topic, number


def offset_rows(
    read: Reading, partitions: Iterable[TopicPartition], sizes: Mapping[TopicPartition, int]
) -> Iterator[_Row]:
    """Yield the rows of `OFFSETS` without their time; `sizes` has bytes if known."""
    columns = read.offsets.log_start, read.offsets.log_end, read.offsets.committed
    for topic, number in partitions:
        offsets = (column[topic][number] for column in columns)
        yield read.group, topic, number, *offsets, sizes.get((topic, number))


def member_rows(members: Sequence[DescribedMember]) -> Iterator[_Row]:
    """Yield the rows of `MEMBERS` from the member on; one without a member if there is none."""
    for one in members:
        owned = sorted((topic, sorted(held)) for topic, held in one.owned.items() if held)
        capacity = max_partitions = instance = None  # not known to a broker
        yield (
            one.id, list(one.topics), owned, one.rack, capacity, one.instance_id, one.generation,
            one.client_id, one.host, max_partitions, instance,
        )  # fmt: skip
    if not members:
        yield None, [], [], *[None] * (len(MEMBERS) - 5)


def rack_rows(topics: Iterable[str], racks: TopicRacks) -> Iterator[_Row]:
    """Yield the rows of `RACKS` without their time, of partitions of which any rack is known."""
    for topic in topics:
        for number, names in sorted(racks[topic].items()):
            if names:
                yield topic, number, list(names)
