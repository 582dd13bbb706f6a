"""How good a plan is: its figures beside what is proved about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from equilag.certificate.ledger import claim_words
from equilag.domain.plan.assignment import first_phase
from equilag.domain.plan.claim import Evidence, bounded_by_solver
from equilag.domain.plan.plan import Plan, Status
from equilag.domain.plan.plan_figures import LagFigures
from equilag.domain.policy.objective import SPREAD
from equilag.domain.policy.policy import Policy
from equilag.report.wording.words import number

Standing = Literal[
    "assignor", "nobody", "fallback", "unproved", "feasible", "tolerance", "spread",
    "spread-and-cost", "moves-and-spread",
]  # fmt: skip
"""What a plan is: one assignor's own, one for nobody, not proved to be the best (`fallback`,
`unproved` without any bound, `feasible` with one), or proved to be the best (`spread` …), for
`tolerance` within the tolerance of the policy."""


@dataclass(frozen=True, slots=True)
class ProofFacts:
    status: Status
    evidence: Evidence
    """``solver`` if the status, or else the gap, would differ without a solver's claims."""
    interrupted_after: float | None
    """Seconds after which the run was told to end; None if it was not."""
    policy: Policy | None
    """What is in force of it; None for the plan of a single assignor."""
    standing: Standing
    counts_min: int
    counts_max: int
    counts_proved: bool
    per_capacity: bool
    """True if the loads here are weights per unit of capacity; else lag in records."""
    by_capacity: bool
    """True if capacities differ, so that counts are in proportion to them."""
    spread: float
    lag_min: float
    lag_max: float
    lag_mean: float
    excess: float
    """What lies above a fair share, summed over the members."""
    excess_bound: float
    """No plan has less excess."""
    gap: float | None
    """`spread` less `bound`."""
    bound: float | None
    """No plan within what `policy` asks for has a smaller lag spread; None where not claimed."""
    bound_by_solver: bool
    """True if `bound` rests on a solver's word."""
    bound_is_general: bool
    """True if no assignment at all has a smaller lag spread."""
    moves: int
    least_moves: int | None
    """The fewest moves that the balance of counts allows; None where not claimed."""
    paused: int
    """Partitions that pause between the two rebalances of a cooperative protocol."""
    unchecked: tuple[str, ...]
    """Claims that rest on a solver's word."""


def proof_facts(plan: Plan) -> ProofFacts:
    claimed = {claim.claim for claim in plan.claims}
    policy = policy_in_force(plan)
    first = first_phase(plan.group, plan.assigned)
    loads = plan.loads
    per_capacity = not isinstance(loads, LagFigures)
    # What is proved of an assignor's plan is about lag, whatever the capacities.
    bounded = SPREAD in claimed and not (policy is None and per_capacity)
    return ProofFacts(
        status=plan.status,
        evidence=plan.evidence,
        interrupted_after=plan.wall_s if plan.interrupted else None,
        policy=policy,
        standing=_standing(plan, policy, bounded, loads.gap),
        counts_min=plan.counts.min,
        counts_max=plan.counts.max,
        counts_proved="counts" in claimed,
        per_capacity=per_capacity,
        by_capacity=not plan.planned.capacities.are_equal,
        spread=loads.spread,
        lag_min=loads.min,
        lag_max=loads.max,
        lag_mean=loads.mean,
        excess=loads.excess,
        excess_bound=loads.excess_lower_bound,
        gap=loads.gap if bounded else None,
        bound=loads.spread_lower_bound if bounded else None,
        bound_by_solver=bounded_by_solver(plan.claims),
        bound_is_general=policy is None or plan.status == "fallback",
        moves=len(plan.moves),
        least_moves=plan.moves_lower_bound if "fewest_moves" in claimed else None,
        paused=int(np.count_nonzero(first != plan.assigned)),
        unchecked=tuple(
            claim_words(
                claim,
                plan.planned.group,
                number(claim.value if isinstance(claim.value, int) else float(claim.value)),
            )
            for claim in plan.claims
            if claim.evidence != "checked"
        ),
    )


def policy_in_force(plan: Plan) -> Policy | None:
    """The policy without settings about racks, where these are not known."""
    policy = plan.policy
    if policy is None or not policy.minds_racks:
        return policy
    if plan.extended is not None and plan.extended.cross_rack is not None:
        return policy
    return policy.without("racks")


def _standing(plan: Plan, policy: Policy | None, bounded: bool, gap: float) -> Standing:
    if policy is None:
        return "assignor"
    if plan.planned.group.idle.all():
        return "nobody"
    if plan.status == "fallback":
        return "fallback"
    if plan.status == "feasible":
        return "feasible" if bounded else "unproved"
    if policy.tolerance and gap:
        return "tolerance"
    if policy.move_cost and not policy.moves_first:
        return "spread-and-cost"
    if policy.moves_first and not policy.pins_owned and not policy.fresh:
        return "moves-and-spread"
    return "spread"
