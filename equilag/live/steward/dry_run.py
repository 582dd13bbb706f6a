"""A dry run: the group as it would be if the steward had handed out its plans.

Its assignment is that of the plans. Its lag is computed by the fluid model of `planner.simulation`:
rates as measured, members as fast as measured, and no pauses for rebalances.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from equilag.domain.group.group import Index, Ints
from equilag.domain.group.weight import filled_rates
from equilag.domain.plan.assignment import read_assignment
from equilag.domain.plan.metrics import member_loads, spread
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import known_capacities
from equilag.live.rebalance.joined_members import MemberAssignments
from equilag.live.rebalance.measured import measured_loads
from equilag.live.steward.observer import Observation
from equilag.planner.simulation.fluid import Conditions, FluidState
from equilag.planner.worth.gain import heaviest_percent
from equilag.planner.worth.group_loads import GroupLoads


class DryRun:
    """Follows one group from observation to observation.

    It begins anew with the group as it is when a plan no longer fits: members came or went.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._assignment: MemberAssignments | None = None
        """By member id; None as long as no plan would have been handed out."""
        self._lag: FluidState | None = None
        self._at = 0.0

    def adopt(self, plan: Plan) -> None:
        """A plan would have been handed out."""
        self._assignment = plan.assignment

    def loads(self, observation: Observation) -> GroupLoads:
        """Return the loads of the group as it would be now."""
        group = observation.group
        owner = None
        if self._assignment is not None:
            owner = read_assignment(group, self._assignment, [])
        if owner is None:
            self._assignment = self._lag = None
            return observation.loads
        lag = self._lag_now(observation, owner)
        would_be = replace(group, owner=owner, lag=lag)
        return measured_loads(would_be, self._policy, observation.measured)

    def _lag_now(self, observation: Observation, owner: Index) -> Ints:
        """[P] the lag that the group would have, in records; as it is where speeds are unknown."""
        group = observation.group
        rate, seconds = filled_rates(group).rate, observation.at - self._at
        self._at = observation.at
        if not observation.measured.capacities:
            self._lag = None
            return group.lag
        if self._lag is None or len(self._lag.lag) != group.n_partitions:
            self._lag = FluidState.start(group.lag.astype(np.float64), rate)
            return group.lag
        capacity = np.array(known_capacities(group))
        self._lag = self._lag.after(seconds, Conditions(rate, capacity, owner))
        return np.rint(self._lag.lag).astype(np.int64)

    def figures(self, loads: GroupLoads) -> dict[str, Any]:
        """Return what would be, for the status; nothing as long as no plan would have been handed
        out."""
        if self._assignment is None:
            return {}
        group = loads.group
        by_member = member_loads(group.owner, group.lag, group.n_members)
        return {
            "heaviest_percent_would_be": round(heaviest_percent(loads, group.owner), 1),
            "lag_total_would_be": None if self._lag is None else int(group.lag.sum()),
            "lag_spread_would_be": spread(by_member, group.idle),
        }
