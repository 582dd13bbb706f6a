"""What every plan of a policy has in common, as answers to questions.

All other modules ask; none of them reads the arrays behind the answers, which a test checks. A new
constraint therefore changes this package and not its callers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np

from equilag.domain.columns import rows_together
from equilag.domain.constraint.topic_intervals import CountInterval, InstanceSums, TopicIntervals
from equilag.domain.group.group import NOBODY, Flags, Group, Index, Ints
from equilag.domain.plan.metrics import cross_reads, member_counts, topic_counts

Some: TypeAlias = int | Ints | Index | Flags | slice
"""Some members, topics or partitions: one number, an array of numbers, flags, or a slice."""

ALL: Final = slice(None)


@dataclass(frozen=True, eq=False)
class CountConstraint:
    """The counts and the pairs of partition and member that a policy's balance allows.

    Shapes as in `Group`: M members, K member classes, T topics, C partition classes, P partitions.
    """

    group: Group
    _least: Ints
    """[M] fewest partitions of a member, pinned ones included."""
    _most: Ints
    """[M] most partitions of a member."""
    face: Flags
    """[C, K] True if members of class k may take partitions of class c.

    Only pairs that some plan within the constraint uses: those inside one block."""
    _pinned: Flags
    """[P] partitions that stay where they are (``sticky-yet-fair``)."""
    _topics: TopicIntervals | None = None
    """Fewest and most partitions of a topic per member, where topics count one by one."""
    most_across: int | None = None
    """The most partitions that may be read across racks; None for no limit."""
    limits_reads: bool = False
    """True if the limit on reads rules out what faces and counts allow."""
    instance_sums: InstanceSums | None = None
    """Fewest and most partitions of each instance, pinned ones included; None where the intervals
    of the members say as much."""

    @staticmethod
    def by_intervals(group: Group, least: Ints, most: Ints) -> CountConstraint:
        """Every member takes from `least` to `most` [M] partitions, any that it reads."""
        nothing = np.zeros(group.n_partitions, dtype=np.bool_)
        return CountConstraint(group, least, most, group.eligible, nothing)

    # Partitions

    @property
    def has_pinned(self) -> bool:
        """True if any partition must stay with its owner."""
        return bool(self._pinned.any())

    @cached_property
    def free(self) -> Flags:
        """[P] True for the partitions that are assigned to somebody and are not pinned."""
        return self.group.assignable & ~self._pinned if self.has_pinned else self.group.assignable

    @cached_property
    def pinned_assignment(self) -> Index:
        """[P] the owner of each pinned partition, NOBODY elsewhere."""
        return np.where(self._pinned, self.group.owner, NOBODY).astype(np.int32)

    @cached_property
    def fixed(self) -> Ints:
        """[M] pinned partitions of each member."""
        if not self.has_pinned:
            return np.zeros(self.group.n_members, np.int64)
        return member_counts(self.pinned_assignment, self.group.n_members)

    @cached_property
    def supply(self) -> Ints:
        """[C] free partitions of each class; 0 where nobody may take them."""
        group, read = self.group, np.zeros(len(self.face), np.bool_)
        read[group.arcs[0]] = True
        size: Ints = group.class_partitions * read
        if not self.has_pinned:
            return size
        return size - np.bincount(group.partition_class[self._pinned], minlength=len(size))

    # Who may take what

    @cached_property
    def arcs(self) -> tuple[Ints, Ints]:
        """Partition class and member class of every pair of the face, ascending."""
        classes, member_classes = self.group.arcs
        if self.face is self.group.eligible:
            return classes, member_classes
        inside = self.face[classes, member_classes]
        return classes[inside], member_classes[inside]

    def may(self, partitions: Some, members: Some) -> Flags:
        """True where the member may take the partition; the two are broadcast together."""
        group = self.group
        found: Flags = self.face[group.partition_class[partitions], group.class_of[members]]
        return found

    # Counts of members

    def counts_of(self, members: Some = ALL) -> CountInterval:
        """Fewest and most partitions of each of the members, pinned ones included."""
        return CountInterval(self._least[members], self._most[members])

    @property
    def largest_count(self) -> int:
        """The most partitions that any member that is not idle may have."""
        return int(self._most[~self.group.idle].max(initial=0))

    def beside_pinned(self) -> tuple[CountInterval, InstanceSums | None]:
        """Fewest and most free partitions of each member [M], and of each instance."""
        counts = CountInterval(*(count - self.fixed for count in self.counts_of()))
        return counts, self.instance_sums and self.instance_sums.without(self.fixed)

    def may_lose_one(self, counts: Ints, members: Some) -> Flags:
        """True for the members that stay within their interval with one partition fewer, and their
        instance within its own.

        `counts` [M] are the partitions that each member has now.
        """
        fewer: Flags = counts[members] > self._least[members]
        sums = self.instance_sums
        if sums is None:
            return fewer
        may: Flags = fewer & (sums.total(counts) > sums.least)[sums.of[members]]
        return may

    def may_gain_one(self, counts: Ints, members: Some) -> Flags:
        """True for the members that stay within their interval with one partition more, and their
        instance within its own."""
        more: Flags = counts[members] < self._most[members]
        sums = self.instance_sums
        if sums is None:
            return more
        may: Flags = more & (sums.total(counts) < sums.most)[sums.of[members]]
        return may

    # Counts by topic

    @property
    def per_topic(self) -> bool:
        """True if every topic is balanced by itself."""
        return self._topics is not None

    @property
    def totals_then_topics(self) -> bool:
        """True if topics are balanced as far as the most even totals allow."""
        return self._topics is not None and self._topics.after_totals

    @property
    def topics(self) -> TopicIntervals:
        """Fewest and most partitions of each topic per member; only where `per_topic`."""
        if self._topics is None:
            raise ValueError("topics are not counted one by one")
        return self._topics

    @cached_property
    def free_topics(self) -> TopicIntervals:
        """The same without pinned partitions."""
        if not self.has_pinned:
            return self.topics
        return self.topics.without(topic_counts(self.group, self.pinned_assignment))

    def may_lose_of_topic(self, held: Index, topics: Ints | Index, members: Ints | Index) -> Flags:
        """True where a subscriber of the topic may have one partition of it fewer than `held`
        [T, M]; the two are broadcast together."""
        fewer: Flags = held[topics, members] > self.topics.at(topics, members).least
        return fewer

    def may_gain_of_topic(self, held: Index, topics: Ints | Index, members: Ints | Index) -> Flags:
        """True where a subscriber of the topic may have one partition of it more than `held`."""
        more: Flags = held[topics, members] < self.topics.at(topics, members).most
        return more

    # Members that are alike

    @property
    def all_alike(self) -> bool:
        """True if every member may take every partition, under one interval of counts no wider than
        one, and all have one capacity and no instance."""
        face, least, most = self.face, self._least, self._most
        if self.instance_sums is not None or self.group.extended.has_capacities:
            return False
        if self.group.n_members < 2 or self.per_topic or self.has_pinned or face.shape[1] != 1:
            return False
        readable = np.count_nonzero(self.group.eligible)
        one_interval = least.min() == least.max() and most.min() == most.max() <= least.min() + 1
        return bool(one_interval and np.count_nonzero(face) == readable > 0)

    def alike_members(self) -> list[Ints]:
        """The sets of members of one class, capacity and interval of counts, the largest set first.

        Where the sums of instances bind, members whose counts may change are alike only within
        their instance. Only sets of two members and more, with intervals no wider than one. None
        where topics count one by one or partitions are pinned.
        """
        if self.per_topic or self.has_pinned:
            return []
        kinds = self.group.extended.capacities.kind_of
        columns: list[Ints | Index] = [self._most, self._least, self.group.class_of, kinds]
        if self.instance_sums is not None:
            columns.append(np.where(self._least < self._most, self.instance_sums.of, 0))
        order, first = rows_together(columns)
        sets = np.split(order, np.flatnonzero(first)[1:])
        narrow = (self._most > 0) & (self._most - self._least <= 1)
        busy = [members for members in sets if len(members) > 1 and narrow[members[0]]]
        return sorted(busy, key=len, reverse=True)

    # Assignments

    def admits(self, assigned: Index) -> bool:
        """True if a valid assignment [P] keeps to the constraint; O(P)."""
        group = self.group
        counts = member_counts(assigned, group.n_members)
        if ((counts < self._least) | (counts > self._most)).any():
            return False
        if self.most_across is not None and cross_reads(group, assigned) > self.most_across:
            return False
        if self.instance_sums is not None and not self.instance_sums.admit(counts):
            return False
        if not self.has_pinned and not self.per_topic and self.face.all():
            return True
        free = np.flatnonzero((assigned != NOBODY) & ~self._pinned)
        if not self.may(free, assigned[free]).all():
            return False
        if (assigned[self._pinned] != group.owner[self._pinned]).any():
            return False
        if self._topics is None:
            return True
        return self._topics.first_outside(topic_counts(group, assigned)) is None
