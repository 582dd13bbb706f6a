"""Blocks of a decreasingly minimal assignment, by reachability in its residual graph.

An assignment whose sorted member counts are lexicographically smallest (decreasingly minimal; Frank
and Murota, "Decreasing minimization on M-convex sets") shows *all* others: the members that can be
reached from those with count x or more, and not from those with more, form a block.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from equilag.domain.columns import distinct
from equilag.domain.group.group import Flags, Group, Index, Ints


class NotMinimal(Exception):
    """The counts can be evened out further; carries the two members of such a step."""

    def __init__(self, heavy: int, light: int, topic: int | None = None) -> None:
        self.heavy, self.light, self.topic = heavy, light, topic
        super().__init__(heavy, light, topic)


class Levels(NamedTuple):
    """The level (rank of the largest cost) of the block of each member and node; −1 for no block.

    Where members are equal, the rank is the largest count itself.
    """

    member: Ints
    node: Ints


def reach_levels(
    last: Ints,
    following: Ints,
    holder: Index,
    node: Index,
    n_nodes: int,
    takers: Callable[[Index], Index],
) -> Levels:
    """Find the blocks, from the largest cost down; O(arcs).

    `last` and `following` [M], 0 or more, are the ranks of what a member's last partition costs,
    and one more would. Member `holder[i]` holds a partition of `node[i]` that it may give away;
    `takers(nodes)` returns the members that may take a partition of any of `nodes`. Raises
    NotMinimal on a path from a member to another where one more costs less than its last.
    """
    member_level = np.full(len(last), -1, dtype=np.int64)
    node_level = np.full(n_nodes, -1, dtype=np.int64)
    order = np.argsort(holder, kind="stable")
    holder, node = holder[order], node[order]
    start = np.searchsorted(holder, np.arange(len(last) + 1))
    for level in distinct(last)[::-1].tolist():
        members = np.flatnonzero((last == level) & (member_level < 0)).astype(np.int32)
        first = int(members[0]) if len(members) else -1
        while len(members):
            member_level[members] = level
            low = members[following[members] < level]
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


def classes_once(group: Group, member_class: Index | Ints) -> Callable[[Index], Index]:
    """`takers` for `reach_levels`: members are those of a class, `member_class` [members].

    It returns the members of a class once: they stay at the level at which they are reached first.
    """
    by_class = np.argsort(member_class, kind="stable")
    size = np.bincount(member_class, minlength=len(group.class_topics))
    edges = np.concatenate(([0], np.cumsum(size)))
    seen = np.zeros(len(size), dtype=np.bool_)

    def takers(classes: Index) -> Index:
        fresh = np.flatnonzero(group.eligible[classes].any(axis=0) & ~seen)
        seen[fresh] = True
        return by_class[ranges(edges[fresh], edges[fresh + 1])].astype(np.int32)

    return takers


def same_block(group: Group, levels: Levels) -> Flags:
    """[C, K] eligible, and a member of the class is in the block of the partition class."""
    classes, member_classes = group.arcs
    blocks, block_of = np.unique(levels.member, return_inverse=True)
    there = np.zeros((len(blocks) + 1, len(group.class_topics)), dtype=np.bool_)
    there[block_of, group.class_of] = True
    node_block = np.searchsorted(blocks, levels.node)
    node_block[~np.isin(levels.node, blocks)] = len(blocks)  # of no member
    inside = there[node_block[classes], member_classes]
    face = np.zeros_like(group.eligible)
    face[classes[inside], member_classes[inside]] = True
    return face
