"""The figures of a plan of an extended group, from its assignment alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equilag.domain.columns import NOBODY, Flags, Index, Ints
from equilag.domain.group.extended_columns import load_factors
from equilag.domain.group.group import Group
from equilag.domain.group.throughput import throughput
from equilag.domain.plan.metrics import (
    FairLoad,
    MemberFigures,
    count_figures,
    excess,
    load_divisor,
    member_counts,
    member_loads,
)
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
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import Reduction, known_capacities, whole_capacities
from equilag.domain.reduction.split_classes import RackReads


class ProvedBounds(NamedTuple):
    """What is proved of a plan's figures; loads as they are compared in the reduced group."""

    spread: int = 0
    excess: int = 0
    cross_rack: int = 0
    """Partitions that are read across racks at least."""


class LoadScale(NamedTuple):
    """How the members' loads are made comparable."""

    capacity: Ints
    """[M] whole numbers."""
    unit: float
    """What a capacity of 1 stands for."""
    factor: Ints
    """[M] a load times this is a scaled load."""
    scale: int
    """Scaled load of one unit of weight per capacity of 1, where weights have no decimals."""
    weight_scale: int
    """This much weight is one unit."""
    is_of_bounds: bool
    """True if the bounds on loads are scaled like this."""

    @property
    def equal_capacities(self) -> bool:
        """True if all members have the same capacity."""
        return len(self.capacity) == 0 or bool((self.capacity == self.capacity[0]).all())

    def mean_capacity(self, active: Flags) -> float:
        """Of the members [M] that `active` names."""
        return float(self.capacity[active].mean()) * self.unit if active.any() else 1.0

    @property
    def divisor(self) -> float:
        """Scaled load of one unit of weight per unit of capacity."""
        return self.scale * self.unit * self.weight_scale

    @staticmethod
    def of(reduction: Reduction) -> LoadScale:
        """As in the reduced group; without one from the members, as for an assignor's plan."""
        extended = reduction.group.extended
        if extended is not None:
            return LoadScale(
                extended.capacity,
                extended.capacity_unit,
                extended.load_factor,
                extended.load_scale,
                reduction.weight_scale,
                True,
            )
        capacity, unit = whole_capacities(known_capacities(reduction.given))
        factor, scale = load_factors(capacity, int(reduction.given.lag.sum()))
        return LoadScale(capacity, unit, factor, scale, 1, bool((factor == 1).all()))


def loads_differ(reduction: Reduction, policy: Policy | None) -> bool:
    """True if the loads of a plan are weight per unit of capacity, and not lag."""
    if policy is None:  # heuristics know no capacities, and no group is reduced for them
        return not LoadScale.of(reduction).equal_capacities
    return load_divisor(reduction.group) is not None


def is_extended(group: Group) -> bool:
    """True if the group has a field that a plain one has not."""
    if group.allowed or group.co_partitioned:
        return True
    return group.members is not group.alike and any(
        m.capacity is not None or m.max_partitions is not None or m.instance is not None
        for m in group.members
    )


def extended_figures(
    reduction: Reduction, assigned: Index, proved: ProvedBounds
) -> ExtendedFigures | None:
    """The figures of an assignment [P] of the given group; None for a plain group whose racks
    are not known. O(P)."""
    group = reduction.given
    racks = RackReads.of(group)
    if racks is None and not is_extended(group) and reduction.weights is None:
        return None
    scale, idle = LoadScale.of(reduction), reduction.group.idle
    loads = member_loads(assigned, reduction.partition_weight, group.n_members)
    return ExtendedFigures(
        _load(group, scale, loads, idle, proved),
        LAG_WEIGHT if reduction.weights is None else reduction.weights.to_dict(),
        throughput(reduction, assigned),
        _cross_rack(reduction, racks, assigned, proved.cross_rack),
        _instances(group, scale, assigned, loads, idle),
        _units(reduction, assigned),
    )


def _load(
    group: Group, scale: LoadScale, loads: Ints, idle: Flags, proved: ProvedBounds
) -> LoadFigures:
    scaled, unit = loads * scale.factor, scale.divisor
    figures = MemberFigures.of(scaled, idle)
    capacity = int(scale.capacity[~idle].sum())
    fair = FairLoad(int(loads[~idle].sum()) * scale.scale, max(1, capacity))
    bounds = proved if scale.is_of_bounds else ProvedBounds()
    mean, gap = fair.numerator / fair.denominator, figures.spread - bounds.spread
    return LoadFigures(
        max=figures.max / unit,
        min=figures.min / unit,
        spread=figures.spread / unit,
        mean=mean / unit,
        spread_lower_bound=bounds.spread / unit,
        gap=gap / unit,
        gap_percent_of_mean=100.0 * gap / mean if mean else 0.0,
        excess=excess(scaled[~idle], fair) / unit,
        excess_lower_bound=bounds.excess / unit,
        by_member=group.by_member(scaled / unit),
    )


def _cross_rack(
    reduction: Reduction, racks: RackReads | None, assigned: Index, proved: int
) -> CrossRackFigures | None:
    if racks is None:
        return None
    return CrossRackFigures(racks.count(assigned), max(proved, forced_reads(reduction, racks)))


def forced_reads(reduction: Reduction, racks: RackReads) -> int:
    """Partitions that every member that may take them reads across racks. O(P + C × sets)."""
    group = reduction.group
    n_racks = racks.across.shape[1]
    there = np.zeros((len(group.class_topics), n_racks), dtype=np.int64)
    there[group.class_of, racks.rack_of] = 1  # −1 is the last column: no rack
    from_racks = (group.eligible.astype(np.int64) @ there) > 0
    near = (from_racks.astype(np.int64) @ (~racks.across).T.astype(np.int64)) > 0
    unit_of = reduction.unit_of
    planned = group.partition_class if unit_of is None else group.partition_class[unit_of]
    held = group.assignable if unit_of is None else group.assignable[unit_of]
    forced: Flags = held & ~near[planned, racks.replicas]
    return int(np.count_nonzero(forced))


def _instances(
    group: Group, scale: LoadScale, assigned: Index, loads: Ints, idle: Flags
) -> InstanceFigures | None:
    if all(member.instance is None for member in group.members):
        return None
    counts = member_counts(assigned, group.n_members)
    members_of: dict[tuple[bool, str], list[int]] = {}
    for number, member in enumerate(group.members):
        own = member.instance is None
        key = (own, member.id if member.instance is None else member.instance)
        members_of.setdefault(key, []).append(number)
    rows: list[InstanceRow] = []
    for (own, name), numbers in members_of.items():
        capacity = int(scale.capacity[numbers].sum()) * scale.unit
        rows.append(
            InstanceRow(
                None if own else name,
                tuple(group.members[m].id for m in numbers),
                int(counts[numbers].sum()),
                int(loads[numbers].sum()) / (capacity * scale.weight_scale),
                bool(idle[numbers].all()),
            )
        )
    return InstanceFigures(tuple(rows))


def _units(reduction: Reduction, assigned: Index) -> UnitFigures | None:
    if reduction.unit_of is None:
        return None
    group, collapsed = reduction.group, reduction.collapse(assigned)
    figures = count_figures(group, collapsed)
    counts = CountFigures(figures.max, figures.min, group.by_member(figures.by_member))
    return UnitFigures(int(np.count_nonzero(collapsed != NOBODY)), counts)
