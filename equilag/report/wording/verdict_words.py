"""The words of a verdict: one line on what to do, and what adds to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from equilag.domain.plan.plan_figures import ThroughputFigures
from equilag.planner.worth.thresholds import Thresholds
from equilag.report.facts.plans.judged_plan import CostFacts, HotPartitionFacts, JudgedPlan
from equilag.report.facts.work import WorkFacts
from equilag.report.wording.reason_words import partition_words
from equilag.report.wording.throughput_words import ahead_words, behind_news, behind_words
from equilag.report.wording.words import form, in_units, number, plural, printable

Action = Literal[
    "move", "assign", "leave", "add-members", "repartition", "loosen", "start-members", "undecided"
]
"""What to do: move partitions; assign some that nobody owns; leave the group as it is. Where the
plan does not keep up: add members; split a partition that is too much for any one member; plan with
looser settings, under which the present members keep up. Where nobody reads the group: start its
members. Undecided if there was only time for a heuristic's plan, which does not help."""
EXPLAIN: Final = "equilag explain says why"
THRESHOLD: Final = f"{Thresholds().gain_percent:g} % of a fair share"
"""What a rebalance has to bring, as live groups are rebalanced by default."""
CLEARLY_LESS: Final = 0.9
"""Of what members fall behind by now: moves that leave more pause partitions for little."""
MAX_HOT: Final = 3
"""Hot partitions that are named: more are a topic with a wrong key."""


class VerdictWords(NamedTuple):
    action: Action
    worth_it: bool
    headline: str
    details: tuple[str, ...] = ()
    plan_helps: bool = False


def verdict_words(found: JudgedPlan) -> VerdictWords:
    """What to do; of an assignor's plan, with the assignor."""
    words = _words(found)
    if found.plan.policy is not None or found.relieved is None:
        return words
    return words._replace(headline=f"{words.headline}; plan of {printable(found.plan.algorithm)}")


def _words(found: JudgedPlan) -> VerdictWords:
    """What falls behind comes first, then what nobody owns, then the gain."""
    work, cost = found.work, found.cost
    if found.relieved is None:
        return _nobody(found)
    after = None if work is None else work.after
    if work is not None and after is not None and not after.keeps_up:
        return _behind(found, after, work)
    if cost.new:
        return VerdictWords(
            "assign", True, f"{_what(cost)}: {_effect(found)}", _hot(found.hot, found.unit), True
        )
    if not cost.moves:
        return _leave(found)
    line = f"{_what(cost)}: {_effect(found)}"
    if work is not None and work.before is not None and not work.before.keeps_up:
        assert after is not None  # both are known, or neither is
        details = (f"Now {behind_words(work.before)}.", f"With the plan {ahead_words(after)}.")
        return VerdictWords("move", True, line, (*details, *_hot(found.hot, found.unit)), True)
    if found.broken:
        rules = form(found.broken, "rule is", "rules are")
        broken = f"{number(found.broken)} {rules} broken by the current assignment."
        return VerdictWords("move", True, line, (broken, *_hot(found.hot, found.unit)), True)
    if found.verdict.worth_it:
        return VerdictWords("move", True, line, _hot(found.hot, found.unit), True)
    return _leave(found)


def _nobody(found: JudgedPlan) -> VerdictWords:
    """Of a group of which no member reads a partition."""
    group = found.plan.planned.given
    lag = int(group.lag.sum())
    if not group.n_partitions:
        return VerdictWords("leave", False, "Leave it: there is no partition to read")
    why = "no member subscribes to its topics" if group.n_members else "the group has no members"
    if not lag:
        return VerdictWords("leave", False, f"Leave it: {why}, and no record waits")
    line = f"Nobody reads it: {why}, and {plural(lag, 'record')} {form(lag, 'waits', 'wait')}"
    return VerdictWords("start-members", True, line)


def _behind(found: JudgedPlan, after: ThroughputFigures, work: WorkFacts) -> VerdictWords:
    news = behind_news(after, work)
    if work.before is not None and work.before.keeps_up and not (found.cost.new or found.broken):
        line = f"Leave it: the current assignment keeps up, {ahead_words(work.before)}"
        return VerdictWords("leave", False, line, (f"{news.headline}.",))
    action: Action = "add-members"
    if after.hot:
        action = "repartition"
    elif news.is_limited:
        action = "loosen"
    helps = found.verdict.worth_it and _falls_behind_less(after, work)
    if not found.cost.moves or not helps:
        return VerdictWords(action, True, news.headline, news.details)
    meanwhile = f"Until then: {_what(found.cost).lower()}; {_effect(found)}"
    return VerdictWords(action, True, news.headline, (*news.details, meanwhile), True)


