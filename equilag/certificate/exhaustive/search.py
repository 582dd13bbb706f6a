"""Exhaustive search for an assignment whose loads fit one window; repeatable, without a solver.

It finds the most even plan of a few members and few partitions and proves that no plan is more
even; whoever checks such a claim runs the same search again. The loads that the other members
leave open limit each member's patterns, and the member with the fewest patterns comes first (exact
cover by branch and bound).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from equilag.certificate.exhaustive.candidates import (
    MemberPatterns,
    MemberSets,
    fewest_joined,
    fewest_listed,
    list_patterns,
    load_windows,
    required_items,
)
from equilag.certificate.exhaustive.item_masks import FreeItems, ItemMasks, SearchNode, SearchTask
from equilag.certificate.exhaustive.lookahead import (
    Taken,
    completable,
    last_two_fit,
    open_load,
    taken_by,
)
from equilag.certificate.exhaustive.patterns import Patterns
from equilag.certificate.exhaustive.small_problem import (
    UNLIMITED,
    SearchTarget,
    SmallProblem,
)
from equilag.domain.budget import Budget, OutOfBudget
from equilag.domain.constraint import InstanceSums
from equilag.domain.group.group import Flags, Ints
from equilag.domain.group.loads import MemberLoads
from equilag.domain.group.member_capacities import MemberCapacities


def within_sums(
    sums: InstanceSums, items: ItemMasks, node: SearchNode, member: int, taken: Taken
) -> Flags:
    """[n] False where the open members of the same instance cannot bring its sum into its interval
    after what `member` takes."""
    instance = int(sums.of[member])
    others = [m for m in node.members if m != member and sums.of[m] == instance]
    given = np.bitwise_count(taken.mask).astype(np.int64) + node.counts[instance]
    fewest = given + sum(items.limits[m].lo for m in others)
    most = given + sum(items.limits[m].hi for m in others)
    fits: Flags = (fewest <= sums.most[instance]) & (most >= sums.least[instance])
    return fits


def counts_after(
    sums: InstanceSums | None, node: SearchNode, member: int, chosen: int
) -> tuple[int, ...]:
    """The items of each instance once a member has taken some."""
    if sums is None:
        return ()
    counts = list(node.counts)
    counts[int(sums.of[member])] += chosen.bit_count()
    return tuple(counts)


class Search:
    """One small problem, prepared once and searched for any number of targets."""

    def __init__(self, problem: SmallProblem, budget: Budget) -> None:
        """Raises OutOfBudget if the problem is too large."""
        if not problem.fits:
            raise OutOfBudget
        self._problem = problem
        self._budget = budget
        if not len(problem.lag):
            return
        self._items = ItemMasks.of(problem)
        if not self._items.scaled.fits:
            raise OutOfBudget
        self._source = MemberPatterns.of(problem, self._items, budget)
        self._sets: dict[tuple[int, ...], MemberSets] = {}

    def find(self, target: SearchTarget) -> Ints | None:
        """[I] member per item of an assignment that meets the target; None if there is none.

        Raises OutOfBudget when neither could be decided.
        """
        if not len(self._problem.lag):
            return _without_items(self._problem, target)
        items = self._items
        owned_target = items.scaled.target(target, items.owned)
        classes = items.member_classes(owned_target.counts_kept)
        task = SearchTask(items, target, owned_target, classes, self._budget)
        everything = (1 << len(items.bits)) - 1
        members = tuple(range(len(items.base)))
        counts = () if items.sums is None else (0,) * len(items.sums.least)
        start = SearchNode(everything, members, UNLIMITED, -UNLIMITED, 0, counts)
        found = self._descend(task, start, None)
        if found is None:
            return None
        result = np.full(len(items.bits), -1, dtype=np.int64)
        for member, mask in found.items():
            result[items.order[items.chosen(mask)]] = member
        return result

    def _descend(
        self, task: SearchTask, node: SearchNode, listed: Mapping[int, Patterns] | None
    ) -> dict[int, int] | None:
        """Mask per open member of a completion of the node; None if there is none."""
        if not node.members:
            return {} if not node.free and task.meets(node) else None
        task.budget.enter()
        most_kept = task.most_kept(node)
        spread = task.target.spread_with(most_kept)
        if most_kept < task.target.min_kept or spread < 0 or node.high - node.low > spread:
            return None
        free = FreeItems.of(task.items, node)
        if (free.takers[free.flags] == 0).any():
            return None
        windows = load_windows(task, node, free, self._sets_of(node.members), spread)
        if windows is None:
            return None
        required = required_items(task, node, free)
        if listed is None:
            listed = list_patterns(task, self._source, node, windows)
        if listed is not None:
            choice = fewest_listed(task, node, listed, windows, required)
        else:
            choice = fewest_joined(task, self._source, node, windows, required)
        if choice is None:
            return None
        return self._branch(task, node, *choice, listed)

    def _branch(
        self,
        task: SearchTask,
        node: SearchNode,
        member: int,
        patterns: Patterns,
        listed: Mapping[int, Patterns] | None,
    ) -> dict[int, int] | None:
        """Try the patterns of one member, those nearest to the mean load first."""
        rest = tuple(m for m in node.members if m != member)
        taken = taken_by(task, node, member, patterns)
        total = open_load(task, node)
        if task.items.sums is not None:
            taken = taken.where(within_sums(task.items.sums, task.items, node, member, taken))
        taken = taken.where(completable(task, node, taken, rest, total))
        if listed is not None and len(rest) > 1:
            free = node.free
            listed = {m: listed[m].where(listed[m].mask & ~free == 0) for m in rest}
        if listed is not None and len(rest) == 2:
            taken = taken.where(last_two_fit(task, node, taken, rest, listed, total))
        mean = _mean(task, node, total)
        for i in np.argsort(np.abs(taken.lightest - mean), kind="stable").tolist():
            chosen, load = int(taken.mask[i]), int(taken.lightest[i])
            low, high = min(node.low, load), max(node.high, load)
            counts = counts_after(task.items.sums, node, member, chosen)
            given = (*node.taken, (member, chosen))
            kept = int(taken.kept[i])
            after = SearchNode(node.free & ~chosen, rest, low, high, kept, counts, given)
            found = self._descend(task, after, listed)
            if found is not None:
                found[member] = chosen
                return found
        return None

    def _sets_of(self, members: tuple[int, ...]) -> MemberSets:
        if members not in self._sets:
            self._sets[members] = MemberSets.of(self._items, members)
        return self._sets[members]


def _mean(task: SearchTask, node: SearchNode, total: int) -> int:
    """The load of the open members if all are equally loaded, as loads are compared."""
    factor = task.items.factor
    if factor is None:
        return total // len(node.members)
    return int(total / (1.0 / factor[list(node.members)]).sum())


def _without_items(problem: SmallProblem, target: SearchTarget) -> Ints | None:
    """The answer for a problem without items: the loads are the base loads."""
    capacities = problem.capacities or MemberCapacities.equal(len(problem.base))
    loads = MemberLoads(problem.base, capacities, np.arange(len(problem.base), dtype=np.int32))
    fits = target.is_met(loads.max, loads.min, 0)
    return np.zeros(0, np.int64) if fits and not (problem.lo > 0).any() else None
