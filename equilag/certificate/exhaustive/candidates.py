"""Which member gets its items next: the one with the fewest patterns.

The loads open to each member at a node follow from what every set of members must and can carry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from equilag.certificate.exhaustive.item_masks import FreeItems, ItemMasks, SearchNode, SearchTask
from equilag.certificate.exhaustive.patterns import (
    Halves,
    Join,
    JoinWindow,
    Layers,
    PatternLimits,
    Patterns,
    Subsets,
    subsets,
)
from equilag.certificate.exhaustive.small_problem import SmallProblem
from equilag.domain.budget import Budget
from equilag.domain.group.group import Flags, Ints

ROUNDING: Final = 1e-9
"""Part by which a load that comes from a division of floats may be wrong: they hold 15 digits."""

Window = tuple[int, int]
"""Least and greatest load of a member."""


class MemberSets(NamedTuple):
    """All non-empty sets of some members, with the sums over their members."""

    mask: Ints
    """[sets] of member numbers."""
    size: Ints
    base: Ints
    lo: Ints
    hi: Ints
    containing: list[Flags]
    """Per member, [sets] True for the sets that it is in."""

    @staticmethod
    def of(items: ItemMasks, members: tuple[int, ...]) -> MemberSets:
        columns = np.array(members)
        inside = (np.arange(1, 1 << len(members))[:, None] >> np.arange(len(members))) & 1
        lo = np.array([items.limits[member].lo for member in members])
        hi = np.array([items.limits[member].hi for member in members])
        base = items.base[columns]
        containing = [inside[:, place] == 1 for place in range(len(members))]
        return MemberSets(
            inside @ (1 << columns),
            inside.sum(axis=1),
            inside @ base,
            inside @ lo,
            inside @ hi,
            containing,
        )


def load_windows(
    task: SearchTask, node: SearchNode, free: FreeItems, sets: MemberSets, spread: int
) -> dict[int, Window] | None:
    """The window of each open member; None if some set of members cannot meet the target.

    `sets` are those of the node's members, `spread` is the spread allowed at the node.
    """
    items, target = task.items, task.target
    # Clipped to the total load, so that sums of bounds stay far from 2^63.
    low = max(target.floor, node.high - spread, 0)
    high = min(target.cap, node.low + spread, items.total)
    if low > high:
        return None
    lag, takers = items.lag[free.flags], free.takers[free.flags]
    touches = (takers[None, :] & sets.mask[:, None]) != 0
    only = (takers[None, :] & ~sets.mask[:, None]) == 0
    if (only.sum(axis=1) > sets.hi).any() or (touches.sum(axis=1) < sets.lo).any():
        return None
    must, can, size = sets.base + only @ lag, sets.base + touches @ lag, sets.size
    if items.factor is not None:
        carried = CarriedBySets(sets, must, can)
        return _windows_by_capacity(items.factor, node, carried, (low, high), spread)
    # Some member of a set carries its mean or more, and all others are within `spread` of it.
    low = max(low, int((-(-must // size)).max()) - spread)
    high = min(high, int((can // size).min()) + spread)
    if low > high or (-(-must // size) > high).any() or (can // size < low).any():
        return None
    # What the others of a set leave to one member; no product may pass 2^63.
    others = np.minimum(size - 1, must // max(high, 1) + 1)
    least = np.where(others == size - 1, must - others * high, 0)
    greatest = can - (size - 1) * low
    if spread < items.total:
        least = np.maximum(least, -(-(must + spread) // size) - spread)
        greatest = np.minimum(greatest, spread + (can - spread) // size)
    windows = {}
    for place, member in enumerate(node.members):
        mine = sets.containing[place]
        window = max(low, int(least[mine].max())), min(high, int(greatest[mine].min()))
        if window[0] > window[1]:
            return None
        windows[member] = window
    return windows


class CarriedBySets(NamedTuple):
    """What sets of members must and can carry, not scaled, each [sets]."""

    sets: MemberSets
    must: Ints
    can: Ints


def _windows_by_capacity(
    factor: Ints, node: SearchNode, carried: CarriedBySets, window: Window, spread: int
) -> dict[int, Window] | None:
    """The windows within `window` where loads are compared per unit of capacity."""
    sets, must, can = carried
    inside = np.stack(sets.containing)  # [members, sets]
    mine = factor[list(node.members)]
    rate = (1.0 / mine) @ inside
    # As for equal members, from the load at which all of a set are equal; a little less is safe.
    low = max(window[0], int((must / rate).max() * (1 - ROUNDING)) - 1 - spread)
    high = min(window[1], int((can / rate).min() * (1 + ROUNDING)) + 1 + spread)
    if low > high:
        return None
    everything = int(can.max())
    lower, upper = -(-low // mine), np.minimum(high // mine, everything)
    most, least = upper @ inside, lower @ inside
    if (most < must).any() or (least > can).any():
        return None
    windows = {}
    for place, member in enumerate(node.members):
        with_it, one = sets.containing[place], int(mine[place])
        needed = int((must - most)[with_it].max()) + int(upper[place])
        room = int((can - least)[with_it].min()) + int(lower[place])
        window = max(low, needed * one), min(high, room * one)
        if window[0] > window[1]:
            return None
        windows[member] = window
    return windows


@dataclass(frozen=True, eq=False, slots=True)
class MemberPatterns:
    """Subsets of both halves of the items; what is derived from them for a member is kept."""

    parts: tuple[Subsets, Subsets]
    """Every other item each, so that both halves have about the same loads."""
    keyed: dict[Layers, Halves] = field(default_factory=dict)
    """By the items whose staying counts."""
    joinable: dict[tuple[PatternLimits, Layers], list[tuple[int, int]]] = field(
        default_factory=dict
    )
    """Keys that may be joined, by limits and the same items."""

    @staticmethod
    def of(problem: SmallProblem, items: ItemMasks, budget: Budget) -> MemberPatterns:
        """Raises OutOfBudget if listing all subsets costs too much."""
        n = len(items.bits)
        n_topics = 1 if problem.topic_lo is None else len(problem.topic_lo)
        topic = np.zeros(n, np.int64) if problem.topic is None else problem.topic[items.order]
        most = int(problem.hi.max(initial=0))
        left, right = (
            subsets(items.lag, topic, n_topics, list(range(part, n, 2)), most, budget)
            for part in (0, 1)
        )
        return MemberPatterns((left, right))

    def join(
        self, task: SearchTask, node: SearchNode, member: int, window: Window, required: int
    ) -> Join:
        """The member's patterns of free items with a load in `window` that hold all `required`.

        Patterns are left out that keep too few items for the target, whatever the others keep.
        """
        items, target, budget = task.items, task.target, task.budget
        own, limits = task.own(member), items.limits[member]
        if own not in self.keyed:
            self.keyed[own] = Halves(*(part.keyed(own) for part in self.parts))
        keyed = self.keyed[own]
        if (limits, own) not in self.joinable:
            self.joinable[limits, own] = limits.joinable_keys(keyed, budget)
        available = node.free & items.eligible[member]
        halves = Halves(
            *(
                half.select(available, required & part.bits)
                for half, part in zip(keyed, self.parts, strict=True)
            )
        )
        budget.spend(len(self.parts[0].mask) + len(self.parts[1].mask))
        min_kept = 0
        if target.counts_kept:
            others = task.most_kept(node) - task.may_keep(node, member)
            min_kept = target.min_kept - others
        factor = items.factor_of(member)
        low, high = -(-window[0] // factor), window[1] // factor
        wanted = JoinWindow(low, high, int(items.base[member]), min_kept, factor)
        return Join.of(halves, self.joinable[limits, own], wanted, budget)


MAX_LISTED: Final = 200_000
"""Patterns of all members up to which they are listed once and then filtered; they take a few MB.
Beyond, they are joined anew at every node."""


def one_per_class(task: SearchTask, node: SearchNode) -> list[int]:
    """The first open member of each class."""
    first: dict[int, int] = {}
    for member in node.members:
        first.setdefault(task.member_class[member], member)
    return list(first.values())


def required_items(task: SearchTask, node: SearchNode, free: FreeItems) -> dict[int, int]:
    """First open member of each class -> mask of the items that its pattern must hold."""
    return {member: _required(task, node, free, member) for member in one_per_class(task, node)}


def _required(task: SearchTask, node: SearchNode, free: FreeItems, member: int) -> int:
    required = 0
    for bit in np.flatnonzero(free.flags & (free.takers == 1 << member)).tolist():
        required |= 1 << bit
    classes = task.member_class
    alike = sum(1 << m for m in node.members if classes[m] == classes[member])
    if alike.bit_count() > 1:
        # The heaviest item that only this class can take goes to one of them; which one does not
        # matter, so it goes to this one.
        theirs = np.flatnonzero(free.flags & (free.takers & ~alike == 0))
        if len(theirs):
            required |= 1 << int(theirs[0])
    return required


def list_patterns(
    task: SearchTask, source: MemberPatterns, node: SearchNode, windows: Mapping[int, Window]
) -> dict[int, Patterns] | None:
    """All patterns of all open members; None if there are more than MAX_LISTED."""
    joins: dict[int, Join] = {}
    classes = task.member_class
    for member in one_per_class(task, node):
        joins[classes[member]] = source.join(task, node, member, windows[member], 0)
        if sum(join.total for join in joins.values()) > MAX_LISTED:
            return None
    patterns = {number: join.patterns() for number, join in joins.items()}
    return {member: patterns[classes[member]] for member in node.members}


def fewest_listed(
    task: SearchTask,
    node: SearchNode,
    listed: Mapping[int, Patterns],
    windows: Mapping[int, Window],
    required: Mapping[int, int],
) -> tuple[int, Patterns] | None:
    """The member with the fewest patterns among those `listed`; None if some member has none."""
    best: tuple[int, Patterns] | None = None
    for member, must in required.items():
        patterns, (low, high) = listed[member], windows[member]
        task.budget.spend(len(patterns.mask))
        keep = (patterns.mask & ~node.free == 0) & (patterns.mask & must == must)
        patterns = patterns.where(keep & (patterns.load >= low) & (patterns.load <= high))
        if best is None or len(patterns.mask) < len(best[1].mask):
            best = member, patterns
        if not len(best[1].mask):
            return None
    return best


def fewest_joined(
    task: SearchTask,
    source: MemberPatterns,
    node: SearchNode,
    windows: Mapping[int, Window],
    required: Mapping[int, int],
) -> tuple[int, Patterns] | None:
    """The member with the fewest patterns, joined anew; None if some member has none."""
    best: tuple[int, Join] | None = None
    for member, must in required.items():
        join = source.join(task, node, member, windows[member], must)
        if best is None or join.total < best[1].total:
            best = member, join
        if not best[1].total:
            return None
    if best is None:
        return None
    task.budget.spend(best[1].total * 6)
    return best[0], best[1].patterns()
