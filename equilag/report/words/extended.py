"""Units, reads across racks, restrictions, room and capacities, in words."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Final

from equilag.domain.figures import form, in_a_row, listed, number, plural, printable, spread_over
from equilag.domain.group.member_capacities import decimal
from equilag.domain.plan.broken_rules import broken_by_assignor, forced_by
from equilag.domain.plan.claim import ACROSS
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import UNCONSTRAINED
from equilag.domain.reduction.reduce import rounded
from equilag.report.report_blocks import Fact

SHORT_NOTE: Final = "short by so many records per second, which members fall behind"


def keeps_up_words(short: float | None) -> str | None:
    """Whether members keep up under a plan; None where that is not known."""
    return None if short is None else f"{number(short)} short" if short else "yes"


def least_words(count: int, least: int, found: Sequence[str]) -> str:
    """How many are needed, and what for."""
    needs = f" for {in_a_row(found)}" if found else ""
    if count == least:
        return f"no fewer are possible{needs if least else ''}"
    return f"at least {number(least)}{needs}" if least else f"none is needed{needs}"


def breaks(torn_units: int, misplaced: int, overfull: int) -> str:
    """The rules that an assignment breaks."""
    parts = []
    if torn_units:
        parts.append(f"tears {plural(torn_units, 'unit')} of co-partitioned topics apart")
    if overfull:
        parts.append(f"{plural(overfull, 'member')} above {form(overfull, 'its', 'their')} room")
    if misplaced:
        parts.append(f"{plural(misplaced, 'partition')} with a member that may not take it")
    return ", ".join(parts)


def extended_rows(plan: Plan, policy: Policy | None, has_owners: bool) -> list[Fact]:
    """What the proof of an extended group has more; words are empty where nothing is known."""
    if plan.extended is None:
        return []
    group = plan.planned.given
    broken = None if plan.policy else broken_by_assignor(group, plan.assigned)
    some = plural(len(group.allowed or ()), "partition")
    return [
        Fact("breaks rules", f"! {breaks(**broken.to_dict())}" if broken else ""),
        Fact("units", _units(plan)),
        Fact("across racks", _reads(plan, policy, has_owners)),
        Fact("restricted", f"{some}, which only some may read" if group.allowed else ""),
        Fact("room", _room(plan)),
    ]


def _units(plan: Plan) -> str:
    group, units = plan.planned.given, plan.extended and plan.extended.units
    if not units:
        return ""
    each = spread_over(units.counts.min, units.counts.max)
    topics = ([printable(group.topics[t]) for t in one] for one in group.co_partitioned)
    named = listed([" + ".join(one) for one in topics])
    return f"{plural(units.count, 'unit')}, {each} per member; co-partitioned: {named}"


def _reads(plan: Plan, policy: Policy | None, has_owners: bool) -> str:
    reads, before = plan.extended and plan.extended.cross_rack, plan.current.extended
    if not reads or before is None or before.cross_rack is None:
        return ""
    group = plan.group
    text = plural(reads.count, "partition")
    if has_owners:
        text += f"; was {number(before.cross_rack.count)}"
    if policy is not None and any(
        claim.claim == ACROSS and claim.value == reads.count for claim in plan.claims
    ):
        found = forced_by(policy, plan.planned, of_moves=False)
        needs = least_words(reads.count, reads.count, found)
        text += f"; {needs}"
    known = {
        "partition": (sum(map(bool, group.racks or ())), group.n_partitions),
        "member": (sum(bool(member.rack) for member in group.members), group.n_members),
    }
    unknown = [
        f"{number(count)} of {plural(total, what)}"
        for what, (count, total) in known.items()
        if count < total
    ]
    return f"{text}; racks are known of {' and '.join(unknown)}" if unknown else text


def _room(plan: Plan) -> str:
    group = plan.planned.given
    rooms = [m.max_partitions for m in group.members if m.max_partitions is not None]
    if not rooms:
        return ""
    what = form(max(rooms), "unit" if group.co_partitioned else "partition")
    most = f"at most {spread_over(min(rooms), max(rooms))} {what}"
    return f"{plural(len(rooms), 'member')} {form(len(rooms), 'takes', 'take')} {most}"


def capacity_words(plan: Plan) -> str:
    """What members of unknown capacity count with, and that even counts round capacities."""
    group = plan.planned.given
    given = [member.capacity for member in group.members if member.capacity is not None]
    if plan.extended is None or not given:
        return ""
    parts = []
    if unknown := group.n_members - len(given):
        taken = number(float(median(map(decimal, given))))
        have = form(unknown, "has", "have")
        parts.append(
            f"{plural(unknown, 'member')} {have} no capacity; {taken} is taken, the median"
        )
    used = [(float(one), float(rounded(one))) for one in given]
    counts_are_even = plan.policy is not None and plan.policy.balance != UNCONSTRAINED
    changed = next((pair for pair in used if pair[0] != pair[1]), None)
    if counts_are_even and changed is not None:
        shown = f"{changed[1]:,.12g} of {changed[0]:,.12g}"
        parts.append(f"even counts take 3 digits of a capacity: {shown}")
    return "; ".join(parts)
