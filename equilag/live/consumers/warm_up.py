"""Loading what plans need before a group waits for one."""

from __future__ import annotations

from equilag.live.rebalance.decision import PlanSettings
from equilag.live.rebalance.joined_members import JoinedMember, group_of
from equilag.live.rebalance.measured import Measured
from equilag.live.rebalance.rebalance_answer import sticky_decision


def warm_up() -> None:
    """Plan a tiny group: the first plan by load imports libraries, which takes 0.2 to 1 s."""
    import equilag.solver.cpsat.model  # noqa: F401

    members = [JoinedMember(name, ("t",)) for name in ("a", "b", "c")]
    lags = Measured({"t": [9, 8, 5, 3, 2, 1]})
    sticky_decision(group_of("", members, {"t": 6}, lags), PlanSettings(time_limit=1.0))
