"""The answer of `size`, in a sentence or two; every output shows the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from equilag.planner.sizes.size_search import LeastSize
from equilag.planner.sizes.sizing import HotUnit, SizeRow, Sizing
from equilag.report.wording.reason_words import partition_words
from equilag.report.wording.words import Write, form, number, percent, plural, time_span

SAME: Final = 0.001
"""Part of a load by which bound and plan may differ and still count as one: three digits."""
MAX_HOT: Final = 3
"""Hot partitions that are named."""

Line = tuple[str, str]
"""A title and what follows it."""


class Wording(NamedTuple):
    """What sizes and loads are called."""

    one: str
    many: str
    unit: str
    """Heading of the loads."""
    scale: float | None
    """Loads in percent of this; None where they are no utilisations."""
    seconds: bool
    """True if loads are seconds of reading."""

    @staticmethod
    def of(sizing: Sizing) -> Wording:
        basis = sizing.basis
        one = "process" if basis.threads > 1 else "member"
        many = "processes" if basis.threads > 1 else "members"
        what = "thread" if basis.threads > 1 else "member"
        known = basis.capacity is not None
        if known and basis.limit:
            return Wording(one, many, what, basis.limit, False)
        if known and basis.kind == "lag":
            return Wording(one, many, what, None, True)
        unit = {"lag": "lag", "rate": "records/s", "work": "records", "given": "weight"}
        return Wording(one, many, unit[basis.kind], None, False)

    def size(self, size: int) -> str:
        """``6 members``."""
        return f"{number(size)} {form(size, self.one, self.many)}"

    def load(self, load: float, write: Write = number) -> str:
        """A load: ``97.0 %``, ``3 min 20 s``, or a figure."""
        if self.scale:
            return percent(100 * load / self.scale)
        if self.seconds:
            return time_span(load) if load else "0 s"
        return speed(load, write)

    def is_proved(self, row: SizeRow) -> bool:
        """True if bound and plan differ by nothing that is shown."""
        return row.load - row.load_at_least <= SAME * row.load


def by_rate(sizing: Sizing) -> bool:
    """True if loads tell who keeps up."""
    return sizing.basis.kind == "rate"


def speed(value: float, write: Write = number) -> str:
    """A figure, whole where it is or where three digits are enough."""
    return write(round(value) if value >= 100 or float(value).is_integer() else value)


def headlines(sizing: Sizing) -> list[str]:
    """The answer, line by line."""
    return ["".join(line) for line in answer_lines(sizing, Wording.of(sizing))]


def answer_lines(sizing: Sizing, wording: Wording) -> Iterator[Line]:
    """The answer, line by line."""
    if sizing.interrupted:
        yield "Interrupted:", " this is what is known so far."
    yield from _now(sizing, wording)
    if sizing.catch_up is not None:
        yield _caught_up(sizing, wording)
    for unit in sizing.hot[:MAX_HOT]:
        yield "Hot:", f" {_hot(unit)}"
    if len(sizing.hot) > MAX_HOT:
        more = len(sizing.hot) - MAX_HOT
        yield "Hot:", f" {plural(more, 'more partition')} like these."
    yield from _further(sizing, wording)


def _now(sizing: Sizing, wording: Wording) -> Iterator[Line]:
    now, who = sizing.now, wording.size(sizing.basis.present)
    if sizing.least_keeping_up is None:
        if now is not None:
            yield "Now:", f" the heaviest of {who} has {_load(now, wording, sizing)} at best."
        return
    if now is not None:
        keeps, does = form(now.size, "keeps", "keep"), form(now.size, "does", "do")
        at = f" (the heaviest at {wording.load(now.load)})" if by_rate(sizing) else ""
        if now.keeps_up and sizing.least_keeping_up.at_most == now.size:
            fewer = _no_fewer(sizing, sizing.least_keeping_up)
            yield f"{_begin(who)} {keeps} up", f" under the best plan{at}{fewer}."
            return
        if now.keeps_up:
            yield f"{_begin(who)} {keeps} up", f" under the best plan{at}."
        elif now.keeps_up is False:
            yield f"{_begin(who)} {does} not keep up", f", whatever the assignment{at}."
        else:
            yield f"{_begin(who)}:", f" it is open whether that keeps up{at}."
    yield "Needed:", f" {_needed(sizing, wording)}."


def _begin(text: str) -> str:
    return text[:1].upper() + text[1:]


def _needed(sizing: Sizing, wording: Wording) -> str:
    """The least size that keeps up, and how sure that is."""
    least = sizing.least_keeping_up
    assert least is not None
    if least.at_most is None:
        if least.at_least > sizing.last:
            return f"no number up to {wording.size(sizing.last)} keeps up"
        return (
            f"at least {wording.size(least.at_least)}; no number up to {number(sizing.last)} was"
            " found to keep up"
        )
    row = sizing.row(least.at_most)
    at = "" if row is None or not by_rate(sizing) else f", the heaviest at {wording.load(row.load)}"
    text = f"{wording.size(least.at_most)} {form(least.at_most, 'keeps', 'keep')} up{at}"
    return f"{text}{_no_fewer(sizing, least)}"


def _no_fewer(sizing: Sizing, least: LeastSize) -> str:
    """That no smaller size keeps up, and how far that is proved."""
    if least.proved:
        fewer = least.at_least - 1
        if fewer >= sizing.first:
            return f"; {number(fewer)} cannot (proved)"
        return "; fewer were not looked at" if sizing.starts_late else ""
    below = least.at_least - 1
    cannot = "" if below < sizing.first else f"; {number(below)} cannot (proved)"
    return f"{cannot}; what lies between is open"


def _caught_up(sizing: Sizing, wording: Wording) -> Line:
    least = sizing.least_catching_up
    span = time_span(sizing.catch_up or 0)
    assert least is not None
    if least.at_most is None:
        return "Caught up:", f" no number up to {wording.size(sizing.last)} within {span}."
    row = sizing.row(least.at_most)
    found = "" if row is None or not row.catch_up_s else f" (after {time_span(row.catch_up_s)})"
    sure = "fewer cannot" if least.proved else f"fewer than {number(least.at_least)} cannot"
    have = form(least.at_most, "has", "have")
    return (
        "Caught up:",
        f" {wording.size(least.at_most)} {have} read everything within {span}{found}; {sure}.",
    )


def _hot(unit: HotUnit) -> str:
    name = partition_words((unit.topic, unit.partition))
    return (
        f"{name} alone gets {percent(100 * (unit.share or 0))} of a member's capacity. No"
        f" number of members helps it; its records need {plural(unit.pieces, 'partition')} or more."
    )


def _further(sizing: Sizing, wording: Wording) -> Iterator[Line]:
    """From which size on more members help no more, and why."""
    last = sizing.helpful_end
    if last is None or sizing.heaviest is None:
        return
    alone = sizing.heaviest.weight / (sizing.basis.capacity or 1.0)
    name = partition_words((sizing.heaviest.topic, sizing.heaviest.partition))
    why = f"{name} alone is {_alone(alone, wording, sizing)}"
    yield "More:", f" beyond {wording.size(last.size)} another one helps no further: {why}."


def _alone(load: float, wording: Wording, sizing: Sizing) -> str:
    """What one partition is by itself."""
    if sizing.basis.kind == "rate" and wording.scale:
        whose = "a member" if sizing.basis.equal_capacities else "the fastest member"
        share = load if sizing.heaviest is None else sizing.heaviest.share or load
        return f"{percent(100 * share)} of {whose}'s capacity"
    return _words_of(load, wording, sizing)


def _load(row: SizeRow, wording: Wording, sizing: Sizing) -> str:
    text = _words_of(row.load, wording, sizing)
    if wording.is_proved(row):
        return text
    return f"{text} ({wording.load(row.load_at_least)} at least)"


def _words_of(load: float, wording: Wording, sizing: Sizing) -> str:
    figure = wording.load(load)
    if wording.seconds:
        return f"{figure} of reading"
    if wording.scale:
        return figure
    return {
        "lag": f"a lag of {figure}",
        "rate": f"{figure} records/s",
        "work": f"{figure} records to read",
        "given": f"a weight of {figure}",
    }[sizing.basis.kind]
