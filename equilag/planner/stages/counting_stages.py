"""The counting stages: a valid plan at once, exact counts, the fewest moves with their proof."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache, partial
from typing import Final

import numpy as np

from equilag.certificate.checks.potentials import pinned_moves_claim
from equilag.domain.budget import Budget
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import NOBODY, Index
from equilag.domain.group.weight import MAX_PRICE
from equilag.domain.plan.claim import ACROSS, SQUARES, Claim, Claims
from equilag.domain.plan.metrics import (
    count_moves,
    counting_moves,
    is_ordinary,
    topic_squares,
)
from equilag.domain.policy.policy_settings import UNCONSTRAINED
from equilag.planner.solving.fallback import FLOW_IMPORT, SAFETY, fallback, seconds_of_flow
from equilag.planner.solving.problem import Task, check_limit
from equilag.planner.solving.stage import CountingStage, Draft
from equilag.solver.counts.cheapest_flow import fewest_reads
from equilag.solver.counts.even_counts import balanced
from equilag.solver.counts.quotas import has_quotas, keep_to_quotas
from equilag.solver.moves.fewest_moves import FewestMoves, fewest_moves, to_least_loaded


def quotas(task: Task, draft: Draft | None, budget: Budget) -> Draft | None:
    """Exact counts and the fewest moves together, where they have a closed form."""
    group = task.original
    if draft is not None or task.policy.fresh or not has_quotas(group, task.policy):
        return None
    if budget.expired() and not task.policy.limits_moves:
        return None
    found = keep_to_quotas(group)
    check_limit(task, found.moves)
    claims, constraint = partial(found.claims, group), partial(found.constraint, group)
    return Draft(found.assigned, "quotas", constraint, found.moves, claims, final=True)


def quick_heuristic(task: Task, draft: Draft | None, budget: Budget) -> Draft | None:
    """A heuristic's plan before the exact counts, where those may take too long."""
    late = SAFETY * seconds_of_flow(task.group, task.policy) <= budget.limit
    return None if late else heuristic(task, draft, budget)


def heuristic(task: Task, draft: Draft | None, budget: Budget) -> Draft | None:
    """A heuristic's plan where there is none; heuristics know no rooms."""
    if draft is not None or not is_ordinary(task.group):
        return None
    return Draft(*fallback(task.group, task.policy))


def even_counts(task: Task, draft: Draft | None, budget: Budget) -> Draft | None:
    """Exactly balanced counts, and with them the constraint of all that follows."""
    if (draft is not None and draft.make_constraint is not None) or not in_time(task, budget):
        return None
    moves, forced = _forced_moves(task)
    assigned, make_constraint = balanced(task.group, task.policy)
    algorithm = "balance"
    if draft is not None and make_constraint().admits(draft.assigned):
        assigned, algorithm = draft.assigned, draft.algorithm

    def claims() -> Claims:
        return (*_count_claims(make_constraint(), assigned), *forced)

    final = not _minds_racks(task) and _cannot_move(task)
    if not final:
        make_constraint()  # which fails here, if at all
    return Draft(assigned, algorithm, make_constraint, moves, claims, final)


def fewest_across(task: Task, draft: Draft | None, budget: Budget) -> Draft | None:
    """The fewest reads across racks that the counts allow; later stages keep to them."""
    if not _minds_racks(task) or draft is None or draft.make_constraint is None:
        return None
    assigned, constraint = fewest_reads(draft.make_constraint(), draft.assigned)
    task.policy.check_reads(constraint.most_across or 0)
    moves, forced = _forced_moves(task)
    claims = (
        *_count_claims(constraint, assigned),
        Claim(ACROSS, constraint.most_across or 0, "residual"),
        *forced,
    )
    final = _cannot_move(task)
    return Draft(assigned, "racks", lambda: constraint, moves, lambda: claims, final)


