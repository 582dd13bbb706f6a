"""The problem as columns: members, topics, partitions, who may read what, who owns what, lags.

Names live in `Group.members` and `Group.topics` only. Everything else is integers: members are
numbered by ascending id, topics by ascending name, and the partitions of all topics in one run
(`topic_start[t] + index`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from equilag.errors import InputError

Ints: TypeAlias = npt.NDArray[np.int64]
Index: TypeAlias = npt.NDArray[np.int32]
Marks: TypeAlias = npt.NDArray[np.uint8]
Flags: TypeAlias = npt.NDArray[np.bool_]

NOBODY: Final = -1
MAX_LAG: Final = 2**53
MAX_TOTAL: Final = 2**62
MAX_PARTITIONS: Final = 10_000_000
QUALITY: Final = ("ok", "no_commit", "ahead_of_end", "below_log_start", "given", "unknown")


@dataclass(frozen=True, slots=True)
class Member:
    """What is known of one member besides its subscription and claims."""

    id: str
    instance_id: str | None = None
    rack: str | None = None
    generation: int = -1
    capacity: float = 1.0
    client_id: str | None = None
    host: str | None = None


@dataclass(frozen=True, eq=False)
class Group:
    """One consumer group at one moment.

    Shapes: M members, K member classes (sets of members with one subscription), T topics,
    C topic classes (topics with the same subscribers), P partitions, Q claims.
    """

    name: str
    members: tuple[Member, ...]
    topics: tuple[str, ...]
    topic_start: Ints
    """[T + 1] number of each topic's first partition; the last entry is P."""
    class_of: Index
    """[M] member class."""
    class_topics: tuple[Index, ...]
    """[K] the topics, ascending, that a class reads; only topics that have partitions."""
    lag: Ints
    """[P] records, 0 or more."""
    quality: Marks
    """[P] index into QUALITY: where the lag came from."""
    claim_member: Index
    """[Q] live members' claims on existing partitions, by member and then as they were given."""
    claim_partition: Ints
    """[Q]"""
    owner: Index
    """[P] the member whose claim stands, or NOBODY."""
    dropped_claims: int = 0
    taken_at: str | None = None
    generation: int | None = None

    @cached_property
    def n_members(self) -> int:
        return len(self.members)

    @cached_property
    def n_partitions(self) -> int:
        return int(self.topic_start[-1])

    @cached_property
    def topic_size(self) -> Ints:
        """[T] partitions of each topic."""
        return self.topic_start[1:] - self.topic_start[:-1]

    @cached_property
    def topic_of(self) -> Index:
        """[P] topic of each partition."""
        return np.repeat(np.arange(len(self.topics), dtype=np.int32), self.topic_size)

    @cached_property
    def reads(self) -> Flags:
        """[T, K] does the member class read the topic."""
        table = np.zeros((len(self.topics), len(self.class_topics)), dtype=np.bool_)
        table[self.subscriptions] = True
        return table

    @cached_property
    def subscriptions(self) -> tuple[Ints, Ints]:
        """Topic and member class of every pair that goes together, by member class."""
        if not self.class_topics:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        kinds = np.repeat(np.arange(len(self.class_topics)), list(map(len, self.class_topics)))
        return np.concatenate(self.class_topics).astype(np.int64), kinds

    @cached_property
    def class_size(self) -> Ints:
        """[K] members in each class."""
        return np.bincount(self.class_of, minlength=len(self.class_topics)).astype(np.int64)

    @cached_property
    def _topic_classes(self) -> tuple[Index, Flags, Ints]:
        """[T] class of each topic; [C, K] the readers and [C] the first topic of each class."""
        if not self.topics:
            nothing = np.zeros((0, len(self.class_topics)), np.bool_)
            return np.zeros(0, np.int32), nothing, np.zeros(0, np.int64)
        if self.reads.all():  # the most common group of all
            return np.zeros(len(self.topics), np.int32), self.reads[:1], np.zeros(1, np.int64)
        topics, kinds = self.subscriptions
        for seed in range(2**32):  # the first will do but for a collision of 64-bit numbers
            mark = np.zeros(len(self.topics), dtype=np.uint64)
            np.add.at(mark, topics, _scrambled(len(self.class_topics), seed)[kinds])
            _, first, inverse = np.unique(mark, return_index=True, return_inverse=True)
            like = first[inverse]
            others = np.flatnonzero(like != np.arange(len(like)))
            if np.array_equal(self.reads[others], self.reads[like[others]]):
                break
        if len(first) == len(mark):
            every = np.arange(len(mark))
            return every.astype(np.int32), self.reads, every
        order = np.argsort(first, kind="stable")  # number classes by their first topic
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return rank[inverse].astype(np.int32), self.reads[first[order]], first[order]

    @property
    def topic_class(self) -> Index:
        """[T] topic class of each topic."""
        return self._topic_classes[0]

    @property
    def eligible(self) -> Flags:
        """[C, K] may a member of class k take a partition of topic class c."""
        return self._topic_classes[1]

    @cached_property
    def arcs(self) -> tuple[Ints, Ints]:
        """Topic class and member class of every pair of the two that goes together, ascending."""
        topics, kinds = self.subscriptions
        first = np.zeros(len(self.topics), dtype=np.bool_)
        first[self._topic_classes[2]] = True
        one_each = first[topics]  # one topic speaks for all of its class
        classes, kinds = self.topic_class[topics[one_each]].astype(np.int64), kinds[one_each]
        narrow = classes.astype(np.min_scalar_type(len(first)))  # up to 16 bits sort much faster
        order = np.argsort(narrow, kind="stable")
        return classes[order], kinds[order]

    @cached_property
    def partition_class(self) -> Index:
        """[P] topic class of each partition."""
        return self.topic_class[self.topic_of]

    @cached_property
    def assignable(self) -> Flags:
        """[P] does anybody read the partition."""
        return np.repeat(self.reads.any(axis=1), self.topic_size)

    @cached_property
    def idle(self) -> Flags:
        """[M] members whose subscription holds no partition; they take part in no spread."""
        empty = np.array([len(topics) == 0 for topics in self.class_topics], dtype=np.bool_)
        return empty[self.class_of] if self.members else np.zeros(0, np.bool_)

    @cached_property
    def static_order(self) -> Index:
        """[M] members as range and round robin take them: static ones first, by instance id."""

        def key(m: int) -> tuple[bool, str, str]:
            member = self.members[m]
            return member.instance_id is None, member.instance_id or "", member.id

        return np.array(sorted(range(self.n_members), key=key), dtype=np.int32)

    @cached_property
    def one_subscription(self) -> bool:
        """Do all members read the same topics."""
        return len(self.class_topics) <= 1

    @cached_property
    def disjoint(self) -> bool:
        """Is no topic read by two member classes, though some is read at all."""
        total = sum(map(len, self.class_topics))
        if not 0 < total <= len(self.topics):
            return False
        return len(self.class_topics) == 1 or bool(np.bincount(self.subscriptions[0]).max() <= 1)

    def subscribers(self, topic: int) -> Index:
        """Members, ascending, that read the topic."""
        return np.flatnonzero(self.reads[topic][self.class_of]).astype(np.int32)

    def partition_name(self, partition: int) -> tuple[str, int]:
        """Topic name and number of a partition."""
        topic = int(self.topic_of[partition])
        return self.topics[topic], partition - int(self.topic_start[topic])

    def without_owners(self) -> Group:
        """The same group as if nobody owned anything (``--fresh``)."""
        nothing = np.full(self.n_partitions, NOBODY, dtype=np.int32)
        return replace(self, owner=nothing)


