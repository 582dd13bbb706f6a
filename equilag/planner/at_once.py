"""The plan of a group without lag: exact counts and the fewest moves are all there is to find, and
so there is nothing to search, nothing to wait for, and none of the stages either."""

from __future__ import annotations

import math
from typing import NamedTuple

from equilag.claim import Claim
from equilag.constraint import constraint_of
from equilag.deadline import Deadline
from equilag.group import NOBODY, Group, Index
from equilag.plan import Choice, Plan
from equilag.planner.cost_estimate import SAFE, seconds_of_flow
from equilag.policy import Policy
from equilag.solver.counts.even_counts import balanced_assignment, counts_claim
from equilag.solver.counts.quotas import has_quotas, keep_to_quotas
from equilag.solver.lower_bounds.load_bounds import NO_LAG, difference
from equilag.solver.moves.fewest_moves import fewest_moves

NO_SPREAD = (NO_LAG.highest, NO_LAG.lowest, difference(NO_LAG))


def plan_at_once(
    group: Group, policy: Policy, deadline: Deadline, seed: int, effort: float
) -> Plan | None:
    """The best plan, or None where it takes more than one exact step, or more time than there is.

    Raises InputError if the policy allows fewer moves than the counts force.
    """
    if policy.fresh or group.lag.any():
        return None
    found = _exact(group, policy, deadline)
    if found is None:
        return None
    policy.check_limit(found.moves)
    proofs = (*found.claims, *NO_SPREAD)
    if policy.move_cost and not policy.moves_first:
        proofs += (Claim("cost_at_least", policy.move_cost * found.moves, "sum"),)
    return Plan(
        group,
        policy,
        "optimal",
        found.algorithm,
        found.assigned,
        proofs,
        0,
        found.moves,
        deadline.limit,
        deadline.elapsed,
        (),
        (Choice("fewest moves", found.moves, 0),),
        seed,
        effort if effort < math.inf else None,
    )


class _Exact(NamedTuple):
    algorithm: str
    assigned: Index
    moves: int
    claims: tuple[Claim, ...]


def _exact(group: Group, policy: Policy, deadline: Deadline) -> _Exact | None:
    """Counts and moves by quotas where subscriptions are alike or disjoint, else by flows."""
    if has_quotas(group, policy):
        quotas = keep_to_quotas(group)
        return _Exact("quotas", quotas.assigned, quotas.moves, quotas.claims(group))
    if not policy.evens_totals or not any(map(len, group.class_topics)):
        return None
    if SAFE * seconds_of_flow(group, policy) > deadline.left:
        return None
    assigned = balanced_assignment(group, policy)
    constraint = constraint_of(group, policy, assigned)
    claims: tuple[Claim, ...] = (counts_claim(group, constraint),)
    if not (group.owner != NOBODY).any():
        return _Exact("balance", assigned, 0, claims)
    found = fewest_moves(group, constraint)
    claim = found.claim(group, policy, constraint)
    return _Exact("min-cost-flow", found.assigned, claim.value, (*claims, claim))
