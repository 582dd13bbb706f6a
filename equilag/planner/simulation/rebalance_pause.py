"""What stands still in a rebalance."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

import numpy as np

from equilag.domain.columns import NOBODY
from equilag.planner.simulation.fluid_run import Schedule
from equilag.planner.simulation.fluid_state import Conditions

RebalanceProtocol: TypeAlias = Literal["eager", "cooperative"]
PROTOCOLS: Final[tuple[RebalanceProtocol, ...]] = get_args(RebalanceProtocol)


def during_rebalance(
    before: Conditions, after: Conditions, protocol: RebalanceProtocol
) -> Conditions:
    """What holds in a rebalance, with the rates and capacities of `after`.

    Eager members give up everything before it, so nobody reads. Cooperative members give up only
    what goes to another one: that is read by nobody, the rest by its owner. What had no owner is
    not read until the end.
    """
    if protocol == "eager":
        return after._replace(capacity=np.zeros_like(after.capacity))
    stays = before.owner == after.owner
    return after._replace(owner=np.where(stays, after.owner, NOBODY).astype(np.int32))


def rebalanced(
    before: Conditions,
    after: Conditions,
    pause: float,
    protocol: RebalanceProtocol,
    at: float = 0.0,
) -> Schedule:
    """A rebalance `at` some time: it takes `pause` seconds, then `after` holds. Without a partition
    that changes hands there is none."""
    if pause == 0 or np.array_equal(before.owner, after.owner):
        return [(at, after)]
    return [(at, during_rebalance(before, after, protocol)), (at + pause, after)]
