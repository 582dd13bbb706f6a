"""The answer of `size` in a sentence or two, and what its figures rest on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from equilag.domain.figures import (
    form,
    number,
    partition_name,
    percent,
    plural,
    time_span,
)
from equilag.planner.sizes.size_search import LeastSize
from equilag.planner.sizes.sizing import HotUnit, SizeRow, Sizing

SAME: Final = 0.001
"""Part of a load by which bound and plan may differ and still count as one: three digits."""
MAX_HOT: Final = 3
"""Hot partitions that are named."""
UNITS: Final = {"lag": "lag", "rate": "records/s", "work": "records", "given": "weight"}
BALANCES: Final = {
    "total": "even counts",
    "per-topic": "even counts of each topic",
    "both": "even counts of each topic and in all",
    "none": "counts free",
}


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
        return Wording(one, many, UNITS[basis.kind], None, "number")

    def size(self, size: int) -> str:
        """``6 members``."""
        return f"{number(size)} {form(size, self.one, self.many)}"

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
    if sizing.catch_up is not None:
        yield _caught_up(sizing, wording)
    yield from (f"Hot: {_hot(unit)}" for unit in sizing.hot[:MAX_HOT])
    if len(sizing.hot) > MAX_HOT:
        yield f"Hot: {plural(len(sizing.hot) - MAX_HOT, 'more partition')} like these."
    last = sizing.helpful_end
    if last is not None and sizing.heaviest is not None:
        further = f"beyond {wording.size(last.size)} another one helps no further"
        yield f"More: {further}: {_heaviest_partition(sizing, sizing.heaviest, wording)}."


def _now(sizing: Sizing, wording: Wording) -> Iterator[str]:
    now, least, who = sizing.now, sizing.least_keeping_up, wording.size(sizing.basis.present)
    if least is None:
        if now is not None:
            yield f"Now: the heaviest of {who} has {_row_load(now, wording, sizing)} at best."
        return
    if now is not None:
        keeps, does = form(now.size, "keeps", "keep"), form(now.size, "does", "do")
        at = f" (the heaviest at {wording.load(now.load)})" if sizing.basis.kind == "rate" else ""
        if now.keeps_up:
            enough = least.at_most == now.size
            fewer = _no_fewer(sizing, least) if enough else ""
            yield f"{who} {keeps} up under the best plan{at}{fewer}."
            if enough:
                return
        elif now.keeps_up is False:
            yield f"{who} {does} not keep up, whatever the assignment{at}."
        else:
            yield f"{who}: it is open whether that keeps up{at}."
    yield f"Needed: {_needed(sizing, least, wording)}."


def _needed(sizing: Sizing, least: LeastSize, wording: Wording) -> str:
    """The least size that keeps up, and how sure that is."""
    last = wording.size(sizing.last)
    if least.at_most is None:
        if least.at_least > sizing.last:
            return f"no number up to {last} keeps up"
        none = f"no number up to {number(sizing.last)} was found to keep up"
        return f"at least {wording.size(least.at_least)}; {none}"
    row = sizing.row(least.at_most)
    by_rate = row is not None and sizing.basis.kind == "rate"
    at = f", the heaviest at {wording.load(row.load)}" if row is not None and by_rate else ""
    keeps = form(least.at_most, "keeps", "keep")
    return f"{wording.size(least.at_most)} {keeps} up{at}{_no_fewer(sizing, least)}"


def _no_fewer(sizing: Sizing, least: LeastSize) -> str:
    """That no smaller size keeps up, and how far that is proved."""
    below = least.at_least - 1
    cannot = "" if below < sizing.first else f"; {number(below)} cannot (proved)"
    if not least.proved:
        return f"{cannot}; what lies between is open"
    if not cannot and sizing.starts_late:
        return "; fewer were not looked at"
    return cannot


def _caught_up(sizing: Sizing, wording: Wording) -> str:
    least, span = sizing.least_catching_up, time_span(sizing.catch_up or 0)
    assert least is not None
    if least.at_most is None:
        return f"Caught up: no number up to {wording.size(sizing.last)} within {span}."
    row = sizing.row(least.at_most)
    found = "" if row is None or not row.catch_up_s else f" (after {time_span(row.catch_up_s)})"
    sure = "fewer cannot" if least.proved else f"fewer than {number(least.at_least)} cannot"
    have = f"{wording.size(least.at_most)} {form(least.at_most, 'has', 'have')}"
    return f"Caught up: {have} read everything within {span}{found}; {sure}."


def _hot(unit: HotUnit) -> str:
    name = partition_name((unit.topic, unit.partition))
    return (
        f"{name} alone gets {percent(100 * (unit.share or 0))} of a member's capacity. No"
        f" number of members helps it; its records need {plural(unit.pieces, 'partition')} or more."
    )


def _heaviest_partition(sizing: Sizing, heaviest: HotUnit, wording: Wording) -> str:
    """What one partition is by itself."""
    name = partition_name((heaviest.topic, heaviest.partition))
    alone = heaviest.weight / (sizing.basis.capacity or 1.0)
    if sizing.basis.kind == "rate" and wording.scale:
        whose = "a member" if sizing.basis.equal_capacities else "the fastest member"
        return f"{name} alone is {percent(100 * (heaviest.share or alone))} of {whose}'s capacity"
    return f"{name} alone is {_words_of(alone, wording, sizing)}"


def _row_load(row: SizeRow, wording: Wording, sizing: Sizing) -> str:
    text = _words_of(row.load, wording, sizing)
    return (
        text if wording.is_proved(row) else f"{text} ({wording.load(row.load_at_least)} at least)"
    )


def _words_of(load: float, wording: Wording, sizing: Sizing) -> str:
    figure = wording.load(load)
    if wording.form == "seconds":
        return f"{figure} of reading"
    if wording.scale:
        return figure
    return {
        "lag": f"a lag of {figure}",
        "rate": f"{figure} records/s",
        "work": f"{figure} records to read",
        "given": f"a weight of {figure}",
    }[sizing.basis.kind]


def size_notes(sizing: Sizing, shown: Sequence[SizeRow]) -> tuple[str, ...]:
    """What the figures rest on, a paragraph each; `shown` are the sizes of the table."""
    wording = Wording.of(sizing)
    paragraphs = (
        [_loads(sizing, wording), *_left_out(sizing, shown)],
        [*_members(sizing, wording)],
        [*_unsure(sizing)],
    )
    return tuple(" ".join(lines) for lines in paragraphs if lines)


def _loads(sizing: Sizing, wording: Wording) -> str:
    """What a load is, and of which plan."""
    basis, per = sizing.basis, ""
    what = {
        "lag": "lag",
        "rate": "records produced per second",
        "work": f"lag and what comes in {time_span(basis.horizon_s or 0)}",
        "given": "the weights of the snapshot",
    }[basis.kind]
    who = "thread" if basis.threads > 1 else "member"
    if wording.scale and basis.kind == "work":
        per = f", in percent of what its capacity allows in {time_span(wording.scale)}"
    elif wording.scale:
        per = ", in percent of its capacity"
    elif wording.form == "seconds":
        per = ", as the time to read it"
    elif basis.capacity is not None:
        per = ", per unit of capacity"
    return (
        f"Heaviest: {what} of the heaviest {who}{per}, under the best plan for so many"
        f" {wording.many} ({BALANCES[sizing.policy.balance]}, nobody owns anything). At least: no"
        " plan has less; proved: that is what the plan has."
    )


def _left_out(sizing: Sizing, shown: Sequence[SizeRow]) -> Iterator[str]:
    if len(shown) < len(sizing.rows):
        helping = sizing.helping
        lower = f"{sizing.policy.tolerance:g} % or more" if sizing.policy.tolerance else "anything"
        some = "the" if all(row in shown for row in helping) else "some of the"
        verb = form(len(helping), "lowers", "lower")
        yield (
            f"The table has {some} {plural(len(helping), 'number')} that {verb} it by {lower};"
            f" --json has all {number(len(sizing.rows))}."
        )
    missing = sizing.last - sizing.first + 1 - len(sizing.rows)
    if missing:
        not_planned = f"{plural(missing, 'number')} {form(missing, 'was', 'were')} not planned"
        yield f"{not_planned}, for lack of time or of room for all partitions."


def _members(sizing: Sizing, wording: Wording) -> Iterator[str]:
    """Who the members of another size are."""
    basis = sizing.basis
    if basis.threads > 1:
        yield f"A new process has {number(basis.threads)} threads."
    if basis.capacity is not None:
        each = " each" if basis.threads > 1 else ""
        capacity = number(round(basis.capacity) if basis.capacity >= 100 else basis.capacity)
        yield f"New members have a capacity of {capacity} records/s{each}."
    if not basis.equal_capacities:
        yield f"Of fewer {wording.many} than now, the slowest stay."
    if basis.subscriptions > 1:
        yield (
            f"Members read {number(basis.subscriptions)} different sets of topics; each set keeps"
            f" its share of the {wording.many}."
        )
    if basis.idle:
        read, are = form(basis.idle, "reads", "read"), form(basis.idle, "is", "are")
        yield f"{plural(basis.idle, 'member')} that {read} nothing {are} left out."
    if basis.unrestricted:
        are = form(basis.unrestricted, "is", "are")
        some = f"{plural(basis.unrestricted, 'partition')} that only some members may read now"
        yield f"{some} {are} open to all here."


def _unsure(sizing: Sizing) -> Iterator[str]:
    """What is not known, and how to make it known."""
    basis = sizing.basis
    if basis.unknown_rates:
        which = plural(basis.unknown_rates, "partition")
        yield f"{which} of unknown rate: the mean of the topic, else of all, is taken."
    live = "--sample 60s of a live group."
    if basis.capacity is None:
        yield (
            "To tell who keeps up, give the capacity of members: --capacity '*=N', in records per"
            f" second; or {live}"
        )
    elif sizing.least_keeping_up is None:
        yield f"To tell who keeps up, rates are needed: in the snapshot, or {live}"
