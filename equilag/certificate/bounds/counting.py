"""Bounds on the heaviest and the lightest load, by counting; docs/certificates.md defines them.

Each bound is one method of `Counting` that computes it from nothing but the group, the count
constraint and a set of members, so that whoever finds a bound and whoever checks it run the same
few lines.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from equilag.certificate.bounds.free_of_topics import FreeOfTopics, heaviest_of, lightest_of
from equilag.domain.columns import Floats, distinct
from equilag.domain.constraint import CountConstraint, ranges
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
        self._known: tuple[bytes, Exclusive] | None = None

    @cached_property
    def active(self) -> Flags:
        """[M] True for the members that take part in the spread: those that are not idle."""
        return ~self.group.idle

    @cached_property
    def _arcs(self) -> tuple[Ints, Ints]:
        """Bucket and member class of each pair where the class may take from the bucket."""
        return self.group.subscriptions if self.per_topic else self.constraint.arcs

    @property
    def greatest_load(self) -> Load:
        """No load is larger than this."""
        return int(self.group.lag.sum())

    @property
    def greatest_fair_lag(self) -> float:
        """The lag of the largest member if all are equally loaded."""
        return int(self.lag.sum()) / int(self.active.sum())

    def _reached(self, member_classes: Flags) -> Flags:
        """[B] buckets from which the member classes [K] may take."""
        bucket, member_class = self._arcs
        found = np.zeros(self.n_buckets, dtype=np.bool_)
        found[bucket[member_classes[member_class]]] = True
        return found

    @cached_property
    def _by_member_class(self) -> tuple[Ints, Ints, Ints]:
        """Buckets by member class, first one of each class [K + 1], first lag of each bucket."""
        bucket, member_class = self._arcs
        order = np.argsort(member_class, kind="stable")
        first = np.searchsorted(member_class[order], np.arange(len(self.group.class_topics) + 1))
        return bucket[order], first, np.concatenate(([0], np.cumsum(self.size)))

    def within_reach(self, member_class: int) -> Ints:
        """Free partitions, as positions in `lag`, that a member class may take."""
        buckets, first, edges = self._by_member_class
        mine = buckets[first[member_class] : first[member_class + 1]]
        return ranges(edges[mine], edges[mine + 1])

    @cached_property
    def _free_of_topics(self) -> FreeOfTopics:
        return FreeOfTopics(self.constraint)

    def shares(self, members: Flags) -> Shares:
        """Fewest and most partitions of each bucket that the members [M] take."""
        if self.per_topic:
            inside_lo, inside_hi = self._free_of_topics.together(members)
            outside_lo, outside_hi = self._free_of_topics.together(~members)
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
        """Least and most load of the members [M] together; O(free partitions)."""
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

    def average(self, members: Flags) -> tuple[Load, Load]:
        """Bounds from the mean load of a set, at its least and at its most.

        Returns (a lower bound on max λ, an upper bound on min λ), λ being the members' loads.
        """
        size = int(np.count_nonzero(members & self.active))
        if not size:
            return 0, self.greatest_load
        least, most = self.load_range(members & self.active)
        return -(-least // size), most // size

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

    def left_by_holders(self, members: Flags) -> tuple[Ints, Floats]:
        """Numbers of heaviest partitions, and about the load that their holders leave to others."""
        part, size = self.exclusive(members), int(np.count_nonzero(members))
        n = np.arange(1, min(size, len(part.mine) + 1))
        beside = np.cumsum(np.sort(self.lo[members]))[n - 1] - n
        beside = np.clip(beside, 0, len(part.order) - n)
        lightest = np.concatenate(([0], np.cumsum(self.lag[part.order])))
        carried = np.cumsum(self.lag[part.mine[: len(n)]]) + lightest[beside]
        return n, (part.most - carried) / (size - n)

    def crowds_at(self, members: Flags, level: Load) -> list[int]:
        """Further numbers of heaviest partitions, for a lightest load of about `level`."""
        return []

    def crowded(self, members: Flags) -> list[int]:
        """Numbers of heaviest partitions from which some member must hold one more of them."""
        size = max(1, int(np.count_nonzero(members)))
        last = (len(self.lag) - 1) // size
        return [q * size + 1 for q in sorted({*range(5), last}) if 0 <= q <= last]

    def _top(self, members: Flags, heaviest: int) -> tuple[Ints, Ints] | None:
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

    def heavy(self, members: Flags, heaviest: int) -> Load:
        """A lower bound on max λ: some member holds its share of the heaviest partitions.

        Of the `heaviest` partitions that only `members` may take, one member has at least
        ⌈heaviest / |members|⌉, and as many others as its fewest count requires.
        """
        members = members & self.active
        size = int(np.count_nonzero(members))
        found = self._top(members, heaviest) if size else None
        if found is None:
            return 0
        top, rest = found
        held = -(-heaviest // size)
        load = int(np.sort(self.lag[top])[:held].sum())
        beside: int | None = None
        holders = np.flatnonzero(members)
        if self.per_topic and heaviest == 1:
            topic = int(self.bucket[top[0]])
            holders = holders[self._free_of_topics.most_at(topic, holders) > 0]
            beside = self._beside_in_topic(holders, topic)
        elif heaviest == 1 or self.lag[rest].max(initial=0) <= self.lag[top].min():
            other_than = np.ones(len(self.lag), dtype=np.bool_)
            other_than[top] = False
            for member_class, fewest in self._classes_and_least(holders):
                own = self.within_reach(member_class)
                other = lightest_of(self.lag[own[other_than[own]]], fewest - held)
                beside = other if beside is None else min(beside, other)
        else:
            # A member with more than its share may need fewer others and be lighter for it; then
            # another member has less than its share. The bound takes the least over all members.
            beside = lightest_of(self.lag[rest], int(self.lo[holders].min()) - held)
        return load + (beside or 0)

    def _classes_and_least(self, members: Ints) -> list[tuple[int, int]]:
        """The distinct pairs (member class, fewest free partitions) of the members."""
        n_member_classes = len(self.group.class_topics)
        pairs = distinct(self.lo[members] * n_member_classes + self.group.class_of[members])
        return [divmod(number, n_member_classes)[::-1] for number in pairs.tolist()]

    def _beside_in_topic(self, holders: Ints, topic: int) -> int:
        """Least load beside one heavy partition, where every topic is balanced by itself."""
        if not len(holders):
            return 0
        lo = self._free_of_topics.fewest_of_any(holders)
        lo[topic] = max(0, int(lo[topic]) - 1)
        return int(self.lag[self.from_light < lo[self.bucket]].sum())

    def rest(self, members: Flags, heaviest: int, below: Load | None = None) -> Load | None:
        """An upper bound on min λ: what the holders of the heaviest partitions leave to the others.

        The `heaviest` partitions that only `members` may take are held by j members, which carry
        at least those and as many others as their fewest counts require. The bound holds for every
        possible j. None if there is no such bound; one that is not below `below` may be None too.
        """
        found = self.carried_by_holders(members, heaviest)
        if found is None:
            return None
        holders, carried = found
        members = members & self.active
        size, most = int(np.count_nonzero(members)), self.exclusive(members).most
        all_of_them = holders == size  # nobody is left: then all that can be said is the mean
        left = np.where(all_of_them, most, most - carried)
        return max(0, int((left // np.where(all_of_them, size, size - holders)).max()))

    def carried_by_holders(self, members: Flags, heaviest: int) -> tuple[Ints, Ints] | None:
        """Each possible number of holders of the heaviest partitions, and what they carry at least.

        Of the `heaviest` partitions that only `members` may take. None where there are not so many,
        or fewer than two members.
        """
        members = members & self.active
        size = int(np.count_nonzero(members))
        found = self._top(members, heaviest) if size > 1 else None
        if found is None:
            return None
        top, others = found
        widest = max(1, int(self.hi[members].max()))
        holders = np.arange(-(-heaviest // widest), min(heaviest, size) + 1)
        if not len(holders):
            return None
        fewest = np.cumsum(np.sort(self.lo[members]))[holders - 1]
        forced = np.minimum(np.maximum(0, fewest - heaviest), len(others))
        below = np.concatenate(([0], np.cumsum(self.lag[others])))
        base = np.cumsum(np.sort(self.base[members]))[holders - 1]
        return holders, int(self.lag[top].sum()) + base + below[forced]
