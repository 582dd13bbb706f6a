"""What the plan of an extended group has more: instances, reads across racks, units, pins."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from equilag.domain.group.member_capacities import decimal
from equilag.domain.plan.broken_rules import BrokenRules, broken_by_assignor, broken_rules
from equilag.domain.plan.claim import ACROSS
from equilag.domain.plan.extended_figures import ProvedBounds, extended_figures
from equilag.domain.plan.metrics import member_loads
from equilag.domain.plan.plan import Plan
from equilag.domain.plan.plan_figures import CountFigures, ExtendedFigures, LagFigures
from equilag.domain.policy.policy_settings import UNCONSTRAINED
from equilag.domain.reduction.reduce import rounded
from equilag.report.wording.words import natural_key


@dataclass(frozen=True, slots=True)
class InstanceFacts:
    """A process, under the current assignment and under the plan."""

    name: str
    """A member's id where it is a process of its own."""
    threads: int
    partitions_before: int
    load_before: float
    """Lag of its members; per unit of their capacity where capacities differ."""
    partitions: int
    load: float


@dataclass(frozen=True, slots=True)
class ReadsFacts:
    """Partitions that are read across racks."""

    count: int
    before: int
    is_fewest: bool
    """True if it is proved that no plan with the same balance of counts has fewer."""
    known_partitions: int
    """Partitions whose racks are known."""
    partitions: int
    known_members: int
    """Members whose rack is known."""
    members: int


@dataclass(frozen=True, slots=True)
class UnitFacts:
    """Units of co-partitioned topics."""

    count: int
    by_member: CountFigures
    lists: tuple[tuple[str, ...], ...]
    """The topics that are co-partitioned."""


@dataclass(frozen=True, slots=True)
class CapacityFacts:
    """Capacities that are not given, or not taken as given."""

    unknown: int
    """Members without one, beside others that have one."""
    taken: float
    """What those count with."""
    rounded: tuple[float, float] | None
    """A capacity of more than three significant digits, and what it is for even counts; None
    without one, or where counts need not be even."""


@dataclass(frozen=True, slots=True)
class ExtendedFacts:
    instances: tuple[InstanceFacts, ...]
    """Of active ones, in the natural order of their names; none where each member is its own."""
    reads: ReadsFacts | None
    units: UnitFacts | None
    restricted: int
    """Partitions that not every subscriber may take."""
    capacities: CapacityFacts | None
    """None where all capacities are taken as they were given, or none is known."""
    torn: int
    """Units that the current assignment tears apart."""
    overfull: int
    """Members that own more than their room."""
    broken: BrokenRules | None
    """What the plan of an assignor breaks of the group's rules; None if nothing."""
    limited: int
    """Members with limited room."""
    rooms: tuple[int, int]
    """The least and the most room of those."""
    rooms_in_units: bool
    """True if room is for units of co-partitioned topics, else for partitions."""


def extended_facts(plan: Plan) -> ExtendedFacts | None:
    """None for a plain group."""
    after = plan.extended
    if after is None:
        return None
    group = plan.planned.given
    before = extended_figures(plan.planned, group.owner, ProvedBounds())
    assert before is not None  # the group decides, not the assignment
    broken = None if plan.policy else broken_by_assignor(group, plan.assigned)
    now = broken_rules(plan.planned, group.owner)
    names = [tuple(group.topics[t] for t in topics) for topics in group.co_partitioned]
    units = after.units
    rooms = [m.max_partitions for m in group.members if m.max_partitions is not None]
    return ExtendedFacts(
        instances=_instances(plan, before, after),
        reads=_reads(plan, before, after),
        units=None if units is None else UnitFacts(units.count, units.counts, tuple(names)),
        restricted=len(group.allowed or ()),
        capacities=_capacities(plan),
        broken=broken or None,
        torn=len(now.torn),
        overfull=len(now.overfull),
        limited=len(rooms),
        rooms=(min(rooms, default=0), max(rooms, default=0)),
        rooms_in_units=bool(group.co_partitioned),
    )


def _instances(
    plan: Plan, before: ExtendedFigures, after: ExtendedFigures
) -> tuple[InstanceFacts, ...]:
    if before.instances is None or after.instances is None:
        return ()
    group, per_capacity = plan.group, not isinstance(plan.loads, LagFigures)
    lag_before = member_loads(group.owner, group.lag, group.n_members).tolist()
    was_of = {member.id: lag for member, lag in zip(group.members, lag_before, strict=True)}
    found = (
        InstanceFacts(
            now.instance or now.members[0],
            len(now.members),
            was.partitions,
            was.load if per_capacity else sum(was_of[member] for member in now.members),
            now.partitions,
            now.load if per_capacity else sum(plan.lag.by_member[member] for member in now.members),
        )
        for was, now in zip(before.instances.rows, after.instances.rows, strict=True)
        if not now.is_idle
    )
    return tuple(sorted(found, key=lambda one: natural_key(one.name)))


def _reads(plan: Plan, before: ExtendedFigures, after: ExtendedFigures) -> ReadsFacts | None:
    if before.cross_rack is None or after.cross_rack is None:
        return None
    count = after.cross_rack.count
    fewest = any(claim.claim == ACROSS and claim.value == count for claim in plan.claims)
    group = plan.group
    return ReadsFacts(
        count,
        before.cross_rack.count,
        fewest,
        sum(map(bool, group.racks or ())),
        group.n_partitions,
        sum(bool(member.rack) for member in group.members),
        group.n_members,
    )


def _capacities(plan: Plan) -> CapacityFacts | None:
    group = plan.planned.given
    given = [member.capacity for member in group.members if member.capacity is not None]
    used = [(float(one), float(rounded(one))) for one in given]
    changed = next((pair for pair in used if pair[0] != pair[1]), None)
    if plan.policy is None or plan.policy.balance == UNCONSTRAINED:
        changed = None
    unknown = group.n_members - len(given)
    if not given or not (unknown or changed):
        return None
    example = None if changed is None else (whole(changed[0]), whole(changed[1]))
    return CapacityFacts(unknown, whole(float(median(map(decimal, given)))), example)


def whole(capacity: float) -> float:
    """The capacity as an integer if it is one, as whole numbers are written without decimals."""
    return int(capacity) if capacity.is_integer() else capacity
