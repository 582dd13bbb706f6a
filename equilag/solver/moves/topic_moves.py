"""The fewest moves where topics count one by one: which members keep more than the fewest.

Every subscriber keeps what it owns up to the fewest of its interval. Beyond that a topic has a
remainder of single partitions, and members that own one more than the fewest would keep it.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from equilag.certificate.checks.potentials import Potentials, owned_of_topics
from equilag.domain.budget import TABLE
from equilag.domain.columns import among, place_of, ranks, rows_together
from equilag.domain.constraint import CountConstraint, CountInterval, TopicIntervals
from equilag.domain.group.group import Group, Ints
from equilag.solver.counts.even_counts import Units, deal_in_turn
from equilag.solver.moves.kept_flow import Cells, KeptNetwork, NodeArcs

MAX_PASSES: Final = 200
"""Passes that exchange units of one member that go together; most groups need fewer than ten."""


def extras_by_slots(
    group: Group, topics: TopicIntervals, room: CountInterval
) -> tuple[Units, Potentials] | None:
    """Topic and member of every partition beyond the fewest, and the dual solution.

    `room` are the fewest and the most of them that each member [M] takes. None where no exchange
    parts the units that must not go together.
    """
    (topic, slot), kept = topics.pairs, _kept_arcs(group, topics)
    pair = place_of(
        kept.node * len(topics.size) + topics.place[kept.to],
        topic * len(topics.size) + slot,
        len(topics.level) * len(topics.size),
    )
    others = topics.size[slot] - np.bincount(pair, minlength=len(topic))
    arcs = NodeArcs(topic, slot, others, np.ones_like(topic))
    flow = KeptNetwork(topics.remainder, kept, arcs, topics.place, room).cheapest()
    own = kept.node[flow.kept > 0], kept.to[flow.kept > 0]
    topic, slot = np.repeat(topic, flow.opened), np.repeat(slot, flow.opened)
    order = np.lexsort((topic, slot))
    topic, slot = topic[order], slot[order]
    closed = np.sort(own[0] * group.n_members + own[1])
    member = _parted(topic, _in_rounds(topics.place, flow.given), slot, closed, group.n_members)
    if member is None:
        return None
    taken = np.concatenate((own[0], topic)), np.concatenate((own[1], member))
    return taken, Potentials(1 + flow.node[group.topic_of], flow.member)


def _in_rounds(slot_of: Ints, number: Ints) -> Ints:
    """Each member `number` [M] times, by slot, and as far from itself as can be."""
    member = np.repeat(np.arange(len(number)), number)
    turn = np.arange(len(member)) - np.repeat(np.cumsum(number) - number, number)
    return member[np.lexsort((member, turn, slot_of[member]))]


def _parted(topic: Ints, member: Ints, slot: Ints, fixed: Ints, n_members: int) -> Ints | None:
    """[units] the members, exchanged inside their slots until no topic and member go together twice
    or are one of the cells `fixed`, which ascend; None if that fails."""
    rng = np.random.default_rng(len(topic))  # any numbers do, the same ones every time
    member = member.copy()
    first, last = np.searchsorted(slot, slot), np.searchsorted(slot, slot, side="right")
    for _ in range(MAX_PASSES):
        cell = topic * n_members + member
        taken, clash = np.sort(np.concatenate((cell, fixed))), among(cell, fixed)
        order, new = rows_together([cell])
        clash[order[~new]] = True
        wrong = np.flatnonzero(clash)
        if not len(wrong):
            return member
        other = rng.integers(first[wrong], last[wrong])
        here, there = topic[wrong] * n_members + member[other], topic[other] * n_members
        there = there + member[wrong]
        fits = ~(among(here, taken) | among(there, taken))
        # Each unit in one exchange of a pass.
        _, once = np.unique(other, return_index=True)
        single = np.zeros(len(wrong), np.bool_)
        single[once] = True
        fits &= single & ~among(other, wrong)
        one, two = wrong[fits], other[fits]
        member[one], member[two] = member[two], member[one]
    return None


def fewest_topic_moves(group: Group, constraint: CountConstraint) -> tuple[Cells, Potentials]:
    """Free partitions of each topic at each member that let owners keep the most, by topic and then
    by member, and the dual solution; by slots it may prove fewer moves than the cells have."""
    topics = constraint.topics
    least, most = constraint.counts_of()
    fixed = topics.by_member.least
    room = CountInterval(least - fixed, most - fixed)
    if not (room.least.any() or (room.most < topics.n_open).any()):
        taken, potentials = _extras_by_topic(group, topics)
    else:
        few = int(topics.n_open.sum()) <= TABLE  # each is an arc of the flow then, which is exact
        found = None if few else extras_by_slots(group, topics, room)
        found = found or extras_by_slots(group, topics.by_members, room)
        assert found is not None  # nothing goes together where each member is a slot
        taken, potentials = found
    return _cells(group, constraint, taken), potentials


def _cells(group: Group, constraint: CountConstraint, taken: Units) -> Cells:
    """The fewest of every cell and one more for those `taken`, without what is pinned."""
    n_members = max(1, group.n_members)
    columns = [constraint.free_topics.least_cells, (*taken, np.ones_like(taken[0]))]
    topic, member, number = (np.concatenate(column) for column in zip(*columns, strict=True))
    key, place = np.unique(topic * n_members + member, return_inverse=True)
    count = np.zeros(len(key), np.int64)
    np.add.at(count, place.ravel(), number)
    key, count = key[count > 0], count[count > 0]
    return key // n_members, key % n_members, count


def _kept_arcs(group: Group, topics: TopicIntervals) -> NodeArcs:
    """To members that could keep one more than the fewest."""
    owned = owned_of_topics(group, topics)
    topic, member = owned.topic[owned.gains], owned.member[owned.gains]
    return NodeArcs(topic, member, np.ones_like(topic), np.zeros_like(topic))


def _extras_by_topic(group: Group, topics: TopicIntervals) -> tuple[Units, Potentials]:
    """Topics are independent: each gives its remainder first to members that own more.

    The potential of a topic is 1 if more members own a partition beyond the fewest than its
    remainder has places, else 0.
    """
    topic, member, *_ = _kept_arcs(group, topics)
    first = ranks(topic) < topics.remainder[topic]
    takers = np.bincount(topic, minlength=len(topics.level))
    rest = deal_in_turn(topics, np.maximum(0, topics.remainder - takers), (topic, member))
    taken = np.concatenate((topic[first], rest[0])), np.concatenate((member[first], rest[1]))
    crowded: Ints = (takers > topics.remainder).astype(np.int64)
    return taken, Potentials(crowded[group.topic_of], np.zeros(group.n_members, np.int64))
