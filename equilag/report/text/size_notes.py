"""What the figures of `size` rest on, in words."""

from __future__ import annotations

from collections.abc import Iterator

from equilag.planner.sizes.sizing import Sizing
from equilag.report.facts.size import SizeFacts
from equilag.report.wording.size_answer import Wording, speed
from equilag.report.wording.words import form, number, plural, time_span

BALANCES = {
    "total": "even counts",
    "per-topic": "even counts of each topic",
    "both": "even counts of each topic and in all",
    "none": "counts free",
}


def note_lines(facts: SizeFacts, wording: Wording) -> Iterator[str]:
    """Notes, a paragraph each."""
    yield " ".join([_loads(facts.sizing, wording), *_left_out(facts)])
    yield " ".join(_members(facts.sizing, wording))
    unsure = " ".join(_unsure(facts.sizing))
    if unsure:
        yield unsure


def _loads(sizing: Sizing, wording: Wording) -> str:
    """What a load is, and of which plan."""
    basis = sizing.basis
    what = {
        "lag": "lag",
        "rate": "records produced per second",
        "work": f"lag and what comes in {time_span(basis.horizon_s or 0)}",
        "given": "the weights of the snapshot",
    }[basis.kind]
    who = "thread" if basis.threads > 1 else "member"
    per = ""
    if wording.scale and basis.kind == "work":
        per = f", in percent of what its capacity allows in {time_span(wording.scale)}"
    elif wording.scale:
        per = ", in percent of its capacity"
    elif wording.seconds:
        per = ", as the time to read it"
    elif basis.capacity is not None:
        per = ", per unit of capacity"
    return (
        f"Heaviest: {what} of the heaviest {who}{per}, under the best plan for so many"
        f" {wording.many} ({BALANCES[sizing.policy.balance]}, nobody owns anything). At least: no"
        " plan has less; proved: that is what the plan has."
    )


def _left_out(facts: SizeFacts) -> Iterator[str]:
    sizing = facts.sizing
    if len(facts.shown) < len(sizing.rows):
        helping = len(sizing.helping)
        lower = f"{sizing.policy.tolerance:g} % or more" if sizing.policy.tolerance else "anything"
        some = "the" if all(row in facts.shown for row in sizing.helping) else "some of the"
        yield (
            f"The table has {some} {plural(helping, 'number')} that"
            f" {form(helping, 'lowers', 'lower')} it by {lower}; --json has all"
            f" {number(len(sizing.rows))}."
        )
    missing = sizing.last - sizing.first + 1 - len(sizing.rows)
    if missing:
        yield (
            f"{plural(missing, 'number')} {form(missing, 'was', 'were')} not planned, for lack of"
            " time or of room for all partitions."
        )


def _members(sizing: Sizing, wording: Wording) -> Iterator[str]:
    """Who the members of another size are."""
    basis = sizing.basis
    if basis.threads > 1:
        yield f"A new process has {number(basis.threads)} threads."
    if basis.capacity is not None:
        per = " each" if basis.threads > 1 else ""
        yield f"New members have a capacity of {speed(basis.capacity)} records/s{per}."
    if not basis.equal_capacities:
        yield f"Of fewer {wording.many} than now, the slowest stay."
    if basis.subscriptions > 1:
        yield (
            f"Members read {number(basis.subscriptions)} different sets of topics; each set keeps"
            f" its share of the {wording.many}."
        )
    if basis.idle:
        yield (
            f"{plural(basis.idle, 'member')} that {form(basis.idle, 'reads', 'read')} nothing"
            f" {form(basis.idle, 'is', 'are')} left out."
        )
    if basis.unrestricted:
        yield (
            f"{plural(basis.unrestricted, 'partition')} that only some members may read now"
            f" {form(basis.unrestricted, 'is', 'are')} open to all here."
        )


def _unsure(sizing: Sizing) -> Iterator[str]:
    """What is not known, and how to make it known."""
    basis = sizing.basis
    if basis.unknown_rates:
        yield (
            f"{plural(basis.unknown_rates, 'partition')} of unknown rate: the mean of the topic,"
            " else of all, is taken."
        )
    if basis.capacity is None:
        yield (
            "To tell who keeps up, give the capacity of members: --capacity '*=N', in records per"
            " second; or --sample 60s of a live group."
        )
    elif sizing.least_keeping_up is None:
        yield (
            "To tell who keeps up, rates are needed: in the snapshot, or --sample 60s of a live"
            " group."
        )
