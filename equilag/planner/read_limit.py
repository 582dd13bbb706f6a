"""Plans within a limit on reads across racks that is not the fewest.

Such a limit is no count constraint: which reads are given up for an even load is open. So the group
is searched among the plans with the fewest reads, without the limit, and with it. What is proved
without it holds for the plans within it. Of the methods only CP-SAT knows the limit; what others
find beyond it is thrown away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from equilag.budget import Budget
from equilag.metrics import cross_reads
from equilag.plan import Plan
from equilag.planner.counting_stages import in_time
from equilag.planner.front import Candidate, candidate_of
from equilag.planner.progress import ProgressObserver
from equilag.planner.proofs import Proofs
from equilag.planner.result import plan_of
from equilag.planner.run import count, phases_for, search, state_of
from equilag.planner.state import Proposal, SolveState
from equilag.planner.task import Task
from equilag.solver.moves.fewest_moves import FlowPrices, moves_against_reads

FIRST: Final = 0.3
"""Of the time, what the search among the plans with the fewest reads gets."""
SECOND: Final = 0.5
"""Of the time that is left then, what the search without the limit gets; the rest knows it."""


PRICES: Final = tuple(FlowPrices(*pair) for pair in ((8, 1), (3, 1), (2, 1), (1, 1), (1, 2)))
"""Of a move and a read: flows between the fewest of one and the fewest of the other."""


def has_read_limit(task: Task) -> bool:
    """True if reads across racks are limited, and not the fewest anyway."""
    real, policy = task.group.real, task.policy
    limited = policy.max_cross_rack is not None and not policy.rack_aware
    return limited and real is not None and real.cross is not None


def plan_within_reads(task: Task, budget: Budget, observer: ProgressObserver) -> Plan:
    """The best plan that reads no more partitions across racks than the policy allows.

    Raises InputError if the counts force more reads than that.
    """
    limit = task.policy.max_cross_rack
    assert limit is not None
    notes: list[str] = []
    tight = _searched(_variant(task, rack_aware=True), budget.share(FIRST), observer, notes)
    task.policy.check_reads(tight.problem.constraint.most_across or 0)
    free = _searched(_variant(task, rack_aware=False), budget.share(SECOND), observer, notes)
    problem = replace(
        free.problem,
        task=_variant(task, moves_trade=True),
        make_constraint=lambda: free.problem.constraint.within_reads(limit),
    )
    within = SolveState.of(problem, tight.incumbent, _of_all_plans(free), notes)
    _propose(within, (*tight.front.candidates, *free.front.candidates), limit)
    for prices in PRICES:
        if within.problem.has_owners and in_time(task, budget):
            assigned = moves_against_reads(task.group, free.problem.constraint, prices)
            _propose(within, (candidate_of(task.group, assigned, "min-cost-flow"),), limit)
    search(within, budget, observer, phases_for(within, budget))
    proofs = _of_all_plans(within) if task.policy.moves_first else within.proofs
    final = SolveState.of(replace(problem, task=task), within.front.fewest_moves(), proofs, notes)
    _propose(final, within.front.candidates, limit)
    return plan_of(final, budget)


def _propose(state: SolveState, candidates: Sequence[Candidate], limit: int) -> None:
    """Record the candidates that keep to the limit on reads."""
    for candidate in candidates:
        if cross_reads(state.problem.group, candidate.assigned) <= limit:
            state.record(Proposal(candidate.assigned, candidate.algorithm))


def _of_all_plans(state: SolveState) -> Proofs:
    """The checked claims that hold with any number of moves: where fewer moves come first, the
    limit on reads may take more of them than there would be without it."""
    return Proofs.of(claim for claim in state.proofs.in_order(None) if claim.evidence == "checked")


def _variant(task: Task, rack_aware: bool = False, moves_trade: bool = False) -> Task:
    """The task without the limit on reads; with `moves_trade` for all numbers of moves."""
    policy = replace(task.policy, rack_aware=rack_aware, max_cross_rack=None)
    if moves_trade and policy.moves_first and not policy.pins_owned:
        policy = replace(policy, name="lag-aware", balance=policy.balance)
    return task._replace(objective=task.objective._replace(policy=policy))


def _searched(
    task: Task, budget: Budget, observer: ProgressObserver, notes: list[str]
) -> SolveState:
    state = state_of(task, count(task, budget, observer, notes), notes)
    assert state is not None  # counts of a reduced group are always exact
    search(state, budget, observer, phases_for(state, budget))
    return state
