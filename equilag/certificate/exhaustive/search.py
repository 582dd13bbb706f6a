"""Exhaustive search for an assignment whose loads fit one window; repeatable, without a solver.

It finds the most even plan of a small group, or of one in which few partitions may move, and proves
that no plan is more even; whoever checks such a claim runs the same search again. A node gives some
members all their items. The member with the fewest sets of items left comes next (exact cover by
branch and bound); many nodes are worked on at once. The loads that the others leave open limit a
member's sets, and so do the moves that the others need; to make them narrow from the start, there
is a first node for each slice of what the lightest load can be. Where moves are limited, a member
that can keep what it owns does not decide: when only such members are left, all of them stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from equilag.certificate.exhaustive.expansion import Expansion
from equilag.certificate.exhaustive.item_masks import Bits, ItemMasks, SearchTask
from equilag.certificate.exhaustive.nodes import Nodes
from equilag.certificate.exhaustive.patterns import MemberPatterns
from equilag.certificate.exhaustive.small_problem import (
    MAX_ITEMS,
    MAX_MEMBERS,
    SearchTarget,
    SmallProblem,
)
from equilag.certificate.exhaustive.target_patterns import TargetPatterns
from equilag.domain.budget import Budget, OutOfBudget
from equilag.domain.group.group import Ints
from equilag.domain.group.loads import MemberLoads
from equilag.domain.group.member_capacities import MemberCapacities

FIRST_BATCH: Final = 8
MAX_BATCH: Final = 2_000
"""Nodes that are worked on at once: few at first, as a solution may be near."""
EXPANSION: Final = 30_000
"""What an expansion costs besides its nodes: a few hundred array operations."""
BATCH_CELLS: Final = 64_000
"""Words of what their members hold: with all their children, some 100 MB."""


class Search:
    """One small problem, prepared once and searched for any number of targets."""

    def __init__(self, problem: SmallProblem, budget: Budget) -> None:
        """Raises OutOfBudget if the problem is too large."""
        if not problem.fits:
            raise OutOfBudget
        self._problem = problem
        self._budget = budget
        self._items = ItemMasks.of(problem)
        if len(problem.lag) and not self._items.scaled.fits:
            raise OutOfBudget
        self._cases: dict[bool, tuple[list[MemberPatterns], Iterator[MemberPatterns]]] = {}

    def find(self, target: SearchTarget) -> Ints | None:
        """[I] member per item of an assignment that meets the target; None if there is none.

        Raises OutOfBudget when neither could be decided.
        """
        return next(self.improving(lambda: target), None)

    def improving(self, target_of: Callable[[], SearchTarget]) -> Iterator[Ints]:
        """[I] member per item of assignments that meet the target of their time, which is asked
        for anew after each and may only become narrower; the search goes on from there. After the
        last one, nothing meets the target. Raises OutOfBudget when that could not be decided.
        """
        target, items = target_of(), self._items
        if not len(self._problem.lag):
            found = _without_items(self._problem, target)
            yield from () if found is None else (found,)
            return
        scaled = items.scaled.target(self._problem, target)
        if scaled.most_ends < 0:
            return
        too_many = len(items.lag) > MAX_ITEMS or len(items.base) > MAX_MEMBERS
        if too_many and not scaled.moves_matter:
            raise OutOfBudget
        for source in self._sources(scaled.moves_matter):
            patterns = TargetPatterns(self._task(source, target_of()), source)
            for held in _search(patterns):
                result = np.empty_like(items.order)
                result[items.order] = items.chosen(held).argmax(axis=0)
                yield result
                patterns.task = self._task(source, target_of())

    def _task(self, source: MemberPatterns, target: SearchTarget) -> SearchTask:
        scaled = source.items.scaled.target(self._problem, target)
        if not scaled.moves_matter:
            scaled = replace(scaled, most_ends=min(0, scaled.most_ends))
        return SearchTask(source.items, target, scaled, source.member_class, self._budget)

    def _sources(self, moves_matter: bool) -> Iterator[MemberPatterns]:
        """The cases one after the other, each prepared when its turn comes."""
        known, more = self._cases.setdefault(moves_matter, ([], _cases(self._items, moves_matter)))
        yield from known
        for case in more:
            known.append(case)
            yield case


def _cases(items: ItemMasks, moves_matter: bool) -> Iterator[MemberPatterns]:
    """The problem; where one item outweighs most members, one problem for each of its holders,
    since all windows depend on who that is."""
    if not moves_matter:
        items = replace(items, saved=np.zeros_like(items.saved))
    classes = items.member_classes(moves_matter)
    if items.lag[0] <= (items.lag.sum() + items.base.sum()) // len(items.base) * 4 // 5:
        yield MemberPatterns(items, classes)
        return
    holders, seen = np.flatnonzero(items.allowed[0]).tolist(), set[int]()
    for holder in sorted(holders, key=lambda member: -items.saved[0, member]):
        if classes[holder] not in seen:
            seen.add(classes[holder])
            allowed = items.allowed.copy()
            allowed[0] = np.arange(len(items.base)) == holder
            case = replace(items, allowed=allowed)
            yield MemberPatterns(case, case.member_classes(moves_matter), holder)


def _search(patterns: TargetPatterns) -> Iterator[Bits]:
    """[J, W] what each member gets, of each assignment that meets the target of its time. Raises
    OutOfBudget."""
    sliced = patterns.source.holder is None
    stack, done = [Nodes.start(patterns.task, sliced)], FIRST_BATCH
    most = max(FIRST_BATCH, min(MAX_BATCH, BATCH_CELLS // stack[0].held.size))
    while stack and patterns.task.target.most_ends >= 0:
        nodes, batch = stack.pop(), min(most, done)
        if len(nodes) > batch:
            stack.append(nodes.take(slice(batch, None)))
            nodes = nodes.take(slice(0, batch))
        done += len(nodes)
        patterns.task.budget.spend(EXPANSION)
        expansion = Expansion(patterns, nodes)
        if expansion.found is None:
            # One wide step costs less than several; without moves, the most promising go first.
            if patterns.task.target.moves_matter and expansion.children:
                stack.append(Nodes.joined(expansion.children[::-1]))
            else:
                stack += expansion.children
        else:
            stack.append(nodes)  # others among them may meet the next target
            yield expansion.found


def _without_items(problem: SmallProblem, target: SearchTarget) -> Ints | None:
    """The answer for a problem without items: the loads are the base loads."""
    capacities = problem.capacities or MemberCapacities.equal(len(problem.base))
    loads = MemberLoads(problem.base, capacities, np.arange(len(problem.base), dtype=np.int32))
    fits = target.is_met(loads.max, loads.min, 0)
    return np.zeros(0, np.int64) if fits and not (problem.lo > 0).any() else None
