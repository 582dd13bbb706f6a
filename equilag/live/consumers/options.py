"""The options of an assignor."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from equilag.domain.errors import InputError, whole_number
from equilag.domain.policy.policy import Policy
from equilag.live.consumers.lag_source import Lag, LiveLag, checked
from equilag.live.rebalance.fitting_policy import check_rules
from equilag.live.rebalance.kept_together import CO_PARTITION_MODES, CoPartitionMode
from equilag.live.rebalance.live_policy import live_policy
from equilag.planner.solving.run_settings import checked_seconds
from equilag.planner.worth.thresholds import Thresholds

MAX_TIME_LIMIT_S: Final = 1.0
"""Default planning time: the whole group waits for the plan."""
SESSION_SHARE: Final = 10
"""The default planning time is at most this part of the session timeout: heartbeats of aiokafka
wait for a plan, and a leader without heartbeats is expelled."""


@dataclass(frozen=True, slots=True)
class AssignorOptions:
    """The options of an assignor; times are in seconds. Raises InputError."""

    policy: Policy | str = "lag-aware"
    """A name stands for this policy with the defaults of live groups, see `live_policy`."""
    time_limit: float | None = None
    """For a plan that the group waits for, and the work of one in advance; None: 1 s, or a tenth of
    the session timeout if that is less."""
    seed: int = 0
    lag: Lag = field(default_factory=LiveLag)
    max_lag_age: float = 120.0
    """Older lags count as unknown."""
    rejoin: Thresholds | None = field(default_factory=Thresholds)
    """When the leader requests a rebalance; None: never."""
    loop_limit: float = 0.1
    """How long a plan may block the event loop (aiokafka)."""
    co_partition: CoPartitionMode = "auto"
    """`auto`: topics that seem to be co-partitioned are kept together; `none`: only those that the
    policy names."""
    rack: str | None = None
    """This member's own rack, for policies that mind racks; assignors do not see `client_rack`."""

    def __post_init__(self) -> None:
        lag = checked(self.lag)
        policy = self.planning_policy
        check_rules(policy)
        if policy.weight in ("rate", "work") and not isinstance(lag, LiveLag):
            problem = f"this lag source has no rates, which {policy.weight} needs; LiveLag has"
            raise InputError(problem, "policy.weight")
        if policy.instances == "host":
            problem = "an assignor does not know hosts; use client-id, or the steward"
            raise InputError(problem, "policy.instances")
        if self.co_partition not in CO_PARTITION_MODES:
            modes = ", ".join(CO_PARTITION_MODES)
            raise InputError(f"{self.co_partition!r} is none of {modes}", "co_partition")
        if self.rack is not None and (not isinstance(self.rack, str) or not self.rack):
            raise InputError(f"{self.rack!r} is no rack", "rack")
        for name in ("time_limit", "max_lag_age", "loop_limit"):
            if name != "time_limit" or self.time_limit is not None:
                checked_seconds(getattr(self, name), name)
        whole_number(self.seed, "seed")
        if self.rejoin is not None and not isinstance(self.rejoin, Thresholds):
            raise InputError(f"{self.rejoin!r} is neither a Thresholds nor None", "rejoin")

    @property
    def planning_policy(self) -> Policy:
        """The policy that plans are made by: by lag where the user's own source tells only that."""
        policy = self.policy if isinstance(self.policy, Policy) else live_policy(self.policy)
        if policy.weight is None and not isinstance(self.lag, LiveLag):
            return policy.with_weight("lag")
        return policy

    def limit(self, session: float | None) -> float:
        """Return the planning time in a group with this session timeout, in seconds."""
        if self.time_limit is not None:
            return self.time_limit
        return (
            MAX_TIME_LIMIT_S if session is None else min(MAX_TIME_LIMIT_S, session / SESSION_SHARE)
        )
