"""The problem as columns: members, topics, partitions, who may read what, who owns what, lags.

Names live in `Group.members` and `Group.topics` only. Everything else is integers: members are
numbered by ascending id, topics by ascending name, and the partitions of all topics in one run
(`topic_start[t] + index`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Unpack

import numpy as np

from equilag.domain.building.group_input import GroupInput, InputDoubt
from equilag.domain.columns import NOBODY as NOBODY
from equilag.domain.columns import Flags as Flags
from equilag.domain.columns import Floats as Floats
from equilag.domain.columns import Index as Index
from equilag.domain.columns import Ints as Ints
from equilag.domain.columns import Marks as Marks
from equilag.domain.columns import alike_rows, pairs_of_alike
from equilag.domain.group.extended_columns import ExtendedColumns
from equilag.domain.group.group_view import GroupView
from equilag.domain.group.lag import OffsetColumns, Previous
from equilag.domain.group.member import UNKNOWN_GENERATION as UNKNOWN_GENERATION
from equilag.domain.group.member import Member as Member


class PartitionClasses(NamedTuple):
    """Who may take what, where the partitions of one topic differ in that."""

    of_partition: Index
    """[P] class of each partition."""
    eligible: Flags
    """[C, K] True if members of class k may take partitions of class c; subscribers only."""


@dataclass(frozen=True, eq=False, repr=False)
class Group(GroupView):
    """One consumer group at one moment.

    Shapes: M members, K member classes (sets of members with one subscription), T topics,
    C partition classes (sets of partitions that the same members may take), P partitions, Q claims.
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
    """[P] index into `equilag.domain.group.lag.QUALITY`: where the lag came from."""
    claim_member: Index
    """[Q] live members' claims on existing partitions, by member and then as they were given."""
    claim_partition: Ints
    """[Q]"""
    owner: Index
    """[P] the member whose claim stands and that may take the partition, or NOBODY."""
    dropped_claims: int = field(default=0, compare=False)
    doubts: tuple[InputDoubt, ...] = field(default=(), compare=False)
    """What the input was accepted with although it may be a mistake."""
    remarks: tuple[str, ...] = field(default=(), compare=False)
    """What a source that is no snapshot, such as a pasted text, leaves open or makes doubtful."""
    incomplete: tuple[str, ...] = field(default=(), compare=False)
    """Why the source does not say who reads what, in sentences."""
    assumed_subscribers: tuple[str, ...] = field(default=(), compare=False)
    """Ids of the members whose subscription is a guess, since members own partitions of different
    topics and the source does not say what they subscribe to."""
    from_metrics: tuple[str, str] | None = field(default=None, compare=False)
    """Of a group out of metrics, whose user may have no right on a broker, as words of a shell: the
    options that name it, and those that read it again for its rates."""
    taken_at: str | None = None
    generation: int | None = None
    partition_classes: PartitionClasses | None = None
    """Given where a subscription alone does not say who may take a partition; else the partitions
    of all topics with the same subscribers are one class."""
    offsets: OffsetColumns | None = None
    previous: Previous | None = None
    """The offsets of an earlier moment; both None where they are unknown."""
    rates: Floats | None = None
    """[P] records produced per second, NaN for unknown; None if none is known."""
    weights: Ints | None = None
    """[P] weights of the user's own, 0 or more; None without any."""
    move_weights: Ints | None = None
    """[P] what it costs to move each partition, 0 or more; None where each move costs 1."""
    racks: tuple[tuple[str, ...], ...] | None = None
    """[P] the racks that hold a replica, empty where nothing is known; None if none is known."""
    allowed: Mapping[int, tuple[int, ...]] | None = None
    """Partition -> the members, ascending, that alone may take it; None without restrictions."""
    co_partitioned: tuple[tuple[int, ...], ...] = ()
    """Lists of topics of equal size: partition i of all topics of a list goes to one member."""
    reduced: ExtendedColumns | None = None
    """What `equilag.domain.reduction.reduce` made of the group; None in a group as it was read."""

    @classmethod
    def build(cls, **given: Unpack[GroupInput]) -> Group:
        """Make a group from Python values; every argument is given by its name.

            Group.build(
                name="orders-service",
                topics={"orders": 3, "payments": 2},
                members=["c-1", Member("c-2", rack="eu-1a")],
                subscriptions={"c-1": ["orders", "payments"], "c-2": ["orders"]},
                owned={"c-1": {"orders": [0, 1]}},
                lags={"orders": [70, 20, None], "payments": [0, 5]},
            )

        topics: name -> number of partitions. P is their sum; a column [P] has the partitions of all
            topics in one run, by topic name and then by number.
        members: `Member` objects, or ids of members of which nothing else is known; in any order.
        subscriptions: id -> topic names, for every member. A topic that is not in `topics` does
            not exist yet. Members that share one list object are quicker to take.
        owned: id -> topic -> partition numbers that the member holds now, or `ClaimColumns`. A
            claim on what does not exist, or is not subscribed to, is dropped and counted; of
            several claims on one partition that of the newest generation wins.
        lags: topic -> lag of each partition in records, 0 to 2^53 - 1 and None for unknown; or a
            column [P] of integers, -1 for unknown. Stands before `offsets`, topic by topic.
        offsets: `PartitionOffsets`, from which lags follow (see `equilag.domain.group.lag`).
        previous: seconds before now, and the offsets of that moment, of some topics or all.
        auto_offset_reset: `latest` (the default), `earliest` or `none`: what a partition without a
            commit counts as, which is 0 or the whole log.
        unknown_lags: topic -> numbers of the partitions whose lag is unknown, whatever else says.
        rates: topic -> records per second produced to each partition, None for unknown; or a
            column [P], NaN for unknown.
        weights, move_weights: topic -> weight of each partition, 0 to 2^53 - 1; or a column [P].
        racks: topic -> for each partition, the racks that hold a replica.
        allowed: topic -> partition number -> ids of the members that alone may read it.
        co_partitioned: lists of topics of equal size; partitions of one number go to one member.
        taken_at: RFC 3339 time. generation: of the group. incomplete: sentences, why the source
            does not say who reads what. assumed_subscribers: ids of members whose subscription
            is a guess.

        `name`, `topics`, `members` and `subscriptions` are required; a lag of which nothing is
        said is 0 and unknown. A list of integers may also be a tuple, a range or an array.

        Raises InputError with the place that a snapshot would have, such as `lags.orders[2]` or
        `members[1].owned.orders[2]`, and TypeError for an argument that is missing or unknown.
        """
        from equilag.domain.building.builder import build

        return build(given, cls)

    @cached_property
    def extended(self) -> ExtendedColumns:
        """What planning has to know of members and moves; in a group as it was read, members are
        all the same."""
        return self.reduced or ExtendedColumns.plain(self.n_members)

    @property
    def n_members(self) -> int:
        return len(self.members)

    @property
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
        """[T, K] True if the member class subscribes to the topic."""
        table = np.zeros((len(self.topics), len(self.class_topics)), dtype=np.bool_)
        table[self.subscriptions] = True
        return table

    @cached_property
    def subscriptions(self) -> tuple[Ints, Ints]:
        """Topic and member class of every pair that goes together, by member class."""
        if not self.class_topics:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        sizes = list(map(len, self.class_topics))
        member_classes = np.repeat(np.arange(len(self.class_topics)), sizes)
        return np.concatenate(self.class_topics).astype(np.int64), member_classes

    @cached_property
    def class_size(self) -> Ints:
        """[K] members in each class."""
        return np.bincount(self.class_of, minlength=len(self.class_topics)).astype(np.int64)

    @cached_property
    def readers(self) -> Ints:
        """[T] members that subscribe to each topic; 0 for topics without partitions."""
        topics, member_classes = self.subscriptions
        number = np.zeros(len(self.topics), dtype=np.int64)
        np.add.at(number, topics, self.class_size[member_classes])
        return number

    @cached_property
    def topic_class(self) -> Index:
        """[T] class of each topic's partitions, numbered by the first topic; ValueError where
        partitions have their own."""
        if self.partition_classes is not None:
            raise ValueError("a topic has no class where partitions have their own")
        return alike_rows(self.reads)

    @cached_property
    def eligible(self) -> Flags:
        """[C, K] True if members of class k may take partitions of class c."""
        if self.partition_classes is not None:
            return self.partition_classes.eligible
        first = np.unique(self.topic_class, return_index=True)[1]
        return self.reads if len(first) == len(self.reads) else self.reads[first]

    @cached_property
    def arcs(self) -> tuple[Ints, Ints]:
        """Partition class and member class of every pair that is eligible, ascending."""
        if self.partition_classes is not None:
            classes, member_classes = np.nonzero(self.partition_classes.eligible)
            return classes, member_classes
        return pairs_of_alike(*self.subscriptions, self.topic_class)

    @cached_property
    def partition_class(self) -> Index:
        """[P] class of each partition."""
        given = self.partition_classes
        return self.topic_class[self.topic_of] if given is None else given.of_partition

    @cached_property
    def class_partitions(self) -> Ints:
        """[C] partitions of each class."""
        return np.bincount(self.partition_class, minlength=len(self.eligible))

    @cached_property
    def assignable(self) -> Flags:
        """[P] True if any member may take the partition."""
        anybody = np.zeros(len(self.eligible), np.bool_)
        anybody[self.arcs[0]] = True
        return anybody[self.partition_class]

    @cached_property
    def idle(self) -> Flags:
        """[M] True for members that may take no partition; they take part in no spread."""
        classes, member_classes = self.arcs
        takes = np.zeros(self.eligible.shape[1], np.bool_)
        takes[member_classes[self.class_partitions[classes] > 0]] = True
        idle: Flags = ~takes[self.class_of] if self.members else np.zeros(0, np.bool_)
        return idle if self.reduced is None else idle | (self.reduced.room == 0)

    @cached_property
    def static_order(self) -> Index:
        """[M] members as range and round robin take them: static ones first, by instance id."""
        key = [(m.instance_id is None, m.instance_id or "", m.id) for m in self.members]
        return np.array(sorted(range(self.n_members), key=key.__getitem__), dtype=np.int32)

    @cached_property
    def one_subscription(self) -> bool:
        """True if all members read the same topics."""
        return len(self.class_topics) <= 1

    @cached_property
    def disjoint(self) -> bool:
        """True if subscriptions decide who may take what, some topic is read, and none is read by
        two member classes."""
        if self.partition_classes is not None:
            return False
        total = sum(map(len, self.class_topics))
        if not 0 < total <= len(self.topics):
            return False
        return len(self.class_topics) == 1 or bool(np.bincount(self.subscriptions[0]).max() <= 1)

    def subscribers(self, topic: int) -> Index:
        """Members, ascending, that read the topic."""
        return np.flatnonzero(self.reads[topic][self.class_of]).astype(np.int32)

    def may_hold(self, partitions: Ints, members: Ints | Index | int) -> Flags:
        """True where the member may take the partition; the two are broadcast together."""
        found: Flags = self.eligible[self.partition_class[partitions], self.class_of[members]]
        return found

    def partition_name(self, partition: int) -> tuple[str, int]:
        """Topic name and number of a partition."""
        topic = int(self.topic_of[partition])
        return self.topics[topic], partition - int(self.topic_start[topic])

    def by_member(self, values: Ints | Floats) -> dict[str, Any]:
        """Member id -> its entry of a column [M]."""
        return dict(zip((member.id for member in self.members), values.tolist(), strict=True))

    def without_owners(self) -> Group:
        """The same group as if nobody owned anything (``--fresh``)."""
        nothing = np.full(self.n_partitions, NOBODY, dtype=np.int32)
        reduced = self.reduced and self.reduced._replace(stakes=None, forced_moves=0)
        return replace(self, owner=nothing, reduced=reduced)
