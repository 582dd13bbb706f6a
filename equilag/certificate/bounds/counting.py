"""What sets of members must and can carry, by counting; docs/certificates.md defines the bounds.

Bounds are computed from nothing but the group, the count constraint and a set of members, so that
whoever finds a bound and whoever checks it run the same few lines.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from equilag.domain.columns import ranges, rows_together
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import Flags, Group, Ints
from equilag.domain.group.member_capacities import Load
from equilag.domain.plan.metrics import member_counts, member_loads


class LoadRange(NamedTuple):
    """The least and the most that a set of members can carry together."""

    least: int
    most: int


class Shares(NamedTuple):
    """Fewest and most partitions of each bucket [B] that a set of members takes."""

    least: Ints
    most: Ints
    exclusive: Flags


class Exclusive(NamedTuple):
    """The free partitions that a set of members may take."""

    order: Ints
    """All of them, ascending by lag."""
    mine: Ints
    """Those that nobody else may take, descending by lag."""
    most: int
    """The most that the members can carry together."""


class Alike(NamedTuple):
    """Members that differ in nothing that counts, [sorts]."""

    member: Ints
    """One of each."""
    number: Ints


class Counting:
    """Load bounds of one group under one count constraint.

    A bucket is a partition class, or a topic where topics count one by one. Pinned partitions are
    in no bucket; they are part of what a member carries anyway.
    """

    def __init__(self, group: Group, constraint: CountConstraint) -> None:
        self.group = group
        self.constraint = constraint
        self.per_topic = constraint.per_topic
        free = np.flatnonzero(constraint.free)
        bucket = (group.topic_of if self.per_topic else group.partition_class)[free]
        order = np.lexsort((group.lag[free], bucket))
        self.bucket = bucket[order].astype(np.int64)
        """[F] bucket of each free partition, ascending."""
        self.lag = group.lag[free[order]]
        """[F] lags, ascending within a bucket."""
        self.partition: Ints = free[order]
        """[F] the numbers of the partitions."""
        self.n_buckets = len(group.topics) if self.per_topic else len(group.eligible)
        self.size = np.bincount(self.bucket, minlength=self.n_buckets)
        start = np.cumsum(self.size) - self.size
        self.from_light = np.arange(len(free)) - start[self.bucket]
        self.from_heavy = self.size[self.bucket] - 1 - self.from_light
        pinned = constraint.pinned_assignment
        self.base = member_loads(pinned, group.lag, group.n_members)
        least, most = constraint.counts_of()
        base_count = member_counts(pinned, group.n_members)
        self.lo: Ints = least - base_count
        """[M] fewest free partitions of a member."""
        self.hi: Ints = most - base_count
        """[M] most free partitions of a member."""
        self.capacities = group.extended.capacities
        self.kind: Ints = self.capacities.kind_of
        """[M] the capacity of each member."""
        self._range: tuple[bytes, LoadRange] | None = None
        self._known: tuple[bytes, Exclusive] | None = None

    @cached_property
    def active(self) -> Flags:
        """[M] True for the members that take part in the spread: those that are not idle."""
        return ~self.group.idle

    @cached_property
    def arcs(self) -> tuple[Ints, Ints]:
        """Bucket and member class of each pair where the class may take from the bucket."""
        return self.group.subscriptions if self.per_topic else self.constraint.arcs

    @cached_property
    def _sort_of(self) -> tuple[Ints, Ints]:
        """[M] what sort of member each is, as to class, capacity, counts and load; one of each."""
        columns = self.group.class_of, self.kind, self.lo, self.hi, self.base
        order, new = rows_together(columns)
        sort = np.empty(len(order), np.int64)
        sort[order] = np.cumsum(new) - 1
        return sort, order[new]

    def alike(self, members: Flags) -> Alike:
        """The sorts of some members [M]."""
        sort, one = self._sort_of
        number = np.bincount(sort[members], minlength=len(one))
        there = np.flatnonzero(number)
        return Alike(one[there], number[there])

    @property
    def greatest_load(self) -> Load:
        """No load is larger than this."""
        slowest = int(self.kind[self.active].min()) if self.active.any() else 0
        return self.capacities.load(int(self.group.lag.sum()), slowest)

    def at_fastest(self, lag: int) -> Load:
        """The load of a lag at the largest capacity of a member that is not idle."""
        return self.capacities.load(lag, int(self.kind[self.active].max()))

    def _reached(self, member_classes: Flags) -> Flags:
        """[B] buckets from which the member classes [K] may take."""
        bucket, member_class = self.arcs
        found = np.zeros(self.n_buckets, dtype=np.bool_)
        found[bucket[member_classes[member_class]]] = True
        return found

    def takers(self, positions: Ints) -> Flags:
        """[M] the members that may take any of some free partitions, as positions in `lag`."""
        bucket, member_class = self.arcs
        wanted = np.zeros(self.n_buckets, np.bool_)
        wanted[self.bucket[positions]] = True
        found = np.zeros(len(self.group.class_topics), np.bool_)
        found[member_class[wanted[bucket]]] = True
        taking: Flags = found[self.group.class_of]
        return taking

    @cached_property
    def alone(self) -> Flags:
        """[F] True for the free partitions that only one member may take."""
        bucket, member_class = self.arcs
        takers = np.zeros(self.n_buckets, np.int64)
        np.add.at(takers, bucket, self.group.class_size[member_class])
        only: Flags = takers[self.bucket] == 1
        return only

    @cached_property
    def _by_member_class(self) -> tuple[Ints, Ints, Ints]:
        """Buckets by member class, first one of each class [K + 1], first lag of each bucket."""
        bucket, member_class = self.arcs
        order = np.argsort(member_class, kind="stable")
        first = np.searchsorted(member_class[order], np.arange(len(self.group.class_topics) + 1))
        return bucket[order], first, np.concatenate(([0], np.cumsum(self.size)))

    def within_reach(self, member_class: int) -> Ints:
        """Free partitions, as positions in `lag`, that a member class may take."""
        buckets, first, edges = self._by_member_class
        mine = buckets[first[member_class] : first[member_class + 1]]
        return ranges(edges[mine], edges[mine + 1])

    def shares(self, members: Flags) -> Shares:
        """Fewest and most partitions of each bucket that the members [M] take."""
        if self.per_topic:
            topics = self.constraint.free_topics
            inside_lo, inside_hi = topics.by_topic(members)
            outside_lo, outside_hi = topics.by_topic(~members)
            least = np.maximum(inside_lo, self.size - outside_hi)
            closed: Flags = np.logical_not(outside_hi)
            return Shares(least, np.minimum(inside_hi, self.size - outside_lo), closed)
        n_member_classes = len(self.group.class_topics)
        inside = np.bincount(self.group.class_of[members], minlength=n_member_classes) > 0
        outside = np.bincount(self.group.class_of[~members], minlength=n_member_classes) > 0
        can = self._reached(inside)
        only = can & ~self._reached(outside)
        return Shares(np.where(only, self.size, 0), np.where(can, self.size, 0), only)

    def load_range(self, members: Flags) -> LoadRange:
        """Least and most lag of the members [M] together; cached for the last set. O(free
        partitions)."""
        key = members.tobytes()
        if self._range is None or self._range[0] != key:
            self._range = key, self._load_range(members)
        return self._range[1]

    def _load_range(self, members: Flags) -> LoadRange:
        share = self.shares(members)
        base, sure = int(self.base[members].sum()), int(share.least.sum())
        least, most = share.least[self.bucket], share.most[self.bucket]
        light = int(self.lag[self.from_light < least].sum())
        more = self.lag[(self.from_light >= least) & (self.from_light < most)]
        light += lightest_of(more, int(self.lo[members].sum()) - sure)
        heavy = int(self.lag[self.from_heavy < least].sum())
        more = self.lag[(self.from_heavy >= least) & (self.from_heavy < most)]
        heavy += heaviest_of(more, int(self.hi[members].sum()) - sure)
        return LoadRange(base + light, base + heavy)

    def average(self, members: Flags, known: tuple[Load, Load] | None = None) -> tuple[Load, Load]:
        """Bounds from the mean load of a set, at its least and at its most.

        Returns (a lower bound on max λ, an upper bound on min λ), λ being the members' loads. One
        that is no better than what is `known` may be weaker than it could be.
        """
        members = members & self.active
        of = self.kind[members]
        if not len(of):
            return 0, self.greatest_load
        least, most = self.load_range(members)
        capacities, size = self.capacities, len(of)
        if capacities.are_equal:
            return -(-least // size), most // size
        number = np.bincount(of, minlength=len(capacities.whole))
        kinds = np.flatnonzero(number).tolist()

        def enough(load: Load) -> bool:
            return int((capacities.weights_upto(load) * number).sum()) >= least

        def too_much(load: Load) -> bool:
            return int((capacities.weights_from(load) * number).sum()) > most

        share = capacities.in_largest(of)
        high: Load = least / share
        low: Load = most / share
        # Rounding changes less than one record of each member.
        end, begin = (least + size) / share, max(0, most - size) / share
        if known is None or end > known[0]:
            high = capacities.first(enough, kinds, high, end)
        if known is None or begin < known[1]:
            above = capacities.first(too_much, kinds, begin, (most + 1) / share)
            low = capacities.before(above, kinds)
        return high, low

    def exclusive(self, members: Flags) -> Exclusive:
        """The partitions that only `members` may take; cached for the last set."""
        key = members.tobytes()
        if self._known is None or self._known[0] != key:
            share = self.shares(members)
            only = share.exclusive[self.bucket]
            may = share.most[self.bucket] > 0
            order = np.flatnonzero(may)
            if np.count_nonzero(share.most) > 1:  # else it is in order as it is
                order = order[np.argsort(self.lag[order], kind="stable")]
            found = Exclusive(order, order[only[order]][::-1], self.load_range(members).most)
            self._known = key, found
        return self._known[1]

    def top(self, members: Flags, heaviest: int) -> tuple[Ints, Ints] | None:
        """The heaviest partitions that only `members` may take; the others they may take.

        The others are in ascending order of lag. None if there are not so many.
        """
        part = self.exclusive(members)
        if heaviest > len(part.mine) or heaviest < 1:
            return None
        top = part.mine[:heaviest]
        rest = np.ones(len(self.lag), dtype=np.bool_)
        rest[top] = False
        return top, part.order[rest[part.order]]


def lightest_of(lags: Ints, number: int) -> int:
    if number <= 0:
        return 0
    if number >= len(lags):
        return int(lags.sum())
    return int(np.partition(lags, number - 1)[:number].sum())


def heaviest_of(lags: Ints, number: int) -> int:
    return -lightest_of(-lags, number)


def sums_of_lightest(lags: Ints, most: int) -> Ints:
    """Sums of the lightest 0, 1, ... lags; of `most` of them, if there are so many. O(lags)."""
    if 0 < most < len(lags):
        lags = np.partition(lags, most - 1)
    return np.concatenate(([0], np.cumsum(np.sort(lags[: max(0, most)]))))
