"""The stages that bring loads to the level that the bounds leave."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from equilag.domain.budget import ELEMENT, TABLE, limit_steps
from equilag.domain.group.group import Index
from equilag.domain.group.loads import roughly
from equilag.domain.plan.plan_figures import NEGLIGIBLE
from equilag.planner.solving.problem import Problem
from equilag.planner.solving.stage import STEP, Turn
from equilag.planner.solving.state import Contribution, Proposal, SolveState
from equilag.solver.exchange.paired_exchange import exchange_in_pairs
from equilag.solver.local_search.assignment_state import Window
from equilag.solver.local_search.equal_loads import equalise_loads
from equilag.solver.local_search.levelling import (
    descend_in_windows,
    heaviest_gives,
    level_loads,
)
from equilag.solver.local_search.three_way_splits import bring_close
from equilag.solver.local_search.way_back import keep_alike
from equilag.solver.local_search.window_search import search_window
from equilag.solver.lower_bounds.load_bounds import crowd

SETTLE: Final = 1e-6
"""Seconds per partition for what no stop condition interrupts, such as a table of members."""
SETS: Final = 50
"""Sets of interchangeable members, the largest first; the rest hold too little to matter."""


def window_of(state: SolveState) -> Window:
    """The window that the bounds leave, and the proved spread, beyond which nothing is found."""
    most = state.most_even.moves if state.problem.moves_matter else None
    window = Window(enough=roughly(state.proofs.spread), most_moves=most)
    low, high = (state.proofs.value(name) for name in ("min_load_at_most", "max_load_at_least"))
    if low is None or high is None:
        return window
    return window._replace(low=roughly(low), high=roughly(max(low, high)))


def paired_exchange(state: SolveState, turn: Turn) -> Iterator[Contribution]:
    """Even loads at any size where moves do not count, for each set of interchangeable members."""
    problem, group = state.problem, state.problem.group
    sets, seconds = problem.sets_alike[:SETS], SETTLE * group.n_partitions
    if state.proved or problem.moves_matter or not sets or not turn.budget.has_time(seconds):
        return
    turn.budget.pay(seconds)
    found = state.most_even.assigned
    enough = int(state.proofs.spread) if problem.constraint.all_alike else 0
    for left, members in zip(range(len(sets), 0, -1), sets, strict=True):
        stop = turn.steps(2 * STEP + 2e-8 * group.n_partitions, 1 / left)
        if turn.budget.expired():
            break
        found = exchange_in_pairs(group, found, state.rng, stop, enough, members)
    yield Proposal(found, "paired-exchange")


EXACT_STEP: Final = 2e-4
"""Seconds of a step of exact transfers and of splits, as the searches count them."""
EXACT: Final = 0.9
"""Part of the stage's work for exact transfers; the rest is left to come closer otherwise."""


def exact_transfers(state: SolveState, turn: Turn) -> Iterator[Contribution]:
    """Loads within 1 of each other, set by set, where the counts and the lags allow it; else as
    close as splits among three members bring them."""
    problem, group = state.problem, state.problem.group
    sets, found = problem.sets_alike[:SETS], state.most_even.assigned
    if state.spread_proved or problem.moves_matter or not sets:
        return
    for left, members in zip(range(len(sets), 0, -1), sets, strict=True):
        if not turn.budget.has_time(SETTLE * group.n_partitions):
            break
        stop = turn._replace(upto=EXACT * turn.upto).steps(EXACT_STEP, 1 / left)
        found = equalise_loads(group, found, state.rng, stop, members)
        stop = turn.steps(EXACT_STEP, 1 / left)
        found = bring_close(group, found, state.rng, stop, members)
    yield Proposal(found, "exact-transfers")


LEVELS: Final = "levels"
FIRST: Final = 2
"""Rounds of levels before owners keep what is about as heavy as what they get, which leaves half of
the moves; the rounds after it make up for that."""
ALIKE: Final = 1.3
"""Ratio of two lags that are about as heavy."""


def round_of_levels(problem: Problem) -> float:
    """Seconds of one round, which looks at so many partitions of each member at most."""
    size = problem.group.n_partitions
    return 1e-3 + 8e-5 * min(50.0, size / problem.active) + 2e-8 * size


