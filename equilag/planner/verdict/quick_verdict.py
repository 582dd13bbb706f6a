"""The verdict on one of many groups, by a plan that is searched for only where it decides."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from equilag.domain.group.group import Group, Index
from equilag.domain.plan.verdict import Action, VerdictFacts
from equilag.domain.policy.policy import Policy
from equilag.planner.sizes.size_run import LeastMembers
from equilag.planner.solve import solve
from equilag.planner.verdict.decide import decide
from equilag.planner.verdict.plan_verdict import verdict_of
from equilag.planner.worth.judged_plan import JudgedPlan
from equilag.planner.worth.thresholds import VerdictLimits

EFFORT: Final = 0.02
"""Seconds of one core: a list of 1,000 groups of which each tenth is uneven takes 2 s longer."""
BY_PLAN: Final[tuple[Action, ...]] = ("undecided", "move")
"""What a better plan may change; most causes need none."""


def quick_judgement(
    group: Group,
    limits: VerdictLimits | None = None,
    policy: Policy | None = None,
    least: LeastMembers | None = None,
    known: Index | None = None,
    *,
    searches: bool = True,
) -> JudgedPlan:
    """Whether another assignment helps takes ten times as long as all else, so `known`, [P] one
    that was found before, is taken as long as it helps. Without `searches` it is that of a
    heuristic. `least` is how many members keep up: to look for it takes more than half of the time
    where a group falls behind."""
    policy = Policy() if policy is None else policy
    plan = solve(group, policy, time_limit=0)
    found = JudgedPlan(plan, limits, least)
    if decide(found).action not in BY_PLAN:
        return found
    if known is not None:
        again = JudgedPlan(replace(plan, assigned=known), limits, least)
        if decide(again).action == "move":
            return again
    if not searches:
        return found
    return JudgedPlan(solve(group, policy, effort=EFFORT), limits, least)


def quick_verdict(
    group: Group, limits: VerdictLimits | None = None, policy: Policy | None = None
) -> VerdictFacts:
    """The verdict on a `quick_judgement`."""
    return verdict_of(quick_judgement(group, limits, policy))
