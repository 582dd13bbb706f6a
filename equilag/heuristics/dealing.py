"""Dealing partitions to members by their totals: array forms of "to the least loaded, then by id".

Members are given as positions 0..k-1 in an ascending run of k members, `total` is what each of
them has, [k].
"""

from __future__ import annotations

import numpy as np

from equilag.domain.columns import by_number, ranks
from equilag.domain.group.group import Group, Index, Ints


def partition_class_members(group: Group, order: Index | None = None) -> list[Index]:
    """[C] arrays: the members that may take each class, ascending or in the given order."""
    class_of = group.class_of if order is None else group.class_of[order]
    found = (np.flatnonzero(row[class_of]).astype(np.int32) for row in group.eligible)
    return [members if order is None else order[members] for members in found]


def partitions_by_class(group: Group) -> list[Ints]:
    """[C] arrays: the partitions of each class, ascending."""
    order = np.argsort(group.partition_class, kind="stable")
    sizes = np.bincount(group.partition_class, minlength=len(group.eligible))
    return np.split(order, np.cumsum(sizes)[:-1]) if len(sizes) else []


def rank_within(label: Index | Ints, n_labels: int) -> Ints:
    """[entries] the number of earlier entries with the same label."""
    order, rank = by_number(label, n_labels), np.empty(len(label), dtype=np.int64)
    rank[order] = ranks(label[order])
    return rank


def fill_evenly(total: Ints, n: int) -> Ints:
    """[k] how many of n partitions each member gets, each one to the smallest total, then by id."""
    ascending = np.sort(total)
    # cost[i]: partitions needed to lift the i + 1 lowest members to the level of the i-th.
    cost = ascending * np.arange(1, len(ascending) + 1) - np.cumsum(ascending)
    lifted = int(np.searchsorted(cost, n, side="right"))
    level, rest = divmod(n + int(ascending[:lifted].sum()), lifted)
    room = np.maximum(level - total, 0)
    # The unfinished round goes to those that are exactly at the level now.
    room[np.flatnonzero(total <= level)[:rest]] += 1
    return room


def dealing_order(total: Ints, room: Ints) -> Ints:
    """[sum of room] positions in the order in which members come up, each `room` times.

    At any time the member with the smallest total comes up next; then the first.
    """
    position = np.repeat(np.arange(len(room)), room)
    first = np.cumsum(room) - room
    level = np.arange(len(position)) - first[position] + total[position]
    by_level: Ints = position[np.argsort(level, kind="stable")]
    return by_level
