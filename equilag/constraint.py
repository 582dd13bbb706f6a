"""The hard count constraint, read off one assignment that meets it; no solver needed.

An assignment whose sorted member counts are lexicographically smallest (decreasingly minimal; Frank
and Murota, "Decreasing minimization on M-convex sets") shows, through reachability in its residual
graph, *all* others: the members that can be reached from those with count x or more, and not from
those with more, form a block. The equally good assignments are exactly those that keep every
partition inside its block and every member's count inside an interval no wider than one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from equilag.group import NOBODY, Flags, Group, Index, Ints
from equilag.metrics import member_counts
from equilag.policy import Policy


class NotMinimal(Exception):
    """The counts can be evened out further; carries the two members of such a step."""

    def __init__(self, heavy: int, light: int, topic: int | None = None) -> None:
        self.heavy, self.light, self.topic = heavy, light, topic
        super().__init__(heavy, light, topic)


@dataclass(frozen=True, eq=False)
class CountConstraint:
    """What every plan under the policy's count balance has in common.

    Shapes as in `Group`: M members, K member classes, T topics, C topic classes, P partitions.
    """

    lo: Ints
    """[M] fewest partitions of a member, pinned ones included."""
    hi: Ints
    """[M] most partitions of a member."""
    allowed: Flags
    """[C, K] who may take what without leaving its block."""
    pinned: Flags
    """[P] partitions that stay where they are (``sticky-yet-fair``)."""
    topic_lo: Ints | None = None
    """[T, M] fewest partitions of a topic per member, where topics count one by one."""
    topic_hi: Ints | None = None

    @property
    def per_topic(self) -> bool:
        """True if every topic is balanced by itself."""
        return self.topic_lo is not None

    @property
    def has_pinned(self) -> bool:
        """True if any partition must stay with its owner."""
        return bool(self.pinned.any())

    def admits(self, group: Group, assigned: Index) -> bool:
        """Does a valid assignment keep to the constraint; O(P)."""
        counts = member_counts(assigned, group.n_members)
        if ((counts < self.lo) | (counts > self.hi)).any():
            return False
        if not self.pinned.any() and self.topic_lo is None and self.allowed.all():
            return True
        free = (assigned != NOBODY) & ~self.pinned
        cells = self.allowed[group.partition_class[free], group.class_of[assigned[free]]]
        if not cells.all() or (assigned[self.pinned] != group.owner[self.pinned]).any():
            return False
        if self.topic_lo is None or self.topic_hi is None:
            return True
        per_topic = topic_counts(group, assigned)
        return bool(((per_topic >= self.topic_lo) & (per_topic <= self.topic_hi)).all())


class Levels(NamedTuple):
    """Blocks by reachability: the level (largest count) of each member's and each node's block."""

    member: Ints
    node: Ints


def topic_counts(group: Group, assigned: Index) -> Ints:
    """[T, M] partitions of each topic at each member."""
    held = assigned != NOBODY
    cell = group.topic_of[held].astype(np.int64) * group.n_members + assigned[held]
    size = len(group.topics) * group.n_members
    flat = np.bincount(cell, minlength=size).astype(np.int64)
    return flat.reshape(len(group.topics), group.n_members)


def reach_levels(
    counts: Ints,
    holder: Index,
    node: Index,
    n_nodes: int,
    takers: Callable[[Index], Index],
) -> Levels:
    """Sweep the counts downwards and see who can be reached from each level; O(arcs).

    `holder[i]` holds something of `node[i]` that it could give away; `takers(nodes)` are the
    members that could take something of any of the nodes. Raises NotMinimal on a path from a
    member to another with at least two partitions fewer.
    """
    member_level = np.full(len(counts), -1, dtype=np.int64)
    node_level = np.full(n_nodes, -1, dtype=np.int64)
    order = np.argsort(holder, kind="stable")
    holder, node = holder[order], node[order]
    start = np.searchsorted(holder, np.arange(len(counts) + 1))
    for level in np.unique(counts)[::-1].tolist():
        members = np.flatnonzero((counts == level) & (member_level < 0)).astype(np.int32)
        first = int(members[0]) if len(members) else -1
        while len(members):
            member_level[members] = level
            low = members[counts[members] < level - 1]
            if len(low):
                raise NotMinimal(first, int(low[0]))
            held = np.unique(node[ranges(start[members], start[members + 1])])
            fresh = held[node_level[held] < 0]
            node_level[fresh] = level
            reached = takers(fresh.astype(np.int32))
            members = np.unique(reached[member_level[reached] < 0])
    return Levels(member_level, node_level)


def ranges(begin: Ints, end: Ints) -> Ints:
    """The numbers begin[i] … end[i] − 1 for all i, one after the other."""
    length = end - begin
    total = int(length.sum())
    if not total:
        return np.zeros(0, dtype=np.int64)
    shift = np.repeat(begin - np.concatenate(([0], np.cumsum(length)[:-1])), length)
    return np.arange(total, dtype=np.int64) + shift


def pinned_partitions(group: Group, policy: Policy) -> Flags:
    """[P] what no plan of the policy may move."""
    if policy.pins_owned:
        owned: Flags = group.owner != NOBODY
        return owned
    return np.zeros(group.n_partitions, dtype=np.bool_)


def constraint_of(group: Group, policy: Policy, assigned: Index) -> CountConstraint:
    """The count constraint of a policy, from a valid assignment that meets it.

    Raises NotMinimal where it does not meet it. O(P + members × topic classes), and
    O(members × topics) for the balances that count topic by topic.
    """
    pinned = pinned_partitions(group, policy)
    if policy.balance == "total":
        return _total(group, assigned, pinned)
    lo, hi = topic_intervals(group, pinned)
    counts = topic_counts(group, assigned)
    wrong = np.argwhere((counts < lo) | (counts > hi))
    if len(wrong):
        topic, member = wrong[0].tolist()
        raise NotMinimal(member, member, topic)
    if policy.balance == "both":
        lo, hi = _inside_blocks(lo, hi, counts)
    free = np.where((hi > lo).any(axis=0), 1, 0)
    if policy.balance == "both":
        totals = counts.sum(axis=0)
        levels = _extra_levels(*topic_intervals(group, pinned), counts)
        total_hi = np.where(free, levels.member, totals)
        total_lo = np.where(free, np.maximum(levels.member - 1, lo.sum(axis=0)), totals)
    else:
        total_lo, total_hi = lo.sum(axis=0), hi.sum(axis=0)
    return CountConstraint(total_lo, total_hi, group.eligible, pinned, lo, hi)


def _total(group: Group, assigned: Index, pinned: Flags) -> CountConstraint:
    n_classes = len(group.eligible)
    held = (assigned != NOBODY) & ~pinned
    counts = member_counts(assigned, group.n_members)
    base = member_counts(np.where(pinned, group.owner, NOBODY), group.n_members)
    cell = np.unique(
        assigned[held].astype(np.int64) * max(n_classes, 1) + group.partition_class[held]
    )
    by_kind = np.argsort(group.class_of, kind="stable")
    edges = np.concatenate(([0], np.cumsum(group.class_size)))
    seen = np.zeros(len(group.class_topics), dtype=np.bool_)

    def takers(classes: Index) -> Index:
        fresh = np.flatnonzero(group.eligible[classes].any(axis=0) & ~seen)
        seen[fresh] = True  # reached once is reached for good: members stay at their level
        return by_kind[ranges(edges[fresh], edges[fresh + 1])].astype(np.int32)

    holder = (cell // max(n_classes, 1)).astype(np.int32)
    node = (cell % max(n_classes, 1)).astype(np.int32)
    levels = reach_levels(counts, holder, node, n_classes, takers)
    lo, hi = np.maximum(levels.member - 1, base), levels.member
    lo, hi = _settle(group, lo, hi, counts, levels)
    return CountConstraint(lo, hi, _same_block(group, levels), pinned)


def _same_block(group: Group, levels: Levels) -> Flags:
    """[C, K] eligible, and a member of the class is in the block of the topic class."""
    classes, kinds = group.arcs
    blocks, block_of = np.unique(levels.member, return_inverse=True)
    there = np.zeros((len(blocks) + 1, len(group.class_topics)), dtype=np.bool_)
    there[block_of, group.class_of] = True
    node_block = np.searchsorted(blocks, levels.node)
    node_block[~np.isin(levels.node, blocks)] = len(blocks)  # of no member
    inside = there[node_block[classes], kinds]
    allowed = np.zeros_like(group.eligible)
    allowed[classes[inside], kinds[inside]] = True
    return allowed


def _settle(group: Group, lo: Ints, hi: Ints, counts: Ints, levels: Levels) -> tuple[Ints, Ints]:
    """Close the intervals of blocks that are filled to the brim (all members at `hi`)."""
    short = np.zeros(int(levels.member.max(initial=0)) + 1, dtype=np.bool_)
    short[levels.member[counts < hi]] = True
    full = ~short[levels.member] if len(lo) else np.zeros(0, np.bool_)
    return np.where(full, hi, lo), hi


def topic_intervals(group: Group, pinned: Flags) -> tuple[Ints, Ints]:
    """[T, M] fewest and most partitions of each topic per member.

    Floor and ceiling of an even split over the subscribers; where some partitions are pinned, the
    others are poured in like water.
    """
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
    """Intervals of the most even way to add `free` units on top of `base`; O(n log n)."""
    if free <= 0 or not len(base):
        return base.copy(), base.copy()
    order = np.sort(base)
    room = order * np.arange(1, len(order) + 1) - np.cumsum(
        order
    )  # to lift i+1 members to order[i]
    below = int(np.searchsorted(room, free, side="right"))  # how many members get wet
    level, extra = divmod(free + int(order[:below].sum()), below)
    lo = np.maximum(base, level)
    hi = np.maximum(base, level + 1) if extra else lo.copy()
    return lo, np.where(base > level, base, hi)


def _extra_levels(lo: Ints, hi: Ints, counts: Ints) -> Levels:
    """Blocks among the members that take the topics' remainders, on top of `lo`."""
    open_cell = hi > lo
    topic, holder = np.nonzero(open_cell & (counts == hi))
    gets = open_cell & (counts == lo)

    def takers(topics: Index) -> Index:
        return np.flatnonzero(gets[topics].any(axis=0)).astype(np.int32)

    return reach_levels(
        counts.sum(axis=0), holder.astype(np.int32), topic.astype(np.int32), len(lo), takers
    )


def _inside_blocks(lo: Ints, hi: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Fix the cells whose topic and member lie in different blocks at what they hold."""
    levels = _extra_levels(lo, hi, counts)
    outside = levels.node[:, None] != levels.member[None, :]
    return np.where(outside, counts, lo), np.where(outside, counts, hi)


def unconstrained(group: Group) -> CountConstraint:
    """What holds for any valid assignment: no count is asked for."""
    n = group.n_members
    most = np.full(n, int(np.count_nonzero(group.assignable)), dtype=np.int64)
    nothing = np.zeros(group.n_partitions, dtype=np.bool_)
    return CountConstraint(np.zeros(n, dtype=np.int64), most, group.eligible, nothing)
