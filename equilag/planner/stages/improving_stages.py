"""The improving stages by local search: each starts from the incumbent or the front and proposes
assignments within the count constraint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from equilag.domain.budget import Budget, limit_steps
from equilag.domain.group.loads import roughly
from equilag.planner.solving.front import Candidate
from equilag.planner.solving.stage import STEP
from equilag.planner.solving.state import Contribution, Proposal, SolveState
from equilag.solver.exchange.cyclic_exchanges import MAX_CELLS, Window
from equilag.solver.exchange.paired_exchange import exchange_in_pairs
from equilag.solver.local_search.bulk_descent import descend_in_bulk
from equilag.solver.local_search.greedy_descent import descend
from equilag.solver.local_search.level_search import FEWEST, fewest_held, search_level
from equilag.solver.local_search.load_targets import ImprovementGoal
from equilag.solver.local_search.window_search import search_window

SETTLE: Final = 1e-6
"""Seconds per partition before the first round of the paired exchange."""
PAIRED_EXCHANGE: Final = "paired-exchange"
"""The algorithm's name."""
GREEDY_DESCENT: Final = "greedy-descent"
BULK_DESCENT: Final = "descent-in-bulk"
"""The names of the algorithms that go down from the fewest moves."""


class GreedyDescent:
    """From the fewest moves downhill, the best exchange per move first: the front as it comes."""

    name: Final = "greedy descent"
    STEPS: Final = 400
    """Points of the front; a person chooses among far fewer."""
    LARGEST: Final = 20_000
    """Partitions up to which one exchange is made at a time; a step takes about 40 ms there."""
    SHARE: Final = 0.3
    """Of the time left."""

    @staticmethod
    def price(partitions: int) -> float:
        """Seconds of a step: 0.2 ms, and 0.7 µs for each partition."""
        return 4 * STEP + 7e-7 * partitions

    def applies(self, state: SolveState, budget: Budget) -> bool:
        problem = state.problem
        small = problem.group.n_partitions <= self.LARGEST
        return small and problem.has_owners and not state.proved

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        problem = state.problem
        start = state.front.fewest_moves().assigned
        price = self.price(problem.group.n_partitions)
        stop = budget.steps(price, upto=0.3, share=self.SHARE)
        group, constraint = problem.group, problem.constraint
        stop = limit_steps(self.STEPS, stop)
        for assigned in descend(group, constraint, start, state.rng, stop):
            yield Proposal(assigned, GREEDY_DESCENT)


class EvenlyKeepingUp:
    """From the plan that falls behind least downhill, as far as nobody falls further behind."""

    name: Final = "descent without falling behind"
    UPTO: Final = 0.4
    """Part of the work that may be spent when it ends."""
    SHARE: Final = 0.3
    """Of the time left."""

    def applies(self, state: SolveState, budget: Budget) -> bool:
        problem, even = state.problem, state.most_even
        if problem.shortage is None or problem.group.n_partitions > GreedyDescent.LARGEST:
            return False
        return not problem.moves_matter and state.incumbent.figures.short < even.figures.short

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        problem = state.problem
        price = 1.3 * GreedyDescent.price(problem.group.n_partitions)
        stop = budget.steps(price, self.UPTO, self.SHARE)
        walk = descend(
            problem.group, problem.constraint, state.incumbent.assigned, state.rng,
            limit_steps(GreedyDescent.STEPS, stop), shortage=problem.shortage,
        )  # fmt: skip
        for assigned in walk:
            yield Proposal(assigned, GREEDY_DESCENT)


class BulkDescent:
    """The same in bulk, where single exchanges take too long to get to the most even plan."""

    name: Final = "descent in bulk"
    SMALLEST: Final = 1_000
    """Partitions below which the greedy descent gets there by itself."""
    SMALLEST_BY_CAPACITY: Final = 200
    """The same where capacities differ: 30 x 300 with racks, 7 and 0.08 % of the mean in 3 s."""
    ROUND: Final = 1e-3
    """Seconds of one round, besides those that grow with the group."""
    HELD: Final = 4e-5
    """Seconds of a round per partition of a member."""
    PARTITION: Final = 6e-8
    """Seconds of a round per partition."""

    def __init__(self, share: float, upto: float) -> None:
        """`share` of the time left; `upto` what part of the work may be spent when it ends."""
        self.share = share
        self.upto = upto

    def applies(self, state: SolveState, budget: Budget) -> bool:
        problem = state.problem
        smallest = self.SMALLEST_BY_CAPACITY if problem.has_capacities else self.SMALLEST
        large = problem.group.n_partitions > smallest
        return large and not (state.done or problem.moves_matter)

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        problem = state.problem
        size = problem.group.n_partitions
        price = self.ROUND + self.HELD * size / problem.active + self.PARTITION * size
        stop = budget.steps(price, self.upto, self.share)
        walk = descend_in_bulk(
            problem.group, problem.constraint, _end_of_descent(state).assigned, state.rng, stop
        )
        for assigned in walk:
            yield Proposal(assigned, BULK_DESCENT)


