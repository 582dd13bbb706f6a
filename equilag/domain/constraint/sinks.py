"""Sinks: where partitions end up as far as counts by capacity go, a member or a whole instance.

The k-th partition of a member has a marginal cost of (2k − 1) / capacity. The sum over its
partitions is count² / capacity. A marginal cost is kept as a float, which is exact for all that is
asked of it: two different quotients p / q and p' / q' of integers differ by 1 / (q · q') at least,
and are rounded by less than that while p · q' stays below 2^51. Equal quotients are rounded to the
same float. Counts stay below 2^24 (10 million partitions), capacities below 2^20, so that this
holds for all members, and for instances of up to 100 of the largest.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import Flags, Floats, Ints
from equilag.domain.group.group import Group

FREE: Final = -np.inf
"""The marginal cost below all others: of a partition that is not there."""
FULL: Final = np.inf
"""That above all others: of a partition for which there is no room."""


def marginal_cost(nth: Ints, capacity: Ints) -> Floats:
    """The cost of a member's nth partition."""
    cost: Floats = (2 * nth - 1) / capacity
    return cost


def cost_of_last(counts: Ints, base: Ints, capacity: Ints) -> Floats:
    """What members save with one partition fewer; FREE if they have only their `base`."""
    return np.where(counts > base, marginal_cost(counts, capacity), FREE)


def cost_of_next(counts: Ints, room: Ints, capacity: Ints) -> Floats:
    """What members pay for one partition more; FULL if they have no room."""
    return np.where(counts < room, marginal_cost(counts + 1, capacity), FULL)


def count_upto(level: Floats, capacity: Ints) -> Ints:
    """How many partitions cost no more than `level`, which is finite."""
    count = np.maximum((level * capacity + 1) / 2, 0).astype(np.int64)
    # The product is rounded, and may be off by one.
    count += marginal_cost(count + 1, capacity) <= level
    count -= (count > 0) & (marginal_cost(count, capacity) > level)
    return count


def ranks(*costs: Floats) -> Ints:
    """The rank of each cost: equal for equal ones, ascending; by the first column, then the next.

    The columns are of one length.
    """
    order = np.lexsort(costs[::-1])
    larger = np.zeros(len(order), dtype=np.bool_)
    for column in costs:
        ascending = column[order]
        larger[1:] |= ascending[1:] != ascending[:-1]
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.cumsum(larger)
    return rank


def least_levels(
    units: Ints, capacity: Ints, base: Ints, room: Ints, width: Ints, place: Ints
) -> Floats:
    """[places] the least marginal cost up to which the members of each place take its units.

    `units` [places] come on top of `base`. Each entry of the other columns stands for `width`
    members of the place `place`, which take nothing beyond their `room`. There must be room for
    all units. FREE for places without units. By bisection, O(entries × 64).
    """
    n_places = len(units)

    def taken(level: Floats) -> Ints:
        count = np.clip(count_upto(level[place], capacity), base, room)
        got = np.bincount(place, weights=width * (count - base), minlength=n_places)
        return got.astype(np.int64)

    def following(level: Floats) -> Floats:
        """The least marginal cost above `level` of a partition that there is room for."""
        count = np.maximum(count_upto(level[place], capacity), base)
        step = cost_of_next(count, room, capacity)
        least = np.full(n_places, FULL)
        np.minimum.at(least, place, step)
        return least

    low, high = np.full(n_places, -1.0), np.zeros(n_places)
    last = np.minimum(room, base + units[place])
    np.maximum.at(high, place, marginal_cost(np.maximum(last, 1), capacity))
    # As if nobody had a base or a limit.
    all_of = np.bincount(place, weights=width * capacity, minlength=n_places)
    even = 2 * (units + np.bincount(place, weights=width * base, minlength=n_places)) / all_of
    widest = np.zeros(n_places)
    np.maximum.at(widest, place, 2 / capacity)
    for guess in (even + widest, even - widest):
        guess = np.clip(guess, low, high)
        enough = taken(guess) >= units
        low, high = np.where(enough, low, guess), np.where(enough, guess, high)
    level = np.where(units > 0, FULL, FREE)
    while np.isinf(level[units > 0]).any():
        candidate = np.minimum(following(low), high)
        enough = taken(candidate) >= units
        level = np.where(np.isinf(level) & (units > 0) & enough, candidate, level)
        low = np.where(enough, low, candidate)
        middle = (low + high) / 2
        enough = taken(middle) >= units
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return level


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
        assert group.extended is not None
        capacity, instance_of = group.extended.capacity, group.extended.instance_of
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
        assert group.extended is not None
        capacity, room = group.extended.capacity, group.extended.room
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
