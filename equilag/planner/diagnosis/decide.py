"""What the plan of a group brings, from its figures; `planner.verdict` decides what comes first."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from equilag.domain.plan.verdict import Action
from equilag.planner.diagnosis.judged_plan import JudgedPlan
from equilag.planner.facts.work import WorkFacts

DecisionGround = Literal[
    "no-partitions", "no-lag", "nobody-reads", "keeps-up-now", "does-not-keep-up", "unowned",
    "falls-behind-now", "broken-rules", "relief", "caught-up", "lag-falls",
    "hot-partition", "beyond-help",
    "pause", "fallback", "little-relief",
]  # fmt: skip
"""Why. Nobody reads the group and there are no partitions, no record waits, or some do; members
fall behind under the plan, though not now, or now too; partitions have no owner; members fall
behind now; the current assignment breaks rules; the plan relieves a member by enough. To leave it:
the group has caught up, or its lag falls; a hot partition is all that is wrong; no assignment
helps; the rebalance would cost more than it saves; there was no time to plan; the plan relieves
nobody by enough."""

CLEARLY_LESS: Final = 0.9
"""Of what members fall behind by now: moves that leave more pause partitions for little."""


class PlanDecision(NamedTuple):
    """What to do, and why."""

    action: Action
    ground: DecisionGround
    worth_it: bool = True
    """True if there is something to do."""
    plan_helps: bool = True
    """True if this plan is worth it; where it does not keep up, until there are more members."""


def decide(found: JudgedPlan) -> PlanDecision:
    """What falls behind comes first, then what nobody owns, then the gain."""
    work, cost = found.work, found.cost
    if found.relieved is None:
        return _nobody_reads(found)
    after = None if work is None else work.after
    if work is not None and after is not None and not after.keeps_up:
        return _behind(found, work)
    if cost.new:
        return PlanDecision("assign", "unowned")
    if not cost.moves:
        return _leave(found)
    if work is not None and work.before is not None and not work.before.keeps_up:
        return PlanDecision("move", "falls-behind-now")
    if found.broken:
        return PlanDecision("move", "broken-rules")
    return PlanDecision("move", "relief") if found.verdict.worth_it else _leave(found)


def _nobody_reads(found: JudgedPlan) -> PlanDecision:
    group = found.plan.planned.given
    if group.n_partitions and group.lag.any():
        return PlanDecision("start-members", "nobody-reads", plan_helps=False)
    ground: DecisionGround = "no-lag" if group.n_partitions else "no-partitions"
    return PlanDecision("leave", ground, worth_it=False, plan_helps=False)


def _behind(found: JudgedPlan, work: WorkFacts) -> PlanDecision:
    """Of a plan under which members fall behind."""
    before, after, cost = work.before, work.after, found.cost
    assert after is not None
    if before is not None and before.keeps_up and not (cost.new or found.broken):
        return PlanDecision("leave", "keeps-up-now", worth_it=False, plan_helps=False)
    action: Action = "add-members"
    if after.hot:
        action = "repartition"
    elif work.more is not None and work.more <= 0:
        action = "loosen"
    less = before is not None and after.short < CLEARLY_LESS * before.short
    helps = bool(cost.moves) and found.verdict.worth_it and less
    return PlanDecision(action, "does-not-keep-up", plan_helps=helps)


def _leave(found: JudgedPlan) -> PlanDecision:
    """Of a plan that brings too little."""
    ground: DecisionGround = "little-relief"
    if found.by_count or found.caught_up:
        ground = "caught-up"
    elif found.is_settled:
        ground = "lag-falls"
    elif found.is_hot:
        ground = "hot-partition"
    elif found.is_beyond_help:
        ground = "beyond-help"
    elif found.verdict.ground == "pause":
        ground = "pause"
    elif found.plan.status == "fallback":
        return PlanDecision("undecided", "fallback", plan_helps=False)
    return PlanDecision("leave", ground, worth_it=False, plan_helps=False)