def few_moves(task: Task, draft: Draft | None, budget: Budget) -> Draft | None:
    """The fewest moves that the counts allow, with their proof."""
    if draft is None or draft.make_constraint is None or not in_time(task, budget):
        return None
    if budget.expired() and not task.policy.limits_moves:
        return None
    constraint = draft.make_constraint()
    found = fewest_moves(task.original, constraint)
    claim = cache(partial(found.claim, task.original, task.policy, constraint))
    reached = count_moves(task.original, found.assigned)
    moves = fewest = int(claim().value) if constraint.per_topic else reached
    claims, others = draft.make_claims, tuple[Index, ...]()
    if task.original.extended.move_unit is not None:
        counted = counting_moves(task.original)
        few = fewest_moves(counted, constraint)
        number = few.claim(counted, task.policy, constraint)
        claims, fewest = (lambda: (*draft.make_claims(), number)), int(number.value)
        others = () if task.policy.fresh else _fewer(task, constraint, found, few)
    check_limit(task, moves, fewest)
    assigned, algorithm = found.assigned, "min-cost-flow"
    if task.policy.fresh:  # who owns what is proved, but must not be planned from
        assigned, algorithm = draft.assigned, draft.algorithm
    elif task.policy.balance == UNCONSTRAINED:
        assigned = to_least_loaded(task.original, constraint, assigned)
    made, final = draft.make_constraint, reached == moves
    return Draft(assigned, algorithm, made, moves, lambda: (*claims(), claim()), final, others)


COUNTING: Final = (
    CountingStage("quotas", quotas),
    CountingStage("heuristic", quick_heuristic, must_answer=True),
    CountingStage("counts", even_counts),
    CountingStage("racks", fewest_across, must_answer=True),
    CountingStage("heuristic", heuristic, must_answer=True),
    CountingStage("fewest moves", few_moves),
)


def _fewer(
    task: Task, constraint: CountConstraint, light: FewestMoves, few: FewestMoves
) -> tuple[Index, ...]:
    """Plans between that of the least moved weight and that of the fewest moves, where the first
    has more moves than the policy allows: of the least weight + price × moves, for a price found by
    bisection (Lagrange)."""
    group, most = task.original, task.policy.max_moves
    extended, unit = group.extended, group.extended.move_unit
    assert extended.stakes is not None and unit is not None
    if most is None or unit.count(count_moves(group, light.assigned)) <= most:
        return ()
    found, stakes = few.assigned, extended.stakes
    low, high = 0, MAX_PRICE // unit.moves
    while high - low > max(1, low // 16):
        price = (low + high) // 2
        number = stakes.number + price * (stakes.number % unit.moves)
        priced = replace(group, reduced=extended._replace(stakes=stakes._replace(number=number)))
        assigned = fewest_moves(priced, constraint).assigned
        if unit.count(count_moves(group, assigned)) <= most:
            found, high = assigned, price
        else:
            low = price
    return found, few.assigned


def _minds_racks(task: Task) -> bool:
    """True if the fewest reads across racks are a goal, and not the same for every plan."""
    return task.policy.rack_aware and task.group.extended.has_racks


def _count_claims(constraint: CountConstraint, assigned: Index) -> Claims:
    """What the counts of an assignment [P] prove, which are as the constraint has them."""
    even = Claim("counts", constraint.largest_count, "residual")
    if not constraint.totals_then_topics:
        return (even,)
    return even, Claim(SQUARES, topic_squares(constraint.group, assigned), "residual")


def _forced_moves(task: Task) -> tuple[int, Claims]:
    """Where partitions are pinned: the moves from owners that may not keep theirs, and the claim.

    Without pinned partitions the fewest moves come later; 0 and no claim. Raises InputError.
    """
    if not _has_pinned(task):
        return 0, ()
    moves = count_moves(task.original, task.group.owner)
    check_limit(task, moves)
    if not moves:
        return 0, ()
    group = task.original
    claims: Claims = (pinned_moves_claim(group, moves),)
    if group.extended.move_unit is not None:
        number = pinned_moves_claim(counting_moves(group), group.extended.moved_partitions(moves))
        claims = (number, *claims)
    return moves, claims


def _has_pinned(task: Task) -> bool:
    return task.policy.pins_owned and bool((task.group.owner != NOBODY).any())


def _cannot_move(task: Task) -> bool:
    """True if no move is to be saved or proved: of pinned partitions, and where nobody owns any."""
    if _has_pinned(task):
        return True
    nobody = np.full_like(task.original.owner, NOBODY)
    return not count_moves(task.original, nobody)


def in_time(task: Task, budget: Budget) -> bool:
    """True if there is time for exact counts or moves; always where a limit on moves needs them,
    or only they make a valid plan."""
    if task.policy.limits_moves or not is_ordinary(task.group):
        return True
    load = 0.0 if "ortools.graph.python" in sys.modules else FLOW_IMPORT
    seconds = seconds_of_flow(task.group, task.policy) + load
    return budget.has_time(seconds)
