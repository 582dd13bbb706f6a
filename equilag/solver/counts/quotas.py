"""Exact counts and the fewest moves in closed form, where subscriptions are alike or disjoint.

Then every member of a class has the same quota but for a remainder: P partitions over N
members are ⌊P / N⌋ each, and P mod N of them get one more (KIP-54; with one subscription, KIP-615).
A member keeps what it owns up to its quota, and those that own more than the floor have the first
right to the remainder, so that no partition moves without need. O(P), a few passes over arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equilag.certificate.checks.potentials import Potentials, moves_claim
from equilag.domain.columns import Flags, Ints, by_number, ranks
from equilag.domain.constraint import CountConstraint, within_room
from equilag.domain.group.group import NOBODY, Group, Index
from equilag.domain.plan.claim import Claim
from equilag.domain.plan.metrics import member_counts
from equilag.domain.policy.policy import Policy
from equilag.solver.counts.even_flow import check_room
from equilag.solver.counts.even_shares import EvenShares, Takers


class Quotas(NamedTuple):
    """A plan with exact counts and the fewest moves, and what proves both."""

    assigned: Index
    """[P]"""
    shares: EvenShares
    """Of the members, by class."""
    rich: Flags
    """[M] who owns more than all that may have one more can have."""
    reader: Ints
    """[T] the member class that reads a topic, K if none does."""
    moves: int

    def potentials(self, group: Group) -> Potentials:
        """Where more members would keep one more than may, a partition of the class is worth one
        that is kept; else it is a member's place that is."""
        place, shares = group.class_of, self.shares
        takes = np.bincount(place, self.rich & shares.open, len(shares.rest))
        crowded = np.append((takes > shares.rest) & ~shares.full, False).astype(np.int64)
        return Potentials(crowded[self.reader][group.topic_of], self.rich - crowded[place])

    def claims(self, group: Group) -> tuple[Claim, ...]:
        """That the counts are the most even, and that no plan with such counts moves less."""
        counts = Claim("counts", int(self.shares.most.max(initial=0)), "residual")
        if not (group.owner != NOBODY).any():
            return (counts,)
        return counts, moves_claim(group, self.moves, self.potentials(group))

    def constraint(self, group: Group) -> CountConstraint:
        """As `constraint_of` reads it off: members whose next partition costs the same are alike,
        and all have their most where there is one more for each of them."""
        level, most = self.shares.level, self.shares.most
        moving = np.isin(level, level[~self.shares.full])[group.class_of]
        moving &= self.shares.open
        return CountConstraint.by_intervals(group, most - moving, most)


def has_quotas(group: Group, policy: Policy) -> bool:
    """True if total counts are balanced and the topics of any two members are equal or disjoint."""
    if policy.balance != "total" or policy.pins_owned or not group.disjoint:
        return False
    extended = group.extended
    return extended.instance_of is None and extended.cross is None and extended.stakes is None


def keep_to_quotas(group: Group) -> Quotas:
    """The plan for a group that `has_quotas`. O(P + M log M). Raises InputError without room."""
    takers = Takers.of_group(group, np.zeros(group.n_members, np.int64))
    if group.extended.has_room_limits:
        check_room(within_room(group, np.zeros(group.n_partitions, np.bool_)))
    one = len(group.class_topics) == 1 and len(group.class_topics[0]) == len(group.topics)
    if one:
        reader, size = np.zeros(len(group.topics), np.int64), np.array([group.n_partitions])
    else:
        reader, size = _by_reader(group)
    shares, place = EvenShares.of(takers, size), takers.place
    owned = member_counts(group.owner, group.n_members)
    rich = owned > shares.most - (shares.open & ~shares.full[place])
    quota, by_class = shares.dealt(takers, ~rich)
    assigned = _released(group.owner, owned, quota)
    free = (assigned == NOBODY).nonzero()[0]
    moves = int(owned.sum()) + len(free) - group.n_partitions
    lacking = np.maximum(quota - owned, 0)
    if not one:
        order = by_number(reader[group.topic_of[free]], len(size) + 1)
        free = free[order[: int(lacking.sum())]]  # what nobody reads comes last
    assigned[free] = by_class.repeat(lacking[by_class])
    return Quotas(assigned, shares, rich, reader, moves)


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
    if np.count_nonzero(over):
        theirs = np.flatnonzero(over[owner] & (owner != NOBODY))
        theirs = theirs[owner[theirs].argsort(kind="stable")]
        whose = owner[theirs]
        assigned[theirs[ranks(whose) >= quota[whose]]] = NOBODY
    return assigned
