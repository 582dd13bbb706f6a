"""Exact counts and the fewest moves in closed form, where subscriptions are alike or disjoint.

Then every member of a class has the same quota but for a remainder: P partitions over N
members are ⌊P / N⌋ each, and P mod N of them get one more (KIP-54; with one subscription, KIP-615).
A member keeps what it owns up to its quota, and those that own more than the floor have the first
right to the remainder, so that no partition moves without need. O(P), a few passes over arrays.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.certificate.checks.potentials import Potentials, moves_claim
from equilag.domain.columns import Flags, Ints
from equilag.domain.constraint import CountConstraint, count_upto, least_levels, marginal_cost
from equilag.domain.group.group import NOBODY, Group, Index
from equilag.domain.plan.claim import Claim
from equilag.domain.plan.metrics import is_ordinary, member_counts
from equilag.domain.policy.policy import Policy
from equilag.solver.counts.even_counts import check_room


class CapacityQuotas(NamedTuple):
    """The intervals of the members, and how many more than the fewest a class has."""

    least: Ints
    """[M]"""
    open: Flags
    """[M] True for members that may have one more."""
    rest: Ints
    """[K] how many of the class have one more."""
    moves_on: Flags
    """[M] those of them that might have it or not: in a class of their level, not all have it."""

    @property
    def most(self) -> Ints:
        """[M]"""
        return self.least + self.open

    @property
    def interval(self) -> tuple[Ints, Ints]:
        """[M] fewest and most, as `constraint_of` reads them off."""
        return self.most - self.moves_on, self.most

    @staticmethod
    def of(group: Group, size: Ints) -> CapacityQuotas:
        """For so many partitions of each class [K], which fit into its room. O(M log M)."""
        extended = group.extended
        assert extended is not None
        n_classes, classes = len(size), group.class_of.astype(np.int64)
        room = np.minimum(extended.room, size[classes])
        kinds, kind_of, width = np.unique(
            np.stack((classes, extended.capacity, room)),
            axis=1,
            return_inverse=True,
            return_counts=True,
        )
        place, capacity, most = kinds
        level = least_levels(size, capacity, np.zeros_like(capacity), most, width, place)[place]
        busy = np.isfinite(level)
        upper = np.minimum(count_upto(np.where(busy, level, 0), capacity), most) * busy
        tied = (upper > 0) & (marginal_cost(upper, capacity) == level)
        lower = upper - tied
        rest = size - np.bincount(place, width * lower, n_classes).astype(np.int64)
        some_left = rest < np.bincount(place, width * tied, n_classes)
        moving = tied & np.isin(level, level[some_left[place] & tied])
        kind_of = kind_of.ravel()  # of the members
        return CapacityQuotas(lower[kind_of], tied[kind_of], rest, moving[kind_of])


SPARSE: Final = 64
"""If less than one in so many partitions is asked for, a binary search for each is faster than an
array over all partitions (1,000 topics: equal at 32 to 64 with 100,000 to 500,000 partitions)."""


class Quotas(NamedTuple):
    """A plan with exact counts and the fewest moves, and what proves both."""

    assigned: Index
    """[P]"""
    floor: Ints
    """[K] partitions that every member of a class has."""
    rest: Ints
    """[K] how many of the class have one more."""
    potentials: Potentials
    moves: int
    by_capacity: CapacityQuotas | None = None
    """Where members differ; `floor` and `rest` say nothing then."""

    def claims(self, group: Group) -> tuple[Claim, ...]:
        """That the counts are the most even, and that no plan with such counts moves less."""
        most = self.floor + (self.rest > 0)
        if self.by_capacity is not None:
            most = self.by_capacity.most
        counts = Claim("counts", int(most.max()), "residual")
        if not (group.owner != NOBODY).any():
            return (counts,)
        return counts, moves_claim(group, self.moves, self.potentials)

    def constraint(self, group: Group) -> CountConstraint:
        if self.by_capacity is not None:
            return CountConstraint.by_intervals(group, *self.by_capacity.interval)
        hi = self.floor + (self.rest > 0)
        # As `constraint_of` reads them off: all blocks of one largest count have one interval.
        lo = np.where(np.isin(hi, hi[self.rest > 0]), hi - 1, self.floor)
        return CountConstraint.by_intervals(group, lo[group.class_of], hi[group.class_of])


def has_quotas(group: Group, policy: Policy) -> bool:
    """True if total counts are balanced and the topics of any two members are equal or disjoint."""
    if not policy.evens_totals or not group.disjoint:
        return False
    extended = group.extended
    return extended is None or (
        extended.instance_of is None and extended.cross is None and extended.stakes is None
    )


def keep_to_quotas(group: Group) -> Quotas:
    """The plan for a group that `has_quotas`. O(P + M log M). Raises InputError without room."""
    owned = member_counts(group.owner, group.n_members)
    one = len(group.class_topics) == 1 and len(group.class_topics[0]) == len(group.topics)
    quotas = None
    if not is_ordinary(group):
        quotas, share = _by_capacity(group, owned)
    else:
        share = _one_class(group, owned) if one else _disjoint_classes(group, owned)
    assigned = _released(group.owner, owned, share.quota)
    free = np.flatnonzero(assigned == NOBODY)
    lacking = np.maximum(share.quota - owned, 0)
    if one:
        assigned[free] = np.arange(group.n_members).repeat(lacking)
    else:
        by_class = _readers(group, share.reader, free).argsort(kind="stable")
        by_class = by_class[: int(lacking.sum())]  # what nobody reads comes last
        assigned[free[by_class]] = share.order.repeat(lacking[share.order])
    moves = int(np.maximum(owned - share.quota, 0).sum())
    potentials = Potentials(share.topic, share.member)
    return Quotas(assigned, share.floor, share.rest, potentials, moves, quotas)


def _readers(group: Group, reader: Ints, some: Ints) -> Ints:
    """[some] the member class that reads each of the partitions."""
    if SPARSE * len(some) < group.n_partitions:
        return reader[group.topic_start.searchsorted(some, side="right") - 1]
    return reader.repeat(group.topic_size)[some]


class _Share(NamedTuple):
    """Quotas [M], what they come from, and the potentials [T], [M] that prove them.

    Where more members own above the floor than there is remainder, a partition of the class is
    worth one that is kept; else it is a member's place that is.
    """

    quota: Ints
    floor: Ints
    rest: Ints
    topic: Ints
    member: Ints
    order: Ints
    """[M] members by class."""
    reader: Ints
    """[T] the member class that reads a topic, K if none does."""


def _one_class(group: Group, owned: Ints) -> _Share:
    n_members = group.n_members
    floor, rest = divmod(group.n_partitions, n_members)
    rich = owned > floor
    quota = np.full(n_members, floor)
    crowded = 0
    if rest:
        first = np.flatnonzero(rich)
        if len(first) < rest:
            first = np.concatenate((first, np.flatnonzero(~rich)))
        else:
            crowded = int(len(first) > rest)
        quota[first[:rest]] += 1
    topic = np.full(len(group.topics), crowded)
    member = rich.astype(np.int64) - crowded
    nothing = np.arange(0)
    return _Share(quota, np.array([floor]), np.array([rest]), topic, member, nothing, nothing)


def _disjoint_classes(group: Group, owned: Ints) -> _Share:
    member_class, members, n_member_classes = (
        group.class_of,
        group.class_size,
        len(group.class_topics),
    )
    reader, size = _by_reader(group)
    floor = size // members
    rest = size - floor * members
    quota = floor[member_class]
    rich = owned > quota
    order = (2 * member_class.astype(np.int64) + ~rich).argsort(kind="stable")
    by_class = member_class[order]
    rank = np.arange(len(order)) - (members.cumsum() - members)[by_class]
    quota[order] += rank < rest[by_class]
    crowded = np.zeros(n_member_classes + 1, np.bool_)
    crowded[:-1] = (np.bincount(member_class[rich], minlength=n_member_classes) > rest) & (rest > 0)
    topic = crowded[reader].astype(np.int64)
    member = rich.astype(np.int64) - crowded[member_class]
    return _Share(quota, floor, rest, topic, member, order, reader)


def _by_capacity(group: Group, owned: Ints) -> tuple[CapacityQuotas, _Share]:
    reader, size = _by_reader(group)
    check_room(group, np.full_like(group.owner, NOBODY), np.flatnonzero(group.assignable))
    found = CapacityQuotas.of(group, size)
    member_class, n_member_classes = group.class_of.astype(np.int64), len(size)
    quota, rich = found.least.copy(), owned > found.least
    last = np.where(found.open, ~rich, 2)
    order = (3 * member_class + last).argsort(kind="stable")
    by_class = member_class[order]
    members = group.class_size
    rank = np.arange(len(order)) - (members.cumsum() - members)[by_class]
    quota[order] += rank < found.rest[by_class]
    crowded = np.zeros(n_member_classes + 1, np.bool_)
    takers = np.bincount(member_class[rich & found.open], minlength=n_member_classes)
    crowded[:-1] = (takers > found.rest) & (found.rest > 0)
    topic = crowded[reader].astype(np.int64)
    member = rich.astype(np.int64) - crowded[member_class]
    return found, _Share(quota, size, found.rest, topic, member, order, reader)


def _by_reader(group: Group) -> tuple[Ints, Ints]:
    """[T] the member class that reads a topic, K if none does, and [K] partitions of each class."""
    n_member_classes = len(group.class_topics)
    topics, readers = group.subscriptions
    reader = np.full(len(group.topics), n_member_classes)
    reader[topics] = readers
    # Exact, though it goes through floats: there are fewer than 2^53 partitions.
    size = np.bincount(reader, group.topic_size, n_member_classes + 1)[:-1].astype(np.int64)
    return reader, size


def _released(owner: Index, owned: Ints, quota: Ints) -> Index:
    """[P] owners, NOBODY for what they own beyond their quota: the last partitions are released."""
    assigned = owner.copy()
    over = owned > quota
    if over.any():
        theirs = np.flatnonzero(over[owner] & (owner != NOBODY))
        theirs = theirs[owner[theirs].argsort(kind="stable")]
        whose = owner[theirs]
        held = owned * over
        place = np.arange(len(theirs)) - (held.cumsum() - held)[whose]
        assigned[theirs[place >= quota[whose]]] = NOBODY
    return assigned
