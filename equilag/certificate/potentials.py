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
    """The dual solution: one integer per topic or partition, and one per member."""

    topic: Ints
    """[T]; all zeros where `partition` is given."""
    member: Ints
    """[M]"""
    partition: Ints | None = None
    """[P] in place of `topic`, where the partitions of one topic are of different classes."""

    @staticmethod
    def of_classes(group: Group, by_class: Ints, member: Ints) -> Potentials:
        """From one integer per partition class [C]."""
        if group.partition_classes is None:
            return Potentials(by_class[group.topic_class], member)
        nothing = np.zeros(len(group.topics), dtype=np.int64)
        return Potentials(nothing, member, by_class[group.partition_class])

    def by_class(self, group: Group) -> Ints | None:
        """[C] one integer per partition class; None if one class has several."""
        found = np.zeros(len(group.eligible), dtype=np.int64)
        if self.partition is None and group.partition_classes is None:
            found[group.topic_class] = self.topic
            return found if np.array_equal(found[group.topic_class], self.topic) else None
        each = self.topic[group.topic_of] if self.partition is None else self.partition
        found[group.partition_class] = each
        return found if np.array_equal(found[group.partition_class], each) else None


def moves_claim(group: Group, moves: int, potentials: Potentials) -> Claim:
    """The claim that no plan has fewer than `moves` moves; by name, the potentials that are not 0.

    A topic has one potential, or a table of partition numbers to potentials, see
    docs/certificates.md.
    """
    members = zip(group.members, potentials.member.tolist(), strict=True)
    data = {
        "topics": _by_topic(group, potentials),
        "members": {member.id: z for member, z in members if z},
    }
    return Claim("fewest_moves", moves, "potentials", data)


def _by_topic(group: Group, potentials: Potentials) -> dict[str, int | dict[str, int]]:
    if potentials.partition is None:
        pairs = zip(group.topics, potentials.topic.tolist(), strict=True)
        return {name: y for name, y in pairs if y}
    table: dict[str, int | dict[str, int]] = {}
    parts = np.split(potentials.partition, group.topic_start[1:-1])
    for name, part in zip(group.topics, parts, strict=True):
        if part.any():
            numbered = {str(number): y for number, y in enumerate(part.tolist()) if y}
            table[name] = int(part[0]) if (part == part[0]).all() else numbered
    return table


def retainable(group: Group) -> int:
    """Partitions whose owner is live and still subscribes."""
    return int(np.count_nonzero(group.owner != NOBODY))


def bound_by_potentials(
    group: Group, constraint: CountConstraint, potentials: Potentials
) -> int | None:
    """Fewest moves that the potentials prove, 0 or more; None if they are no dual solution."""
    if constraint.per_topic:
        kept = _kept_per_topic(group, constraint, potentials)
    else:
        kept = _kept_total(group, constraint, potentials)
    return None if kept is None else max(0, retainable(group) - kept)


def bound_by_topics(group: Group, constraint: CountConstraint) -> int:
    """Fewest moves under per-topic counts alone: a closed form, topic by topic."""
    lo, hi = constraint.topic_counts_of()
    owned = topic_counts(group, group.owner)
    remainder = group.topic_size - lo.sum(axis=1)
    takers = ((owned > lo) & (hi > lo)).sum(axis=1)
    kept = int(np.minimum(owned, lo).sum() + np.minimum(remainder, takers).clip(min=0).sum())
    return retainable(group) - kept


def _kept_total(group: Group, constraint: CountConstraint, potentials: Potentials) -> int | None:
    by_class = potentials.by_class(group)
    if by_class is None:
        return None
    member = potentials.member
    lowest = np.full(len(group.class_topics), np.iinfo(np.int64).max // 4, dtype=np.int64)
    np.minimum.at(lowest, group.class_of, member)
    classes, member_classes = group.arcs
    negative = by_class[classes] + lowest[member_classes] < 0
    if constraint.face[classes[negative], member_classes[negative]].any():
        return None
    size = np.bincount(group.partition_class[group.assignable], minlength=len(by_class))
    owned = np.flatnonzero(group.owner != NOBODY)
    owner = group.owner[owned]
    slack = np.maximum(0, 1 - by_class[group.partition_class[owned]] - member[owner])
    slack = slack[constraint.may(owned, owner)]
    return int((size * by_class).sum() + _member_part(constraint, member, 0) + slack.sum())


def _kept_per_topic(
    group: Group, constraint: CountConstraint, potentials: Potentials
) -> int | None:
    if potentials.partition is not None:
        return None
    lo, hi = constraint.topic_counts_of()
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
    least, most = constraint.counts_of()
    room = np.where(member > 0, most - fixed, least - fixed)
    return int((member * room).sum())
