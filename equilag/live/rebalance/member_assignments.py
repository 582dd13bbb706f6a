"""What each member gets in one rebalance on the way to an assignment."""

from __future__ import annotations

import numpy as np

from equilag.domain.group.group import Group, Index
from equilag.domain.plan.assignment import by_name
from equilag.domain.plan.metrics import is_valid
from equilag.domain.plan.phases import first_phase

MemberAssignments = dict[str, dict[str, list[int]]]
"""Member id -> topic -> partition numbers; every member has an entry."""


def assignments_now(group: Group, assigned: Index, cooperative: bool) -> MemberAssignments:
    """Return what each member gets in this rebalance, on the way to `assigned` [P].

    In a cooperative group a partition that another member still claims is withheld; in an eager
    one all members have released everything. Raises ValueError if `assigned` is not a valid
    assignment of the group.
    """
    if not is_valid(group, assigned):
        raise ValueError("not every partition is assigned to exactly one of its subscribers")
    return by_name(group, first_phase(group, assigned) if cooperative else assigned)


def count_withheld(group: Group, assignments: MemberAssignments) -> int:
    """Return the number of partitions that wait for their old member to release them."""
    given = sum(len(numbers) for topics in assignments.values() for numbers in topics.values())
    return int(np.count_nonzero(group.assignable)) - given
