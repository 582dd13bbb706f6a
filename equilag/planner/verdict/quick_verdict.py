"""The verdict on one of many groups, by a plan that is searched for only where it decides."""

from __future__ import annotations

from typing import Final

from equilag.domain.group.group import Group
from equilag.domain.plan.verdict import VerdictFacts
from equilag.domain.policy.policy import Policy
from equilag.planner.diagnosis.judged_plan import VerdictLimits
from equilag.planner.solve import solve
from equilag.planner.verdict.plan_verdict import judge_plan, verdict_of

EFFORT: Final = 0.02
"""Seconds of one core: a list of 1,000 groups of which each tenth is uneven takes 2 s longer."""


def quick_verdict(
    group: Group, limits: VerdictLimits | None = None, policy: Policy | None = None
) -> VerdictFacts:
    """The causes need no plan; whether another assignment helps takes one."""
    policy = Policy() if policy is None else policy
    found = verdict_of(judge_plan(solve(group, policy, time_limit=0), limits=limits))
    if found.action not in ("undecided", "move"):
        return found
    return verdict_of(judge_plan(solve(group, policy, effort=EFFORT), limits=limits))
