"""Which member gets its items next: the one with the fewest patterns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from equilag.certificate.exhaustive.item_masks import ItemMasks
from equilag.certificate.exhaustive.load_windows import Window
from equilag.certificate.exhaustive.node import FreeItems, SearchNode, SearchTask
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
