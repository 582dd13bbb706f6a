"""Counts topic by topic: the intervals of an even split, and the blocks of the remainders."""

from __future__ import annotations

import numpy as np

from equilag.constraint.blocks import Levels, reach_levels
from equilag.errors import InputError
from equilag.group import NOBODY, Flags, Group, Index, Ints


def topic_counts(group: Group, assigned: Index) -> Ints:
    """[T, M] partitions of each topic at each member."""
    held = assigned != NOBODY
    cell = group.topic_of[held].astype(np.int64) * group.n_members + assigned[held]
    size = len(group.topics) * group.n_members
    flat = np.bincount(cell, minlength=size).astype(np.int64)
    return flat.reshape(len(group.topics), group.n_members)


def topic_intervals(group: Group, pinned: Flags) -> tuple[Ints, Ints]:
    """[T, M] fewest and most partitions of each topic per member.

    Floor and ceiling of an even split over the subscribers. Where some partitions are pinned
    (`pinned` [P]), the free ones go to the subscribers with the fewest, see `water_fill`. Raises
    InputError where the partitions of a topic are of different classes: then floor and ceiling need
    not be possible.
    """
    if group.partition_classes is not None:
        raise InputError("topics are not counted one by one where partitions differ", "balance")
    readers = group.reads[:, group.class_of]
    if not pinned.any():
        width = np.maximum(1, readers.sum(axis=1))
        lo = np.where(readers, (group.topic_size // width)[:, None], 0)
        hi = np.where(readers, -(-group.topic_size // width)[:, None], 0)
        return lo, hi
    base = topic_counts(group, np.where(pinned, group.owner, NOBODY))
    lo, hi = base.copy(), base.copy()
    for topic in range(len(group.topics)):
        who = np.flatnonzero(readers[topic])
        if not len(who):
            continue
        free = int(group.topic_size[topic] - base[topic].sum())
        lo[topic, who], hi[topic, who] = water_fill(base[topic, who], free)
    return lo, hi


def water_fill(base: Ints, free: int) -> tuple[Ints, Ints]:
    """[n] fewest and most of each count if `free` units are added to `base` [n] as evenly as
    possible; O(n log n)."""
    if free <= 0 or not len(base):
        return base.copy(), base.copy()
    order = np.sort(base)
    # room[i]: units needed to lift the i + 1 smallest counts to order[i]
    room = order * np.arange(1, len(order) + 1) - np.cumsum(order)
    lifted = int(np.searchsorted(room, free, side="right"))
    level, extra = divmod(free + int(order[:lifted].sum()), lifted)
    lo = np.maximum(base, level)
    hi = np.maximum(base, level + 1) if extra else lo.copy()
    return lo, np.where(base > level, base, hi)


def remainder_levels(lo: Ints, hi: Ints, counts: Ints) -> Levels:
    """Blocks of the members [M] and the topics [T] by the topics' remainders, on top of `lo`.

    `lo`, `hi` and `counts` are [T, M]. Raises NotMinimal where the totals can be evened out.
    """
    open_cell = hi > lo
    topic, holder = np.nonzero(open_cell & (counts == hi))
    gets = open_cell & (counts == lo)

    def takers(topics: Index) -> Index:
        return np.flatnonzero(gets[topics].any(axis=0)).astype(np.int32)

    return reach_levels(
        counts.sum(axis=0), holder.astype(np.int32), topic.astype(np.int32), len(lo), takers
    )


def inside_blocks(levels: Levels, lo: Ints, hi: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """[T, M] intervals, with topic and member of different blocks fixed at what is held there."""
    outside = levels.node[:, None] != levels.member[None, :]
    return np.where(outside, counts, lo), np.where(outside, counts, hi)