def _falls_behind_less(after: ThroughputFigures, work: WorkFacts) -> bool:
    """True if the members fall behind by clearly less with the plan, while it lasts."""
    return work.before is not None and after.short < CLEARLY_LESS * work.before.short


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
        least, most = load_number(found.lightest), load_number(high)
        low = "" if least == most else f"{least} to "
        return f"{low}{in_units(most, found.unit)} per member"
    if relieved.rank and heaviest.load_before - heaviest.load < 0.5 * (
        relieved.load_before - relieved.load
    ):
        loads = f"{load_number(relieved.load_before)} → {_amount(relieved.load, found.unit)}"
        return f"{ordinal(relieved.rank + 1)} heaviest member {loads}"
    loads = f"{load_number(heaviest.load_before)} → {_amount(heaviest.load, found.unit)}"
    above = [above_percent(x) for x in (heaviest.above_before_percent, heaviest.above_percent)]
    return f"heaviest member {loads} ({' → '.join(above)} above the mean)"


def _amount(load: float, unit: str) -> str:
    """A load with its unit: ``1 record``."""
    return in_units(load_number(load), unit)


def _leave(found: JudgedPlan) -> VerdictWords:
    """Why the group is best left as it is."""
    above = 0.0 if found.heaviest is None else found.heaviest.above_before_percent
    uneven = f"the heaviest member is {above_percent(above)} above the mean"
    if found.by_count:
        even = "even" if found.is_beyond_help else "nearly even"
        line = f"the group has caught up, and its counts are {even}"
    elif found.is_hot:
        line = (
            f"{hot_words(found.hot[0])}; no assignment helps; repartition the topic or fix its key"
        )
        others = _hot(found.hot[1:], found.unit)
        return VerdictWords("repartition", False, f"Leave it: {line}", others)
    elif found.is_beyond_help:
        line = f"{uneven}; no assignment relieves a member by {THRESHOLD}"
    elif found.verdict.ground == "pause":
        line = found.verdict.reason
    elif found.plan.status == "fallback":
        line = f"Undecided: {uneven}, and there was time only for a heuristic's plan"
        details = (
            "A longer --time-limit may find a plan that helps.",
            *_hot(found.hot, found.unit),
        )
        return VerdictWords("undecided", True, line, details)
    elif found.plan.status == "optimal" and not found.is_limited:
        line = f"{uneven}; the best plan relieves no member by {THRESHOLD}; {EXPLAIN}"
    else:
        under = " under these settings" if found.is_limited else ""
        line = f"{uneven}; this plan relieves no member by {THRESHOLD}{under}; {EXPLAIN}"
    return VerdictWords("leave", False, f"Leave it: {line}", _hot(found.hot, found.unit))


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
    name = partition_words((hot.topic, hot.partition))
    return f"{name} alone is {hot.fair_shares:.1f} × a fair share"


def cost_words(cost: CostFacts) -> str:
    """What a plan takes: moves, records in the partitions that move, rebalances."""
    if not cost.moves:
        return "no move; 1 rebalance" if cost.new else "nothing: no partition moves"
    text = f"{plural(cost.moves, 'move')}, with {plural(cost.lag_moved, 'waiting record')}"
    if cost.rebalances == 1:
        return f"{text}; 1 rebalance, in which no partition pauses under a cooperative protocol"
    pause = form(cost.paused, "pauses", "pause")
    return (
        f"{text}; 2 rebalances under a cooperative protocol, between which"
        f" {plural(cost.paused, 'partition')} {pause}"
    )


def above_percent(value: float) -> str:
    """By how much the heaviest member is above the mean, in few digits."""
    if value <= 0:
        return "0 %"
    if value < 0.05:
        return "under 0.1 %"
    return f"{value:.1f} %" if value < 9.95 else f"{value:,.0f} %"


def load_number(value: float) -> str:
    """A load; whole where it is a whole number."""
    return number(round(value)) if value == round(value) else number(value)


def ordinal(value: int) -> str:
    """``2nd``, ``3rd``, ``11th``."""
    ending = (
        "th" if value % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    )
    return f"{value:,}{ending}"
