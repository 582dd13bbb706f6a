"""The patterns of each member of a problem, joined for any node of any search in it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from equilag.certificate.exhaustive.item_masks import ItemMasks
from equilag.certificate.exhaustive.load_windows import Window
from equilag.certificate.exhaustive.node import SearchNode, SearchTask
from equilag.certificate.exhaustive.patterns import Join, JoinWindow, PatternLimits
from equilag.certificate.exhaustive.small_problem import SmallProblem
from equilag.certificate.exhaustive.subsets import Halves, Layers, Subsets, subsets
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
