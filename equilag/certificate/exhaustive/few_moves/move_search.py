"""Exhaustive search for an assignment with few moves whose loads fit a window.

A node gives some members their final items. The next member is an affected one with the fewest
sets: one whose load is outside the window, whose count is, or from which something was taken. Where
nobody is affected and nothing is pending, everybody else stays as it is. All nodes of one depth are
worked on at once; bounds on the moves that are still needed cut them off.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import numpy as np

from equilag.certificate.exhaustive.few_moves.move_problem import Bits, MoveProblem
from equilag.certificate.exhaustive.few_moves.move_states import MovesAhead, MoveStates
from equilag.certificate.exhaustive.few_moves.move_target import MoveAim, MoveTarget
from equilag.certificate.exhaustive.few_moves.moved_sets import HeldSets, ListedSets
from equilag.certificate.exhaustive.small_problem import SearchTarget, SmallProblem
from equilag.domain.budget import Budget, OutOfBudget
from equilag.domain.group.group import NOBODY, Flags, Ints

SLICE_WORK: Final = 4_000_000
"""Array elements after which a range of lightest loads is cut in two: narrower windows have fewer
sets. Each cut doubles it."""
MAX_CUTS: Final = 5
"""Cuts of one range, after which it is searched to the end."""
BATCH: Final = 2_000_000
"""Array elements of the nodes that are worked on at once, a few dozen MB."""
CROSS: Final = 400_000
"""Pairs of node and set in one array operation."""


class MoveSearch:
    """One small problem, searched for plans with few moves; exact, repeatable."""

    def __init__(self, problem: SmallProblem, budget: Budget) -> None:
        """Raises OutOfBudget if the problem is too large, or counts are limited by topic."""
        self._small = problem
        self._problem = MoveProblem.of(problem)
        self._budget = budget
        self._cases: dict[tuple[bool, bool], list[ListedSets]] = {}

    def find(self, target: SearchTarget) -> Ints | None:
        """[I] member per item of an assignment that meets the target; None if there is none.

        Raises OutOfBudget when neither could be decided.
        """
        most = int(self._problem.first[-1])
        if target.max_moves is not None:
            most = min(most, target.max_moves - self._small.forced_moves)
        for moves in range(most + 1) if target.move_cost else (most,):
            found = self._within(target, moves)
            if found is not None:
                return found
        return None

    def _within(self, target: SearchTarget, moves: int) -> Ints | None:
        p, scaled = self._problem, self._problem.scaled
        cost = target.move_cost * (moves + self._small.forced_moves)
        spread = target.most((target.spread - cost) * scaled.one) + scaled.slack
        floor = target.least(target.floor * scaled.one) - scaled.slack
        cap = min(target.most(target.cap * scaled.one), scaled.total)
        # Somebody has the fair load or less, so the lightest load is between these.
        fair = p.total / sum(Fraction(1, factor) for factor in scaled.factor.tolist())
        lightest = max(0, floor), min(cap, int(fair))
        if spread < 0 or lightest[0] > lightest[1]:
            return None
        for listed in self._cases_with(moves):
            aim = MoveAim(moves, min(spread, scaled.total), target, cost)
            found = self._in_slices(listed, aim, lightest, cap)
            if found is not None:
                return found
        return None

    def _cases_with(self, moves: int) -> list[ListedSets]:
        """The problem with so many moves; where one partition outweighs most members, one problem
        for each of its holders, since all windows depend on who that is."""
        p = self._problem
        lost, gained = p.forced_moves()
        if moves < max(lost, gained):
            return []
        key = moves == lost, moves == gained
        if key not in self._cases:
            p = p.without_spare_moves(*key)
            heavy = int(p.lag.argmax()) if len(p.lag) else NOBODY
            if heavy == NOBODY or p.lag[heavy] <= p.total // p.members * 4 // 5:
                self._cases[key] = [ListedSets(p)]
            else:
                holders = np.flatnonzero(p.allowed[heavy]).tolist()
                holders.sort(key=lambda member: member != p.owner[heavy])
                self._cases[key] = [ListedSets(p.held_only_by(heavy, m)) for m in holders]
        return self._cases[key]

    def _in_slices(
        self, listed: ListedSets, aim: MoveAim, lightest: tuple[int, int], cap: int
    ) -> Ints | None:
        """Search all ranges of the lightest load, cut in two where a search takes long."""
        todo = [(*lightest, 0)]
        while todo:
            low, high, cuts = todo.pop()
            if low > high:
                continue
            final = cuts >= MAX_CUTS or low == high
            work = self._budget.work if final else SLICE_WORK << cuts
            target = MoveTarget.of(listed, aim, (low, min(cap, high + aim.spread)))
            try:
                with self._budget.part(work) as part:
                    found = _search(target, part)
            except OutOfBudget:
                if final or self._budget.work <= 0 or self._budget.expired():
                    raise
                middle = (low + high) // 2
                todo += [(middle + 1, high, cuts + 1), (low, middle, cuts + 1)]
                continue
            if found is not None:
                return found
        return None


def _search(target: MoveTarget, budget: Budget) -> Ints | None:
    p = target.listed.problem
    if not target.narrow():
        return None
    batch = max(50, BATCH // (p.members * (4 * p.words + 4)))
    stack = [MoveStates.start(target.listed)]
    while stack:
        nodes = stack.pop()
        if len(nodes) > batch:
            stack.append(nodes.take(slice(batch, None)))
            nodes = nodes.take(slice(0, batch))
        budget.enter()
        expansion = _Expansion(target, nodes, budget)
        found = expansion.finished()
        if found is not None:
            return found
        stack += expansion.children()
    return None


class _Expansion:
    """The children of some nodes."""

    def __init__(self, target: MoveTarget, nodes: MoveStates, budget: Budget) -> None:
        ahead = MovesAhead.of(nodes, target, budget)
        self._target, self._budget = target, budget
        self._nodes, self._ahead = nodes, ahead
        self._low, self._high = nodes.window(target)
        self._made: list[MoveStates] = []
        sets = np.where(ahead.affected, ahead.sets, np.iinfo(np.int64).max)
        self._next = sets.argmin(axis=1)
        """[n] the member that decides next."""
        self._chosen = ahead.alive & ahead.affected.any(axis=1)
        """[n] True where that is a member, not an item."""
        self._spare = ahead.limits(nodes, target)
        # A member that no bound counted may be one of the givers that a bound counted.
        self._spare_other = self._spare + (ahead.givers > 0)

    def finished(self) -> Ints | None:
        """The assignment of a node where everybody else stays, if its loads fit."""
        nodes, ahead = self._nodes, self._ahead
        p = self._target.listed.problem
        start = p.start * p.scaled.factor
        rows = np.flatnonzero(ahead.alive & ~self._chosen & ~ahead.pending)
        if not len(rows):
            return None
        stay = nodes.open[rows]
        low = np.minimum(nodes.low[rows], np.where(stay, start, np.iinfo(np.int64).max).min(axis=1))
        high = np.maximum(nodes.high[rows], np.where(stay, start, -1).max(axis=1))
        for row in rows[high - low <= self._target.spread].tolist():
            if self._target.accepts(
                np.where(nodes.open[row], self._target.listed.problem.start, nodes.lags[row])
            ):
                return self._assignment(row)
        # Two of those that stay are too far apart: the lightest decides, if there is any.
        self._chosen[rows] = stay.any(axis=1)
        self._next[rows] = np.where(stay, start, np.iinfo(np.int64).max).argmin(axis=1)
        self._spare[rows] = self._spare_other[rows]
        return None

    def _assignment(self, row: int) -> Ints:
        listed, nodes = self._target.listed, self._nodes
        p = listed.problem
        found = p.owner.copy()
        for member in np.flatnonzero(~nodes.open[row]).tolist():
            held = (nodes.held[row, member] & listed.masks).any(axis=1)
            found[held] = member
        result = np.empty_like(found)
        result[p.order] = found
        return result

    def children(self) -> list[MoveStates]:
        """The nodes after one more member decides, or after somebody takes one pending item."""
        members = self._target.listed.problem.members
        for member in range(members):
            rows = np.flatnonzero(self._chosen & (self._next == member))
            self._branch(rows, member, self._spare[rows], NOBODY)
        rows = np.flatnonzero(self._ahead.alive & ~self._chosen)
        if len(rows):
            self._by_item(rows)
        return self._made

    def _by_item(self, rows: Ints) -> None:
        """Nobody is affected: somebody takes the heaviest pending item."""
        listed = self._target.listed
        p = listed.problem
        free = self._nodes.free[rows]
        left = np.ones(len(rows), dtype=np.bool_)
        for item in np.argsort(-p.lag, kind="stable").tolist():
            owner = int(p.owner[item])
            waits = (free & listed.masks[item]).any(axis=1) & left
            if owner != NOBODY:
                waits &= ~self._nodes.open[rows, owner]
            left &= ~waits
            for member in np.flatnonzero(p.allowed[item]).tolist():
                mine = rows[waits & self._nodes.open[rows, member]]
                self._branch(mine, member, self._spare_other[mine], item)
            if not left.any():
                return

    def _branch(self, rows: Ints, member: int, spare: Ints, item: int) -> None:
        """The member decides for each of its sets, `item` (or NOBODY) included."""
        if not len(rows):
            return
        p = self._target.listed.problem
        lost = self._ahead.lost[rows, member]
        limit = self._ahead.need[rows, member] + spare
        for mask in np.unique(lost).tolist():
            same = np.flatnonzero(lost == mask)
            most = min(int(limit[same].max()) + len(p.loose), int(p.hi[member]))
            for size in range(item != NOBODY, most + 1):
                enough = same[limit[same] + len(p.loose) >= size]
                sets = self._target.sets(member, mask, size, item, self._budget)
                if len(sets.load):
                    self._cross(rows[enough], limit[enough], member, sets)

    def _cross(self, rows: Ints, limit: Ints, member: int, sets: HeldSets) -> None:
        step = max(1, CROSS // len(sets.load))
        for begin in range(0, len(rows), step):
            part = slice(begin, begin + step)
            here = rows[part]
            self._budget.spend(len(here) * len(sets.load) * (1 + sets.mask.shape[1]))
            i, j = np.nonzero(_inside(sets, ~self._nodes.free[here]))
            row, load = here[i], sets.load[j] * self._target.listed.problem.scaled.factor[member]
            fits = (load >= self._low[row]) & (load <= self._high[row])
            fits &= sets.moves[j] <= limit[part][i]
            row, j = row[fits], j[fits]
            if not len(row):
                continue
            listed = self._target.listed
            self._budget.spend(len(row) * (16 + 6 * self._nodes.lags.shape[1]))
            self._made.append(self._nodes.after(row, member, sets, j, listed))


def _inside(sets: HeldSets, taken: Bits) -> Flags:
    """[nodes, sets] True where a node's items, all but `taken`, contain the set."""
    fits: Flags = sets.mask[None, :, 0] & taken[:, None, 0] == 0
    for word in range(1, taken.shape[1]):
        fits &= sets.mask[None, :, word] & taken[:, None, word] == 0
    return fits
