"""All assignments of a tiny problem as one array, where a search costs more than to list them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from equilag.certificate.exhaustive.small_problem import ScaledTarget, SmallProblem
from equilag.domain.budget import Budget
from equilag.domain.group.group import Flags, Ints

MOST_LISTED: Final = 5_000
"""Assignments, before counts are looked at: 1 ms, as long as a few expansions of a search."""


@dataclass(frozen=True, eq=False, slots=True)
class AllListed:
    """The assignments of a problem within its counts, the least spread first: [n]."""

    found: Ints
    """[n, I] member per item."""
    high: Ints
    """Heaviest scaled load."""
    low: Ints
    moves: Ints
    """Beside those of every assignment."""

    @staticmethod
    def of(problem: SmallProblem, factor: Ints, budget: Budget) -> AllListed | None:
        """None if there are too many. `factor` [J] makes loads comparable. Raises OutOfBudget."""
        number = np.count_nonzero(problem.allowed, axis=1).tolist()
        total = 1
        for n in number:
            total *= n
            if total > MOST_LISTED:
                return None
        items, members = problem.allowed.shape
        budget.spend(total * (items + 1) * members)
        place = np.unravel_index(np.arange(total), number)
        choice = [np.flatnonzero(row) for row in problem.allowed]
        found = np.stack([of[at] for of, at in zip(choice, place, strict=True)], axis=1)
        held = found[:, :, None] == np.arange(members)
        within = _within(problem, held)
        found, held = found[within], held[within]
        loads = (np.where(held, problem.lag[:, None], 0).sum(axis=1) + problem.base) * factor
        moves = problem.prices[np.arange(items), found].sum(axis=1)
        high, low = loads.max(axis=1), loads.min(axis=1)
        order = np.lexsort((moves, high - low))
        return AllListed(found[order], high[order], low[order], moves[order])

    def first(self, target: ScaledTarget, budget: Budget) -> Ints | None:
        """[I] the assignment of the least spread that meets a target; None if none does."""
        budget.spend(4 * len(self.moves))
        ends = 2 * self.moves
        meets = (self.low >= target.floor) & (self.high <= target.cap)
        meets &= self.high - self.low <= target.spread_with(ends)
        if target.moves_matter:
            meets &= ends <= target.most_ends
        place = np.flatnonzero(meets)[:1]
        return self.found[place[0]] if len(place) else None


def _within(problem: SmallProblem, held: Flags) -> Flags:
    """[n] True where assignments [n, I, J] keep to all limits on counts."""
    counts = np.count_nonzero(held, axis=1)
    within: Flags = ((counts >= problem.lo) & (counts <= problem.hi)).all(axis=1)
    if problem.sums is not None:
        total = problem.sums.total(counts.T).T
        within &= ((total >= problem.sums.least) & (total <= problem.sums.most)).all(axis=1)
    if problem.topic is not None:
        assert problem.topic_lo is not None and problem.topic_hi is not None
        for topic, (low, high) in enumerate(zip(problem.topic_lo, problem.topic_hi, strict=True)):
            of_topic = np.count_nonzero(held[:, problem.topic == topic], axis=1)
            within &= ((of_topic >= low) & (of_topic <= high)).all(axis=1)
    return within
