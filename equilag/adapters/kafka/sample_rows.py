"""The rows of one sample, from plain values; no requests."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, TypeAlias, TypeVar

from equilag.adapters.kafka.described import DescribedMember
from equilag.domain.group.lag import lag_list

TopicPartition: TypeAlias = tuple[str, int]

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


def subscription(member: DescribedMember, topics: Iterable[str]) -> tuple[list[str], str | None]:
    """Return all topics that a member subscribes to, and a problem if they are incomplete.

    `topics` are those of the cluster. A pattern must match a whole name, as on the broker.
    """
    names = {*member.topics}
    problem = None
    if member.pattern:
        pattern = _compiled(member.pattern)
        if pattern is None:
            # It subscribes to what it owns; the rest is unknown.
            names.update(member.owned)
            problem = f"the pattern {member.pattern!r} cannot be read here; only owned topics count"
        else:
            names.update(topic for topic in topics if pattern.fullmatch(topic))
    return sorted(names), problem


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str] | None:
    """Compile a pattern of the broker's RE2/J; None if Python's `re` cannot read it."""
    with warnings.catch_warnings():
        # [[:alpha:]] is a character class in RE2/J and a set of letters in Python.
        warnings.simplefilter("error", FutureWarning)
        try:
            return re.compile(pattern)
        except (re.error, FutureWarning, RecursionError, OverflowError):
            return None


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
    found = {*committed}
    for member in members:
        found.update((topic, p) for topic in member.topics for p in topics.get(topic, ()))
        found.update((topic, p) for topic, partitions in member.owned.items() for p in partitions)
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


T = TypeVar("T")


@dataclass(slots=True)
class Commits:
    """The commits of a group; `failed` maps partitions whose commit is unknown to the reason."""

    offsets: dict[TopicPartition, int] = field(default_factory=dict)
    failed: dict[TopicPartition, str] = field(default_factory=dict)
    by_streams: bool = False
    """True if a Kafka Streams application committed all of them."""

    def known(self, found: Mapping[TopicPartition, T]) -> Mapping[TopicPartition, T]:
        """Return what was found without the partitions whose commit is unknown."""
        if not self.failed:
            return found
        return {tp: one for tp, one in found.items() if tp not in self.failed}
