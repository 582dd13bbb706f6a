"""What a plan brings, in a headline and what adds to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from equilag.domain.figures import (
    form,
    in_units,
    number,
    ordinal,
    partition_name,
    plural,
    printable,
    spread_over,
    time_span,
)
from equilag.domain.plan.metrics import member_counts
from equilag.domain.plan.verdict import CostFacts, HotPartitionFacts
from equilag.planner.diagnosis.decide import DecisionGround, PlanDecision
from equilag.planner.diagnosis.judged_plan import JudgedPlan
from equilag.planner.facts.throughput_words import ahead_words, behind_news, behind_words
from equilag.planner.verdict.causes import waiting
from equilag.planner.worth.thresholds import least_records

EXPLAIN: Final = "equilag explain says why"
MAX_HOT: Final = 3
"""Hot partitions that are named: more are a topic with a wrong key."""

MOST_PERCENT: Final = 1_000_000
"""What a member is above the mean by at most where it is told in percent: beyond, capacities differ
by so much that the figure says nothing."""

Words = tuple[str, tuple[str, ...]]
"""A headline, and what adds to it."""


def plan_words(found: JudgedPlan, made: PlanDecision) -> Words:
    """The headline about a plan, and what adds to it."""
    headline, details = _WORDS[made.ground](found)
    if found.plan.policy is None and found.relieved is not None:
        headline = f"{headline}; plan of {printable(found.plan.algorithm)}"
    if made.ground == "does-not-keep-up" and made.plan_helps:
        details = (*details, f"Until then: {_what(found.cost).lower()}; {_effect(found)}")
    return headline, details


def _nobody_reads(found: JudgedPlan) -> Words:
    group = found.plan.planned.given
    lag = int(group.lag.sum())
    if not group.n_partitions:
        return "Leave it: there is no partition to read", ()
    why = "no member subscribes to its topics" if group.n_members else "the group has no members"
    if not lag:
        return f"Leave it: {why}, and no record waits", ()
    return f"Nobody reads it: {why}, and {waiting(lag)}", ()


def _behind(found: JudgedPlan) -> Words:
    assert found.work is not None
    return behind_news(found.work)


def _keeps_up_now(found: JudgedPlan) -> Words:
    assert found.work is not None
    assert found.work.before is not None
    line = f"the current assignment keeps up, {ahead_words(found.work.before)}"
    return f"Leave it: {line}", (f"{behind_news(found.work)[0]}.",)


def worth_it_words(found: JudgedPlan) -> Words:
    return f"{_what(found.cost)}: {_effect(found)}", _hot(found.hot, found.unit)


def _falls_behind_now(found: JudgedPlan) -> Words:
    line, details = worth_it_words(found)
    assert found.work is not None
    before, after = found.work.before, found.work.after
    assert before is not None
    assert after is not None
    now = f"Now {behind_words(before)}.", f"With the plan {ahead_words(after)}."
    return line, (*now, *details)


def _broken_rules(found: JudgedPlan) -> Words:
    line, details = worth_it_words(found)
    rules = form(found.broken, "rule is", "rules are")
    return line, (f"{number(found.broken)} {rules} broken by the current assignment.", *details)


def _leave(found: JudgedPlan, why: str) -> Words:
    return f"Leave it: {why}", _hot(found.hot, found.unit)


def _uneven(found: JudgedPlan) -> str:
    above = 0.0 if found.heaviest is None else found.heaviest.above_before_percent
    return f"the heaviest member is {above_percent(above)} above the mean"


def _caught_up(found: JudgedPlan) -> Words:
    low, high = _counts(found)
    if high - low <= 1:
        return _leave(found, "the group has caught up, and its counts are even")
    return _leave(found, f"the group has caught up; its members have {low} to {high} partitions")


def _counts(found: JudgedPlan) -> tuple[int, int]:
    """The fewest and the most partitions of a member."""
    loads = found.loads
    counts = member_counts(loads.group.owner, loads.group.n_members)[loads.busy]
    return (int(counts.min()), int(counts.max())) if len(counts) else (0, 0)


def _lag_falls(found: JudgedPlan) -> Words:
    assert found.progress is not None
    before, after = int(found.progress.before.sum()), int(found.progress.after.sum())
    span = time_span(found.progress.seconds)
    left = time_span(found.progress.seconds * after / max(1, before - after))
    line = f"the lag falls, from {number(before)} to {plural(after, 'record')} in {span}"
    return f"Leave it: {line}", (f"At this pace it is read in {left}.",)


def _hot_partition(found: JudgedPlan) -> Words:
    line = f"{hot_words(found.hot[0])}; no assignment helps"
    return f"Leave it: {line}", _hot(found.hot[1:], found.unit)


def _fallback(found: JudgedPlan) -> Words:
    line = f"Undecided: {_uneven(found)}, and there was time only for a heuristic's plan"
    hot = _hot(found.hot, found.unit)
    return line, ("A longer --time-limit may find a plan that helps.", *hot)


def _threshold(found: JudgedPlan) -> str:
    """What a rebalance has to bring."""
    limits = found.limits.thresholds
    share = f"{limits.gain_percent:g} % of a fair share"
    if found.gain.relief_percent < limits.gain_percent:
        return share
    return f"{share} and {plural(round(least_records(found.gain, limits)), 'record')}"


def _little_relief(found: JudgedPlan) -> Words:
    if found.plan.status == "optimal" and not found.is_limited:
        line = f"the best plan relieves no member by {_threshold(found)}"
    else:
        under = " under these settings" if found.is_limited else ""
        line = f"this plan relieves no member by {_threshold(found)}{under}"
    return _leave(found, f"{_uneven(found)}; {line}; {EXPLAIN}")


_WORDS: Final[Mapping[DecisionGround, Any]] = {
    "no-partitions": _nobody_reads,
    "no-lag": _nobody_reads,
    "nobody-reads": _nobody_reads,
    "keeps-up-now": _keeps_up_now,
    "does-not-keep-up": _behind,
    "unowned": worth_it_words,
    "falls-behind-now": _falls_behind_now,
    "broken-rules": _broken_rules,
    "relief": worth_it_words,
    "caught-up": _caught_up,
    "lag-falls": _lag_falls,
    "hot-partition": _hot_partition,
    "beyond-help": lambda found: _leave(
        found, f"{_uneven(found)}; no assignment relieves a member by {_threshold(found)}"
    ),
    "pause": lambda found: _leave(found, found.verdict.reason),
    "fallback": _fallback,
    "little-relief": _little_relief,
}


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
        high = float(found.loads.of(found.plan.assigned).max())
        return f"{in_units(spread_over(found.lightest, high), found.unit)} per member"
    if relieved.rank and heaviest.load_before - heaviest.load < 0.5 * (
        relieved.load_before - relieved.load
    ):
        loads = f"{number(relieved.load_before)} → {_amount(relieved.load, found.unit)}"
        return f"{ordinal(relieved.rank + 1)} heaviest member {loads}"
    loads = f"{number(heaviest.load_before)} → {_amount(heaviest.load, found.unit)}"
    above = [above_percent(x) for x in (heaviest.above_before_percent, heaviest.above_percent)]
    return f"heaviest member {loads} ({' → '.join(above)} above the mean)"


def _amount(load: float, unit: str) -> str:
    """A load with its unit: ``1 record``."""
    return in_units(number(load), unit)


def above_percent(value: float) -> str:
    """By how much the heaviest member is above the mean, in few digits."""
    if value <= 0:
        return "0 %"
    if value < 0.05:
        return "under 0.1 %"
    if value > MOST_PERCENT:
        return f"over {number(MOST_PERCENT)} %"
    return f"{value:.1f} %" if value < 9.95 else f"{number(round(value))} %"


def _hot(hot: Sequence[HotPartitionFacts], unit: str) -> tuple[str, ...]:
    """A line per hot partition."""
    lines = [
        f"{hot_words(one)}: its member has at least {_amount(one.load, unit)}."
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
