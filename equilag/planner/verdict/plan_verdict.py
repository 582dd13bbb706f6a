"""The verdict on a group: what is wrong first, what to do in one line, and what the plan brings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from equilag.domain.plan.plan import Plan
from equilag.domain.plan.verdict import CAUSES, CauseFacts, VerdictFacts
from equilag.planner.facts.throughput_words import behind_news
from equilag.planner.verdict.backlogs import backlog_causes
from equilag.planner.verdict.causes import in_order_facts, of_the_plan, of_unknown, who_reads
from equilag.planner.verdict.decide import PlanDecision, decide, guess, worth_it
from equilag.planner.verdict.judged_plan import JudgedPlan

MAX_OTHERS: Final = 3
"""Further causes that are told beside the first."""
LOOK: Final = {"look": "Look first: ", "cannot-tell": "Cannot tell who reads what. "}
"""How the headline of an action begins that is no plan's."""


def plan_verdict(plan: Plan) -> VerdictFacts:
    """The verdict on a plan, with the default limits."""
    return verdict_of(JudgedPlan(plan))


def _causes(found: JudgedPlan, made: PlanDecision) -> Iterator[CauseFacts]:
    yield from who_reads(found.group)
    if not found.group.incomplete:
        yield from backlog_causes(found, made)
        yield from of_the_plan(found, made)
    yield from of_unknown(found.group)
    if not found.group.incomplete:
        yield from in_order_facts(found.group, found.caught_up)


def verdict_of(found: JudgedPlan) -> VerdictFacts:
    """The verdict on a plan that has been judged; of an assignor's plan, with the assignor."""
    made = decide(found)
    order = [*_causes(found, made)]
    causes = sorted(order, key=lambda one: (CAUSES.index(one.cause), -one.waiting))
    first = next((one for one in causes if _asks(one, found, made)), None)
    action = first.action if first else made.action if made.action == "undecided" else "leave"
    headline, details = made.headline, made.details
    if first is not None and action == "assign" != made.action:
        headline = worth_it(found, action).headline
        details = (*guess(found), *((behind_news(found.work)[0],) if found.work else ()))
    elif first is not None and action != made.action:
        headline = f"{LOOK.get(action, '')}{first.evidence}".rstrip(".")
        details = tuple(_beside(first, made, guess(found)))
    if action == "leave" == made.action:
        spare = next((one for one in causes if one.cause == "idle-members"), None)
        headline = f"{headline}; {spare.evidence.rstrip('.')}" if spare else headline
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
        tuple(causes),
        (first or causes[0]).cause if causes else None,
    )


def _asks(one: CauseFacts, found: JudgedPlan, made: PlanDecision) -> bool:
    """True for a cause that asks for something. Where nobody owns anything, the group is planned
    anew, and what the plan does not keep up with is said first."""
    short = found.is_short and made.action != "leave"
    return one.action != "leave" and not (one.action == "assign" and not found.cost.owned and short)


def _beside(first: CauseFacts, made: PlanDecision, guesses: tuple[str, ...]) -> Iterator[str]:
    """What adds to a cause that no plan mends, or that the plan is not about."""
    yield first.advice
    if first.next is not None:
        yield f"Next: {first.next}"
    if first.action != "cannot-tell" and made.action != "leave":
        yield f"The plan beside it: {made.headline}"
        yield from guesses
