"""Fewest moves: node potentials of the flow as evidence, weak duality as the check.

Every plan within the count constraint keeps at most what the potentials allow, whatever plan they
came from; so no flow has to be recomputed. docs/certificates.md has the formula.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equilag.domain.constraint import CountConstraint, TopicCounts, TopicIntervals
from equilag.domain.group.extended_columns import Stakes
from equilag.domain.group.group import NOBODY, Flags, Group, Ints
from equilag.domain.plan.claim import Claim


def most_kept(
    group: Group, constraint: CountConstraint, stakes: Stakes, unit: Ints, member: Ints
) -> int | None:
    """Partitions that stay with an owner at most, whatever the plan, but for what members' room
    adds; None if the potentials are no dual solution.

    `unit` [units] and `member` [M] are the potentials: each unit goes to one member of its face, so
    that it keeps no more than its own potential, its member's, and what the stake lies above both.
    """
    assignable = np.flatnonzero(group.assignable)
    lowest_unit = np.full(len(group.eligible), np.iinfo(np.int64).max // 4, dtype=np.int64)
    np.minimum.at(lowest_unit, group.partition_class[assignable], unit[assignable])
    lowest_member = np.full(len(group.class_topics), np.iinfo(np.int64).max // 4, dtype=np.int64)
    np.minimum.at(lowest_member, group.class_of, member)
    classes, member_classes = constraint.arcs
    if (lowest_unit[classes] + lowest_member[member_classes] < 0).any():
        return None
    within = constraint.may(stakes.unit, stakes.member)
    height = unit[stakes.unit] + member[stakes.member]
    slack = np.maximum(0, stakes.number - height)[within]
    return int(unit[assignable].sum() + slack.sum())


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


def pinned_moves_claim(moves: int) -> Claim:
    """The claim that so many partitions leave owners that may not keep them, and that all others
    are pinned; it needs no potentials."""
    return Claim("fewest_moves", moves, "potentials", {"topics": {}, "members": {}})


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
    if group.extended is None:
        return int(np.count_nonzero(group.owner != NOBODY))
    if group.extended.stakes is None:
        return int(np.count_nonzero(group.owner != NOBODY)) + group.extended.forced_moves
    return int(group.extended.stakes.number.sum())


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
    owned = owned_of_topics(group, constraint.topics)
    takers = np.bincount(owned.topic[owned.gains], minlength=len(group.topics))
    kept = owned.sure + int(np.minimum(constraint.topics.remainder, takers).sum())
    return retainable(group) - kept


class OwnedOfTopics(NamedTuple):
    """Cells of topic and member that hold owned partitions: [cells]."""

    topic: Ints
    member: Ints
    gains: Flags
    """True where one more than the fewest could be kept."""
    sure: int
    """Partitions that are kept whatever happens to the remainders."""


def owned_of_topics(group: Group, topics: TopicIntervals) -> OwnedOfTopics:
    """Who owns what of the topics. O(P log P)."""
    topic, member, count = TopicCounts.of(group, group.owner).cells()
    least = topics.least_of_subscribers(topic, member)
    gains = (count > least) & (topics.most_of_subscribers(topic, member) > least)
    return OwnedOfTopics(topic, member, gains, int(np.minimum(count, least).sum()))


def _kept_total(group: Group, constraint: CountConstraint, potentials: Potentials) -> int | None:
    if group.extended is not None and group.extended.stakes is not None:
        unit = potentials.topic[group.topic_of]
        if potentials.partition is not None:
            unit = potentials.partition
        kept = most_kept(group, constraint, group.extended.stakes, unit, potentials.member)
        return None if kept is None else kept + _member_part(constraint, potentials.member, 0)
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
    read = np.zeros(len(by_class), np.bool_)
    read[classes] = True
    owned = np.flatnonzero(group.owner != NOBODY)
    owner = group.owner[owned]
    slack = 1 - by_class[group.partition_class[owned]] - member[owner]
    some = np.flatnonzero(slack > 0)
    slack = slack[some] * constraint.may(owned[some], owner[some])
    return int(
        (group.class_partitions * read * by_class).sum()
        + _member_part(constraint, member, 0)
        + slack.sum()
    )


def _kept_per_topic(
    group: Group, constraint: CountConstraint, potentials: Potentials
) -> int | None:
    if potentials.partition is not None:
        return None
    topics, member = constraint.topics, potentials.member
    owned = owned_of_topics(group, topics)
    height = potentials.topic[owned.topic[owned.gains]] + member[owned.member[owned.gains]]
    arcs = int((np.maximum(0, 1 - height) - np.maximum(0, -height)).sum())
    return int(
        owned.sure
        + (topics.remainder * potentials.topic).sum()
        + _member_part(constraint, member, topics.by_member.least)
        + arcs
        + _below_zero(topics, potentials)
    )


def _below_zero(topics: TopicIntervals, potentials: Potentials) -> int:
    """The sum of max(0, −y − z) over all cells of topic and member that may have one more."""
    topic, slot = topics.open_pairs
    values, rank = np.unique(potentials.member, return_inverse=True)
    width = len(values) + 1
    key = topics.slots.of * width + rank.ravel()
    order = np.argsort(key, kind="stable")
    key = key[order]
    below = np.concatenate(([0], np.cumsum(potentials.member[order])))
    first = np.searchsorted(key, slot * width)
    last = np.searchsorted(key, slot * width + np.searchsorted(values, -potentials.topic[topic]))
    total = ((last - first) * -potentials.topic[topic] - (below[last] - below[first])).sum()
    barred_topic, barred_member = topics.barred
    barred = -potentials.topic[barred_topic] - potentials.member[barred_member]
    return int(total - np.maximum(0, barred).sum())


def _member_part(constraint: CountConstraint, member: Ints, fixed: Ints | int) -> int:
    """The largest sum of potential × count over members, less the `fixed` part of the counts."""
    least, most = constraint.counts_of()
    sums = constraint.instance_sums
    if sums is None:
        room = np.where(member > 0, most - fixed, least - fixed)
        return int((member * room).sum())
    # Members of an instance by descending potential, as long as it helps or their sum needs it.
    order = np.lexsort((-member, sums.of))
    of, room, worth = sums.of[order], (most - least)[order], member[order]
    before = np.cumsum(room) - room
    before -= before[np.searchsorted(of, of)]
    spare = np.where(worth > 0, sums.most[of], sums.least[of]) - sums.total(least)[of]
    more = np.clip(spare - before, 0, room)
    return int((member * (least - fixed)).sum() + (worth * more).sum())
