"""How many partitions break the rules of a policy: pins, co-partitioned topics, room."""

from __future__ import annotations

from equilag.domain.errors import InputError
from equilag.domain.group.group import Group, Index
from equilag.domain.plan.broken_rules import broken_rules
from equilag.domain.policy.override_settings import NO_OVERRIDES
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.shape import shape_group
from equilag.domain.reduction.reduce import Reduction, reduce_group
from equilag.live.rebalance.fitting_policy import fitting_policy


def count_broken(group: Group, policy: Policy, assigned: Index) -> int:
    """Return the number of partitions that break rules in an assignment [P].

    A partition number of co-partitioned topics counts once. What the group cannot keep of the
    policy now is no rule.
    """
    if policy.overrides == NO_OVERRIDES:
        return 0
    try:
        reduction = _reduction(group, policy)
    except InputError as error:
        reduction = _reduction(group, fitting_policy(group, policy, error).policy)
    torn, misplaced, overfull = broken_rules(reduction, assigned)
    members = reduction.given.members
    beyond = sum(units - (members[m].max_partitions or 0) for m, units in overfull)
    return len(torn) + len(misplaced) + beyond


def _reduction(group: Group, policy: Policy) -> Reduction:
    """The group as these rules make it. Raises InputError."""
    return reduce_group(shape_group(group, policy.overrides), Policy(overrides=policy.overrides))
