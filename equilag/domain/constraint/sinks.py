"""Sinks: where partitions end up as far as counts by capacity go, a member or a whole instance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equilag.domain.columns import Flags, Floats, Ints
from equilag.domain.constraint.marginal_costs import cost_of_last, cost_of_next, marginal_cost
from equilag.domain.group.group import Group


class InstanceSums(NamedTuple):
    """How many partitions the members of an instance have together; I instances."""

    of: Ints
    """[M] the instance of each member."""
    least: Ints
    """[I]"""
    most: Ints
    """[I]"""

    def total(self, counts: Ints) -> Ints:
        """[I] the sums of the counts [M] of members."""
        total = np.zeros(len(self.least), np.int64)
        np.add.at(total, self.of, counts)
        return total

    def without(self, counts: Ints) -> InstanceSums:
        """The sums of what comes on top of the counts [M]."""
        kept = self.total(counts)
        return InstanceSums(self.of, self.least - kept, self.most - kept)

    def admit(self, counts: Ints) -> bool:
        """True if the counts [M] keep to all sums."""
        total = self.total(counts)
        return bool(((total >= self.least) & (total <= self.most)).all())


class Sinks(NamedTuple):
    """The members of one class and one instance are one sink: for each partition, all of them may
    take it, or none."""

    of: Ints
    """[M] the sink of each member."""
    member_class: Ints
    """[S]"""
    capacity: Ints
    """[S] of its members together."""
    instance: Ints
    """[S] the instance that it is a part of."""

    @staticmethod
    def of_group(group: Group) -> Sinks:
        """Of a group with capacities."""
        assert group.real is not None
        capacity, instance_of = group.real.capacity, group.real.instance_of
        classes = group.class_of.astype(np.int64)
        if instance_of is None:
            every = np.arange(group.n_members)
            return Sinks(every, classes, capacity, every)
        key = instance_of.astype(np.int64) * max(1, len(group.class_topics)) + classes
        _, first, of = np.unique(key, return_index=True, return_inverse=True)
        of = of.ravel()
        total = np.zeros(len(first), np.int64)
        np.add.at(total, of, capacity)
        return Sinks(of, classes[first], total, instance_of[first].astype(np.int64))

    @property
    def are_instances(self) -> bool:
        """True if no instance has members of two classes, so that each is one sink."""
        return len(np.unique(self.instance)) == len(self.instance)

    def total(self, counts: Ints) -> Ints:
        """[S] the sums of some [M]."""
        total = np.zeros(len(self.capacity), np.int64)
        np.add.at(total, self.of, counts)
        return total


class MemberCosts(NamedTuple):
    """What the members of a group [M] save with one partition fewer, and pay for one more."""

    last: Floats
    """FREE for those that have no partition that they could give away."""
    following: Floats
    """FULL for those without room."""

    @staticmethod
    def of(group: Group, counts: Ints, base: Ints) -> MemberCosts:
        assert group.real is not None
        capacity, room = group.real.capacity, group.real.room
        last = cost_of_last(counts, base, capacity)
        return MemberCosts(last, cost_of_next(counts, room, capacity))


class SinkCosts(NamedTuple):
    """The same for sinks [S]: first the cost to the sink, then that to the member concerned."""

    last: tuple[Floats, Floats]
    following: tuple[Floats, Floats]

    @staticmethod
    def of(sinks: Sinks, costs: MemberCosts, counts: Ints) -> SinkCosts:
        total, size = sinks.total(counts), len(sinks.capacity)
        last, following = np.full(size, -np.inf), np.full(size, np.inf)
        np.maximum.at(last, sinks.of, costs.last)
        np.minimum.at(following, sinks.of, costs.following)
        one_less = np.where(np.isfinite(last), marginal_cost(total, sinks.capacity), last)
        one_more = marginal_cost(total + 1, sinks.capacity)
        one_more = np.where(np.isfinite(following), one_more, following)
        return SinkCosts((one_less, last), (one_more, following))


def some_of(flags: Flags, of: Ints, size: int) -> Flags:
    """[size] True for the sinks or instances `of` [M] any member with a flag."""
    found = np.zeros(size, np.bool_)
    found[of[flags]] = True
    return found


class CountSteps(NamedTuple):
    """Which counts may differ by one among the equally good assignments."""

    fewer: Flags
    """[M]"""
    more: Flags
    """[M]"""
    sums: InstanceSums | None

    @staticmethod
    def within(sums: InstanceSums, counts: Ints, fewer: Flags, more: Flags) -> CountSteps:
        """Without the steps of members that the sum of their instance rules out."""
        size, total = len(sums.least), sums.total(counts)
        takes = (total < sums.most) | some_of(fewer, sums.of, size)
        gives = (total > sums.least) | some_of(more, sums.of, size)
        return CountSteps(fewer & gives[sums.of], more & takes[sums.of], sums)
