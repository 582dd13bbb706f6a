"""The verdict on a group: what is wrong first, what to do in one line, and what the plan brings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from equilag.domain.plan.plan import Plan
from equilag.domain.plan.verdict import VerdictFacts
from equilag.planner.diagnosis.decide import PlanDecision, decide
from equilag.planner.diagnosis.judged_plan import JudgedPlan, VerdictLimits, judged_plan
from equilag.planner.facts.throughput_words import behind_news
from equilag.planner.facts.work import WorkFacts, load_unit, work_facts
from equilag.planner.verdict.backlogs import backlog_causes
from equilag.planner.verdict.causes import (
    FoundCause,
    in_order,
    in_order_facts,
    of_the_plan,
    of_unknown,
    who_reads,
)
from equilag.planner.verdict.plan_words import Words, plan_words, worth_it_words

MAX_OTHERS: Final = 3
"""Further causes that are told beside the first."""
LOOK: Final = {"look": "Look first: ", "cannot-tell": "Cannot tell who reads what. "}
"""How the headline of an action begins that is no plan's."""


def judge_plan(
    plan: Plan, work: WorkFacts | None = None, limits: VerdictLimits | None = None
) -> JudgedPlan:
    """A plan judged by its figures; `work` is what is known of rates, made here unless given."""
    return judged_plan(plan, work or work_facts(plan), load_unit(plan.planned), limits)


def plan_verdict(plan: Plan) -> VerdictFacts:
    """The verdict on a plan, with the default limits."""
    return verdict_of(judge_plan(plan))


def found_causes(found: JudgedPlan, made: PlanDecision) -> list[FoundCause]:
    """All causes, in their order."""
    group = found.plan.planned.given
    reading = [*who_reads(group)]
    if group.incomplete:
        return in_order([*reading, *of_unknown(group)])
    causes = [*backlog_causes(found, made), *of_the_plan(found, made), *of_unknown(group)]
    return in_order([*reading, *causes, *in_order_facts(group, found.caught_up)])


def verdict_of(found: JudgedPlan) -> VerdictFacts:
    """The verdict on a plan that has been judged; of an assignor's plan, with the assignor."""
    made = decide(found)
    causes = found_causes(found, made)
    first = next((one for one in causes if _asks(one, found, made)), None)
    action = first.action if first else made.action if made.action == "undecided" else "leave"
    if first is None or action == made.action:
        headline, details = plan_words(found, made)
    else:
        headline, details = _of_cause(found, made, first)
    others = [
        f"{one.evidence} {one.advice}"
        for one in causes
        if one is not first and one.action in LOOK and one.evidence not in details
    ]
    return VerdictFacts(
        action,
        action != "leave",
        made.plan_helps and action != "cannot-tell",
        headline,
        (*details, *others[:MAX_OTHERS]),
        found.unit,
        found.heaviest,
        found.gain.relief_percent,
        found.hot,
        found.cost,
        found.suspects,
        tuple(one.facts for one in causes),
        (first or causes[0]).cause if first or causes else None,
    )


def _asks(one: FoundCause, found: JudgedPlan, made: PlanDecision) -> bool:
    """True for a cause that asks for something. Where nobody owns anything, the group is planned
    anew, and what the plan does not keep up with is said first."""
    anew = one.action == "assign" and not found.cost.owned and made.ground == "does-not-keep-up"
    return one.action != "leave" and not anew


def _of_cause(found: JudgedPlan, made: PlanDecision, first: FoundCause) -> Words:
    """The headline about a cause that no plan mends, or that the plan is not about."""
    if first.action == "assign":
        return worth_it_words(found)[0], (behind_news(found.work)[0],) if found.work else ()
    return f"{LOOK.get(first.action, '')}{first.evidence}".rstrip("."), tuple(
        _beside(found, made, first)
    )


def _beside(found: JudgedPlan, made: PlanDecision, first: FoundCause) -> Iterator[str]:
    yield first.advice
    if first.next is not None:
        yield f"Next: {first.next}"
    if first.action != "cannot-tell" and made.action != "leave":
        yield f"The plan beside it: {plan_words(found, made)[0]}"
