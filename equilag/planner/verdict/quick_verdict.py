"""The verdict on one of many groups, by a plan that is searched for only where it decides."""

from __future__ import annotations

from typing import Final

from equilag.domain.group.group import Group
from equilag.domain.plan.verdict import VerdictFacts
from equilag.domain.policy.policy import Policy
from equilag.planner.sizes.size_run import LeastMembers
from equilag.planner.solve import solve
from equilag.planner.verdict.decide import decide
from equilag.planner.verdict.plan_verdict import verdict_of
from equilag.planner.worth.judged_plan import JudgedPlan
from equilag.planner.worth.thresholds import VerdictLimits

EFFORT: Final = 0.02
"""Seconds of one core: a list of 1,000 groups of which each tenth is uneven takes 2 s longer."""


def quick_judgement(
    group: Group,
    limits: VerdictLimits | None = None,
    policy: Policy | None = None,
    least: LeastMembers | None = None,
) -> JudgedPlan:
    """Most causes need no plan; whether another assignment helps takes one. `least` is how many
    members keep up: to look for it takes more than half of the time where a group falls behind."""
    policy = Policy() if policy is None else policy
    found = JudgedPlan(solve(group, policy, time_limit=0), limits, least)
    if decide(found).action in ("undecided", "move"):
        found = JudgedPlan(solve(group, policy, effort=EFFORT), limits, least)
    return found


def quick_verdict(
    group: Group, limits: VerdictLimits | None = None, policy: Policy | None = None
) -> VerdictFacts:
    """The verdict on a `quick_judgement`."""
    return verdict_of(quick_judgement(group, limits, policy))
