"""Plans within a limit on reads across racks that is not the fewest.

Such a limit is no count constraint: which reads are given up for an even load is open. So the group
is searched among the plans with the fewest reads, and then with the limit, also from plans between
these and those without a limit. What is proved without it holds for the plans within it. Of the
methods only CP-SAT knows the limit; what others find beyond it is thrown away.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from operator import attrgetter
from typing import Final, NamedTuple

import numpy as np

from equilag.certificate.checks.potentials import moves_claim
from equilag.domain.budget import Budget
from equilag.domain.errors import InputError
from equilag.domain.group.group import Index
from equilag.domain.plan.claim import MOVES, Claim
from equilag.domain.plan.metrics import counting_moves, cross_reads
from equilag.domain.plan.plan import Plan
from equilag.domain.plan.proofs import Proofs
from equilag.domain.policy.policy import Policy
from equilag.planner.solving.front import Candidate, candidate_of
from equilag.planner.solving.problem import Problem, Task, check_limit
from equilag.planner.solving.result import plan_of
from equilag.planner.solving.run import count, improve, search, state_of
from equilag.planner.solving.stage import ProgressObserver, Stage
from equilag.planner.solving.state import Proposal, SolveState
from equilag.planner.stages.counting_stages import in_time
from equilag.planner.stages.cpsat_stages import goals_in_turn
from equilag.solver.moves.between_plans import between_plans, fewest_within_reads
from equilag.solver.moves.fewest_moves import fewest_moves

TIGHT: Final = 0.15
"""Of the time, what the search among the plans with the fewest reads gets."""
SEARCHED: Final = 0.7
"""Of what is left, what the search gets; the rest is for a model of the policy's goals in turn."""
MODEL: Final = Stage("cp-sat", goals_in_turn)
SOME: Final = 3
"""Plans that steps lead from, or to: the best ones are close to each other."""


def has_read_limit(task: Task) -> bool:
    """True if reads across racks are limited, and not the fewest anyway."""
    limit = task.policy.max_cross_rack
    if limit is None or not task.policy.limits_reads or not task.group.extended.has_racks:
        return False
    worst = np.where(task.group.eligible, task.group.extended.cross_costs, 0).max(axis=1, initial=0)
    return limit < int(worst[task.group.partition_class].sum())


def plan_within_reads(task: Task, budget: Budget, observer: ProgressObserver) -> Plan:
    """The best plan that reads no more partitions across racks than the policy allows.

    Raises InputError if the counts force more reads than that, or if no plan is found that keeps to
    the limit on moves as well.
    """
    within = state_within_reads(task, budget, observer)
    with budget.portion(SEARCHED) as part:
        search(within, part, observer)
    problem = replace(within.problem, task=task)
    proofs = _of_all_plans(within) if task.policy.moves_first else within.proofs
    final = SolveState.of(problem, within.front.fewest_moves(), proofs, within.notes)
    for candidate in within.front.candidates:
        final.record(Proposal(candidate.assigned, candidate.algorithm))
    if not final.optimal:
        improve(final, budget, observer, (MODEL,))
    check_found(final, task.policy)
    return plan_of(final, budget)


def check_found(state: SolveState, policy: Policy) -> None:
    """Raises InputError if every plan that was found moves more than the policy allows."""
    objective, extended = state.problem.objective, state.problem.group.extended
    every, limit = [one.moves for one in state.front.candidates], objective.asked_limit
    few = [moves for moves in every if not objective.too_many(moves)]
    if few and (limit is None or min(few) <= limit):
        return
    limits = f"at most {policy.max_cross_rack} reads across racks"
    name, less = "max_moves", f"fewer than {min(map(extended.moved_partitions, every))}"
    weight = extended.moved_weight(min(few, default=0))
    if policy.max_move_weight is not None and weight > policy.max_move_weight:
        name, less = "max_move_weight", f"a weight of less than {ceil(weight)}"
        if policy.max_moves is not None:
            limits += f" and {policy.max_moves} moves"
    raise InputError(f"no plan with {limits} was found that moves {less}", name)


