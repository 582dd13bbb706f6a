"""The answer of `size` in a sentence or two, and what its figures rest on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from equilag.domain.figures import (
    form,
    in_units,
    number,
    partition_name,
    percent,
    plural,
    time_span,
)
from equilag.domain.show import MAX_NAMED
from equilag.planner.facts.throughput_words import SPREAD
from equilag.planner.facts.work import WEIGHT_UNITS
from equilag.planner.sizes.sizing import HotUnit, LeastSize, SizeRow, Sizing

SAME: Final = 0.001
"""Part of a load by which bound and plan may differ and still count as one: three digits."""
BALANCES: Final = {
    "total": "even counts", "per-topic": "even counts of each topic",
    "both": "even counts of each topic and in all", "none": "counts free",
    "total-then-topics": "even counts in all and then of each topic",
}  # fmt: skip


class Wording(NamedTuple):
    """What sizes and loads are called."""

    one: str
    many: str
    unit: str
    """Heading of the loads."""
    scale: float | None
    """Loads in percent of this; None where they are no utilisations."""
    form: str
    """Form of the loads in tables."""

    @staticmethod
    def of(sizing: Sizing) -> Wording:
        basis = sizing.basis
        threaded, known = basis.threads > 1, basis.capacity is not None
        one, many = ("process", "processes") if threaded else ("member", "members")
        what = "thread" if threaded else "member"
        if known and basis.limit:
            return Wording(one, many, what, basis.limit, "percent")
        if known and basis.kind == "lag":
            return Wording(one, many, what, None, "seconds")
        return Wording(one, many, WEIGHT_UNITS[basis.kind], None, "number")

    def size(self, size: int) -> str:
        """``6 members``."""
        return plural(size, self.one, self.many)

    def figure(self, load: float) -> float:
        """A load in the form of the table."""
        if self.scale:
            return 100 * load / self.scale
        return load if self.form == "seconds" or load < 100 else round(load)

    def load(self, load: float) -> str:
        """A load: ``97 %``, ``3 min 20 s``, or a figure."""
        if self.form == "seconds":
            return time_span(load)
        return percent(self.figure(load)) if self.scale else number(self.figure(load))

    def is_proved(self, row: SizeRow) -> bool:
        """True if bound and plan differ by nothing that is shown."""
        return row.load - row.load_at_least <= SAME * row.load


def size_lines(sizing: Sizing) -> Iterator[str]:
    """The answer, line by line; what stands before a colon is the most important."""
    wording = Wording.of(sizing)
    if sizing.interrupted:
        yield "Interrupted: this is what is known so far."
    yield from _now(sizing, wording)
    if sizing.least_catching_up is not None:
        row = sizing.row(sizing.least_catching_up.at_most or 0)
        after = f"after {time_span(row.catch_up_s)}" if row and row.catch_up_s else ""
        least = _least(sizing, sizing.least_catching_up, wording, after)
        yield f"Caught up within {time_span(sizing.catch_up or 0)}: {least}."
    for unit in sizing.hot[:MAX_NAMED]:
        name, share = partition_name((unit.topic, unit.partition)), percent(100 * (unit.share or 0))
        pieces = plural(unit.pieces, "partition")
        yield f"Hot: {name} alone gets {share} of a member's capacity: split it into {pieces}."
    if len(sizing.hot) > MAX_NAMED:
        yield f"Hot: {plural(len(sizing.hot) - MAX_NAMED, 'more partition')} like these."
    last = sizing.helpful_end
    if last is not None and sizing.heaviest is not None:
        why = _heaviest_partition(sizing, sizing.heaviest, wording)
        yield f"More: beyond {wording.size(last.size)} another one helps no further: {why}."


def _now(sizing: Sizing, wording: Wording) -> Iterator[str]:
    now, least, who = sizing.now, sizing.least_keeping_up, wording.size(sizing.basis.present)
    if least is None:
        if now is not None:
            load = _load(now.load, wording, sizing)
            if not wording.is_proved(now):
                load = f"{load} ({wording.load(now.load_at_least)} at least)"
            yield f"Now: the heaviest of {who} has {load} at best."
        return
    by_rate = sizing.basis.kind == "rate"
    if now is not None:
        enough = now.keeps_up and least.at_most == now.size
        verb = {
            True: f"{form(now.size, 'keeps', 'keep')} up under the best plan",
            False: f"{form(now.size, 'does', 'do')} not keep up, whatever the assignment",
            None: "may keep up; that is open",
        }[now.keeps_up]
        at = f" (the heaviest at {wording.load(now.load)})" if by_rate else ""
        yield f"{who} {verb}{at}{_no_fewer(sizing, least) if enough else ''}."
        if enough:
            return
    row = sizing.row(least.at_most or 0)
    at = f"the heaviest at {wording.load(row.load)}" if row is not None and by_rate else ""
    yield f"Needed: {_least(sizing, least, wording, at)}."


def _least(sizing: Sizing, least: LeastSize, wording: Wording, told: str) -> str:
    """The least size that is enough, what is told of it, and how sure that is."""
    if least.at_most is not None:
        found = f" ({told})" if told else ""
        return f"{wording.size(least.at_most)}{found}{_no_fewer(sizing, least)}"
    if least.at_least > sizing.last:
        return f"no number up to {wording.size(sizing.last)} is enough"
    none = f"no number up to {number(sizing.last)} was found to be enough"
    return f"at least {wording.size(least.at_least)}; {none}"


def _no_fewer(sizing: Sizing, least: LeastSize) -> str:
    """That no smaller size is enough, and how far that is proved."""
    below = least.at_least - 1
    cannot = "" if below < sizing.first else f"; {number(below)} cannot (proved)"
    if not least.proved:
        return f"{cannot}; what lies between is open"
    return "; fewer were not looked at" if not cannot and sizing.starts_late else cannot


def _heaviest_partition(sizing: Sizing, heaviest: HotUnit, wording: Wording) -> str:
    """What one partition is by itself."""
    name = partition_name((heaviest.topic, heaviest.partition))
    alone = heaviest.weight / (sizing.basis.capacity or 1.0)
    if sizing.basis.kind == "rate" and wording.scale:
        whose = "a member" if sizing.basis.equal_capacities else "the fastest member"
        return f"{name} alone is {percent(100 * (heaviest.share or alone))} of {whose}'s capacity"
    return f"{name} alone is {_load(alone, wording, sizing)}"


def _load(load: float, wording: Wording, sizing: Sizing) -> str:
    figure = wording.load(load)
    if wording.form == "seconds":
        return f"{figure} of reading"
    return figure if wording.scale else in_units(figure, WEIGHT_UNITS[sizing.basis.kind])


def load_note(sizing: Sizing) -> str:
    """What the loads of a table are."""
    wording, basis = Wording.of(sizing), sizing.basis
    what = SPREAD[basis.kind].format(ahead=time_span(basis.horizon_s or 0))
    per = ""
    if wording.scale and basis.kind == "work":
        per = f", in percent of what its capacity allows in {time_span(wording.scale)}"
    elif wording.scale:
        per = ", in percent of its capacity"
    elif wording.form == "seconds":
        per = ", as the time to read it"
    elif basis.capacity is not None:
        per = ", per unit of capacity"
    plan = f"under the best plan for so many {wording.many} ({BALANCES[sizing.policy.balance]})"
    return f"{what} of the heaviest {'thread' if basis.threads > 1 else 'member'}{per}, {plan}"


def size_notes(sizing: Sizing) -> Iterator[str]:
    """What the figures rest on: who the members of another size are, and what is not known."""
    basis, many = sizing.basis, Wording.of(sizing).many
    if missing := sizing.last - sizing.first + 1 - len(sizing.rows):
        yield f"not planned, for lack of time or of room: {plural(missing, 'number')} of {many}"
    each = f"{number(basis.threads)} threads" if basis.threads > 1 else ""
    if basis.capacity is not None:
        capacity = number(round(basis.capacity) if basis.capacity >= 100 else basis.capacity)
        each += f"{' of' if each else ''} {capacity} records/s{' each' if each else ''}"
    if each:
        yield f"new {many} have {each.strip()}"
    if not basis.equal_capacities:
        yield f"of fewer {many} than now, the slowest stay"
    if basis.subscriptions > 1:
        sets = f"{number(basis.subscriptions)} different sets of topics"
        yield f"members read {sets}; each set keeps its share of the {many}"
    if basis.idle:
        yield f"left out: {plural(basis.idle, 'member')} without a partition to read"
    if basis.unrestricted:
        some = plural(basis.unrestricted, "partition")
        yield f"open to all members here: {some} that only some may read now"
    if basis.unknown_rates:
        of = plural(basis.unknown_rates, "partition")
        yield f"{of} of unknown rate: the mean of the topic, else of all, is taken"
    if basis.capacity is None:
        yield "to tell who keeps up, capacities are needed: --capacity '*=N', or --sample 60s"
    elif sizing.least_keeping_up is None:
        yield "to tell who keeps up, rates are needed: in the snapshot, or --sample 60s"
