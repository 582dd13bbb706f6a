"""What intervals of topics are made of: alike members, what is open to them, single cells."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equilag.domain.constraint.blocks import ranges
from equilag.domain.group.group import Index, Ints


class CountInterval(NamedTuple):
    """Fewest and most partitions, elementwise."""

    least: Ints
    most: Ints


class Cells(NamedTuple):
    """Topics and members whose count is fixed by itself: [cells], by topic and then by member."""

    topic: Ints
    member: Ints
    fixed: Ints


class MemberSlots(NamedTuple):
    """Members of one class and one block; their cells are alike but for `Cells`."""

    of: Ints
    """[M] the slot of each member."""
    member_class: Ints
    """[S] ascending."""
    block: Ints
    """[S] ascending within a class."""
    size: Ints
    """[S] members."""


class OpenPairs(NamedTuple):
    """Topics and slots whose members may have a partition more: [pairs], by slot."""

    topic: Ints
    slot: Ints


class OpenRow(NamedTuple):
    """All members that may have one more, topic by topic, in one row that is not written out."""

    edges: Ints
    """[T + 1] where each topic's begin."""
    end: Ints
    """[pairs] where the members of each open pair end; pairs by topic."""
    shift: Ints
    """[pairs] from a place in the row to the place in `by_slot`."""
    by_slot: Ints
    """[M] the members by slot."""

    def members_at(self, places: Ints) -> Ints:
        pair = self.end.searchsorted(places, side="right")
        members: Ints = self.by_slot[places + self.shift[pair]]
        return members


def members_of_pairs(
    topic: Ints, label: Ints, label_of: Ints | Index, size: Ints
) -> tuple[Ints, Ints]:
    """Topic and member for all members whose label goes with the topic; `size` is that of each."""
    order = np.argsort(label_of, kind="stable")
    if not len(topic):
        return topic, topic
    if len(size) == 1:
        return np.repeat(topic, len(order)), np.tile(order, len(topic))
    end = np.cumsum(size)[label]
    number = size[label]
    return np.repeat(topic, number), order[ranges(end - number, end)]
