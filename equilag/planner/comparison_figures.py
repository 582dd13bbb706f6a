"""What `compare` says of an assignment of an extended group beside the figures of a plain one."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np

from equilag.domain.columns import Index, Ints
from equilag.domain.constraint import CountConstraint, NotMinimal, count_constraint_of
from equilag.domain.group.group import NOBODY, Group
from equilag.domain.plan.broken_rules import broken_rules, unit_counts
from equilag.domain.plan.metrics import count_moves, cross_reads
from equilag.domain.plan.plan import Plan
from equilag.domain.plan.plan_figures import ExtendedFigures
from equilag.domain.policy.objective import Objective


@dataclass(frozen=True, slots=True)
class ExtendedRow:
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


NOTHING_MORE: Final = ExtendedRow()
"""Of a plain group."""


def extended_row(plan: Plan) -> ExtendedRow:
    """The figures of a plan, which may be of any assignment of its group."""
    reduction, found = plan.planned, plan.extended
    if found is None:
        return NOTHING_MORE
    group, broken = reduction.given, broken_rules(reduction, plan.assigned)
    instances = [row.partitions for row in found.instances.active] if found.instances else []
    extended, load = reduction.group.extended, found.load
    by_load = extended.load_divisor is not None
    per_capacity = of_instances = None
    if extended.has_capacities:
        counts, number = unit_counts(reduction, plan.assigned), _instance_numbers(group, found)
        per_capacity = float((counts / extended.capacity).max(initial=0.0)) / extended.capacity_unit
        if instances:
            summed = np.bincount(number, counts) / np.bincount(number, extended.capacity)
            of_instances = float(summed.max()) / extended.capacity_unit
    return ExtendedRow(
        load.max if by_load else None,
        load.spread if by_load else None,
        load.excess if by_load else None,
        per_capacity,
        of_instances,
        max(instances) - min(instances) if instances else None,
        None if found.throughput is None else found.throughput.max,
        None if found.cross_rack is None else found.cross_rack.count,
        len(broken.torn) if group.co_partitioned else None,
        len(broken.misplaced) if group.allowed else None,
        len(broken.overfull) if group.limits_room else None,
    )


def _instance_numbers(group: Group, figures: ExtendedFigures) -> Ints:
    """[M] the instance of each member; 0 where there are none."""
    number = {
        member: row
        for row, one in enumerate(figures.instances.rows if figures.instances else ())
        for member in one.members
    }
    return np.array([number.get(member.id, 0) for member in group.members], dtype=np.int64)


BeyondReason = Literal["counts", "moves", "racks", "partial", "rules"]
"""Why an assignment may be more even than the bound:

- ``counts``: its counts are not as even as the policy's balance asks, by capacity or topic by topic
  where the policy has it so.
- ``moves``: it moves more than the policy's limit, or more than the plan where moves come first.
- ``racks``: it reads more partitions across racks than the policy allows, or than the plan where
  these are to be few.
- ``partial``: it leaves partitions out.
- ``rules``: it breaks rules of the group.
"""


class BoundScope:
    """The assignments that the bound of one plan is about."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._group = plan.planned.group

    def beyond(self, assigned: Index, breaks_rules: bool) -> tuple[BeyondReason, ...]:
        """Why the bound does not hold for an assignment [P]; empty if it does.

        Counts are those of a whole assignment that keeps the rules; of others they say nothing.
        """
        collapsed = self._plan.planned.collapse(assigned)
        partial = bool(((collapsed == NOBODY) & self._group.assignable).any())
        moves = self._moves_more(assigned)
        found: list[BeyondReason] = []
        if not (partial or breaks_rules or self._are_even(collapsed, moves)):
            found.append("counts")
        if moves:
            found.append("moves")
        if self._reads_more(collapsed):
            found.append("racks")
        if partial:
            found.append("partial")
        if breaks_rules:
            found.append("rules")
        return tuple(found)

    @cached_property
    def _counts(self) -> CountConstraint | None:
        """None where the plan itself does not have such counts, as one without a search may not:
        then its bound asks for none."""
        plan = self._plan
        if plan.policy is None:
            return None
        try:
            planned = plan.planned.collapse(plan.assigned)
            return count_constraint_of(self._group, plan.policy, planned)
        except NotMinimal:
            return None

    def _are_even(self, collapsed: Index, moves: bool) -> bool:
        policy = self._plan.policy
        if self._counts is None or policy is None or policy.balance == "none":
            return True
        if moves and policy.pins_owned:
            return True  # what the pinned partitions leave of evenness is no measure for it
        return self._counts.admits(collapsed)

    def _moves_more(self, assigned: Index) -> bool:
        plan = self._plan
        if plan.policy is None:
            return False
        objective, moves = Objective.of(plan.policy, self._group), count_moves(plan.group, assigned)
        if objective.unit is None:
            limit = objective.move_limit(count_moves(plan.group, plan.assigned))
            return limit is not None and moves > limit
        limit, most = objective.move_limit(plan.moves_price), plan.policy.max_moves
        price = count_moves(self._group, plan.planned.collapse(assigned))
        return (limit is not None and price > limit) or (most is not None and moves > most)

    def _reads_more(self, collapsed: Index) -> bool:
        plan = self._plan
        if plan.policy is None or not self._group.extended.has_racks:
            return False
        limit = plan.policy.max_cross_rack
        if plan.policy.rack_aware:
            limit = cross_reads(self._group, plan.planned.collapse(plan.assigned))
        return limit is not None and cross_reads(self._group, collapsed) > limit
