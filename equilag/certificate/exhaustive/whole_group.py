"""A whole group as a small problem for the exhaustive search."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equilag.certificate.exhaustive.small_problem import (
    MAX_ITEMS,
    MAX_ITEMS_MOVING,
    MAX_MEMBERS,
    MAX_MEMBERS_MOVING,
    ReadsAcross,
    SmallProblem,
)
from equilag.domain.constraint import CountConstraint, InstanceSums
from equilag.domain.group.group import NOBODY, Group, Index, Ints
from equilag.domain.plan.metrics import (
    count_moves,
    cross_reads,
    member_counts,
    member_loads,
    stakes_held,
    topic_counts,
)


class WholeGroup(NamedTuple):
    problem: SmallProblem
    items: Ints
    """[I] partition of each item."""
    members: Ints
    """[J] member of each column."""
    rest: Index
    """[P] the assignment of the partitions that are no items: pinned ones."""

    def assignment(self, found: Ints) -> Index:
        """[P] from what a search found: [I] column of each item."""
        assigned = self.rest.copy()
        assigned[self.items] = self.members[found]
        return assigned

    def columns(self, assigned: Index) -> Ints:
        """[I] column of each item's member in an assignment [P]."""
        found: Ints = np.searchsorted(self.members, assigned[self.items])
        return found


def whole_problem(
    group: Group,
    constraint: CountConstraint,
    max_moves: int | None = None,
    cells: int | None = None,
) -> WholeGroup | None:
    """All free partitions and all members that are not idle.

    None without such members, and where there are too many to search within `max_moves`, more of
    which can be searched unless units have several owners; given `cells`, where items times members
    exceed it. With `max_moves` 0, owned partitions are not free either.
    """
    rest = group.owner if max_moves == 0 else constraint.pinned_assignment
    items = np.flatnonzero(group.assignable & (rest == NOBODY))
    members = np.flatnonzero(~group.idle)
    few = max_moves is not None and not group.extended.has_stakes
    too_many = len(items) > (MAX_ITEMS_MOVING if few else MAX_ITEMS)
    too_many |= len(members) > (MAX_MEMBERS_MOVING if few else MAX_MEMBERS)
    if cells is not None:
        too_many = len(items) * len(members) > cells
    if not len(members) or (too_many and len(items)):
        return None
    held = member_counts(rest, group.n_members)[members]
    least, most = constraint.counts_of(members)
    saved = stakes_held(group, items[:, None], members[None, :])
    topic = topic_lo = topic_hi = None
    if constraint.per_topic:
        number = np.unique(group.topic_of[items])
        topic = np.searchsorted(number, group.topic_of[items]).astype(np.int64)
        places = number[:, None], members[None, :]
        pinned = topic_counts(group, rest)[places]
        bounds = constraint.topics.at(*places)
        topic_lo, topic_hi = bounds.least - pinned, bounds.most - pinned
    capacities = group.extended.capacities
    problem = SmallProblem(
        lag=group.lag[items],
        allowed=constraint.may(items[:, None], members),
        base=member_loads(rest, group.lag, group.n_members)[members],
        lo=least - held,
        hi=most - held,
        saved=saved,
        capacities=None if capacities.are_equal else capacities.among(members),
        moves_anyway=count_moves(group, rest) - int(saved.sum()),
        sums=_sums(constraint, members, member_counts(rest, group.n_members)),
        reads=_reads(group, constraint, items, members, rest),
        topic=topic,
        topic_lo=topic_lo,
        topic_hi=topic_hi,
    )
    return WholeGroup(problem, items, members, rest)


def _sums(constraint: CountConstraint, members: Ints, held: Ints) -> InstanceSums | None:
    """The sums of instances, for what comes on top of what members hold [M]."""
    sums = constraint.instance_sums
    if sums is None:
        return None
    left = sums.without(held)
    there, of = np.unique(left.of[members], return_inverse=True)
    return InstanceSums(of, left.least[there], left.most[there])


def _reads(
    group: Group, constraint: CountConstraint, items: Ints, members: Ints, rest: Index
) -> ReadsAcross | None:
    """The limit on reads across racks; None where faces and counts say as much."""
    if constraint.most_across is None or not constraint.limits_reads:
        return None
    cost = group.extended.cross_costs[group.partition_class[items]][:, group.class_of[members]]
    return ReadsAcross(cost, constraint.most_across - cross_reads(group, rest))
