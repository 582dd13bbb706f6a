"""What a plan brings: what to do about it, in a headline and what adds to it.

`plan_verdict` decides what comes first: this, or a cause that no plan mends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equilag.domain.figures import (
    form,
    in_units,
    number,
    partition_name,
    percent,
    plural,
    printable,
    spread_over,
    surplus,
    time_span,
)
from equilag.domain.group.group import Group
from equilag.domain.plan.metrics import member_counts
from equilag.domain.plan.verdict import Action, HotPartitionFacts
from equilag.domain.show import MAX_NAMED
from equilag.planner.facts.setting_warnings import guess_words
from equilag.planner.facts.throughput_words import ahead_words, behind_news, behind_words
from equilag.planner.facts.work import WorkFacts
from equilag.planner.verdict.causes import waiting
from equilag.planner.worth.judged_plan import JudgedPlan
from equilag.planner.worth.thresholds import NEARLY


class PlanDecision(NamedTuple):
    """What to do, in words."""

    action: Action
    headline: str
    details: tuple[str, ...] = ()
    plan_helps: bool = True
    """True if this plan is worth it; where it does not keep up, until there are more members."""


def decide(found: JudgedPlan) -> PlanDecision:
    """What falls behind comes first, then what nobody owns, then the gain."""
    made = _of_readers(found) if len(found.loads.busy) else _nobody_reads(found.group)
    if found.plan.policy is not None or not len(found.loads.busy):
        return made
    whose = f"plan of {printable(found.plan.algorithm)}"
    return made._replace(headline=f"{made.headline}; {whose}")


def _nobody_reads(group: Group) -> PlanDecision:
    if not group.n_partitions:
        return PlanDecision("leave", "Leave it: there is no partition to read", plan_helps=False)
    why = "no member subscribes to its topics" if group.n_members else "the group has no members"
    if lag := int(group.lag.sum()):
        line = f"Nobody reads it: {why}, and {waiting(lag)}"
        return PlanDecision("start-members", line, plan_helps=False)
    return PlanDecision("leave", f"Leave it: {why}, and no record waits", plan_helps=False)


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
        broken = f"{number(found.broken)} {form(found.broken, 'rule is', 'rules are')} broken"
        return worth_it(found, "move", f"{broken} by the current assignment.")
    return worth_it(found, "move") if found.verdict.worth_it else _leave(found)


def _behind(found: JudgedPlan, work: WorkFacts) -> PlanDecision:
    """Of a plan under which members fall behind."""
    before, after, cost = work.before, work.after, found.cost
    assert after is not None
    line, details = behind_news(work)
    if found.keeps_up_now and before is not None and not (cost.new or found.broken):
        now = f"Leave it: the current assignment keeps up, {ahead_words(before)}"
        return PlanDecision("leave", now, (f"{line}.",), plan_helps=False)
    action: Action = "repartition" if after.hot else "add-members"
    if not after.hot and work.more is not None and work.more <= 0:
        action = "loosen"
    less = before is not None and after.short < NEARLY * before.short  # else they pause for little
    helps = bool(cost.moves) and found.verdict.worth_it and less
    if cost.moves:
        until = "leave it, since the moves of this plan bring too little"
        until = f"{_what(found).lower()}; {_effect(found)}" if helps else until
        details = (*details, f"Until then: {until}")
    return PlanDecision(action, line, details, helps)


def worth_it(found: JudgedPlan, action: Action, *why: str) -> PlanDecision:
    """Of a plan that is worth a rebalance."""
    details = *guess_words(found.plan), *why, *_hot(found.hot, found.unit)
    return PlanDecision(action, f"{_what(found)}: {_effect(found)}", details)


def _leave(found: JudgedPlan) -> PlanDecision:
    """Of a plan that brings too little."""
    hot, above = found.hot, 0.0 if found.heaviest is None else found.heaviest.above_before_percent
    uneven = f"the heaviest member is {surplus(above)} above the mean"
    least = found.limits.thresholds.gain_percent
    threshold = f"{least:g} % of a fair share"
    if found.gain.relief_percent >= least:
        threshold += f" and {plural(round(found.least), 'record')}"
    if found.by_count or found.caught_up:
        why = _caught_up(found)
    elif found.is_settled:
        return _lag_falls(found)
    elif found.is_hot:
        why, hot = f"{_hot_words(hot[0])}; no assignment helps", hot[1:]
    elif found.is_beyond_help:
        why = f"{uneven}; no assignment relieves a member by {threshold}"
    elif found.verdict.ground == "pause":
        why = found.verdict.reason
    elif found.plan.status == "fallback":
        line = f"Undecided: {uneven}, and there was time only for a heuristic's plan"
        longer = ("A longer --time-limit may find a plan that helps.",)
        return PlanDecision("undecided", line, longer + _hot(hot, found.unit), False)
    else:
        under = " under these settings" if found.is_limited else ""
        none = f"relieves no member by {threshold}{under}"
        why = f"{uneven}; {found.called} {none}; equilag explain says why"
    return PlanDecision("leave", f"Leave it: {why}", _hot(hot, found.unit), False)


def _caught_up(found: JudgedPlan) -> str:
    loads = found.loads
    counts = member_counts(loads.group.owner, loads.group.n_members)[loads.busy]
    if np.ptp(counts) <= 1:
        return "the group has caught up, and its counts are even"
    return f"the group has caught up; its members have {counts.min()} to {counts.max()} partitions"


def _lag_falls(found: JudgedPlan) -> PlanDecision:
    assert found.progress is not None
    before, after = int(found.progress.before.sum()), int(found.progress.after.sum())
    span, left = found.progress.seconds, found.progress.seconds * after / max(1, before - after)
    falls = f"from {number(before)} to {plural(after, 'record')} in {time_span(span)}"
    pace = f"At this pace it is read in {time_span(left)}."
    return PlanDecision("leave", f"Leave it: the lag falls, {falls}", (pace,), plan_helps=False)


def _what(found: JudgedPlan) -> str:
    """What the plan does."""
    cost = found.cost
    move = f"ove {number(cost.moves)} of {plural(cost.owned, 'partition')}"
    if not cost.new:
        return f"M{move}"
    assign = f"Assign {plural(cost.new, 'partition')}"
    if not cost.owned:
        return assign
    return f"{assign} that nobody owns{f' and m{move}' if cost.moves else ''}"


def _effect(found: JudgedPlan) -> str:
    """What it brings the heaviest member, or else the one that is relieved most."""
    heaviest, unit = found.heaviest, found.unit
    if heaviest is None or found.cost.new:
        planned = found.loads.of(found.plan.assigned)
        return (
            f"{in_units(spread_over(float(planned.min()), float(planned.max())), unit)} per member"
        )
    relief, base = found.gain.relief_percent, found.loads.usual or found.loads.fair
    if 200 * (heaviest.load_before - heaviest.load) < relief * base:
        return f"relieves a member by {percent(relief)} of a fair share"
    loads = f"{number(heaviest.load_before)} → {in_units(number(heaviest.load), unit)}"
    above = [surplus(x) for x in (heaviest.above_before_percent, heaviest.above_percent)]
    return f"heaviest member {loads} ({' → '.join(above)} above the mean)"


def _hot(hot: tuple[HotPartitionFacts, ...], unit: str) -> tuple[str, ...]:
    """A line per hot partition."""
    lines = [
        f"{_hot_words(one)}: its member has at least {in_units(number(one.load), unit)}."
        for one in hot[:MAX_NAMED]
    ]
    if (more := len(hot) - MAX_NAMED) > 0:
        are = form(more, "is", "are")
        lines.append(f"{plural(more, 'more partition')} {are} above a fair share as well.")
    return tuple(lines)


def _hot_words(hot: HotPartitionFacts) -> str:
    """How much of a fair share a partition is."""
    shares = number(round(hot.fair_shares, 1))
    return f"{partition_name((hot.topic, hot.partition))} alone is {shares} × a fair share"
