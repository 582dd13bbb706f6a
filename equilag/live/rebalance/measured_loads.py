"""The loads of a live group from what was measured of it."""

from __future__ import annotations

import numpy as np

from equilag.domain.group.group import Floats, Group
from equilag.domain.group.weight import knows_rates
from equilag.domain.policy.policy import Policy
from equilag.live.rebalance.measured import Measured, Rates
from equilag.planner.worth.group_loads import GroupLoads, group_loads


def measured_loads(group: Group, policy: Policy, measured: Measured) -> GroupLoads:
    """Return the loads of a group that was built from `measured`. Raises InputError."""
    errors = _column(group, measured.rate_errors) if measured.rate_errors else None
    return group_loads(group, policy, errors, bool(measured.capacities))


def awaits_rates(group: Group, policy: Policy) -> bool:
    """True if loads depend on rates, and none is known yet."""
    return policy.weight in (None, "work", "rate") and not knows_rates(group)


def _column(group: Group, rows: Rates) -> Floats:
    """[P] a figure of each partition, NaN where it is unknown."""
    column = np.full(group.n_partitions, np.nan)
    for topic, begin, size in zip(
        group.topics, group.topic_start.tolist(), group.topic_size.tolist(), strict=False
    ):
        row = rows.get(topic, ())
        if len(row) == size:
            column[begin : begin + size] = [np.nan if one is None else one for one in row]
    return column
