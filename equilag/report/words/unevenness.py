"""Why the current assignment is uneven, in words; and which members may be slow or stuck."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from equilag.domain.figures import (
    form,
    in_units,
    listed,
    number,
    partition_name,
    percent,
    plural,
    printable,
    spread_over,
)
from equilag.domain.show import MAX_NAMED
from equilag.planner.explaining.unevenness import UNEVEN, NowMemberFacts, UnevennessFacts
from equilag.planner.facts.suspects import suspicion

SUSPECTED: Final = (
    "Moving partitions moves the backlog: measure speeds with --sample 60s, or look at it first."
)


def unevenness_heading(now: UnevennessFacts) -> str:
    return "Why it is uneven now" if now.evenness == "uneven" else "How even it is now"


def unevenness_words(now: UnevennessFacts) -> Iterator[str]:
    """Why the group is uneven now, a line each; that it is even, or that nobody owns anything."""
    heaviest, lightest = now.heaviest, now.lightest
    if now.evenness == "none":
        yield "No member reads a partition."
        return
    if heaviest is None or lightest is None:
        yield f"Nobody owns a partition: {plural(now.unowned, 'partition')} to assign."
        return
    if now.by_count:
        yield "The group has caught up, so loads are numbers of partitions."
    if not now.fair:
        yield f"There is no lag: all members have 0 {now.unit}."
        return
    if now.evenness == "even":
        loads = in_units(spread_over(lightest.load, heaviest.load), now.unit)
        yield f"It is even: the members have {loads}, a fair share is {number(now.fair)}."
    else:
        yield from _heaviest(now, heaviest)
        yield from _lightest(now, lightest)
    if now.unowned:
        own = form(now.unowned, "has", "have")
        yield f"{plural(now.unowned, 'partition')} {own} no owner."


def _shares(now: UnevennessFacts, member: NowMemberFacts) -> str:
    load = in_units(number(member.load), now.unit)
    return f"{load}, {member.fair_shares:.3g} × a fair share"


def _heaviest(now: UnevennessFacts, heaviest: NowMemberFacts) -> Iterator[str]:
    shares = _shares(now, heaviest)
    yield f"{printable(heaviest.id)} is the heaviest member: {shares} ({number(now.fair)})."
    for one in now.suspects[:MAX_NAMED]:
        yield f"{suspicion(one)}. {SUSPECTED}"
    suspected = heaviest.id in {one.member for one in now.suspects}
    if now.narrow is not None:
        yield _narrow(now)
    yield from _slow(now, heaviest)
    others = spread_over(now.others_fewest, now.others_most)
    if now.by_count:
        yield f"The others have {others}."
        return
    yield _counts(now, heaviest.partitions, others)
    if now.heavy is not None and not suspected:
        yield _heavy(now, heaviest)
    elif not suspected and now.own_mean > (1 + UNEVEN) * now.others_mean:
        own = f"{number(now.own_mean)} {_weight(now)} each on average"
        yield f"Its partitions are heavier: {own}, the others' {number(now.others_mean)}."


def _counts(now: UnevennessFacts, count: int, others: str) -> str:
    own = plural(count, "partition")
    if count > now.others_most:
        return f"It has more partitions than any other member: {own}, the others {others}."
    if count <= now.others_usual:
        has = f"it has {number(count)}, the others {others}"
        return f"The number of its partitions is not the reason: {has}."
    return f"It has {own}, the others {others}."


def _heavy(now: UnevennessFacts, heaviest: NowMemberFacts) -> str:
    heavy = now.heavy
    assert heavy is not None
    rows = zip(heavy.partitions, heavy.weights, strict=True)
    names = ", ".join(f"{partition_name(one)} ({number(weight)})" for one, weight in rows)
    is_are = form(len(heavy.partitions), "is", "are")
    of = f"{number(len(heavy.partitions))} of its {plural(heaviest.partitions, 'partition')}"
    return (
        f"{of} {is_are} {percent(heavy.percent)} of its load: {names}; a partition of the group"
        f" has {number(heavy.mean)} {_weight(now)} on average."
    )


def _weight(now: UnevennessFacts) -> str:
    """What partitions weigh; not per unit of capacity."""
    return "records of work" if now.unit == "seconds of work" else now.unit.partition(" per ")[0]


def _narrow(now: UnevennessFacts) -> str:
    narrow = now.narrow
    assert narrow is not None
    topics = listed(narrow.topics)
    part = f"{percent(narrow.percent)} of its load"
    if narrow.readers == 1:
        return f"Only it may read these partitions of {topics}: {part}."
    each = in_units(number(narrow.load), now.unit)
    return (
        f"{part} is in {topics}, which only {number(narrow.readers)} of the"
        f" {number(narrow.members)} members may read: spread equally over these, it is"
        f" {each} each, {narrow.fair_shares:.3g} × a fair share."
    )


def _slow(now: UnevennessFacts, heaviest: NowMemberFacts) -> Iterator[str]:
    usual = now.usual_capacity
    if usual is None or not now.slow:
        return
    own = next((one for one in now.slow if one.id == heaviest.id), None)
    if own is not None:
        speed = f"its capacity is {number(own.capacity)}, the median {number(usual)}"
        yield f"It is slow: {speed}."
    others = [f"{one.id} ({number(one.capacity)})" for one in now.slow if one is not own]
    if others:
        also = " too" if own is not None else ""
        shown = f"{listed(others)} {form(len(others), 'is', 'are')} slow{also}"
        yield f"{shown}; the median capacity is {number(usual)}."


def _lightest(now: UnevennessFacts, lightest: NowMemberFacts) -> Iterator[str]:
    if now.without:
        own = form(len(now.without), "owns", "own")
        yield f"{listed(now.without)} {own} no partition."
        return
    count = plural(lightest.partitions, "partition")
    yield f"The lightest is {printable(lightest.id)}: {_shares(now, lightest)}, in {count}."