def _scrambled(n: int, seed: int) -> npt.NDArray[np.uint64]:
    """n numbers of 64 bits with no pattern to them (SplitMix64; Steele, Lea and Flood, 2014)."""
    first = seed * n + 1
    z = np.arange(first, first + n, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def intern_subscriptions(
    subscriptions: Iterable[tuple[int, ...]],
) -> tuple[Index, tuple[Index, ...]]:
    """Number the distinct subscriptions in order of appearance.

    Takes, for each member, the ascending numbers of the topics with partitions that it reads;
    returns `class_of` and `class_topics` of `Group`.
    """
    number: dict[tuple[int, ...], int] = {}
    class_of = [number.setdefault(topics, len(number)) for topics in subscriptions]
    return (
        np.array(class_of, dtype=np.int32),
        tuple(np.array(topics, dtype=np.int32) for topics in number),
    )


def resolve_claims(
    claim_member: Index,
    claim_partition: Ints,
    generation: Ints,
    subscribed: Flags,
    n_partitions: int,
) -> Index:
    """Who owns each partition, from everybody's claims (KIP-54, with Kafka 4's rule).

    `generation` and `subscribed` are per claim. The newest claim on a partition wins, whether or
    not its member still subscribes; two of the same, newest generation void each other; then a
    winner that does not subscribe loses it.
    """
    owner = np.full(n_partitions, NOBODY, dtype=np.int32)
    if not len(claim_member):
        return owner
    order = np.lexsort((generation, claim_partition))
    partition, newest = claim_partition[order], generation[order]
    last = np.append(partition[1:] != partition[:-1], True)
    tied = np.append(False, (partition[1:] == partition[:-1]) & (newest[1:] == newest[:-1]))
    winner = order[last & ~tied & subscribed[order]]
    owner[claim_partition[winner]] = claim_member[winner]
    return owner


def check_sizes(lag: Ints, n_partitions: int) -> None:
    """Refuse what would not fit the 64-bit arithmetic further in; raises InputError."""
    if n_partitions > MAX_PARTITIONS:
        raise InputError(f"{n_partitions} partitions, more than {MAX_PARTITIONS}", "topics")
    # The sum of up to 10 million lags below 2^53 can pass 2^63, so it is taken in two halves.
    total = (int((lag >> 26).sum()) << 26) + int((lag & (2**26 - 1)).sum())
    if total >= MAX_TOTAL:
        raise InputError(f"the lags add up to {total}, which is 2^62 or more", "lags")


def iter_names(group: Group, partitions: Ints) -> Iterator[tuple[str, int]]:
    """Topic name and number of each of `partitions`."""
    topic = group.topic_of[partitions]
    index = partitions - group.topic_start[topic]
    for t, i in zip(topic.tolist(), index.tolist(), strict=True):
        yield group.topics[t], i
