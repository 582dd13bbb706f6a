"""The stages that go from the fewest moves downhill, and from the most even plan back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from equilag.domain.group.loads import roughly
from equilag.planner.solving.stage import SINGLE, STEP, Turn
from equilag.planner.solving.state import Contribution, Proposal, SolveState, aim_of_policy
from equilag.planner.stages.exhaustive_stages import MOST_EXTRA
from equilag.solver.exchange.exchange_beam import (
    WIDTH,
    FewExchanges,
    extension_price,
    search_beam,
)
from equilag.solver.local_search.greedy_descent import descend
from equilag.solver.local_search.way_back import UnevennessLimit, return_to_owners

GREEDY_DESCENT: Final = "greedy-descent"


def greedy_step(partitions: int) -> float:
    """Seconds of a step of the greedy descent: 0.2 ms, and 0.7 µs for each partition."""
    return 4 * STEP + 7e-7 * partitions


def greedy_descent(state: SolveState, turn: Turn) -> Iterator[Contribution]:
    """From the fewest moves downhill, the best exchange per move first: the front as it comes."""
    problem, group = state.problem, state.problem.group
    if group.n_partitions > SINGLE or not problem.has_owners or state.proved:
        return
    stop = turn.steps(greedy_step(group.n_partitions))
    start = state.front.fewest_moves().assigned
    for assigned in descend(group, problem.constraint, start, state.rng, stop):
        yield Proposal(assigned, GREEDY_DESCENT)


def descent_keeping_up(state: SolveState, turn: Turn) -> Iterator[Contribution]:
    """From the plan that falls behind least downhill, as far as nobody falls further behind."""
    problem, group, best = state.problem, state.problem.group, state.incumbent
    if problem.shortage is None or group.n_partitions > SINGLE or problem.moves_matter:
        return
    if best.figures.short >= state.most_even.figures.short:
        return
    stop = turn.steps(1.3 * greedy_step(group.n_partitions))
    start, shortage = best.assigned, problem.shortage
    for assigned in descend(group, problem.constraint, start, state.rng, stop, shortage=shortage):
        yield Proposal(assigned, GREEDY_DESCENT)


CELLS: Final = 1_000_000
"""Partitions times members: their table takes some 40 ms to make, which nothing interrupts."""


def few_exchanges(
    state: SolveState, turn: Turn, within_limit: bool = False
) -> Iterator[Contribution]:
    """An even plan for each of the lowest numbers of moves, by a beam search over exchanges.

    `within_limit`: only among plans within the policy's limit on moves.
    """
    problem, group = state.problem, state.problem.group
    if within_limit and not aim_of_policy(state).open(state):
        return
    size = group.n_partitions
    if size > SINGLE or size * problem.active > CELLS:
        return
    if not problem.counts_few_moves or not problem.has_owners or state.front_proved:
        return
    most = problem.fewest_moves
    if problem.search_limit is None:
        most = max(most, state.front.fewest_moves().moves) + MOST_EXTRA
    if within_limit and state.limit is not None:
        most = min(most, state.limit)
    starts = [c.assigned for c in state.front.candidates if c.moves <= most]
    stop = turn.steps(extension_price(group))
    for found in search_beam(group, problem.constraint, starts, FewExchanges(most, WIDTH), stop):
        yield Proposal(found, "few-exchanges")


WIDTHS: Final = (0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
"""Spreads beyond that of the most even plan, in parts of the mean load: each three times the one
before, from what nobody notices to what anybody would."""


def towards_owners(state: SolveState, turn: Turn) -> Iterator[Contribution]:
    """From the most even plan back to the owners, as far as ever wider spreads allow."""
    problem, group, best = state.problem, state.problem.group, state.most_even
    if not problem.moves_trade or best.moves <= problem.fewest_moves:
        return
    if group.n_partitions > SINGLE:
        return
    stop = turn.steps(0.8 * STEP + 2e-9 * group.n_partitions)
    assigned = best.assigned
    for width in WIDTHS:
        slack = width * problem.mean
        excess = best.excess + problem.excess_of(slack)
        limit = UnevennessLimit(roughly(best.spread) + int(slack), excess)
        assigned = return_to_owners(group, problem.constraint, assigned, limit, stop).copy()
        yield Proposal(assigned, "fewer-moves")
