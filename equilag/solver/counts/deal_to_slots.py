"""From units by slot to an assignment; a slot is members of one class that are alike."""

from __future__ import annotations

import numpy as np

from equilag.domain.columns import Index, Ints
from equilag.domain.constraint import ranges
from equilag.domain.group.group import Group


def slots_of_classes(group: Group, slot_class: Ints | Index) -> tuple[Ints, Ints]:
    """Partition class and slot of every pair that goes together, by partition class.

    `slot_class` [slots], the member class of each, is ascending.
    """
    classes, member_classes = group.arcs
    first = np.searchsorted(slot_class, np.arange(len(group.class_topics) + 1))
    slots = np.diff(first)[member_classes]
    return np.repeat(classes, slots), ranges(first[member_classes], first[member_classes + 1])


def deal_to_slots(
    assigned: Index, partitions: Ints, slots: Ints, members: Ints, share: Ints
) -> None:
    """Assign each of `partitions` to a member of its slot in `slots`.

    `members` are by slot, and `share` is how many partitions each of them takes.
    """
    by_slot = partitions[np.argsort(slots, kind="stable")]
    assigned[by_slot] = np.repeat(members, share)
