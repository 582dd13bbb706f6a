"""How good a plan is: its figures beside what is proved about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from equilag.claim import Claim, Evidence
from equilag.evidence import strongest
from equilag.objective import SPREAD
from equilag.phases import first_phase
from equilag.plan import Plan, Status
from equilag.policy import Policy

Verdict = Literal[
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
    """None for the plan of a single assignor."""
    verdict: Verdict
    counts_min: int
    counts_max: int
    counts_proved: bool
    spread: int
    lag_min: int
    lag_max: int
    lag_mean: float
    excess: float
    """Records above a fair share, summed over the members."""
    excess_bound: int
    """No plan has less excess."""
    bound: int | None
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
    unchecked: tuple[Claim, ...]
    """Claims that rest on a solver's word."""

    @property
    def gap(self) -> int | None:
        return None if self.bound is None else self.spread - self.bound


def proof_facts(plan: Plan) -> ProofFacts:
    claimed = {claim.claim for claim in plan.claims}
    policy = plan.policy
    first = first_phase(plan.group, plan.assigned)
    return ProofFacts(
        status=plan.status,
        evidence=plan.evidence,
        interrupted_after=plan.wall_s if plan.interrupted else None,
        policy=policy,
        verdict=_verdict(plan, policy, "spread_at_least" in claimed),
        counts_min=plan.counts.min,
        counts_max=plan.counts.max,
        counts_proved="counts" in claimed,
        spread=plan.lag.spread,
        lag_min=plan.lag.min,
        lag_max=plan.lag.max,
        lag_mean=plan.lag.mean,
        excess=plan.lag.excess,
        excess_bound=plan.lag.excess_lower_bound,
        bound=plan.spread_lower_bound if "spread_at_least" in claimed else None,
        bound_by_solver=_by_solver(plan.claims),
        bound_is_general=policy is None or plan.status == "fallback",
        moves=len(plan.moves),
        least_moves=plan.moves_lower_bound if "fewest_moves" in claimed else None,
        paused=int(np.count_nonzero(first != plan.assigned)),
        unchecked=tuple(claim for claim in plan.claims if claim.evidence != "checked"),
    )


def _by_solver(claims: Sequence[Claim]) -> bool:
    """True if a solver says more about the spread than what is checked."""
    everything = strongest(claims)
    checked = strongest(claim for claim in claims if claim.evidence == "checked")
    return everything.get(SPREAD) != checked.get(SPREAD)


def _verdict(plan: Plan, policy: Policy | None, bounded: bool) -> Verdict:
    if policy is None:
        return "assignor"
    if plan.group.idle.all():
        return "nobody"
    if plan.status == "fallback":
        return "fallback"
    if plan.status == "feasible":
        return "feasible" if bounded else "unproved"
    if policy.tolerance and plan.lag.gap:
        return "tolerance"
    if policy.move_cost and not policy.moves_first:
        return "spread-and-cost"
    if policy.moves_first and not policy.pins_owned and not policy.fresh:
        return "moves-and-spread"
    return "spread"
