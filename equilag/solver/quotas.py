"""Exact counts and the fewest moves in closed form, where subscriptions are alike or disjoint.

Then every member of a topic class has the same quota but for a remainder: P partitions over N
members are ⌊P / N⌋ each, and P mod N of them get one more (KIP-54; with one subscription, KIP-615).
A member keeps what it owns up to its quota, and those that own more than the floor have the first
right to the remainder, so that no partition moves without need. O(P), a few passes over arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equilag.certificate.claims import Claim
from equilag.certificate.moves import Potentials, moves_claim
from equilag.counts import CountConstraint
from equilag.group import NOBODY, Group, Index, Ints
from equilag.metrics import member_counts
from equilag.policy import Policy


class Quotas(NamedTuple):
    """A plan with exact counts and the fewest moves, and what proves both."""

    assigned: Index
    """[P]"""
    lo: Ints
    """[M] fewest partitions of each member in any such plan."""
    hi: Ints
    """[M] most."""
    potentials: Potentials
    moves: int

    def claims(self, group: Group) -> tuple[Claim, ...]:
        """That the counts are the most even, and that no plan with such counts moves less."""
        counts = Claim("counts", int(self.hi.max()), "residual")
        if not (group.owner != NOBODY).any():
            return (counts,)
        return counts, moves_claim(group, self.moves, self.potentials)

    def constraint(self, group: Group) -> CountConstraint:
        nothing = np.zeros(group.n_partitions, np.bool_)
        return CountConstraint(self.lo, self.hi, group.eligible, nothing)


def has_quotas(group: Group, policy: Policy) -> bool:
    """Do total counts decide, and does no member read what another one reads only in part."""
    return policy.balance == "total" and policy.name != "sticky-yet-fair" and group.disjoint


def keep_to_quotas(group: Group) -> Quotas:
    """The plan for a group that `has_quotas`. O(P + M log M)."""
    owned = member_counts(group.owner, group.n_members)
    one = group.eligible.size == 1
    share = _one_class(group, owned) if one else _disjoint_classes(group, owned)
    assigned = _released(group.owner, owned, share.quota)
    free = np.flatnonzero(assigned == NOBODY)
    lacking = np.maximum(share.quota - owned, 0)
    if one:
        assigned[free] = np.repeat(np.arange(group.n_members), lacking)
    else:
        free = free[group.assignable[free]]
        free = free[np.argsort(group.partition_class[free], kind="stable")]
        assigned[free] = np.repeat(share.order, lacking[share.order])
    moves = int(np.maximum(owned - share.quota, 0).sum())
    potentials = Potentials(share.topic, share.member)
    return Quotas(assigned, share.lo, share.hi, potentials, moves)


class _Share(NamedTuple):
    """Quotas and count intervals [M], and the potentials [T], [M] that prove them.

    Where more members own above the floor than there is remainder, a partition of the class is
    worth one that is kept; else it is a member's place that is.
    """

    quota: Ints
    lo: Ints
    hi: Ints
    topic: Ints
    member: Ints
    order: Ints
    """[M] members by class."""


def _one_class(group: Group, owned: Ints) -> _Share:
    n_members = group.n_members
    floor, rest = divmod(group.n_partitions, n_members)
    rich = owned > floor
    quota = np.full(n_members, floor)
    lo = hi = quota
    crowded = 0
    if rest:
        first = np.flatnonzero(rich)
        if len(first) < rest:
            first = np.concatenate((first, np.flatnonzero(~rich)))
        else:
            crowded = int(len(first) > rest)
        lo, hi, quota = quota, quota + 1, quota.copy()
        quota[first[:rest]] += 1
    topic = np.full(len(group.topics), crowded)
    return _Share(quota, lo, hi, topic, rich.astype(np.int64) - crowded, np.arange(0))


def _disjoint_classes(group: Group, owned: Ints) -> _Share:
    n_classes = len(group.eligible)
    # An idle member belongs to a class of its own kind, which has no partitions.
    kind = np.append(group.eligible.argmax(axis=0), n_classes)
    kind[:-1][~group.eligible.any(axis=0)] = n_classes
    belongs = kind[group.class_of]
    members = np.bincount(belongs, minlength=n_classes + 1)
    size = np.zeros(n_classes + 1, np.int64)
    np.add.at(size, group.topic_class, group.topic_size)
    size[members == 0] = 0
    floor, rest = size // np.maximum(members, 1), size % np.maximum(members, 1)
    rich = owned > floor[belongs]
    order = np.argsort(2 * belongs + ~rich, kind="stable")
    rank = np.arange(len(order)) - (np.cumsum(members) - members)[belongs[order]]
    quota = floor[belongs]
    quota[order] += rank < rest[belongs[order]]
    hi = floor + (rest > 0)
    # As `constraint_of` reads them off: all blocks of one largest count have one interval.
    lo = np.where(np.isin(hi, hi[rest > 0]), hi - 1, floor)
    crowded = (np.bincount(belongs[rich], minlength=n_classes + 1) > rest) & (rest > 0)
    topic = crowded[group.topic_class].astype(np.int64)
    member = rich.astype(np.int64) - crowded[belongs]
    return _Share(quota, lo[belongs], hi[belongs], topic, member, order)


def _released(owner: Index, owned: Ints, quota: Ints) -> Index:
    """[P] owners, without what they own beyond their quota: the last ones go."""
    assigned = owner.copy()
    over = owned > quota
    if over.any():
        theirs = np.flatnonzero(np.append(over, False)[owner])  # the last one stands for NOBODY
        theirs = theirs[np.argsort(owner[theirs], kind="stable")]
        whose = owner[theirs]
        held = np.where(over, owned, 0)
        place = np.arange(len(theirs)) - (np.cumsum(held) - held)[whose]
        assigned[theirs[place >= quota[whose]]] = NOBODY
    return assigned
