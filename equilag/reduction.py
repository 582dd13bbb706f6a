"""The reduced group: what is planned in place of a group with capacities, racks, units or pins.

Its partitions are units (the partitions of co-partitioned topics with one number), its classes are
split by who may take a unit and by racks. Everybody who plans or proves works on it, and a plan of
it is expanded at the end. An ordinary group is its own reduced group.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equilag.group import NOBODY, Group, Index, Ints
from equilag.policy import Policy


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
    return Reduction(group, group)
