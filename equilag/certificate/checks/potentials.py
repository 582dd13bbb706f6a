"""Fewest moves: node potentials of the flow as evidence, weak duality as the check.

Every plan within the count constraint keeps at most what the potentials allow, whatever plan they
came from; so no flow has to be recomputed. docs/certificates.md has the formula.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.domain.constraint import CountConstraint, TopicCounts, TopicIntervals
from equilag.domain.group.extended_columns import Stakes
from equilag.domain.group.group import NOBODY, Flags, Group, Ints
from equilag.domain.group.topic_parts import topic_parts
from equilag.domain.plan.claim import Claim, bounds_moves
from equilag.domain.plan.metrics import move_unit_of

ABOVE_ALL: Final = 2**61
"""Above all potentials; two of them fit 63 bits."""


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


def moves_claim(group: Group, moves: int, potentials: Potentials) -> Claim:
    """The claim that no plan has fewer than `moves` moves, or moves of a lower price; by name, the
    potentials that are not 0.

    A topic has one potential, or a table of partition numbers to potentials, see
    docs/certificates.md.
    """
    members = zip(group.members, potentials.member.tolist(), strict=True)
    data = {
        "topics": _by_topic(group, potentials),
        "members": {member.id: z for member, z in members if z},
    }
    return Claim(bounds_moves(move_unit_of(group)), moves, "potentials", data)


def pinned_moves_claim(group: Group, moves: int) -> Claim:
    """The claim that so many partitions leave owners that may not keep them, and that all others
    are pinned; it needs no potentials."""
    name = bounds_moves(move_unit_of(group))
    return Claim(name, moves, "potentials", {"topics": {}, "members": {}})


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
    """Partitions whose owner is live and still subscribes; or the price of moving all of them."""
    number = int(_stakes(group).number.sum())
    return number if group.extended is None else number + group.extended.forced_moves


def bound_by_potentials(
    group: Group, constraint: CountConstraint, potentials: Potentials
) -> int | None:
    """Fewest moves that the potentials prove, 0 or more; None if they are no dual solution."""
    kept: int | None
    if constraint.totals_then_topics:
        kept = _kept_then_topics(group, constraint, potentials)
    elif constraint.per_topic:
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
    """Partitions that stay with an owner at most, whatever the plan: each goes to one member of its
    face, so that it keeps no more than its own potential, its member's, and what the stake lies
    above both. None if the potentials are no dual solution."""
    by_unit, member = potentials.partition, potentials.member
    if by_unit is None:
        by_unit = potentials.topic[group.topic_of]
    assignable = np.flatnonzero(group.assignable)
    unit = by_unit[assignable]
    lowest_unit = np.full(len(group.eligible), ABOVE_ALL)
    np.minimum.at(lowest_unit, group.partition_class[assignable], unit)
    lowest_member = np.full(len(group.class_topics), ABOVE_ALL)
    np.minimum.at(lowest_member, group.class_of, member)
    classes, member_classes = constraint.arcs
    if (lowest_unit[classes] + lowest_member[member_classes] < 0).any():
        return None
    stakes = _stakes(group)
    slack = stakes.number - by_unit[stakes.unit] - member[stakes.member]
    some = np.flatnonzero(slack > 0)
    slack = slack[some] * constraint.may(stakes.unit[some], stakes.member[some])
    return exact_sum(unit) + _member_part(constraint, member, 0) + exact_sum(slack)


def _kept_then_topics(group: Group, constraint: CountConstraint, potentials: Potentials) -> int:
    """The same where topics count after the totals: given the prices of partitions and members, a
    member keeps most of a topic if it takes what is worth most to it, as many as it must and may.

    What it does not own is worth the least potential of what it may take; as if there were any
    number of that.
    """
    by_unit, member = potentials.partition, potentials.member
    if by_unit is None:
        by_unit = potentials.topic[group.topic_of]
    assignable = np.flatnonzero(group.assignable)
    parts = topic_parts(group)
    lowest = np.full(len(parts.topic), ABOVE_ALL)
    np.minimum.at(lowest, parts.of_partition[assignable], by_unit[assignable])
    part, member_class = np.nonzero(constraint.face[parts.partition_class])
    least = np.full(group.reads.shape, ABOVE_ALL)
    np.minimum.at(least, (parts.topic[part], member_class), lowest[part])
    stakes = _stakes(group)
    stakes = stakes.where(constraint.may(stakes.unit, stakes.member))
    topic = group.topic_of[stakes.unit]
    worth = stakes.number - by_unit[stakes.unit] - member[stakes.member]
    other = -least[topic, group.class_of[stakes.member]] - member[stakes.member]
    order = np.lexsort((-worth, stakes.member, topic))
    order = order[(worth > other)[order]]
    topic, holder, worth = topic[order], stakes.member[order], worth[order]
    edges = np.searchsorted(topic, np.arange(len(group.topics) + 1)).tolist()
    total = int(by_unit[assignable].sum()) + _member_part(constraint, member, 0)
    for t in np.flatnonzero(group.reads.any(axis=1)).tolist():
        who = np.flatnonzero(least[t][group.class_of] < ABOVE_ALL)
        low, high = (np.zeros_like(member) for _ in range(2))
        low[who], high[who] = constraint.topics.at(t, who)
        mine, gain = holder[edges[t] : edges[t + 1]], worth[edges[t] : edges[t + 1]]
        rank = np.arange(len(mine)) - np.searchsorted(mine, mine)
        total += int(gain[rank < low[mine]].sum())
        total += int(np.maximum(gain, 0)[(rank >= low[mine]) & (rank < high[mine])].sum())
        taken = np.bincount(mine, minlength=len(member))
        must = np.maximum(low - taken, 0)[who]
        rest = np.maximum(high - np.maximum(low, taken), 0)[who]
        price = -least[t][group.class_of[who]] - member[who]
        total += int((must * price).sum() + (rest * np.maximum(price, 0)).sum())
    return total


def _stakes(group: Group) -> Stakes:
    """Who owns how much of what; 1 each where no unit has several partitions."""
    if group.extended is not None and group.extended.stakes is not None:
        return group.extended.stakes
    owned = np.flatnonzero(group.owner != NOBODY)
    return Stakes(owned, group.owner[owned].astype(np.int64), np.ones_like(owned))


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
    topic, slot = topics.pairs
    values, rank = np.unique(potentials.member, return_inverse=True)
    width = len(values) + 1
    key = topics.place * width + rank.ravel()
    order = np.argsort(key, kind="stable")
    key = key[order]
    below = np.concatenate(([0], np.cumsum(potentials.member[order])))
    first = np.searchsorted(key, slot * width)
    last = np.searchsorted(key, slot * width + np.searchsorted(values, -potentials.topic[topic]))
    total = ((last - first) * -potentials.topic[topic] - (below[last] - below[first])).sum()
    barred_topic, barred_member = topics.barred
    barred = -potentials.topic[barred_topic] - potentials.member[barred_member]
    return int(total - np.maximum(0, barred).sum())


def exact_sum(values: Ints, times: Ints | int = 1) -> int:
    """The sum of `values`, each `times` a number of partitions, also where it passes 63 bits."""
    high, low = values >> 31, values & (2**31 - 1)
    return (int((high * times).sum()) << 31) + int((low * times).sum())


def _member_part(constraint: CountConstraint, member: Ints, fixed: Ints | int) -> int:
    """The largest sum of potential × count over members, less the `fixed` part of the counts."""
    least, most = constraint.counts_of()
    sums = constraint.instance_sums
    if sums is None:
        return exact_sum(member, np.where(member > 0, most - fixed, least - fixed))
    # Members of an instance by descending potential, as long as it helps or their sum needs it.
    order = np.lexsort((-member, sums.of))
    of, room, worth = sums.of[order], (most - least)[order], member[order]
    before = np.cumsum(room) - room
    before -= before[np.searchsorted(of, of)]
    spare = np.where(worth > 0, sums.most[of], sums.least[of]) - sums.total(least)[of]
    more = np.clip(spare - before, 0, room)
    return exact_sum(member, least - fixed) + exact_sum(worth, more)
