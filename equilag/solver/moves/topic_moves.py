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
from equilag.domain.errors import EquilagError
from equilag.domain.group.group import Flags, Group, Ints
from equilag.solver.counts.even_counts import deal_in_turn
from equilag.solver.moves.flow_nodes import between_counts

MAX_PASSES: Final = 200
"""Passes that exchange units of one member that go together; most groups need fewer than ten."""


def extras_by_slots(
    group: Group, topics: TopicIntervals, room: tuple[Ints, Ints]
) -> tuple[tuple[Ints, Ints], Potentials]:
    """Topic and member of every partition beyond the fewest, and the dual solution.

    `room` are the fewest and the most of them that each member [M] takes. Raises EquilagError where
    no exchange parts the units that must not go together.
    """
    owned = owned_of_topics(group, topics)
    own_topic, own_member = owned.topic[owned.gains], owned.member[owned.gains]
    n_topics, n_members = len(topics.level), group.n_members
    pairs, slots = topics.open_pairs, topics.slots
    members, slot_node = np.arange(n_members), n_topics + n_members + pairs.slot
    one = np.ones(len(own_topic), np.int64)
    batches = [
        (own_topic, n_topics + own_member, one, 0),
        (pairs.topic, slot_node, slots.size[pairs.slot], 1),
        (n_topics + n_members + slots.of, n_topics + members, room[1], 0),
    ]
    found = between_counts(batches, one, topics.remainder, room, len(slots.size))
    kept, opened, passed = found.units
    kept_ones = kept > 0
    own_topic, own_member = own_topic[kept_ones], own_member[kept_ones]
    barred = topics.barred
    fixed = np.concatenate((own_topic, barred[0])) * n_members
    fixed += np.concatenate((own_member, barred[1]))
    topic, slot = np.repeat(pairs.topic, opened), np.repeat(pairs.slot, opened)
    order = np.lexsort((topic, slot))
    topic, slot = topic[order], slot[order]
    member, fixed = _in_rounds(slots.of, passed), np.sort(fixed)
    member = _parted(topic, member, slot, fixed, n_members)
    taken = np.concatenate((own_topic, topic)), np.concatenate((own_member, member))
    return taken, Potentials(found.supply, found.member)


def _in_rounds(slot_of: Ints, number: Ints) -> Ints:
    """Each member `number` [M] times, by slot, and as far from itself as can be."""
    member = np.repeat(np.arange(len(number)), number)
    turn = np.arange(len(member)) - np.repeat(np.cumsum(number) - number, number)
    return member[np.lexsort((member, turn, slot_of[member]))]


def _parted(topic: Ints, member: Ints, slot: Ints, fixed: Ints, n_members: int) -> Ints:
    """[units] the members, exchanged inside their slots until no topic and member go together twice
    or are one of the cells `fixed`, which ascend."""
    rng = np.random.default_rng(len(topic))  # any numbers do, the same ones every time
    member = member.copy()
    first, last = np.searchsorted(slot, slot), np.searchsorted(slot, slot, side="right")
    for _ in range(MAX_PASSES):
        cell = topic * n_members + member
        taken = np.sort(np.concatenate((cell, fixed)))
        wrong = np.flatnonzero(_repeated(cell) | among(cell, fixed))
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
    raise EquilagError("the fewest moves could not be parted into single partitions")


def _repeated(cell: Ints) -> Flags:
    """[cells] True for all but the first of equal ones."""
    order = np.argsort(cell, kind="stable")
    again = np.zeros(len(cell), np.bool_)
    again[order[1:]] = cell[order[1:]] == cell[order[:-1]]
    return again


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
