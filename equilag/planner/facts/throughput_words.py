"""Who keeps up with what is produced, and what is spread in place of the lag, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from equilag.domain.figures import (
    form,
    in_units,
    number,
    partition_name,
    percent,
    plural,
    printable,
    time_span,
)
from equilag.domain.plan.plan_figures import HotPartition, ThroughputFigures
from equilag.domain.show import MAX_IN_LINE
from equilag.planner.facts.work import WorkFacts
from equilag.planner.sizes.size_run import LeastMembers

SPREAD: Final = {
    "lag": "lag",
    "rate": "records produced per second",
    "given": "the weights of the snapshot",
    "work": "lag and what comes in {ahead}",
}
"""What is spread, by its kind; the figures beside it are about what is unknown of it."""


def behind_news(work: WorkFacts) -> tuple[str, tuple[str, ...]]:
    """Why a plan does not keep up, in a line, and what adds to it: hot partitions, and how many
    members it takes."""
    after, least = work.after, work.least
    assert after is not None
    lines = [*hot_lines(after.hot)]
    alone = sum(max(0.0, one.rate - one.capacity) for one in after.hot)
    if after.hot and after.rate - alone > after.capacity:
        rest = per_second(after.rate - alone - after.capacity)
        lines.append(f"Beside that, {rest} are too many for all: it takes more members as well")
    if work.assumed_rate:
        of = f"{number(work.unknown_rates)} of {plural(work.partitions, 'rate')}"
        are = form(work.unknown_rates, "is", "are")
        lines.append(
            f"{rate(work.assumed_rate)} of these records/s are assumed: {of} {are} unknown"
        )
    if least is not None and (enough := _enough(least, work.added)):
        lines.append(enough)
    return _headline(after, work), tuple(lines)


def _headline(after: ThroughputFigures, work: WorkFacts) -> str:
    """Of a plan that does not keep up: whether another one does."""
    least, total = work.least, total_words(after.rate, after.capacity)
    if after.hot or after.rate > after.capacity:
        return f"Overloaded: no assignment keeps up; {total}{_missing(after, least)}"
    if least is not None and least.least.at_least > least.present:
        none = "no assignment with the same balance of counts keeps up"
        return f"Overloaded: {none}; {total}{_missing(after, least)}"
    text = f"Falls behind: this plan does not keep up, {behind_words(after)}"
    if work.more is None or work.more > 0:
        return text
    if work.is_limited:
        return f"{text}; without its limits on moves, racks and owners another one does"
    by_rate = "; another one does: equilag plan with --weight rate"
    return text if work.unit.kind == "rate" else text + by_rate


def _missing(after: ThroughputFigures, least: LeastMembers | None) -> str:
    """What it takes, in a few words."""
    if after.hot:
        name = partition_name((after.hot[0].topic, after.hot[0].partition))
        more = len(after.hot) - 1
        others = f" and {plural(more, 'other partition')}" if more else ""
        return f"; {name}{others} {form(more + 1, 'is', 'are')} too much for any one member"
    if least is None or least.more is None or least.more <= 0:
        return ""
    return f"; add {_processes(least, least.more)}"


def total_words(produced: float, capacity: float) -> str:
    """What is produced beside what all members read, in records per second."""
    text = f"{per_second(produced)} {'is' if produced == 1 else 'are'} produced"
    if produced <= capacity:
        return f"{text}, and the members together read {rate(capacity)}"
    over = produced - capacity
    return (
        f"{text}, and all members together read {rate(capacity)}:"
        f" {per_second(over)} ({percent(100 * over / capacity)}) too many"
    )


def _processes(least: LeastMembers, count: int) -> str:
    kind = form(count, "process", "processes") if least.threads > 1 else form(count, "member")
    of = f" of {plural(least.threads, 'thread')}" if least.threads > 1 else ""
    return f"{number(count)} {kind}{of}"


def _enough(least: LeastMembers, added: int) -> str:
    """How many members it takes."""
    more, needed = least.more, least.least.at_least
    if least.hot if more is None else more <= 0:
        return ""
    if more is None and needed > least.last:
        return f"More than {_processes(least, least.last)} would be needed"
    if more is None:
        enough = "equilag size shows how many are enough"
        return f"At least {_processes(least, needed)} are needed; {enough}"
    first, _, rest = _processes(least, more).partition(" ")
    fewer = needed - least.present
    proof = f"{number(fewer)} may do" if fewer > 0 else "fewer may do"
    if least.least.proved:
        proof = "proved: fewer do not"
    how = f"equilag plan with --add-members {added + more * least.threads}"
    keep = form(more, "keeps", "keep")
    return f"{first} more {rest} {keep} up ({proof}): {how} shows which partitions to move"


def hot_lines(hot: Sequence[HotPartition]) -> Iterator[str]:
    """The partitions that no member can read alone."""
    yield from map(_hot, hot[:MAX_IN_LINE])
    if len(hot) > MAX_IN_LINE:
        yield f"and {plural(len(hot) - MAX_IN_LINE, 'more partition')} like these"


def _hot(hot: HotPartition) -> str:
    name = partition_name((hot.topic, hot.partition))
    if not hot.capacity:
        return f"{name}: no member may read it"
    parts = math.ceil(hot.rate / hot.capacity)
    return (
        f"{name} alone gets {per_second(hot.rate)}, and the fastest member that may"
        f" take it reads {rate(hot.capacity)}: no assignment helps it; its records need"
        f" {number(parts)} partitions or more"
    )


def behind_words(found: ThroughputFigures) -> str:
    """The member that falls behind most."""
    late = [name for name, used in found.by_member.items() if used > 1]
    heaviest = max(found.by_member, key=found.by_member.__getitem__)
    others = len(late) - 1
    more = f", and {plural(others, 'more member')} {form(others, 'is', 'are')} above 100 %"
    used = percent(100 * found.max) if found.max >= 1.005 else f"{100 * found.max:.2f} %"
    return (
        f"{per_second(found.short)} short: {printable(heaviest)} gets {used} of what it can"
        f" read{more if others else ''}"
    )


def ahead_words(found: ThroughputFigures) -> str:
    """How far below its speed the busiest member is, and when the lag is read."""
    text = f"the busiest member is at {percent(100 * found.max)} of its speed"
    if found.caught_up_s:
        return f"{text}, and the lag is read after {time_span(found.caught_up_s)}"
    nothing = ", which leaves nothing for the lag"
    return text + nothing if found.caught_up_s is None else text


def per_second(value: float) -> str:
    """Records per second, with the unit."""
    return in_units(rate(value), "records/s")


def rate(value: float) -> str:
    """Records per second: whole, or with three digits of few."""
    return number(round(value) if value >= 100 else float(f"{value:.3g}"))


def weight_row(work: WorkFacts) -> str:
    """What is spread, and what is taken for what is unknown."""
    parts = [SPREAD[work.unit.kind].format(ahead=time_span(work.unit.horizon_s or 0))]
    if work.unknown_rates == work.partitions:
        parts.append("no rate is known, so it is the lag")
    elif work.unknown_rates:
        of = f"{number(work.unknown_rates)} of {plural(work.partitions, 'rate')}"
        are = form(work.unknown_rates, "is", "are")
        parts.append(f"{of} {are} unknown, and the mean of the topic, else of all, is taken")
    if work.unknown_lags:
        of = f"{number(work.unknown_lags)} of {plural(work.partitions, 'lag')}"
        count = form(work.unknown_lags, "is unknown and counts", "are unknown and count")
        parts.append(f"{of} {count} as 0")
    if not work.unit.knows_speeds and work.unit.kind != "given":
        parts.append("no member's capacity is known, and all are taken to be equally fast")
    return "; ".join(parts)


def throughput_row(work: WorkFacts) -> str:
    if work.after is None:
        return ""
    after = work.after
    used = f"{rate(after.rate)} of {rate(after.capacity)} records/s ({percent(100 * after.mean)})"
    return f"{used}; {ahead_words(after) if after.keeps_up else behind_words(after)}"
