"""Counts, lag and moves of an assignment: plain array functions used by every room.

An assignment is an array [P] of member numbers, NOBODY where a partition has no subscriber.
"""

from __future__ import annotations

import numpy as np

from equilag.group import NOBODY, Flags, Group, Index, Ints


def member_counts(assigned: Index, n_members: int) -> Ints:
    """[M] partitions per member."""
    # NOBODY is −1 and becomes the first of the counts, which is dropped.
    return np.bincount(assigned + 1, minlength=n_members + 1)[1:].astype(np.int64, copy=False)


def member_loads(assigned: Index, lag: Ints, n_members: int) -> Ints:
    """[M] lag per member, in exact integers (a weighted bincount would go through floats)."""
    loads = np.zeros(n_members + 1, dtype=np.int64)
    np.add.at(loads, assigned, lag)  # NOBODY is −1, the last one, which is dropped
    return loads[:-1]


def spread(values: Ints, idle: Flags) -> int:
    """Maximum minus minimum over the members that are not idle; 0 without such members."""
    active = values[~idle]
    return int(active.max() - active.min()) if len(active) else 0


def moved(owner: Index, assigned: Index) -> Flags:
    """[P] partitions that a live, still subscribed owner loses."""
    lost: Flags = (owner != NOBODY) & (owner != assigned)
    return lost


def count_moves(owner: Index, assigned: Index) -> int:
    return int(np.count_nonzero(moved(owner, assigned)))


def is_valid(group: Group, assigned: Index) -> bool:
    """Is every partition that has a subscriber with exactly one subscriber, and no other held."""
    held = assigned != NOBODY
    if not np.array_equal(held, group.assignable):
        return False
    members = assigned[held]
    if len(members) and (members.min() < 0 or members.max() >= group.n_members):
        return False
    return bool(group.reads[group.topic_of[held], group.class_of[members]].all())
