"""The stages that prove bounds: by counting, by prices, and for a number of moves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from equilag.certificate.bounds.member_patterns import (
    MAX_CELLS,
    pattern_size,
    patterns_of,
)
from equilag.certificate.exhaustive.whole_group import whole_problem
from equilag.domain.budget import ELEMENT
from equilag.domain.group.loads import roughly
from equilag.domain.plan.claim import Claim
from equilag.domain.plan.metrics import loads_of
from equilag.domain.plan.plan_figures import NEGLIGIBLE
from equilag.domain.policy.objective import SPREAD, VALUE
from equilag.planner.solving.problem import Task
from equilag.planner.solving.stage import STEP, Draft, Turn
from equilag.planner.solving.state import Contribution, Proposal, SolveState, aim_of_policy
from equilag.planner.stages.levelling_stages import round_of_levels, window_of
from equilag.solver.local_search.levelling import level_loads
from equilag.solver.lower_bounds.load_bounds import NO_LAG, difference, excess_bound, load_bounds

BOUND_CELL: Final = 2e-7
"""Seconds of one counting bound per partition, and per bucket and class of its takers, measured at
10,000 partitions."""
NO_SPREAD: Final = (NO_LAG.highest, NO_LAG.lowest, difference(NO_LAG))
"""The claims on the loads of a group without lag."""


def counting_bounds(state: SolveState, turn: Turn) -> Iterator[Contribution]:
    """What no plan can beat, by counting."""
    group, counting = state.problem.group, state.problem.counting
    if not group.lag.any():
        return
    stop = turn.steps(STEP + BOUND_CELL * (group.n_partitions + len(counting.arcs[0])))
    found = load_bounds(counting, stop, state.most_even.spread)
    if found is not None:
        yield from (found.highest, found.lowest, difference(found))
        yield excess_bound(counting, found)


def no_lag_claims(task: Task, draft: Draft) -> tuple[Claim, ...]:
    """What is proved of the spread, and of its cost, where there is no lag; else nothing."""
    group = task.group
    if group.lag.any() or not any(map(len, group.class_topics)):  # nobody takes part in a spread
        return ()
    if not task.objective.move_cost:
        return NO_SPREAD
    return (*NO_SPREAD, Claim(VALUE, task.objective.cost(draft.fewest_moves), "sum"))


def counted_moves(state: SolveState, turn: Turn) -> Iterator[Contribution]:
    """What counting says of the policy's limit on moves."""
    limit = state.limit
    if limit is None or not aim_of_policy(state).open(state):
        return
    bound = state.problem.forced_spread(limit)
    if bound > state.proofs.spread_within(limit):
        yield Claim(SPREAD, bound, "moves", {"max_moves": limit})


def priced_loads(state: SolveState, turn: Turn, early: bool) -> Iterator[Contribution]:
    """Where subscriptions, racks or capacities differ: what a linear program over sorts of members
    proves of the loads, and levels from the plan that it deals.

    It comes `early` in groups with racks, where its plan is the best start for levels; late
    in others, as window search does better from elsewhere.
    """
    problem, group, constraint = state.problem, state.problem.group, state.problem.constraint
    if state.gap <= NEGLIGIBLE * problem.mean or constraint.per_topic:
        return
    if constraint.all_alike and not problem.has_capacities:
        return
    if early != group.extended.has_racks:
        return
    from equilag.solver.lower_bounds.price_program import MAX_ARCS, PriceProgram
    from equilag.solver.lower_bounds.priced_bounds import KnownBounds, dealt_plan, priced_claims

    program = PriceProgram(problem.counting)
    if program.arcs > MAX_ARCS:
        return
    reached = float(roughly(loads_of(group, state.most_even.assigned).max))
    known = KnownBounds(state.proofs.highest, state.proofs.lowest, reached)
    counted = turn.steps(program.seconds)

    def over() -> bool:
        return not turn.budget.has_time(program.seconds) or counted()

    for found in priced_claims(program, known, over):
        if isinstance(found, Claim):
            yield found
        elif not problem.moves_matter:
            start = dealt_plan(program, found)
            if start is None or not constraint.admits(start):
                continue
            stop = turn.steps(round_of_levels(problem))
            levelled = level_loads(group, constraint, start, state.rng, stop, window_of(state))
            yield Proposal(levelled, "prices")


def patterned_spread(state: SolveState, turn: Turn) -> Iterator[Contribution]:
    """Where members hold few partitions each: what a linear program over all sets of partitions
    that a member may hold proves of the spread."""
    problem = state.problem
    if state.gap <= NEGLIGIBLE * problem.mean or problem.has_capacities:
        return
    whole = whole_problem(problem.group, problem.constraint, cells=MAX_CELLS)
    size = None if whole is None else pattern_size(whole.problem)
    if whole is None or size is None:
        return
    stop = turn.steps(STEP + ELEMENT * size)
    if stop():  # listing them takes as long
        return
    patterns = patterns_of(whole.problem)
    if patterns is not None:
        from equilag.solver.lower_bounds.pattern_bound import pattern_claims

        ends = state.proofs.highest, state.proofs.lowest
        spread = state.proofs.spread, state.most_even.spread
        yield from pattern_claims(patterns, len(whole.items), ends, spread, stop)
