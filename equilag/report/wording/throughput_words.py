"""Who keeps up with what is produced, in words; every output shows the same ones."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from equilag.domain.plan.plan_figures import HotPartition, ThroughputFigures
from equilag.planner.sizes.size_run import LeastMembers
from equilag.report.facts.work import WorkFacts
from equilag.report.wording.reason_words import partition_words
from equilag.report.wording.words import (
    form,
    in_units,
    number,
    percent,
    plural,
    printable,
    time_span,
)

MAX_HOT: Final = 5
"""Hot partitions that are named, a line each."""


class ThroughputNews(NamedTuple):
    """Why a plan does not keep up."""

    headline: str
    details: tuple[str, ...]
    """What adds to it, such as hot partitions and how many members it takes."""
    is_limited: bool
    """True if the present members keep up under a plan with looser settings."""


def behind_news(after: ThroughputFigures, work: WorkFacts) -> ThroughputNews:
    """Why a plan does not keep up, and what would."""
    lines = [*hot_lines(after.hot)]
    if work.assumed_rate:
        of = f"{number(work.unknown_rates)} of {plural(work.partitions, 'rate')}"
        are = form(work.unknown_rates, "is", "are")
        lines.append(
            f"{rate_number(work.assumed_rate)} of these records/s are assumed: {of} {are} unknown"
        )
    least = work.least
    if least is not None and (enough := _enough(least, work.added)):
        lines.append(enough)
    is_limited = least is not None and least.more is not None and least.more <= 0
    return ThroughputNews(_headline(after, least, work), tuple(lines), is_limited)


def _headline(after: ThroughputFigures, least: LeastMembers | None, work: WorkFacts) -> str:
    """Of a plan that does not keep up: whether another one does."""
    total = total_words(after.rate, after.capacity)
    if after.hot or after.rate > after.capacity:
        return f"Overloaded: no assignment keeps up; {total}{_missing(after, least)}"
    if least is not None and least.least.at_least > least.present:
        none = "no assignment with the same balance of counts keeps up"
        return f"Overloaded: {none}; {total}{_missing(after, least)}"
    text = f"Falls behind: this plan does not keep up, {behind_words(after)}"
    if least is not None and least.more is not None and least.more <= 0:
        if work.is_limited:
            text += "; without its limits on moves, racks and owners another one does"
        elif work.unit.kind != "rate":
            text += "; another one does: equilag plan with --weight rate"
    return text


def _missing(after: ThroughputFigures, least: LeastMembers | None) -> str:
    """What it takes, in a few words."""
    if after.hot:
        name = partition_words((after.hot[0].topic, after.hot[0].partition))
        more = len(after.hot) - 1
        others = f" and {plural(more, 'other partition')}" if more else ""
        return f"; {name}{others} {form(more + 1, 'is', 'are')} too much for any one member"
    if least is None or least.more is None or least.more <= 0:
        return ""
    return f"; add {_processes(least, least.more)}"


def total_words(rate: float, capacity: float) -> str:
    """What is produced beside what all members read, in records per second."""
    are = "is" if rate == 1 else "are"
    produced = f"{_per_second(rate)} {are} produced"
    if rate <= capacity:
        return f"{produced}, and the members together read {rate_number(capacity)}"
    over = rate - capacity
    return (
        f"{produced}, and all members together read {rate_number(capacity)}:"
        f" {_per_second(over)} ({percent(100 * over / capacity)}) too many"
    )


def _processes(least: LeastMembers, count: int) -> str:
    kind = form(count, "process", "processes") if least.threads > 1 else form(count, "member")
    of = f" of {plural(least.threads, 'thread')}" if least.threads > 1 else ""
    return f"{number(count)} {kind}{of}"


def _enough(least: LeastMembers, added: int) -> str:
    """How many members it takes."""
    fewer = least.least.at_least - least.present
    more = least.more
    if more is None:
        return "" if least.hot else f"More than {_processes(least, least.last)} would be needed"
    if more <= 0:
        return ""
    text = f"{_more(least, more)} {form(more, 'keeps', 'keep')} up"
    if least.least.proved:
        proof = "proved: fewer do not"
    else:
        proof = f"{number(fewer)} may do" if fewer > 0 else "fewer may do"
    members = added + more * least.threads
    how = f"equilag plan with --add-members {members} shows which partitions to move"
    return f"{text} ({proof}): {how}"


def _more(least: LeastMembers, count: int) -> str:
    first, _, rest = _processes(least, count).partition(" ")
    return f"{first} more {rest}"


def hot_lines(hot: Sequence[HotPartition]) -> Iterator[str]:
    """The partitions that no member can read alone."""
    yield from map(_hot, hot[:MAX_HOT])
    if len(hot) > MAX_HOT:
        yield f"and {plural(len(hot) - MAX_HOT, 'more partition')} like these"


def _hot(hot: HotPartition) -> str:
    name = partition_words((hot.topic, hot.partition))
    if not hot.capacity:
        return f"{name}: no member may read it"
    parts = math.ceil(hot.rate / hot.capacity)
    return (
        f"{name} alone gets {_per_second(hot.rate)}, and the fastest member that may"
        f" take it reads {rate_number(hot.capacity)}: no assignment helps it; its records need"
        f" {number(parts)} partitions or more"
    )


def behind_words(found: ThroughputFigures) -> str:
    """The member that falls behind most."""
    late = [name for name, used in found.by_member.items() if used > 1]
    heaviest = max(found.by_member, key=found.by_member.__getitem__)
    others = len(late) - 1
    more = f", and {plural(others, 'more member')} {form(others, 'is', 'are')} above 100 %"
    return (
        f"{_per_second(found.short)} short: {printable(heaviest)} gets"
        f" {_over(found.max)} of what it can read{more if others else ''}"
    )


def ahead_words(found: ThroughputFigures) -> str:
    """How far below its speed the busiest member is, and when the lag is read."""
    text = f"the busiest member is at {percent(100 * found.max)} of its speed"
    if found.caught_up_s:
        text += f", and the lag is read after {time_span(found.caught_up_s)}"
    elif found.caught_up_s is None:
        text += ", which leaves nothing for the lag"
    return text


def _over(used: float) -> str:
    """A utilisation above 1, as a percentage that is above 100."""
    return percent(100 * used) if used >= 1.005 else f"{100 * used:.2f} %"


def _per_second(value: float) -> str:
    """Records per second, with the unit."""
    return in_units(rate_number(value), "records/s")


def rate_number(value: float) -> str:
    """Records per second."""
    return number(round(value)) if value >= 100 or value.is_integer() else f"{value:.3g}"
