"""What a user of the steward can choose."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from equilag.domain.policy.policy import Policy
from equilag.live.rebalance.assignments import BUILT_IN
from equilag.live.rebalance.decision import PlanSettings
from equilag.live.rebalance.fitting_policy import check_rules
from equilag.live.rebalance.kept_together import CoPartitionMode
from equilag.live.rebalance.live_policy import live_policy
from equilag.planner.sizes.scaling import ScaleSettings
from equilag.planner.worth.thresholds import VerdictLimits

PLAN_EFFORT: Final = 1.0
"""Counted work of a plan that is made in advance, in seconds of one core: rates are known to some
per cent, and a group with an uneven load waits for the plan."""
QUICK_EFFORT: Final = 0.1
"""The same for the smallest group, and for ten partitions more. With 24 partitions plans net 0.1 %
less than with `PLAN_EFFORT`, and are there after a quarter of the time."""


@dataclass(frozen=True, slots=True)
class StewardOptions:
    """What a user of the steward can choose; times in seconds. Raises InputError."""

    group: str
    instance: str = "equilag-steward"
    protocols: tuple[str, ...] = BUILT_IN
    policy: Policy = field(default_factory=live_policy)
    limits: VerdictLimits = field(default_factory=VerdictLimits)
    """When to rebalance, and from where on something else is wrong."""
    scale: ScaleSettings = field(default_factory=ScaleSettings)
    """How many processes it says that the group needs."""
    threads: int | None = None
    """Of a process."""
    session: float = 20.0
    observe_every: float = 5.0
    plan_limit: float = 5.0
    """For a plan that is made in advance."""
    rebalance_limit: float = 1.0
    """For a plan that the whole group waits for."""
    seed: int = 0
    reset: str = "latest"
    isolation: str = "read_uncommitted"
    co_partition: CoPartitionMode = "auto"
    """What else than the topics that the policy names is kept together."""
    state_file: Path | None = None
    """Keeps rates and speeds over restarts."""
    dry_run: bool = False
    take_over: bool = False
    take_over_wait: float = 300.0
    """How long a removed member may take to come back before others get what it held. Kafka's
    default max.poll.interval.ms: for so long a member may process one batch."""
    keep_membership: bool = False
    """At the end stay a member: after a restart within the session the steward still leads."""

    plan_key: bytes = field(default=b"", repr=False)
    """With which plans for KIP-848 groups are signed, empty for none."""
    convert: bool = False
    """Lead a classic group by carriers, too: with the first one brokers convert it to KIP-848."""
    outvote: bool = False
    """Lead a KIP-848 group whose members name another assignor, with a carrier more than they
    are."""

    def __post_init__(self) -> None:
        check_rules(self.policy)

    def in_advance(self, partitions: int) -> PlanSettings:
        """Settings of a plan for so many partitions that nobody waits for."""
        effort = min(PLAN_EFFORT, QUICK_EFFORT * (1 + partitions / 10))
        return PlanSettings(self.policy, self.plan_limit, self.seed, effort=effort)

    @property
    def in_rebalance(self) -> PlanSettings:
        """Settings of a plan that the group waits for: at most a quarter of the session, in which
        the steward must also read the lag and answer the coordinator."""
        return PlanSettings(self.policy, min(self.rebalance_limit, self.session / 4), self.seed)

    @property
    def lag_age(self) -> float:
        """The age up to which an observed lag is good enough to plan with: three observations,
        because one or two may fail, and at least 30 s."""
        return max(30.0, 3 * self.observe_every)
