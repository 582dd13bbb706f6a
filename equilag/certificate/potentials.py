"""Fewest moves: node potentials of the flow as evidence, weak duality as the check.

Every plan within the count constraint keeps at most what the potentials allow, whatever plan they
came from; so no flow has to be recomputed. docs/certificates.md derives the formula.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equilag.claim import Claim
from equilag.constraint import CountConstraint, topic_counts
from equilag.group import NOBODY, Group, Ints


class Potentials(NamedTuple):
    """One integer per topic [T] and per member [M]."""

    topic: Ints
    member: Ints


def moves_claim(group: Group, moves: int, potentials: Potentials) -> Claim:
    """No plan has fewer than so many moves; by name, the potentials that are not 0."""
    topics, members = (side.tolist() for side in potentials)
    data = {
        "topics": {name: y for name, y in zip(group.topics, topics, strict=True) if y},
        "members": {member.id: z for member, z in zip(group.members, members, strict=True) if z},
    }
    return Claim("fewest_moves", moves, "potentials", data)


def retainable(group: Group) -> int:
    """Partitions whose owner is live and still subscribes."""
    return int(np.count_nonzero(group.owner != NOBODY))


def bound_by_potentials(
    group: Group, constraint: CountConstraint, potentials: Potentials
) -> int | None:
    """Fewest moves that the potentials prove, 0 or more; None if they are no dual solution."""
    if constraint.topic_lo is None or constraint.topic_hi is None:
        kept = _kept_total(group, constraint, potentials)
    else:
        kept = _kept_per_topic(group, constraint, potentials)
    return None if kept is None else max(0, retainable(group) - kept)


def bound_by_topics(group: Group, constraint: CountConstraint) -> int:
    """Fewest moves under per-topic counts alone: a closed form, topic by topic."""
    lo, hi = constraint.topic_lo, constraint.topic_hi
    assert lo is not None and hi is not None
    owned = topic_counts(group, group.owner)
    remainder = group.topic_size - lo.sum(axis=1)
    takers = ((owned > lo) & (hi > lo)).sum(axis=1)
    kept = int(np.minimum(owned, lo).sum() + np.minimum(remainder, takers).clip(min=0).sum())
    return retainable(group) - kept


def _kept_total(group: Group, constraint: CountConstraint, potentials: Potentials) -> int | None:
    by_class = _per_topic_class(group, potentials.topic)
    if by_class is None:
        return None
    member = potentials.member
    lowest = np.full(len(group.class_topics), np.iinfo(np.int64).max // 4, dtype=np.int64)
    np.minimum.at(lowest, group.class_of, member)
    classes, kinds = group.arcs
    negative = by_class[classes] + lowest[kinds] < 0
    if constraint.allowed[classes[negative], kinds[negative]].any():
        return None
    size = np.bincount(group.partition_class[group.assignable], minlength=len(by_class))
    owned = np.flatnonzero(group.owner != NOBODY)
    c, m = group.partition_class[owned], group.owner[owned]
    inside = constraint.allowed[c, group.class_of[m]]
    slack = np.maximum(0, 1 - by_class[c] - member[m])[inside]
    return int((size * by_class).sum() + _member_part(constraint, member, 0) + slack.sum())


def _kept_per_topic(
    group: Group, constraint: CountConstraint, potentials: Potentials
) -> int | None:
    lo, hi = constraint.topic_lo, constraint.topic_hi
    assert lo is not None and hi is not None
    owned = topic_counts(group, group.owner)
    remainder = np.where(group.reads.any(axis=1), group.topic_size, 0) - lo.sum(axis=1)
    gain = (owned > lo) - potentials.topic[:, None] - potentials.member[None, :]
    arcs = np.where(hi > lo, np.maximum(0, gain), 0)
    sure = np.minimum(owned, lo).sum()
    fixed = lo.sum(axis=0)
    return int(
        sure
        + (remainder * potentials.topic).sum()
        + _member_part(constraint, potentials.member, fixed)
        + arcs.sum()
    )


def _member_part(constraint: CountConstraint, member: Ints, fixed: Ints | int) -> int:
    room = np.where(member > 0, constraint.hi - fixed, constraint.lo - fixed)
    return int((member * room).sum())


def _per_topic_class(group: Group, topic: Ints) -> Ints | None:
    """[C] the potential of each topic class; None if its topics disagree."""
    by_class = np.zeros(len(group.eligible), dtype=np.int64)
    by_class[group.topic_class] = topic
    return by_class if np.array_equal(by_class[group.topic_class], topic) else None
