"""Exact counts and the fewest moves in closed form, where subscriptions are alike or disjoint.

Then every member of a topic class has the same quota but for a remainder: P partitions over N
members are ⌊P / N⌋ each, and P mod N of them get one more (KIP-54; with one subscription, KIP-615).
A member keeps what it owns up to its quota, and those that own more than the floor have the first
right to the remainder, so that no partition moves without need. O(P), a few passes over arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equilag.certificate.moves import Potentials
from equilag.counts import CountConstraint
from equilag.group import NOBODY, Flags, Group, Index, Ints
from equilag.metrics import member_counts
from equilag.policy import Policy


class Quotas(NamedTuple):
    """A plan with exact counts and the fewest moves, and what proves both."""

    assigned: Index
    """[P]"""
    constraint: CountConstraint
    potentials: Potentials
    moves: int


def has_quotas(group: Group, policy: Policy) -> bool:
    """Do total counts decide, and does no member read what another one reads only in part."""
    if policy.balance != "total" or policy.name == "sticky-yet-fair":
        return False
    if group.eligible.size == 1:
        return bool(group.eligible[0, 0])
    readers, read = group.eligible.sum(axis=1), group.eligible.sum(axis=0)
    return bool((readers <= 1).all() and (read <= 1).all() and (readers == 1).any())


def keep_to_quotas(group: Group) -> Quotas:
    """The plan for a group that `has_quotas`. O(P + M log M)."""
    n_members, n_classes = group.n_members, len(group.eligible)
    # An idle member belongs to a class of its own kind, which has no partitions.
    kind = np.append(group.eligible.argmax(axis=0), n_classes)
    kind[:-1][~group.eligible.any(axis=0)] = n_classes
    belongs = kind[group.class_of]
    members = np.bincount(belongs, minlength=n_classes + 1)
    size = np.zeros(n_classes + 1, np.int64)
    np.add.at(size, group.topic_class, group.topic_size)
    size[members == 0] = 0
    floor, rest = size // np.maximum(members, 1), size % np.maximum(members, 1)

    owned = member_counts(group.owner, n_members)
    lo = floor[belongs]
    rich = owned > lo
    order = np.argsort(2 * belongs + ~rich, kind="stable")
    rank = np.arange(n_members) - (np.cumsum(members) - members)[belongs[order]]
    quota = lo.copy()
    quota[order] += rank < rest[belongs[order]]
    lo, hi = _intervals(floor, rest, belongs)
    assigned = _released(group.owner, owned, quota)
    free, takers = np.flatnonzero(assigned == NOBODY), np.arange(n_members)
    if n_classes > 1:
        free = free[group.assignable[free]]
        free, takers = free[np.argsort(group.partition_class[free], kind="stable")], order
    lacking = np.maximum(quota - owned, 0)[takers]
    assigned[free] = np.repeat(takers, lacking)

    n_rich = np.bincount(belongs[rich], minlength=n_classes + 1)
    crowded = (n_rich > rest) & (rest > 0)
    constraint = CountConstraint(lo, hi, group.eligible, np.zeros(group.n_partitions, np.bool_))
    moves = int(np.maximum(owned - quota, 0).sum())
    return Quotas(assigned, constraint, _potentials(group, belongs, rich, crowded), moves)


def _intervals(floor: Ints, rest: Ints, belongs: Ints) -> tuple[Ints, Ints]:
    """[M] as `constraint_of` reads them off: all blocks of one largest count have one interval."""
    hi = floor + (rest > 0)
    open_levels = hi[rest > 0]
    lo = np.where(np.isin(hi, open_levels), hi - 1, floor)
    return lo[belongs], hi[belongs]


def _released(owner: Index, owned: Ints, quota: Ints) -> Index:
    """[P] owners, without what they own beyond their quota: the last ones go."""
    assigned = owner.copy()
    over = np.append(owned > quota, False)  # the last one stands for NOBODY
    if over.any():
        theirs = np.flatnonzero(over[owner])
        theirs = theirs[np.argsort(owner[theirs], kind="stable")]
        whose = owner[theirs]
        first = np.cumsum(np.where(over[:-1], owned, 0)) - np.where(over[:-1], owned, 0)
        place = np.arange(len(theirs)) - first[whose]
        assigned[theirs[place >= quota[whose]]] = NOBODY
    return assigned


def _potentials(group: Group, belongs: Ints, rich: Flags, crowded: Flags) -> Potentials:
    """Where more members own above the floor than there is remainder, a partition of the class is
    worth one that is kept; else it is a member's place that is."""
    topic = crowded[group.topic_class].astype(np.int64)
    member = np.where(crowded[belongs], -(~rich).astype(np.int64), rich.astype(np.int64))
    return Potentials(topic, member)
