"""Who keeps up with what is produced, and what is spread in place of the lag, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from equilag.plan_figures import HotPartition, ThroughputFigures
from equilag.planner.least_members import LeastMembers
from equilag.report.facts.plan import PlanFacts
from equilag.report.facts.work import LoadUnit, WorkFacts
from equilag.report.text.layout import Block, Prose, indented, title
from equilag.report.words import form, number, percent, plural, printable, time_span

MAX_HOT: Final = 5
"""Hot partitions that are named, a line each."""


def throughput_block(facts: PlanFacts) -> Block:
    """Members that fall behind, now or under the plan; nothing where all keep up."""
    work = facts.work
    if work is None or work.after is None or work.before is None:
        return []
    before, after = work.before, work.after
    if after.keeps_up:
        if before.keeps_up or not facts.group.fully_owned:
            return []
        now = f" the current assignment does not keep up, {_behind(before)}."
        return [title("Falls behind:", f"{now} This plan does; {_ahead(after)}.")]
    return behind_block(after, work)


def behind_block(after: ThroughputFigures, work: WorkFacts) -> Block:
    """Why a plan does not keep up, and what would."""
    least = work.least
    lines = [*hot_lines(after.hot)]
    if work.assumed_rate:
        of = f"{number(work.unknown_rates)} of {plural(work.partitions, 'rate')}"
        are = form(work.unknown_rates, "is", "are")
        lines.append(
            f"{rate_number(work.assumed_rate)} of these records/s are assumed: {of} {are} unknown"
        )
    if least is not None and (enough := _enough(least, work.added)):
        lines.append(enough)
    return [_verdict(after, least, work), *map(indented, lines)]


def _verdict(after: ThroughputFigures, least: LeastMembers | None, work: WorkFacts) -> Prose:
    """Of a plan that does not keep up: whether another one does."""
    if after.hot or after.rate > after.capacity:
        return title(
            "Overloaded:",
            f" no assignment keeps up. {total_words(after.rate, after.capacity, after.hot)}",
        )
    if least is not None and least.least.at_least > least.present:
        none = "no assignment with the same balance of counts keeps up"
        return title(
            "Overloaded:", f" {none}. {total_words(after.rate, after.capacity, after.hot)}"
        )
    text = f"this plan does not keep up, {_behind(after)}"
    if least is not None and least.more is not None and least.more <= 0:
        if work.is_limited:
            text += "; without its limits on moves, racks and owners another one does"
        elif work.unit.kind != "rate":
            text += "; another one does: equilag plan with --weight rate"
    return title("Falls behind:", f" {text}.")


def work_rows(facts: PlanFacts) -> list[tuple[str, str]]:
    """What the proof of a plan has more that does not spread the lag."""
    if facts.work is None:
        return []
    return [("weight", _weight(facts.work)), ("throughput", _throughput(facts.work))]


def load_words(unit: LoadUnit) -> str:
    """What the loads in a table are."""
    per = " per unit of capacity" if unit.knows_speeds else ""
    ahead = time_span(unit.horizon_s or 0)
    if unit.kind == "work" and unit.knows_speeds:
        return f"seconds to read the lag and what comes in {ahead}"
    words = {
        "lag": "lag per unit of capacity",
        "given": f"weight{per}",
        "rate": "rate / capacity" if unit.knows_speeds else "records/s",
        "work": f"records of the lag and of {ahead} to come",
    }
    return words[unit.kind]


def rate_number(value: float) -> str:
    """Records per second."""
    return number(round(value)) if value >= 100 or value.is_integer() else f"{value:.3g}"


def total_words(rate: float, capacity: float, hot: Sequence[HotPartition]) -> str:
    """What is produced beside what all members read, in records per second."""
    produced = f"{rate_number(rate)} records/s are produced"
    if rate <= capacity:
        but = ", but:" if hot else "."
        return f"{produced}, and the members together read {rate_number(capacity)}{but}"
    over = rate - capacity
    return (
        f"{produced}, and all members together read {rate_number(capacity)}:"
        f" {rate_number(over)} records/s ({percent(100 * over / capacity)}) too many."
    )


def _enough(least: LeastMembers, added: int) -> str:
    """How many members it takes."""
    kind = "process" if least.threads > 1 else "member"
    of = f" of {plural(least.threads, 'thread')}" if least.threads > 1 else ""
    fewer = least.least.at_least - least.present
    more = least.more
    if more is None:
        many = form(least.last, kind, "processes" if least.threads > 1 else "members")
        return "" if least.hot else f"More than {number(least.last)} {many}{of} would be needed"
    if more <= 0:
        return ""
    kinds = form(more, kind, "processes" if least.threads > 1 else "members")
    text = f"{number(more)} more {kinds}{of} {form(more, 'keeps', 'keep')} up"
    if least.least.proved:
        proof = "proved: fewer do not"
    else:
        proof = f"{number(fewer)} may do" if fewer > 0 else "fewer may do"
    members = added + more * least.threads
    how = f"equilag plan with --add-members {members} shows which partitions to move"
    return f"{text} ({proof}): {how}"


def hot_lines(hot: Sequence[HotPartition]) -> Iterator[str]:
    """The partitions that no member can read alone."""
    yield from map(_hot, hot[:MAX_HOT])
    if len(hot) > MAX_HOT:
        yield f"and {plural(len(hot) - MAX_HOT, 'more partition')} like these"


def _hot(hot: HotPartition) -> str:
    name = f"{printable(hot.topic)}-{hot.partition}"
    if not hot.capacity:
        return f"{name}: no member may read it"
    parts = math.ceil(hot.rate / hot.capacity)
    return (
        f"{name} alone gets {rate_number(hot.rate)} records/s, and the fastest member that may"
        f" take it reads {rate_number(hot.capacity)}: no assignment helps it; its records need"
        f" {number(parts)} partitions or more"
    )


def _behind(found: ThroughputFigures) -> str:
    """The member that falls behind most."""
    late = [name for name, used in found.by_member.items() if used > 1]
    heaviest = max(found.by_member, key=found.by_member.__getitem__)
    others = len(late) - 1
    more = f", and {plural(others, 'more member')} {form(others, 'is', 'are')} above 100 %"
    return (
        f"{rate_number(found.short)} records/s short: {printable(heaviest)} gets"
        f" {_over(found.max)} of what it can read{more if others else ''}"
    )


def _over(used: float) -> str:
    """A utilisation above 1, as a percentage that is above 100."""
    return percent(100 * used) if used >= 1.005 else f"{100 * used:.2f} %"


def _ahead(found: ThroughputFigures) -> str:
    text = f"the busiest member is at {percent(100 * found.max)} of its speed"
    if found.caught_up_s:
        text += f", and the lag is read after {time_span(found.caught_up_s)}"
    elif found.caught_up_s is None:
        text += ", which leaves nothing for the lag"
    return text


def _weight(work: WorkFacts) -> str:
    """What is spread, and what is taken for what is unknown."""
    words = {
        "lag": "lag",
        "rate": "records produced per second",
        "given": "the weights of the snapshot",
        "work": f"work: lag + {time_span(work.unit.horizon_s or 0)} of the rate",
    }
    parts = [words[work.unit.kind]]
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


def _throughput(work: WorkFacts) -> str:
    if work.after is None:
        return ""
    used = f"{rate_number(work.after.rate)} of {rate_number(work.after.capacity)} records/s"
    text = f"{used} ({percent(100 * work.after.mean)})"
    if work.after.keeps_up:
        return f"{text}; {_ahead(work.after)}"
    return f"{text}; {_behind(work.after)}"
