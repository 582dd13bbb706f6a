"""Blocks of a decreasingly minimal assignment, by reachability in its residual graph.

An assignment whose sorted member counts are lexicographically smallest (decreasingly minimal; Frank
and Murota, "Decreasing minimization on M-convex sets") shows *all* others: the members that can be
reached from those with count x or more, and not from those with more, form a block.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from equilag.columns import distinct
from equilag.group import Index, Ints


class NotMinimal(Exception):
    """The counts can be evened out further; carries the two members of such a step."""

    def __init__(self, heavy: int, light: int, topic: int | None = None) -> None:
        self.heavy, self.light, self.topic = heavy, light, topic
        super().__init__(heavy, light, topic)


class Levels(NamedTuple):
    """The level (largest count) of the block of each member and of each node; −1 for no block."""

    member: Ints
    node: Ints


def reach_levels(
    counts: Ints,
    holder: Index,
    node: Index,
    n_nodes: int,
    takers: Callable[[Index], Index],
) -> Levels:
    """Find the blocks, from the largest count down; O(arcs).

    `counts` [M] are the members' counts. Member `holder[i]` holds a partition of `node[i]` that it
    may give away; `takers(nodes)` returns the members that may take a partition of any of `nodes`.
    Raises NotMinimal on a path from a member to another with at least two partitions fewer.
    """
    member_level = np.full(len(counts), -1, dtype=np.int64)
    node_level = np.full(n_nodes, -1, dtype=np.int64)
    order = np.argsort(holder, kind="stable")
    holder, node = holder[order], node[order]
    start = np.searchsorted(holder, np.arange(len(counts) + 1))
    for level in distinct(counts)[::-1].tolist():
        members = np.flatnonzero((counts == level) & (member_level < 0)).astype(np.int32)
        first = int(members[0]) if len(members) else -1
        while len(members):
            member_level[members] = level
            low = members[counts[members] < level - 1]
            if len(low):
                raise NotMinimal(first, int(low[0]))
            held = distinct(node[ranges(start[members], start[members + 1])])
            fresh = held[node_level[held] < 0]
            node_level[fresh] = level
            reached = takers(fresh.astype(np.int32))
            members = distinct(reached[member_level[reached] < 0])
    return Levels(member_level, node_level)


def ranges(begin: Ints, end: Ints) -> Ints:
    """Return the numbers begin[i] … end[i] − 1 for all i, one range after the other."""
    length = end - begin
    total = int(length.sum())
    if not total:
        return np.zeros(0, dtype=np.int64)
    shift = np.repeat(begin - np.concatenate(([0], np.cumsum(length)[:-1])), length)
    return np.arange(total, dtype=np.int64) + shift
