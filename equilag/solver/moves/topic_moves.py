"""The fewest moves where topics count one by one: which members keep more than the fewest.

Every subscriber keeps what it owns up to the fewest of its interval. Beyond that a topic has a
remainder of single partitions, and members that own one more than the fewest would keep it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.certificate.checks.potentials import Potentials, owned_of_topics
from equilag.domain.columns import among
from equilag.domain.constraint import CountConstraint, TopicCounts, TopicIntervals
from equilag.domain.group.group import Flags, Group, Ints
from equilag.solver.counts.topic_remainders import deal_in_turn
from equilag.solver.moves.kept_flow import between_counts
from equilag.solver.moves.slot_moves import extras_by_slots

MAX_CELLS: Final = 100_000
"""Topics and members that may have one more, up to which each is an arc of the flow. It takes about
as long as the flow by slots there (some 0.1 s), and is exact."""


class TopicMoves(NamedTuple):
    """Free partitions by cell, by topic and then by member, and the dual solution."""

    topic: Ints
    member: Ints
    number: Ints
    potentials: Potentials
    exact: bool
    """False where the potentials may prove fewer moves than the cells have."""


def fewest_topic_moves(group: Group, constraint: CountConstraint) -> TopicMoves:
    """Counts per topic and member that let owners keep the most."""
    topics = constraint.topics
    least, most = constraint.counts_of()
    fixed = topics.by_member.least
    room = least - fixed, most - fixed
    exact = True
    if not ((room[0] > 0).any() or (room[1] < topics.n_open).any()):
        taken, potentials = _extras_by_topic(group, topics)
    elif int(topics.n_open.sum()) <= MAX_CELLS:
        taken, potentials = _extras_by_cells(group, topics, room)
    else:
        taken, potentials = extras_by_slots(group, topics, room)
        exact = False
    return TopicMoves(*_cells(group, constraint, taken), potentials, exact)


def _cells(
    group: Group, constraint: CountConstraint, taken: tuple[Ints, Ints]
) -> tuple[Ints, Ints, Ints]:
    """The fewest of every cell and one more for those `taken`, without what is pinned."""
    topic, member, least = constraint.topics.least_cells
    key = np.concatenate((topic, taken[0])) * group.n_members
    key += np.concatenate((member, taken[1]))
    number = np.concatenate((least, np.ones_like(taken[0])))
    if constraint.has_pinned:
        pinned = TopicCounts.of(group, constraint.pinned_assignment).cells()
        key = np.concatenate((key, pinned[0] * group.n_members + pinned[1]))
        number = np.concatenate((number, -pinned[2]))
    if len(topic):  # else every cell is taken once
        key, place = np.unique(key, return_inverse=True)
        count = np.zeros(len(key), np.int64)
        np.add.at(count, place.ravel(), number)
        key, number = key[count > 0], count[count > 0]
    return key // max(1, group.n_members), key % max(1, group.n_members), number


def _extras_by_topic(group: Group, topics: TopicIntervals) -> tuple[tuple[Ints, Ints], Potentials]:
    """Topics are independent: each gives its remainder first to members that own more.

    The potential of a topic is 1 if more members own a partition beyond the fewest than its
    remainder has places, else 0.
    """
    owned = owned_of_topics(group, topics)
    topic, member = owned.topic[owned.gains], owned.member[owned.gains]
    first = np.arange(len(topic)) - np.searchsorted(topic, topic) < topics.remainder[topic]
    takers = np.bincount(topic, minlength=len(topics.level))
    rest = deal_in_turn(topics, np.maximum(0, topics.remainder - takers), (topic, member))
    taken = np.concatenate((topic[first], rest[0])), np.concatenate((member[first], rest[1]))
    crowded: Ints = (takers > topics.remainder).astype(np.int64)
    return taken, Potentials(crowded, np.zeros(group.n_members, np.int64))


def _extras_by_cells(
    group: Group, topics: TopicIntervals, room: tuple[Ints, Ints]
) -> tuple[tuple[Ints, Ints], Potentials]:
    """Totals tie topics together (``both``): one flow from topics to members."""
    topic, member = topics.open_cells()
    owned = owned_of_topics(group, topics)
    key = owned.topic[owned.gains] * group.n_members + owned.member[owned.gains]
    gain: Flags = among(topic * group.n_members + member, np.sort(key))
    n_topics = len(topics.level)
    batches = [
        (topic[some], n_topics + member[some], np.ones(int(some.sum()), np.int64), cost)
        for some, cost in ((gain, 0), (~gain, 1))
    ]
    found = between_counts(batches, batches[0][2], topics.remainder, room, 0)
    taken = np.zeros(len(topic), np.int64)
    taken[gain], taken[~gain] = found.units
    chosen = taken > 0
    return (topic[chosen], member[chosen]), Potentials(found.supply, found.member)