def levels(state: SolveState, turn: Turn) -> Iterator[Contribution]:
    """The most even loads, per unit of capacity, or with no more moves than there must be.

    Not where all members are alike and moves do not count, as exact transfers follow there.
    """
    problem, group, constraint = state.problem, state.problem.group, state.problem.constraint
    last = problem.moves_matter or problem.has_capacities or constraint.per_topic
    exact = problem.sets_alike and len(group.class_topics) == 1
    if state.proved or (exact and not last):
        return
    window, all_stop = window_of(state), turn.steps(round_of_levels(problem))
    heaviest = None
    if problem.has_capacities and not problem.moves_matter:
        heaviest = crowd(problem.counting, problem.counting.active)

    def levelled(start: Index, stop: Callable[[], bool], apart: int | None) -> Proposal:
        return Proposal(
            level_loads(group, constraint, start, state.rng, stop, window, apart), LEVELS
        )

    if problem.moves_trade:
        yield levelled(state.most_even.assigned, limit_steps(FIRST, all_stop), heaviest)
        kept = keep_alike(group, constraint, state.most_even.assigned, ALIKE)
        yield Proposal(kept, LEVELS)
        yield levelled(kept, all_stop, None)
    if not problem.moves_trade or state.gap > NEGLIGIBLE * problem.mean:
        yield levelled(state.most_even.assigned, all_stop, heaviest)


SMALLEST: Final = 1_000
"""Partitions from which on the greedy descent does not get to the most even plan by itself."""
IN_BULK: Final = "descent-in-bulk"
NARROWER: Final = (0.1, 0.01, 0.001)
"""Spreads beyond the proved one, in parts of the mean load: of more of them, each costs moves."""


def bulk_descent(state: SolveState, turn: Turn) -> Iterator[Contribution]:
    """From the fewest moves down to ever smaller spreads, many exchanges at once, where single ones
    take too long; on from where it ended before."""
    problem, group, window = state.problem, state.problem.group, window_of(state)
    known = state.proofs.value("min_load_at_most") is not None
    if group.n_partitions <= SMALLEST or state.done or problem.moves_matter or not known:
        return
    down = [c for c in state.front.candidates if c.algorithm == IN_BULK]
    start = min(down, key=lambda c: c.spread, default=state.front.fewest_moves())
    widths = [part * problem.mean for part in NARROWER]
    stop = turn.steps(1.5 * round_of_levels(problem))
    for found in descend_in_windows(
        group, problem.constraint, start.assigned, state.rng, stop, window, widths
    ):
        yield Proposal(found, IN_BULK)


def levels_within(state: SolveState, turn: Turn) -> Iterator[Contribution]:
    """The most even loads within the policy's limit on moves: all of them are used while they
    gain."""
    problem, limit = state.problem, state.limit
    if limit is None or state.done or problem.moves_matter:
        return
    group, constraint = problem.group, problem.constraint
    window, few = window_of(state)._replace(most_moves=limit), state.front.fewest_moves()
    stop = turn.steps(EXACT_STEP)
    simple = heaviest_gives(group, constraint, few.assigned, stop, limit - few.moves)
    yield Proposal(simple, "heaviest-gives")
    for start in (state.front.most_even(limit).assigned, simple):
        stop = turn.steps(round_of_levels(problem))
        found = level_loads(group, constraint, start, state.rng, stop, window)
        yield Proposal(found, LEVELS)


CELLS: Final = 100_000_000
"""Partitions times members: the holders of heavy partitions take some 0.5 s to find there."""


def window_search(state: SolveState, turn: Turn) -> Iterator[Contribution]:
    """Exchanges of a few members at a time, where subscriptions differ and moves do not count."""
    problem, group, constraint = state.problem, state.problem.group, state.problem.constraint
    pairs = group.n_partitions * problem.active
    if state.proved or problem.moves_matter or pairs > CELLS:
        return
    if state.searched:  # small enough for an exhaustive search to have the last word
        return
    if len(group.class_topics) < 2 or constraint.per_topic:
        return
    if state.proofs.value("min_load_at_most") is None:
        return

    size = np.bincount(group.partition_class[constraint.free], minlength=len(constraint.face))
    takeable = float((size @ constraint.face)[group.class_of].mean())
    cells = min(float(TABLE), takeable * group.n_partitions / problem.active)
    stop = turn.steps(5 * STEP + ELEMENT * cells)
    start = state.most_even.assigned
    found = search_window(group, constraint, start, window_of(state), state.rng, stop)
    yield Proposal(found, "window-search")
