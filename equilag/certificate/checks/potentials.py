"""Fewest moves: node potentials of the flow as evidence, weak duality as the check.

Every plan within the count constraint keeps at most what the potentials allow, whatever plan they
came from; so no flow has to be recomputed. docs/certificates.md has the formula.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from equilag.domain.columns import ranks
from equilag.domain.constraint import CountConstraint, TopicIntervals
from equilag.domain.constraint.stops import topic_parts
from equilag.domain.group.extended_columns import Stakes
from equilag.domain.group.group import NOBODY, Flags, Group, Index, Ints
from equilag.domain.group.weight import MAX_PRICE
from equilag.domain.plan.claim import Claim, bounds_moves
from equilag.domain.plan.metrics import topic_counts

ABOVE_ALL: Final = 2**61
"""Above all potentials; two of them fit 63 bits."""
MAX_POTENTIAL: Final = 2**31
"""Potentials stay below it, so that their products with counts stay below 2^63."""
MAX_PRICED: Final = 2 * MAX_PRICE
"""The same of prices: two potentials and a price are below 2^63, and sums are exact."""


class FlowPrices(NamedTuple):
    """What a flow adds up: moves alone, or moves and reads across racks."""

    move: int = 1
    read: int = 0

    @staticmethod
    def highest(group: Group) -> FlowPrices:
        """With higher ones, all moves or all reads may cost more than potentials are; the group has
        racks."""
        most = MAX_POTENTIAL if group.extended.move_unit is None else MAX_PRICE
        reads = int(group.extended.cross_costs.max(axis=1, initial=0)[group.partition_class].sum())
        return FlowPrices(most // max(1, retainable(group)), most // max(1, reads))


class Potentials(NamedTuple):
    """The dual solution: one integer per partition, and one per member."""

    partition: Ints
    """[P] the same for all that are alike; that of what nobody reads does not matter."""
    member: Ints
    """[M]"""
    prices: FlowPrices = FlowPrices()


def moves_claim(group: Group, moves: int, potentials: Potentials) -> Claim:
    """The claim that no plan has fewer than `moves` moves, or moves of a lower price; by name, the
    potentials that are not 0.

    A topic has one potential, or a table of partition numbers to potentials, see
    docs/certificates.md.
    """
    members = zip(group.members, potentials.member.tolist(), strict=True)
    data: dict[str, Any] = {
        "topics": _by_topic(group, potentials),
        "members": {member.id: z for member, z in members if z},
    }
    if potentials.prices.read:
        data["prices"] = list(potentials.prices)
    return Claim(bounds_moves(group.extended.move_unit), moves, "potentials", data)


def pinned_moves_claim(group: Group, moves: int) -> Claim:
    """The claim that so many partitions leave owners that may not keep them, and that all others
    are pinned; it needs no potentials."""
    name = bounds_moves(group.extended.move_unit)
    return Claim(name, moves, "potentials", {"topics": {}, "members": {}})


def _by_topic(group: Group, potentials: Potentials) -> dict[str, int | dict[str, int]]:
    table: dict[str, int | dict[str, int]] = {}
    parts = np.split(potentials.partition, group.topic_start[1:-1])
    for name, part in zip(group.topics, parts, strict=True):
        if part.any():
            numbered = {str(number): y for number, y in enumerate(part.tolist()) if y}
            table[name] = int(part[0]) if (part == part[0]).all() else numbered
    return table


def retainable(group: Group) -> int:
    """Partitions whose owner is live and still subscribes; or the price of moving all of them."""
    return int(_stakes(group).number.sum()) + group.extended.forced_moves


def bound_by_potentials(
    group: Group, constraint: CountConstraint, potentials: Potentials, most_across: int = 0
) -> int | None:
    """Fewest moves that the potentials prove, 0 or more; None if they are no dual solution. Where
    reads across racks have a price, of plans with at most `most_across` (Lagrange).

    Partitions that stay with an owner at most, whatever the plan: each goes to one member of its
    face, so that it keeps no more than its own potential, its member's, and what the stake, less
    its reads, lies above both.
    """
    by_unit, member, _ = potentials
    price, stakes = potentials.prices.move, _stakes(group)
    worth = price * stakes.number - by_unit[stakes.unit] - member[stakes.member]
    classes = group.partition_class[stakes.unit], group.class_of[stakes.member]
    worth -= _price_of_reads(group, potentials, *classes)
    worth[~constraint.may(stakes.unit, stakes.member)] = -2 * ABOVE_ALL
    if constraint.per_topic:
        kept = _kept_of_topics(constraint, potentials, stakes._replace(number=worth))
    elif _is_dual(constraint, potentials):
        kept = exact_sum(np.maximum(worth, 0))
    else:
        return None
    kept += exact_sum(by_unit[group.assignable]) + member_part(constraint, member)
    return max(0, retainable(group) - (kept + potentials.prices.read * most_across) // price)


def _price_of_reads(
    group: Group, potentials: Potentials, classes: Ints | Index, member_classes: Ints | Index
) -> Ints | int:
    """What reads of a partition of each class cost with a member of the other one."""
    price = potentials.prices.read
    return price * group.extended.cross_costs[classes, member_classes] if price else 0


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
    owned = topic_counts(group, group.owner)
    topic, member = np.nonzero(owned)
    count = owned[topic, member].astype(np.int64)
    least, most = topics.at(topic, member)
    gains = (count > least) & (most > least)
    return OwnedOfTopics(topic, member, gains, int(np.minimum(count, least).sum()))


def _is_dual(constraint: CountConstraint, potentials: Potentials) -> bool:
    """True if no partition and no member that may take it have potentials below 0 together, with
    what is read across racks."""
    group, (by_unit, member, _) = constraint.group, potentials
    lowest_unit = np.full(len(group.eligible), ABOVE_ALL)
    np.minimum.at(lowest_unit, group.partition_class[group.assignable], by_unit[group.assignable])
    lowest_member = np.full(len(group.class_topics), ABOVE_ALL)
    np.minimum.at(lowest_member, group.class_of, member)
    classes, member_classes = constraint.arcs
    together = lowest_unit[classes] + lowest_member[member_classes]
    reads = _price_of_reads(group, potentials, classes, member_classes)
    return bool((together + reads >= 0).all())


def _kept_of_topics(constraint: CountConstraint, potentials: Potentials, stakes: Stakes) -> int:
    """The stakes, less both prices, that are kept where topics count one by one: a member keeps
    most of a topic if it takes what is worth most to it, as many as it must and may.

    What it does not own is worth the least potential of what it may take; as if there were any
    number of that. O(P log P + topics × places).
    """
    group, (by_unit, member, _) = constraint.group, potentials
    parts, topics = topic_parts(group), constraint.topics
    lowest = np.full(len(parts.topic), ABOVE_ALL)
    np.minimum.at(lowest, parts.of_partition[group.assignable], by_unit[group.assignable])
    part, member_class = np.nonzero(constraint.face[parts.partition_class])
    least = np.full(group.reads.shape, ABOVE_ALL)
    reads = _price_of_reads(group, potentials, parts.partition_class[part], member_class)
    np.minimum.at(least, (parts.topic[part], member_class), lowest[part] + reads)
    class_of_place = np.zeros(len(topics.size), np.int64)
    class_of_place[topics.place] = group.class_of
    # As if nobody owned anything.
    total = -exact_sum(member, topics.level.sum(axis=0, dtype=np.int64)[topics.place])
    topic, place = np.nonzero(topics.level)
    times = topics.level[topic, place].astype(np.int64) * topics.size[place]
    total -= exact_sum(least[topic, class_of_place[place]], times)
    topic, place = topics.pairs
    total += _above_zero(topics.place, member, place, -least[topic, class_of_place[place]])
    unit, holder, worth = stakes
    topic = group.topic_of[unit].astype(np.int64)
    other = -least[topic, group.class_of[holder]] - member[holder]
    order = np.lexsort((-worth, holder, topic))
    order = order[(worth > other)[order]]
    topic, holder, worth, other = topic[order], holder[order], worth[order], other[order]
    cell = topic * group.n_members + holder
    rank = ranks(cell)
    low, high = topics.at(topic, holder)
    must, may = rank < low, (rank >= low) & (rank < high)
    more = (np.maximum(worth, 0) - np.maximum(other, 0))[may]
    return total + exact_sum((worth - other)[must]) + exact_sum(more)


def _above_zero(place_of: Ints, member: Ints, place: Ints, worth: Ints) -> int:
    """The sum of max(0, worth − z) over the members of each of some places, with potentials z."""
    values, rank = np.unique(member, return_inverse=True)
    width = len(values) + 1
    key = place_of * width + rank.ravel()
    order = np.argsort(key, kind="stable")
    key = key[order]
    first = np.searchsorted(key, place * width)
    last = np.searchsorted(key, place * width + np.searchsorted(values, worth))
    starts, ends = (np.bincount(edge, minlength=len(key) + 1) for edge in (first, last))
    return exact_sum(worth, last - first) - exact_sum(member[order], np.cumsum(starts - ends)[:-1])


def _stakes(group: Group) -> Stakes:
    """Who owns how much of what; 1 each where no unit has several partitions."""
    if group.extended.stakes is not None:
        return group.extended.stakes
    owned = np.flatnonzero(group.owner != NOBODY)
    return Stakes(owned, group.owner[owned].astype(np.int64), np.ones_like(owned))


def exact_sum(values: Ints, times: Ints | None = None) -> int:
    """The sum of `values`, each `times` a number of partitions, also where it passes 63 bits."""
    high, low = values >> 31, values & (2**31 - 1)
    if times is None:
        return (int(high.sum()) << 31) + int(low.sum())
    return (int(high @ times) << 31) + int(low @ times)


def member_part(constraint: CountConstraint, member: Ints) -> int:
    """The largest sum of potential × count over members."""
    least, most = constraint.counts_of()
    sums = constraint.instance_sums
    if sums is None:
        return exact_sum(member, np.where(member > 0, most, least))
    # Members of an instance by descending potential, as long as it helps or their sum needs it.
    order = np.lexsort((-member, sums.of))
    of, room, worth = sums.of[order], (most - least)[order], member[order]
    before = np.cumsum(room) - room
    before -= before[np.searchsorted(of, of)]
    spare = np.where(worth > 0, sums.most[of], sums.least[of]) - sums.total(least)[of]
    more = np.clip(spare - before, 0, room)
    return exact_sum(member, least) + exact_sum(worth, more)