def state_within_reads(task: Task, budget: Budget, observer: ProgressObserver) -> SolveState:
    """The state from which plans within the limit are searched, for all numbers of moves.

    Raises InputError if the counts force more reads, or more moves, than the policy allows.
    """
    limit = task.policy.max_cross_rack
    assert limit is not None
    notes: list[str] = []
    without = replace(task.policy, max_cross_rack=None, max_moves=None, max_move_weight=None)
    aware = replace(without, rack_aware=True)
    tight = _counted(task.with_policy(aware), budget, observer, notes)
    task.policy.check_reads(tight.problem.constraint.most_across or 0)
    free = _counted(task.with_policy(without), budget, observer, notes)
    few = _few_moves(task, free, tight.incumbent.assigned, limit, budget)
    check_limit(task, few.moves, few.number)
    flows = [
        candidate_of(task.group, one, "min-cost-flow", free.problem.shortage) for one in few.plans
    ]
    with budget.portion(TIGHT) as part:
        search(tight, part, observer)
    trading = replace(
        without, max_moves=task.policy.max_moves, max_move_weight=task.policy.max_move_weight
    )
    if trading.moves_first and not trading.pins_owned:
        # Under these policies moves cost nothing, so no claim may count a cost.
        trading = replace(trading, name="lag-aware", balance=trading.balance, move_cost=0)
    problem = replace(
        free.problem,
        task=task.with_policy(trading),
        make_constraint=lambda: replace(
            free.problem.constraint, most_across=limit, limits_reads=True
        ),
        fewest_moves=few.moves,
    )
    proofs = _of_all_plans(free)
    for claim in few.claims:
        proofs.record(claim)
    within = SolveState.of(problem, tight.incumbent, proofs, notes)
    found = [*flows, *tight.front.candidates, *free.front.candidates]
    reads = [cross_reads(task.group, candidate.assigned) for candidate in found]
    beyond = [c for c, across in zip(found, reads, strict=True) if across > limit]
    kept = [c for c, across in zip(found, reads, strict=True) if across <= limit]
    if beyond and problem.has_owners:
        even = sorted(beyond, key=attrgetter("spread"))[:SOME]
        kept += [_between(problem, one, tight.most_even, limit) for one in even]
        calm = sorted(kept, key=attrgetter("moves"))[:SOME] + [one for one in flows if one in kept]
        calmest = min(beyond, key=attrgetter("moves"))
        kept += [_between(problem, calmest, one, limit) for one in calm]
    for candidate in kept:
        within.record(Proposal(candidate.assigned, candidate.algorithm))
    return within


class _FewMoves(NamedTuple):
    """Plans with few moves or few reads, and how few moves are possible within the limit."""

    plans: list[Index]
    moves: int
    number: int
    claims: list[Claim]


def _few_moves(
    task: Task, free: SolveState, few_reads: Index, limit: int, budget: Budget
) -> _FewMoves:
    group, constraint = task.original, free.problem.constraint
    few = _FewMoves([], free.problem.fewest_moves, int(free.proofs.value(MOVES) or 0), [])
    if not free.problem.has_owners or constraint.has_pinned or not in_time(task, budget):
        return few
    for counted in dict.fromkeys((counting_moves(group), group)):
        moves = fewest_moves(counted, constraint)
        found = fewest_within_reads(counted, constraint, moves.assigned, few_reads, limit)
        few.plans.extend(found.plans)
        if found.potentials is not None:
            few.claims.append(moves_claim(counted, found.least, found.potentials))
            if counted is not group or group.extended.move_unit is None:
                few = few._replace(number=found.least)
            if counted is group:
                few = few._replace(moves=found.least)
    return few


def _between(problem: Problem, beyond: Candidate, kept: Candidate, limit: int) -> Candidate:
    """A plan between one beyond the limit on reads and one that keeps to it."""
    group, counts = problem.group, problem.constraint
    assigned = between_plans(group, counts, beyond.assigned, kept.assigned, limit)
    return candidate_of(group, assigned, "between-plans", problem.shortage)


def _of_all_plans(state: SolveState) -> Proofs:
    """The checked claims that hold with any number of moves: where fewer moves come first, the
    limit on reads may take more of them than there would be without it."""
    return Proofs.of(claim for claim in state.proofs.in_order(None) if claim.evidence == "checked")


def _counted(
    task: Task, budget: Budget, observer: ProgressObserver, notes: list[str]
) -> SolveState:
    """The state of a run up to the fewest moves."""
    state = state_of(task, count(task, budget, observer, notes), notes)
    assert state is not None  # counts of a reduced group are always exact
    return state