def _end_of_descent(state: SolveState) -> Candidate:
    """The most even candidate of those that lie on a way down from the fewest moves, or of all if
    that one has no more moves, as where nothing is owned."""
    down = [c for c in state.front.candidates if c.algorithm in (GREEDY_DESCENT, BULK_DESCENT)]
    end = min(down, key=lambda c: (c.spread, c.moves), default=state.front.fewest_moves())
    return state.most_even if state.most_even.moves <= end.moves else end


class PairedExchange:
    """Even loads at any size where moves do not count, for each set of interchangeable members."""

    name: Final = "paired exchange"
    SETS: Final = 50
    """Sets of members, the largest first; the rest hold too little to matter."""
    SHARE: Final = 0.5
    """Of the time left, where there are several sets."""

    def applies(self, state: SolveState, budget: Budget) -> bool:
        problem = state.problem
        if state.proved or problem.moves_matter:
            return False
        seconds = SETTLE * problem.group.n_partitions
        return bool(problem.sets_alike) and budget.has_time(seconds)

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        problem, found = state.problem, state.most_even.assigned
        size = problem.group.n_partitions
        budget.pay(SETTLE * size)
        sets = problem.sets_alike[: self.SETS]
        enough = int(state.proofs.spread) if problem.constraint.all_alike else 0
        for number, members in enumerate(sets):
            share = self.SHARE / (len(sets) - number) if len(sets) > 1 else None
            stop = budget.steps(STEP * 2 + 2e-8 * size, upto=0.5, share=share)
            if budget.expired():
                break
            found = exchange_in_pairs(problem.group, found, state.rng, stop, enough, members)
        yield Proposal(found, PAIRED_EXCHANGE)


class WindowSearch:
    """Ideal loads, then exchanges of a few members at a time, where subscriptions differ and moves
    do not count."""

    name: Final = "window search"
    LARGEST: Final = 200_000
    """Partitions; one step takes about 0.1 s there."""
    CELLS: Final = 100_000_000
    """Partitions times members: the holders of heavy partitions take some 0.5 s to find there."""
    LAYER: Final = 1e-5
    """Seconds of a layer or a round of cycles per partition, up to `LARGEST_LAYER`."""
    LARGEST_LAYER: Final = 0.03
    """Seconds of one with a full table."""
    ROUND_CELL: Final = 8e-7
    """Seconds of a round of cycles per partition and member, which cannot be stopped."""
    CELL: Final = 2.5e-8
    """Seconds of a step per partition that a member may take and partition that it holds."""
    SHARES: Final = (0.4, 0.6)
    """Of the time left, for the first search and the second one: a member that comes no closer may
    need an exact split."""

    def applies(self, state: SolveState, budget: Budget) -> bool:
        problem = state.problem
        size = problem.group.n_partitions
        if state.proved or problem.moves_matter or size > self.LARGEST:
            return False
        if size * problem.active > self.CELLS:
            return False
        if state.searched.work:  # small enough for an exhaustive search to have the last word
            return False
        return len(problem.group.class_topics) > 1 and not problem.constraint.per_topic

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        low = state.proofs.value("min_load_at_most")
        high = state.proofs.value("max_load_at_least")
        if low is None or high is None:
            return
        number = float if state.problem.has_capacities else int
        window = Window(number(low), number(max(low, high)))
        searches = [self._level, self._window]
        if fewest_held(state.problem.constraint) < FEWEST:
            searches.reverse()  # no common load to go to: small steps first
        size = state.problem.group.n_partitions * state.problem.active
        for search, share, upto in zip(searches, self.SHARES, (0.7, 0.76), strict=True):
            if search == self._level and not budget.has_time(self.ROUND_CELL * size):
                continue
            yield search(state, budget, window, share, upto)

    def _level(
        self, state: SolveState, budget: Budget, window: Window, share: float, upto: float
    ) -> Proposal:
        problem = state.problem
        price = min(self.LARGEST_LAYER, STEP + self.LAYER * problem.group.n_partitions)
        found = search_level(
            problem.group, problem.constraint, state.most_even.assigned, window, state.rng,
            budget.steps(price, upto, share),
        )  # fmt: skip
        return Proposal(found, "level-search")

    def _window(
        self, state: SolveState, budget: Budget, window: Window, share: float, upto: float
    ) -> Proposal:
        problem = state.problem
        group, face = problem.group, problem.constraint.face
        size = np.bincount(group.partition_class[problem.constraint.free], minlength=len(face))
        takeable = float((size @ face)[group.class_of].mean())
        cells = min(float(MAX_CELLS), takeable * group.n_partitions / problem.active)
        price = 5 * STEP + self.CELL * cells
        found = search_window(
            problem.group, problem.constraint, state.most_even.assigned, window, state.rng,
            budget.steps(price, upto, share),
        )  # fmt: skip
        return Proposal(found, "window-search")


def goal_of(state: SolveState) -> ImprovementGoal:
    """The window that the bounds leave, and the proved spread, beyond which nothing is found."""
    most = state.most_even.moves if state.problem.moves_matter else None
    goal = ImprovementGoal(roughly(state.proofs.spread), most)
    low, high = (state.proofs.value(name) for name in ("min_load_at_most", "max_load_at_least"))
    if low is None or high is None:
        return goal
    return replace(goal, low=roughly(low), high=roughly(high))
