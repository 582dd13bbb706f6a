"""The verdict on a group: what is wrong first, what to do in one line, and what the plan brings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from equilag.domain.columns import Flags, Ints
from equilag.domain.figures import form, number, plural, whole
from equilag.domain.group.group import NOBODY, Group
from equilag.domain.group.lag import NO_COMMIT, UNKNOWN
from equilag.domain.plan.verdict import CAUSES, CauseFacts, VerdictFacts
from equilag.domain.show import MAX_NAMED
from equilag.planner.facts.setting_warnings import guess_words
from equilag.planner.facts.throughput_words import behind_news
from equilag.planner.verdict.backlogs import backlog_causes
from equilag.planner.verdict.causes import told
from equilag.planner.verdict.decide import PlanDecision, decide, worth_it
from equilag.planner.worth.judged_plan import JudgedPlan

BEGINNINGS: Final = {"look": "Look first: ", "cannot-tell": "Cannot tell who reads what. "}
"""How the headline of an action begins that is no plan's."""


def verdict_of(found: JudgedPlan) -> VerdictFacts:
    """The verdict on a plan that has been judged; of an assignor's plan, with the assignor."""
    made = decide(found)
    causes = sorted(_causes(found, made), key=lambda one: (CAUSES.index(one.cause), -one.waiting))
    first = next((one for one in causes if _asks(one, found, made)), None)
    action = first.action if first else made.action if made.action == "undecided" else "leave"
    headline, details = made.headline, made.details
    if first is not None and action == "assign" != made.action:
        headline = worth_it(found, action).headline
        details = (*guess_words(found.plan), *((behind_news(found.work)[0],) if found.work else ()))
    elif first is not None and action != made.action:
        headline = f"{BEGINNINGS.get(action, '')}{first.evidence}".rstrip(".")
        details = tuple(_beside(first, made, guess_words(found.plan)))
    elif first is not None and action == "start-members":
        details = (first.advice, *details)
    spare = [one.evidence.rstrip(".") for one in causes if one.cause == "idle-members"]
    if action == "leave" == made.action:
        headline = "; ".join((headline, *spare))
    others = [
        f"{one.evidence} {one.advice}"
        for one in causes
        if one is not first and one.action in BEGINNINGS and one.evidence not in details
    ]
    return VerdictFacts(
        action, action != "leave", made.plan_helps and action != "cannot-tell",
        headline, (*details, *others[:MAX_NAMED]), found.unit, found.heaviest,
        found.gain.relief_percent, found.hot, found.cost, found.suspects, tuple(causes),
        (first or causes[0]).cause if causes else None,
    )  # fmt: skip


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
        when = (
            "Only after that, if still needed" if first.action == "look" else "The plan beside it"
        )
        yield f"{when}: {made.headline}"
        yield from guesses


def _causes(found: JudgedPlan, made: PlanDecision) -> Iterator[CauseFacts]:
    """What is wrong, in any order."""
    group = found.group
    if group.incomplete:
        yield told(group, "cut", why=" ".join(group.incomplete))
    else:
        if not group.assignable.any() and group.n_partitions:
            nobody = told(group, "nobody", None, int(group.lag.sum()), why=made.headline)
            yield replace(nobody, action=made.action)
        if len(free := np.flatnonzero(group.assignable & (group.owner == NOBODY))):
            yield told(group, "unassigned", free)
        yield from backlog_causes(found, made.action)
        yield from _of_the_plan(found, made)
        yield from _in_order(found)
    yield from _unknown(group)


def _of_the_plan(found: JudgedPlan, made: PlanDecision) -> Iterator[CauseFacts]:
    """What the assignment, or the number of members, is the reason of."""
    heaviest, work = found.heaviest, found.work
    if made.action == "move" or made.action == "loosen":
        who, above = ((heaviest.before,), heaviest.above_before_percent) if heaviest else ((), 0.0)
        cause = told(found.group, made.action, None, 0, who, above=whole(above))
        yield replace(cause, sure=not guess_words(found.plan))
    if made.action == "add-members" and work is not None and (after := work.after) is not None:
        figures = {"rate": after.rate, "short": after.short, "speed": after.capacity}
        words = {name: whole(figure) for name, figure in figures.items()}
        words["more"] = plural(work.more, "member") if work.more else "members"
        yield told(found.group, "too few", None, int(found.group.lag.sum()), (), **words)


def _unknown(group: Group) -> Iterator[CauseFacts]:
    """Partitions whose lag is planned as 0 or as the whole log, for want of a commit or an end."""
    unknown: Flags = group.assignable & (group.quality == UNKNOWN)
    none: Flags = group.assignable & (group.quality == NO_COMMIT)
    log: Ints = np.ones(group.n_partitions, np.int64)  # where it is unknown there may be some
    if group.offsets is not None:  # of a live group the lag of these is unknown
        starts, ends, commits = group.offsets
        none |= unknown & (ends >= 0) & (commits < 0)
        log = np.where(ends >= 0, ends - starts, log)
    unknown &= ~none
    places = np.flatnonzero(none & (log > 0))
    if len(places):
        counts = form(len(places), "it counts", "they count")
        size, size_planned = int(log[places].sum()), int(group.lag[places].sum())
        counts = f"{counts} as {number(size_planned)}"
        yield told(group, "no commit", places, size, log=plural(size, "record"), counts=counts)
    if unknown.any() and (group.weights is None or (unknown != group.assignable).any()):
        yield told(group, "unknown", np.flatnonzero(unknown), 0)


def _in_order(found: JudgedPlan) -> Iterator[CauseFacts]:
    """What asks for nothing."""
    group = found.group
    partitions = np.flatnonzero(group.assignable)
    without = np.setdiff1d(np.arange(group.n_members), group.owner)
    spare = group.n_members - len(partitions)
    if len(without) and spare > 0 and found.held.any():
        ids = tuple(group.members[place].id for place in without.tolist())
        yield told(
            group, "spare", None, 0, ids, count=plural(len(partitions), "partition"),
            all=plural(group.n_members, "member"), spare=number(spare),
            read=form(spare, "reads", "read"),
        )  # fmt: skip
    if found.caught_up:
        yield told(group, "caught up", None, int(group.lag[partitions].sum()))
