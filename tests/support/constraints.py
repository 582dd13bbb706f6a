"""Count constraints of a policy, what counting says about them, and comparing them."""

from __future__ import annotations

import numpy as np
from support.oracles import Assignments

from equilag.certificate.bounds.counting import Counting
from equilag.certificate.bounds.heaviest import folded, heavy, rest
from equilag.domain.constraint import CountConstraint, CountInterval, constraint_of
from equilag.domain.group.group import NOBODY, Flags, Group, Index, Ints
from equilag.domain.policy.policy import Policy
from equilag.solver.counts.even_counts import balanced


def same_constraint(one: CountConstraint, other: CountConstraint) -> bool:
    """True if both give the same answers."""
    if one.per_topic != other.per_topic or one.has_pinned != other.has_pinned:
        return False
    pairs = [(one.face, other.face), (one.free, other.free), (one.counts_of(), other.counts_of())]
    if one.per_topic:
        pairs.append((topic_table(one), topic_table(other)))
    return all(np.array_equal(mine, theirs) for mine, theirs in pairs)


def topic_table(constraint: CountConstraint) -> CountInterval:
    """[T, M] fewest and most partitions of each topic per member."""
    group = constraint.group
    return constraint.topics.at(np.arange(len(group.topics))[:, None], np.arange(group.n_members))


def held_table(group: Group, assigned: Index) -> Ints:
    """[T, M] partitions of each topic at each member."""
    table = np.zeros((len(group.topics), group.n_members), np.int64)
    held = np.flatnonzero(assigned != NOBODY)
    np.add.at(table, (group.topic_of[held], assigned[held]), 1)
    return table


def balanced_assignment(group: Group, policy: Policy) -> Index:
    """[P] an assignment with the policy's even counts."""
    return balanced(group, policy)[0]


def constraint_for(group: Group, policy: Policy) -> CountConstraint:
    """The constraint of a policy, read off an assignment with even counts."""
    return constraint_of(group, policy, balanced_assignment(group, policy))


def counting_of(group: Group, policy: Policy) -> Counting:
    """What counting says under that constraint."""
    return Counting(group, constraint_for(group, policy))


def never_too_much(counting: Counting, truth: Assignments, members: Flags) -> None:
    """Every bound from a set of members against the loads of all assignments `truth`."""
    if not (members & counting.active).any():
        return
    highest, lowest = int(truth.highest.min()), int(truth.lowest.max())
    together = truth.loads[:, members].sum(axis=1)
    least, most = counting.load_range(members)
    assert least <= together.min()
    assert together.max() <= most
    high, low = counting.average(members)
    assert high <= highest
    assert lowest <= low
    for heaviest in range(6):
        assert heavy(counting, members, heaviest) <= highest
        left = rest(counting, members, heaviest)
        assert left is None or lowest <= left
    pairs = folded(counting, members)
    assert pairs is None or (pairs[0] <= highest and lowest <= pairs[1])
