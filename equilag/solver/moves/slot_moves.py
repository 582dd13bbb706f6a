"""Few moves where totals tie topics together, in groups too large for an arc per topic and member.

The flow runs from topics to slots of alike members, and from there to the members. It may give a
member two partitions of a topic that may have one: such units are exchanged afterwards. So its
potentials are a true bound, and the moves of its plan almost always equal it.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from equilag.certificate.checks.potentials import Potentials, owned_of_topics
from equilag.domain.columns import among
from equilag.domain.constraint import TopicIntervals
from equilag.domain.errors import EquilagError
from equilag.domain.group.group import Flags, Group, Ints
from equilag.solver.moves.kept_flow import between_counts

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
