"""The words of why the current assignment is uneven; every output takes them from here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from equilag.report.facts.plans.unevenness import UNEVEN, NowMemberFacts, UnevennessFacts
from equilag.report.wording.reason_words import Namer, partition_words
from equilag.report.wording.suspect_words import suspect_words
from equilag.report.wording.verdict_words import load_number
from equilag.report.wording.words import form, in_units, listed, number, percent, plural, printable

MAX_NAMES: Final = 3
"""Members or topics that a sentence names."""
HEADINGS: Final = {True: "Why it is uneven now", False: "How even it is now"}


def unevenness_heading(now: UnevennessFacts) -> str:
    return HEADINGS[now.evenness == "uneven"]


def unevenness_words(now: UnevennessFacts, name: Namer = printable) -> tuple[str, ...]:
    """Why the group is uneven now, a line each; that it is even, or that nobody owns anything."""
    return tuple(_lines(now, name))


def _lines(now: UnevennessFacts, name: Namer) -> Iterator[str]:
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
        yield (
            f"It is even: the members have {_to(lightest.load, heaviest.load)}"
            f"{_load(now, heaviest.load)}, a fair share is {load_number(now.fair)}."
        )
    else:
        yield from _heaviest(now, heaviest, name)
        yield from _lightest(now, lightest, name)
    if now.unowned:
        own = form(now.unowned, "has", "have")
        yield f"{plural(now.unowned, 'partition')} {own} no owner."


def _load(now: UnevennessFacts, load: float) -> str:
    return in_units(load_number(load), now.unit)


def _to(low: float, high: float) -> str:
    """The lower end of a range; nothing where both ends read the same."""
    text = load_number(low)
    return "" if text == load_number(high) else f"{text} to "


def _heaviest(now: UnevennessFacts, heaviest: NowMemberFacts, name: Namer) -> Iterator[str]:
    yield (
        f"{name(heaviest.id)} is the heaviest member: {_load(now, heaviest.load)},"
        f" {heaviest.fair_shares:.3g} × a fair share ({load_number(now.fair)})."
    )
    yield from suspect_words(now.suspects, name)
    suspected = heaviest.id in {one.member for one in now.suspects}
    if now.narrow is not None:
        yield _narrow(now)
    yield from _slow(now, heaviest, name)
    if not now.by_count:
        yield _counts(now, heaviest)
        if now.heavy is not None and not suspected:
            yield _heavy(now, heaviest)
        elif not suspected and now.own_mean > (1 + UNEVEN) * now.others_mean:
            own, others = load_number(now.own_mean), load_number(now.others_mean)
            each = f"{own} {_weight(now)} each on average, the others' {others}"
            yield f"Its partitions are heavier: {each}."
    else:
        yield f"The others have {_between(now)}."


def _counts(now: UnevennessFacts, heaviest: NowMemberFacts) -> str:
    count = heaviest.partitions
    if count > now.others_most:
        own = plural(count, "partition")
        return f"It has more partitions than any other member: {own}, the others {_between(now)}."
    if count <= now.others_usual:
        own = f"it has {number(count)}, the others {_between(now)}"
        return f"The number of its partitions is not the reason: {own}."
    return f"It has {plural(count, 'partition')}, the others {_between(now)}."


def _between(now: UnevennessFacts) -> str:
    low, high = number(now.others_fewest), number(now.others_most)
    return low if low == high else f"{low} to {high}"


def _heavy(now: UnevennessFacts, heaviest: NowMemberFacts) -> str:
    heavy = now.heavy
    assert heavy is not None
    rows = zip(heavy.partitions, heavy.weights, strict=True)
    names = ", ".join(f"{partition_words(one)} ({load_number(weight)})" for one, weight in rows)
    is_are = form(len(heavy.partitions), "is", "are")
    of = f"{number(len(heavy.partitions))} of its {plural(heaviest.partitions, 'partition')}"
    return (
        f"{of} {is_are} {percent(heavy.percent)} of its load: {names}; a partition of the group"
        f" has {load_number(heavy.mean)} {_weight(now)} on average."
    )


def _weight(now: UnevennessFacts) -> str:
    """What partitions weigh; not per unit of capacity."""
    return "records of work" if now.unit == "seconds of work" else now.unit.partition(" per ")[0]


def _narrow(now: UnevennessFacts) -> str:
    narrow = now.narrow
    assert narrow is not None
    topics = listed(narrow.topics, MAX_NAMES)
    part = f"{percent(narrow.percent)} of its load"
    if narrow.readers == 1:
        return f"Only it may read these partitions of {topics}: {part}."
    return (
        f"{part} is in {topics}, which only {number(narrow.readers)} of the"
        f" {number(narrow.members)} members may read: spread equally over these, it is"
        f" {_load(now, narrow.load)} each, {narrow.fair_shares:.3g} × a fair share."
    )


def _slow(now: UnevennessFacts, heaviest: NowMemberFacts, name: Namer) -> Iterator[str]:
    usual = now.usual_capacity
    own = next((one for one in now.slow if one.id == heaviest.id), None)
    if usual is None or not now.slow:
        return
    if own is not None:
        speed = f"its capacity is {load_number(own.capacity)}, the median {load_number(usual)}"
        yield f"It is slow: {speed}."
    others = [f"{name(one.id)} ({load_number(one.capacity)})" for one in now.slow if one is not own]
    if others:
        more = form(len(others), "is", "are")
        also = " too" if own is not None else ""
        shown = listed(others, MAX_NAMES)
        yield f"{shown} {more} slow{also}; the median capacity is {load_number(usual)}."


def _lightest(now: UnevennessFacts, lightest: NowMemberFacts, name: Namer) -> Iterator[str]:
    if now.without:
        own = form(len(now.without), "owns", "own")
        yield f"{listed([*map(name, now.without)], MAX_NAMES)} {own} no partition."
        return
    count = plural(lightest.partitions, "partition")
    yield (
        f"The lightest is {name(lightest.id)}: {_load(now, lightest.load)},"
        f" {lightest.fair_shares:.3g} × a fair share, in {count}."
    )
