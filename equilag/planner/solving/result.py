"""From what a run found to a plan."""

from __future__ import annotations

from collections.abc import Callable

from equilag.certificate.bounds.counting import Counting
from equilag.domain.budget import TABLE, Budget
from equilag.domain.constraint import unconstrained
from equilag.domain.group.group import Group
from equilag.domain.group.loads import in_unit
from equilag.domain.plan.claim import Claim, Claims
from equilag.domain.plan.plan import Plan, Status
from equilag.domain.plan.plan_figures import Choice
from equilag.domain.plan.verdict import VerdictFacts
from equilag.planner.solving.front import Candidate, knee
from equilag.planner.solving.problem import Task
from equilag.planner.solving.stage import Draft
from equilag.planner.solving.state import SolveState
from equilag.planner.stages.bounding_stages import no_lag_claims
from equilag.solver.lower_bounds.load_bounds import difference, overall_bounds


def judge_when_read(plan: Plan) -> VerdictFacts:
    """The verdict on a plan, with the default limits; what makes it loads only then."""
    from equilag.planner.verdict.plan_verdict import verdict_of
    from equilag.planner.worth.judged_plan import JudgedPlan

    return verdict_of(JudgedPlan(plan))


def plan_of(state: SolveState, budget: Budget) -> Plan:
    """The plan of a run whose counts are exact."""
    task, best, limit = state.problem.task, state.incumbent, state.limit
    if limit is not None and best.moves > limit:  # then bounds within the limit say nothing of it
        limit = None
    status: Status = "optimal" if state.optimal else "feasible"
    claims = state.proofs.in_order(limit)
    return _plan(task, budget, status, best, claims, state.notes, choices(state))


def settled_plan(task: Task, draft: Draft, budget: Budget, notes: list[str]) -> Plan | None:
    """The plan of a draft that leaves nothing to improve; None if there is anything.

    That is a group without lag whose counts and moves are both proved: the same plan as by way of
    `SolveState`, which takes longer to make than such a plan. Its claims are made when they are
    read, since most callers of such a plan ask for the assignment alone.
    """
    if not draft.final or task.policy.fresh:
        return None
    claims = no_lag_claims(task, draft)
    if not claims:
        return None
    moves = draft.fewest_moves
    if moves and task.original.extended.move_unit is not None:
        return None  # it is their price: how many are forced stands in the claims
    chosen = Choice("fewest moves", moves, 0, move_weight=task.reduction.moved_weight(moves))
    return _plan(
        task, budget, "optimal", draft, lambda: draft.make_claims() + claims, notes, (chosen,)
    )


def fallback_plan(task: Task, draft: Draft, budget: Budget, notes: list[str]) -> Plan:
    """A heuristic's plan; its claims hold for any assignment at all, whatever its counts."""
    claims: tuple[Claim, ...] = ()
    group = task.group
    if budget.limit > 0 and group.n_partitions + group.eligible.size < 2 * TABLE:
        claims = unconstrained_claims(group)
    return _plan(task, budget, "fallback", draft, claims, notes)


def _plan(
    task: Task,
    budget: Budget,
    status: Status,
    found: Draft | Candidate,
    claims: Claims | Callable[[], Claims],
    notes: list[str],
    chosen: tuple[Choice, ...] = (),
) -> Plan:
    return Plan(
        task.reduction.given,
        task.policy,
        status,
        found.algorithm,
        task.reduction.expand(found.assigned),
        claims,
        time_limit=budget.limit,
        wall_s=budget.elapsed,
        notes=tuple(notes),
        choices=chosen,
        seed=task.seed,
        effort=budget.effort,
        repeatable=not budget.cut,
        reduction=task.reduction,
        judge=judge_when_read,
    )


def unconstrained_claims(group: Group) -> tuple[Claim, ...]:
    """What no valid assignment beats, the bound on the spread last; none without active members."""
    bounds = overall_bounds(Counting(group, unconstrained(group)))
    return () if bounds is None else (bounds.highest, bounds.lowest, difference(bounds))


def choices(state: SolveState) -> tuple[Choice, ...]:
    """Up to three points of the front: fewest moves, the knee, the most even."""
    front, reduction = state.front, state.problem.task.reduction
    divisor, points = reduction.group.extended.load_divisor, front.points()
    if not points:
        return ()
    first, last = points[0], front.most_even()
    chosen = [("fewest moves", first)]
    if len(points) > 2:
        middle = knee(points)
        if middle is not first and middle.spread > last.spread:
            chosen.append(("knee", middle))
    if len(points) > 1:
        chosen.append(("most even", last))
    return tuple(
        Choice(
            label,
            reduction.group.extended.moved_partitions(point.moves),
            in_unit(point.spread, divisor),
            in_unit(point.excess, divisor),
            reduction.moved_weight(point.moves),
            state.problem.short_of(point),
        )
        for label, point in chosen
    )
