"""Who keeps up with what is produced, and what is spread in place of the lag, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from equilag.plan_figures import HotPartition, ThroughputFigures
from equilag.report.facts.plan import PlanFacts
from equilag.report.facts.work import NeededFacts, WorkFacts
from equilag.report.text.layout import Block, indented, title
from equilag.report.words import form, number, percent, plural, printable, time_span

MAX_HOT: Final = 5
"""Hot partitions that are named, a line each."""


def throughput_block(facts: PlanFacts) -> Block:
    """What is produced faster than it is read; nothing where nobody falls behind."""
    work = facts.work
    if work is None or work.after is None or work.before is None:
        return []
    before, after = work.before, work.after
    if after.keeps_up:
        if before.keeps_up or not facts.group.owned:
            return []
        return [title("Falls behind:", f" {_behind(before)}. This plan keeps up: {_ahead(after)}.")]
    if after.rate > after.capacity or after.hot:
        return [title("Overloaded:", f" {_overload(after)}"), *_hot_lines(after), *_needed(work)]
    what = f" {_behind(after)} under this plan"
    return [title("Falls behind:", f"{what}; it evens out the lag as well."), *_needed(work)]


def _overload(after: ThroughputFigures) -> str:
    if after.rate <= after.capacity:
        return "no assignment keeps up, because of single partitions."
    over = after.rate - after.capacity
    return (
        f"no assignment keeps up. {number(after.rate)} records/s are produced, and all members"
        f" together read {number(after.capacity)}: {number(over)} records/s"
        f" ({percent(100 * over / after.capacity)}) too many."
    )


def _hot_lines(after: ThroughputFigures) -> Iterator[Block | object]:
    for hot in after.hot[:MAX_HOT]:
        yield indented(_hot(hot))
    more = len(after.hot) - MAX_HOT
    if more > 0:
        yield indented(f"and {plural(more, 'more partition')} like these")
