"""What is spread over a group of another size, and what its members' limit is."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from equilag.domain.columns import Floats
from equilag.domain.group.group import Group
from equilag.domain.group.weight import (
    SAME,
    PartitionWeights,
    filled_rates,
    knows_rates,
    partition_weights,
    weighed_policy,
)
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import WeightKind
from equilag.planner.sizes.size_members import MemberPool
from equilag.planner.sizes.sizing import HotUnit

RATE: Final[WeightKind] = "rate"
WORK: Final[WeightKind] = "work"


def sizing_weight(policy: Policy, group: Group) -> WeightKind:
    """The weight in force: rates where the group knows any, since keeping up is what counts in the
    long run; else what a plan spreads."""
    if policy.weight is None and knows_rates(group):
        return RATE
    return weighed_policy(policy, group).weight or "lag"


def weights_of(group: Group, policy: Policy, kind: WeightKind, horizon: float) -> PartitionWeights:
    """What the partitions of the group weigh. Raises InputError if it does not know."""
    found = partition_weights(group, replace(policy, weight=kind, horizon=horizon))
    return found or PartitionWeights("lag", None, group.lag, 1)


def weighed_pool(pool: MemberPool, weights: PartitionWeights) -> MemberPool:
    """The pool with these weights in place of its lag, so that nothing else is weighed."""
    return replace(pool, group=replace(pool.group, lag=weights.value, rates=None, weights=None))


def is_exact(group: Group, weights: PartitionWeights) -> bool:
    """True if the weights, as integers, are what they stand for: decimals may be rounded."""
    if weights.kind not in (RATE, WORK):
        return True
    ahead = 1.0 if weights.horizon_s is None else weights.horizon_s
    decimals = filled_rates(group).rate * ahead * weights.scale
    return bool((np.abs(decimals - np.rint(decimals)) <= SAME * decimals).all())


def heaviest_unit(planned: Group, weight: Floats, capacity: float | None) -> HotUnit | None:
    """The heaviest unit, the first of several; None where nothing weighs anything."""
    if not weight.any():
        return None
    return _unit(planned, weight, int(np.argmax(weight)), capacity)


def hot_units(planned: Group, rate: Floats, capacity: float) -> tuple[HotUnit, ...]:
    """The units whose rate exceeds a capacity, the largest rate first."""
    hot = np.flatnonzero(rate > capacity)
    hot = hot[np.argsort(-rate[hot], kind="stable")]
    return tuple(_unit(planned, rate, p, capacity) for p in hot.tolist())


def _unit(planned: Group, weight: Floats, unit: int, capacity: float | None) -> HotUnit:
    name = planned.partition_name(unit)
    value = float(weight[unit])
    return HotUnit(*name, value, None if capacity is None else value / capacity)
