"""What a leader plans with: the load of its group, or why nothing can be planned by load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from equilag.domain.policy.policy import Policy
from equilag.live.consumers.lag_source import Sizes
from equilag.live.consumers.late_decision import describe_error
from equilag.live.consumers.leader_state import LastAnswer
from equilag.live.consumers.load_source import LoadSource
from equilag.live.consumers.verdict_log import VerdictLog
from equilag.live.rebalance.fitting_policy import with_capacities
from equilag.live.rebalance.joined_members import JoinedMember, group_of, member_key
from equilag.live.rebalance.measured import Measured, Racks, too_few_lags, with_size
from equilag.live.rebalance.measured_loads import awaits_rates, measured_loads
from equilag.planner.worth.group_loads import GroupLoads


class LeaderLoad:
    """Measurements of one group from `source`. Lags older than `max_age` s count as unknown."""

    def __init__(
        self, name: str, source: LoadSource, policy: Policy, max_age: float, report: VerdictLog
    ) -> None:
        self._name = name
        self._source = source
        self.policy = policy
        self._max_age = max_age
        self._report = report

    def measured(
        self, members: Sequence[JoinedMember], sizes: Sizes, racks: Racks | None
    ) -> tuple[Measured, str | None]:
        """Return what is known; and why nothing is to be planned by it, if so. Never raises."""
        nothing = Measured(racks=racks)
        try:
            found = self._source.measured(sizes, [member_key(one) for one in members if one.topics])
        except Exception as error:  # noqa: BLE001  the user's own code
            self._report.failure(error)
            return nothing, f"the lag source failed: {describe_error(error)}"
        if found is None:
            return nothing, "no lag has been measured yet"
        if found.age > self._max_age:
            return nothing, f"the newest lags are {found.age:.0f} s old"
        try:
            reason = too_few_lags(with_size(found.lags, sizes))
        except Exception as error:  # noqa: BLE001  the user's lags may be anything
            return nothing, f"the lags cannot be used: {describe_error(error)}"
        rates = (rate for row in found.rates.values() for rate in row)
        if reason is not None and any(rate is not None for rate in rates):
            # Rates alone tell more than lags that would count as 0 for some partitions.
            found, reason = replace(found, lags={}), None
        if self.policy.overrides.capacity:  # they may be in any unit
            found = replace(found, capacities={})
        return replace(found, racks=racks), reason

    def loads(self, last: LastAnswer, measured: Measured) -> GroupLoads:
        """Return the loads of the group with what was handed out. Raises InputError."""
        settled = [
            replace(one, claims=last.held[member_key(one)], hints={}, generation=-1)
            for one in last.members
        ]
        group = group_of(self._name, settled, last.sizes, measured)
        return measured_loads(with_capacities(group, self.policy), self.policy, measured)

    def awaits_rates(self, loads: GroupLoads) -> bool:
        """True if plans are to wait until rates are known."""
        return self._source.tells_rates and awaits_rates(loads.group, self.policy)
