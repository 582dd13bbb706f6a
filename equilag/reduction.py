"""The reduced group: what is planned in place of a group with capacities, racks, units or pins.

Its partitions are units (the partitions of co-partitioned topics with one number), its classes are
split by who may take a unit and by racks. Everybody who plans or proves works on it, and a plan of
it is expanded at the end. An ordinary group is its own reduced group.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from equilag.errors import InputError
from equilag.group import NOBODY, Flags, Group, Index, Ints
from equilag.partition_classes import PartitionClasses
from equilag.policy import Policy
from equilag.rack_reads import RackReads
from equilag.real_columns import NO_LIMIT, RealColumns, Stakes
from equilag.units import Units, units_of


@dataclass(frozen=True, eq=False, slots=True)
class Reduction:
    """A group, and what is planned in its place."""

    given: Group
    """As it was read, with the overrides of the policy."""
    group: Group
    """What is planned; the same object where nothing has to be reduced."""
    unit_of: Ints | None = None
    """[P] the unit of each partition of `given`; None where each is its own, with its number."""

    def expand(self, assigned: Index) -> Index:
        """[P] the assignment of partitions for one of units."""
        return assigned if self.unit_of is None else assigned[self.unit_of]

    def collapse(self, assigned: Index) -> Index:
        """[units] the member of each unit's first partition, for an assignment [P]."""
        if self.unit_of is None:
            return assigned
        collapsed = np.full(self.group.n_partitions, NOBODY, dtype=np.int32)
        collapsed[self.unit_of[::-1]] = assigned[::-1]
        return collapsed


def reduce_group(group: Group, policy: Policy) -> Reduction:
    """Make the reduced group. Raises InputError for what no plan can meet."""
    racks = RackReads.of(group) if policy.minds_racks else None
    if not _is_real(group) and racks is None:
        return Reduction(group, group)
    units = units_of(group)
    classes = _classes(units.group, units, group, racks)
    owners = _owners(units, group, classes)
    real = RealColumns(
        *member_capacities(group),
        ...
    )


class _Classes(NamedTuple):
    of_unit: Index
    eligible: Flags
    class_of: Index
    class_topics: tuple[Index, ...]
    cross: Ints | None
