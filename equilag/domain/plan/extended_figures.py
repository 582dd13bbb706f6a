"""The figures of a plan of an extended group, from its assignment alone."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from equilag.domain.columns import NOBODY, Index
from equilag.domain.group.group import Group
from equilag.domain.group.loads import MemberLoads
from equilag.domain.group.member_capacities import Load
from equilag.domain.group.throughput import throughput
from equilag.domain.plan.claim import ACROSS
from equilag.domain.plan.metrics import alike, member_counts, member_loads, topic_squares
from equilag.domain.plan.plan_figures import (
    LAG_WEIGHT,
    CountFigures,
    CrossRackFigures,
    ExtendedFigures,
    InstanceFigures,
    InstanceRow,
    LoadFigures,
    UnitFigures,
)
from equilag.domain.plan.proofs import Proofs
from equilag.domain.policy.objective import EXCESS, SHORT
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import Reduction, known_capacities, whole_capacities
from equilag.domain.reduction.split_classes import RackReads


def loads_differ(reduction: Reduction, policy: Policy | None) -> bool:
    """True if the loads of a plan are weight per unit of capacity, and not lag."""
    if policy is None:  # heuristics know no capacities, and no group is reduced for them
        return not reduction.capacities.are_equal
    return reduction.group.extended.load_divisor is not None


def extended_figures(
    reduction: Reduction, assigned: Index, proofs: Proofs | None = None
) -> ExtendedFigures | None:
    """The figures of an assignment [P] of the given group, of which nothing is proved unless it is
    given; None for a plain group whose racks are not known. O(P)."""
    group = reduction.given
    racks, weights = RackReads.of(group), reduction.weights
    told = group.knows_capacities or group.limits_room or group.names_instances
    if not (told or racks or weights or group.allowed or group.co_partitioned):
        return None
    weight = member_loads(assigned, reduction.partition_weight, group.n_members)
    active = np.flatnonzero(~reduction.group.idle).astype(np.int32)
    loads = MemberLoads(weight, reduction.capacities, active)
    proofs, bounds = proofs or Proofs(), (Fraction(0), Fraction(0))
    if reduction.group.reduced is not None or loads.capacities.are_equal:
        bounds = Fraction(proofs.spread), Fraction(proofs.least(EXCESS))  # else they are of lag
    crossing = None
    if racks is not None:
        fewest = max(int(proofs.least(ACROSS)), forced_reads(reduction, racks))
        crossing = CrossRackFigures(racks.count(assigned), fewest)
    return ExtendedFigures(
        LAG_WEIGHT if weights is None else weights.to_dict(),
        _load(group, loads, reduction.weight_scale, *bounds),
        throughput(reduction, assigned, float(proofs.least(SHORT))),
        crossing,
        _instances(reduction, assigned, loads),
        _units(reduction, assigned),
    )


def _load(
    group: Group, loads: MemberLoads, weight_scale: int, spread: Fraction, excess: Fraction
) -> LoadFigures:
    """`spread` and `excess` as they are proved."""
    capacities, columns = loads.capacities, (loads.weight, loads.capacities.kind_of)
    unit = capacities.largest * weight_scale
    units = [capacities.unit * whole * weight_scale for whole in capacities.whole]
    by_member = [
        weight * units[kind].denominator / units[kind].numerator
        for weight, kind in zip(*(column.tolist() for column in columns), strict=True)
    ]
    ends, fair, gap = loads.extremes, loads.fair, loads.spread - spread
    ids = (member.id for member in group.members)
    return LoadFigures(
        max=by_member[ends[0]] if ends else 0.0,
        min=by_member[ends[1]] if ends else 0.0,
        spread=float(loads.spread / unit),
        mean=float(fair / unit),
        spread_lower_bound=float(spread / unit),
        gap=float(gap / unit),
        gap_percent_of_mean=float(100 * gap / fair) if fair else 0.0,
        excess=loads.excess / float(unit),
        excess_lower_bound=float(excess / unit),
        by_member=dict(zip(ids, by_member, strict=True)),
    )


def forced_reads(reduction: Reduction, racks: RackReads) -> int:
    """Partitions that every member that may take them reads across racks. O(P + C × sets)."""
    group = reduction.group
    n_racks = racks.across.shape[1]
    there = np.zeros((len(group.class_topics), n_racks), dtype=np.int64)
    there[group.class_of, racks.rack_of] = 1  # −1 is the last column: no rack
    from_racks = (group.eligible.astype(np.int64) @ there) > 0
    near = (from_racks.astype(np.int64) @ (~racks.across).T.astype(np.int64)) > 0
    of = slice(None) if reduction.unit_of is None else reduction.unit_of
    forced = group.assignable[of] & ~near[group.partition_class[of], racks.replicas]
    return int(np.count_nonzero(forced))


def _instances(reduction: Reduction, assigned: Index, loads: MemberLoads) -> InstanceFigures | None:
    group, idle = reduction.given, reduction.group.idle
    if not group.names_instances:
        return None
    counts, capacity = member_counts(assigned, group.n_members), loads.capacities.values
    members_of: dict[tuple[bool, str], list[int]] = {}
    for number, member in enumerate(group.members):
        own = member.instance is None
        key = (own, member.id if member.instance is None else member.instance)
        members_of.setdefault(key, []).append(number)
    rows = (
        InstanceRow(
            None if own else name,
            tuple(group.members[m].id for m in some),
            int(counts[some].sum()),
            int(loads.weight[some].sum()) / (float(capacity[some].sum()) * reduction.weight_scale),
            bool(idle[some].all()),
        )
        for (own, name), some in members_of.items()
    )
    return InstanceFigures(tuple(rows))


def _units(reduction: Reduction, assigned: Index) -> UnitFigures | None:
    if reduction.unit_of is None:
        return None
    group, collapsed = reduction.group, reduction.collapse(assigned)
    held = member_counts(collapsed, group.n_members)
    figures = alike(held, group.idle)
    counts = CountFigures(int(figures.max), int(figures.min), group.by_member(held))
    return UnitFigures(int(np.count_nonzero(collapsed != NOBODY)), counts)


def square_figures(reduction: Reduction, assigned: Index, proved: Load) -> tuple[float, float]:
    """Σ count² / capacity over topics and members of an assignment [P] of the given group, and what
    is proved of it, by the capacities as given."""
    unit = whole_capacities(known_capacities(reduction.given))[1]
    reached = topic_squares(reduction.group, reduction.collapse(assigned))
    return float(reached) / unit, float(proved) / unit
