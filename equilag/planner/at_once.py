"""The plan of a group without lag, where it has a closed form: nothing to search, nothing to wait
for, and so none of the stages either."""

from __future__ import annotations

import math

from equilag.certificate.claims import Claim
from equilag.deadline import Deadline
from equilag.group import Group
from equilag.plan import Choice, Plan
from equilag.policy import Policy
from equilag.solver.bounds import NO_LAG, difference
from equilag.solver.quotas import has_quotas, keep_to_quotas

NO_SPREAD = (NO_LAG.highest, NO_LAG.lowest, difference(NO_LAG))


def plan_at_once(
    group: Group, policy: Policy, deadline: Deadline, seed: int, effort: float
) -> Plan | None:
    """The best plan, or None where it takes more than quotas to find it.

    Raises InputError if the policy allows fewer moves than the counts force.
    """
    if policy.fresh or group.lag.any() or not has_quotas(group, policy):
        return None
    found = keep_to_quotas(group)
    policy.check_limit(found.moves)
    proofs = (*found.claims(group), *NO_SPREAD)
    if policy.move_cost and not policy.moves_first:
        proofs += (Claim("cost_at_least", policy.move_cost * found.moves, "sum"),)
    settings = {**policy.to_dict(), "seed": seed}
    if effort < math.inf:
        settings["effort"] = effort
    settings["run"] = "repeatable"
    return Plan(
        group,
        settings,
        "optimal",
        "quotas",
        found.assigned,
        proofs,
        0,
        found.moves,
        deadline.limit,
        deadline.elapsed,
        (),
        (Choice("fewest moves", found.moves, 0),),
    )
