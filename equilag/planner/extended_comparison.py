"""What `compare` says of an assignment of an extended group beside the figures of a plain one."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from equilag.domain.columns import Index, Ints
from equilag.domain.group.group import Group
from equilag.domain.plan.broken_rules import broken_rules, unit_counts
from equilag.domain.plan.extended_figures import ProvedBounds, real_figures
from equilag.domain.plan.metrics import load_divisor, load_factor
from equilag.domain.plan.plan import Plan
from equilag.domain.plan.plan_figures import RealFigures


@dataclass(frozen=True, slots=True)
class RealRow:
    """Figures of one assignment; None where the group has nothing that they are about."""

    load_max: float | None = None
    """The loads are per unit of capacity; where capacities differ."""
    load_spread: float | None = None
    load_excess: float | None = None
    count_per_capacity: float | None = None
    """Most partitions of a member per unit of capacity, or units where topics are co-partitioned;
    where capacities differ."""
    instance_count_per_capacity: float | None = None
    """The same of an instance."""
    instance_count_spread: int | None = None
    busiest: float | None = None
    """Largest rate / capacity of a member; where loads are of rates or work and both are known."""
    cross_rack: int | None = None
    """Partitions that are read across racks."""
    torn_units: int | None = None
    """Units of co-partitioned topics that are with several members."""
    misplaced: int | None = None
    """Partitions with members that may not take them."""
    overfull: int | None = None
    """Members with more than their room."""

    @property
    def breaks_rules(self) -> bool:
        return bool(self.torn_units or self.misplaced or self.overfull)

    def to_dict(self) -> dict[str, Any]:
        """The figures that there are."""
        return {name: value for name, value in asdict(self).items() if value is not None}


NOTHING_MORE: Final = RealRow()
"""Of a group that is no real one."""


def real_row(plan: Plan, assigned: Index) -> RealRow:
    """The figures of an assignment [P] of the group that `plan` is for."""
    reduction, group = plan.planned, plan.group
    found = real_figures(reduction, assigned, ProvedBounds())
    if found is None:
        return NOTHING_MORE
    broken = broken_rules(reduction, assigned)
    instances = [row.partitions for row in found.instances.active] if found.instances else []
    real, divisor = reduction.group.real, load_divisor(reduction.group)
    per_capacity = of_instances = None
    if real is not None and load_factor(reduction.group) is not None:
        counts, number = unit_counts(reduction, assigned), _instance_numbers(group, found)
        per_capacity = float((counts / real.capacity).max(initial=0.0)) / real.capacity_unit
        if instances:
            summed = np.bincount(number, counts) / np.bincount(number, real.capacity)
            of_instances = float(summed.max()) / real.capacity_unit
    limited = any(member.max_partitions is not None for member in group.members)
    return RealRow(
        None if divisor is None else found.load.max,
        None if divisor is None else found.load.spread,
        None if divisor is None else found.load.excess,
        per_capacity,
        of_instances,
        max(instances) - min(instances) if instances else None,
        None if found.throughput is None else found.throughput.max,
        None if found.cross_rack is None else found.cross_rack.count,
        len(broken.torn) if group.co_partitioned else None,
        len(broken.misplaced) if group.allowed else None,
        len(broken.overfull) if limited else None,
    )


def _instance_numbers(group: Group, figures: RealFigures) -> Ints:
    """[M] the instance of each member; 0 where there are none."""
    number = {
        member: row
        for row, one in enumerate(figures.instances.rows if figures.instances else ())
        for member in one.members
    }
    return np.array([number.get(member.id, 0) for member in group.members], dtype=np.int64)
