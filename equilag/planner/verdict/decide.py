"""What a plan brings: what to do about it, in a headline and what adds to it.

`plan_verdict` decides what comes first: this, or a cause that no plan mends.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.domain.figures import (
    form,
    in_units,
    listed,
    number,
    ordinal,
    partition_name,
    plural,
    printable,
    spread_over,
    time_span,
)
from equilag.domain.plan.metrics import member_counts
from equilag.domain.plan.verdict import Action, CostFacts, HotPartitionFacts
from equilag.planner.facts.throughput_words import ahead_words, behind_news, behind_words
from equilag.planner.facts.work import WorkFacts
from equilag.planner.verdict.judged_plan import JudgedPlan

CLEARLY_LESS: Final = 0.9
"""Of what members fall behind by now: moves that leave more pause partitions for little."""
MAX_HOT: Final = 3
"""Hot partitions that are named: more are a topic with a wrong key."""
MOST_PERCENT: Final = 1_000_000
"""What a member is above the mean by at most where it is told in percent: beyond, capacities differ
by so much that the figure says nothing."""


class PlanDecision(NamedTuple):
    """What to do, in words."""

    action: Action
    headline: str
    details: tuple[str, ...] = ()
    plan_helps: bool = True
    """True if this plan is worth it; where it does not keep up, until there are more members."""


def decide(found: JudgedPlan) -> PlanDecision:
    """What falls behind comes first, then what nobody owns, then the gain."""
    if found.relieved is None:
        return _nobody_reads(found)
    made = _of_readers(found)
    if found.plan.policy is not None:
        return made
    whose = f"plan of {printable(found.plan.algorithm)}"
    return made._replace(headline=f"{made.headline}; {whose}")


def _of_readers(found: JudgedPlan) -> PlanDecision:
    work, cost = found.work, found.cost
    if work is not None and found.is_short:
        return _behind(found, work)
    if cost.new:
        return worth_it(found, "assign")
    if not cost.moves:
        return _leave(found)
    if work is not None and work.before is not None and not work.before.keeps_up:
        assert work.after is not None
        now, then = behind_words(work.before), ahead_words(work.after)
        return worth_it(found, "move", f"Now {now}.", f"With the plan {then}.")
    if found.broken:
        rules = form(found.broken, "rule is", "rules are")
        broken = f"{number(found.broken)} {rules} broken by the current assignment."
        return worth_it(found, "move", broken)
    return worth_it(found, "move") if found.verdict.worth_it else _leave(found)


def waiting(records: int) -> str:
    """``3 records wait``"""
    return f"{plural(records, 'record')} {form(records, 'waits', 'wait')}"


def _nobody_reads(found: JudgedPlan) -> PlanDecision:
    group = found.group
    lag = int(group.lag.sum())
    why = "no member subscribes to its topics" if group.n_members else "the group has no members"
    if lag:
        line = f"Nobody reads it: {why}, and {waiting(lag)}"
        return PlanDecision("start-members", line, plan_helps=False)
    none = f"{why}, and no record waits" if group.n_partitions else "there is no partition to read"
    return PlanDecision("leave", f"Leave it: {none}", plan_helps=False)


def _behind(found: JudgedPlan, work: WorkFacts) -> PlanDecision:
    """Of a plan under which members fall behind."""
    before, after, cost = work.before, work.after, found.cost
    assert after is not None
    line, details = behind_news(work)
    if before is not None and before.keeps_up and not (cost.new or found.broken):
        now = f"Leave it: the current assignment keeps up, {ahead_words(before)}"
        return PlanDecision("leave", now, (f"{line}.",), plan_helps=False)
    action: Action = "add-members"
    if after.hot:
        action = "repartition"
    elif work.more is not None and work.more <= 0:
        action = "loosen"
    less = before is not None and after.short < CLEARLY_LESS * before.short
    helps = bool(cost.moves) and found.verdict.worth_it and less
    if helps:
        details = (*details, f"Until then: {_what(cost).lower()}; {_effect(found)}")
    return PlanDecision(action, line, details, helps)


def worth_it(found: JudgedPlan, action: Action, *why: str) -> PlanDecision:
    """Of a plan that is worth a rebalance."""
    line = f"{_what(found.cost)}: {_effect(found)}"
    return PlanDecision(action, line, (*guess(found), *why, *_hot(found.hot, found.unit)))


def guess(found: JudgedPlan) -> tuple[str, ...]:
    """What has to hold for a plan of a group whose subscriptions are a guess."""
    places = np.flatnonzero(found.guessed)
    if not len(places):
        return ()
    group = found.group
    members = [group.members[at].id for at in np.unique(found.plan.assigned[places]).tolist()]
    topics = [group.topics[at] for at in np.unique(group.topic_of[places]).tolist()]
    reads = form(len(members), "subscribes", "subscribe")
    owns = form(len(members), "it owns", "they own")
    line = (
        f"It is a guess that {listed(members, 2)} {reads} to {listed(topics, 2)}:"
        f" {owns} none of what the plan moves there. Set --as-owned or"
        " --subscribe if that is wrong."
    )
    return (line,)


def _leave(found: JudgedPlan) -> PlanDecision:
    """Of a plan that brings too little."""
    hot, above = found.hot, 0.0 if found.heaviest is None else found.heaviest.above_before_percent
    uneven = f"the heaviest member is {above_percent(above)} above the mean"
    details: tuple[str, ...] = ()
    if found.by_count or found.caught_up:
        why = _caught_up(found)
    elif found.is_settled:
        why, pace = _lag_falls(found)
        hot, details = (), (pace,)
    elif found.is_hot:
        why, hot = f"{hot_words(hot[0])}; no assignment helps", hot[1:]
    elif found.is_beyond_help:
        why = f"{uneven}; no assignment relieves a member by {_threshold(found)}"
    elif found.verdict.ground == "pause":
        why = found.verdict.reason
    elif found.plan.status == "fallback":
        line = f"Undecided: {uneven}, and there was time only for a heuristic's plan"
        longer = "A longer --time-limit may find a plan that helps."
        return PlanDecision("undecided", line, (longer, *_hot(hot, found.unit)), False)
    else:
        under = " under these settings" if found.is_limited else ""
        none = f"relieves no member by {_threshold(found)}{under}"
        why = f"{uneven}; {found.called} {none}; equilag explain says why"
    return PlanDecision("leave", f"Leave it: {why}", (*details, *_hot(hot, found.unit)), False)


def _caught_up(found: JudgedPlan) -> str:
    loads = found.loads
    counts = member_counts(loads.group.owner, loads.group.n_members)[loads.busy]
    if np.ptp(counts) <= 1:
        return "the group has caught up, and its counts are even"
    return f"the group has caught up; its members have {counts.min()} to {counts.max()} partitions"


def _lag_falls(found: JudgedPlan) -> tuple[str, str]:
    assert found.progress is not None
    before, after = int(found.progress.before.sum()), int(found.progress.after.sum())
    span = time_span(found.progress.seconds)
    left = time_span(found.progress.seconds * after / max(1, before - after))
    line = f"the lag falls, from {number(before)} to {plural(after, 'record')} in {span}"
    return line, f"At this pace it is read in {left}."


def _threshold(found: JudgedPlan) -> str:
    """What a rebalance has to bring."""
    least = found.limits.thresholds.gain_percent
    share = f"{least:g} % of a fair share"
    enough = found.gain.relief_percent >= least
    return f"{share} and {plural(round(found.least), 'record')}" if enough else share


def _what(cost: CostFacts) -> str:
    """What the plan does."""
    move = f"ove {number(cost.moves)} of {plural(cost.owned, 'partition')}"
    if not cost.new:
        return f"M{move}"
    if not cost.owned:
        return f"Assign {plural(cost.new, 'partition')}"
    assign = f"Assign {plural(cost.new, 'partition')} that nobody owns"
    return f"{assign} and m{move}" if cost.moves else assign


def _effect(found: JudgedPlan) -> str:
    """What it brings the heaviest member, or else the rank that is relieved most."""
    heaviest, relieved = found.heaviest, found.relieved
    assert relieved is not None  # there are members
    if heaviest is None or found.cost.new:
        planned = found.loads.of(found.plan.assigned)
        each = spread_over(float(planned.min()), float(planned.max()))
        return f"{in_units(each, found.unit)} per member"
    if relieved.rank and heaviest.load_before - heaviest.load < 0.5 * (
        relieved.load_before - relieved.load
    ):
        loads = f"{number(relieved.load_before)} → {in_units(number(relieved.load), found.unit)}"
        return f"{ordinal(relieved.rank + 1)} heaviest member {loads}"
    loads = f"{number(heaviest.load_before)} → {in_units(number(heaviest.load), found.unit)}"
    above = [above_percent(x) for x in (heaviest.above_before_percent, heaviest.above_percent)]
    return f"heaviest member {loads} ({' → '.join(above)} above the mean)"


def above_percent(value: float) -> str:
    """By how much the heaviest member is above the mean, in few digits."""
    if value <= 0:
        return "0 %"
    if value < 0.05:
        return "under 0.1 %"
    if value > MOST_PERCENT:
        return f"over {number(MOST_PERCENT)} %"
    return f"{value:.1f} %" if value < 9.95 else f"{number(round(value))} %"


def _hot(hot: tuple[HotPartitionFacts, ...], unit: str) -> tuple[str, ...]:
    """A line per hot partition."""
    lines = [
        f"{hot_words(one)}: its member has at least {in_units(number(one.load), unit)}."
        for one in hot[:MAX_HOT]
    ]
    more = len(hot) - MAX_HOT
    if more > 0:
        are = form(more, "is", "are")
        lines.append(f"{plural(more, 'more partition')} {are} above a fair share as well.")
    return tuple(lines)


def hot_words(hot: HotPartitionFacts) -> str:
    """How much of a fair share a partition is."""
    shares = number(round(hot.fair_shares, 1))
    return f"{partition_name((hot.topic, hot.partition))} alone is {shares} × a fair share"
