"""What a user of the steward can choose."""

from __future__ import annotations

from dataclasses import dataclass, field

from equilag.live.rebalance.decision import PlanSettings
from equilag.live.rebalance.gain import Thresholds
from equilag.live.steward.assignments import BUILT_IN
from equilag.policy import Policy


@dataclass(frozen=True, slots=True)
class StewardOptions:
    """What a user can choose; times in seconds."""

    group: str
    instance: str = "equilag-steward"
    protocols: tuple[str, ...] = BUILT_IN
    policy: Policy = field(default_factory=lambda: Policy.of("lag-aware", tolerance=5.0))
    thresholds: Thresholds = field(default_factory=Thresholds)
    session: float = 10.0
    observe_every: float = 10.0
    plan_limit: float = 5.0
    """For a plan made ahead of time."""
    rebalance_limit: float = 1.0
    """For a plan that the whole group waits for."""
    seed: int = 0
    reset: str = "latest"
    isolation: str = "read_uncommitted"
    dry_run: bool = False
    take_over: bool = False
    keep_membership: bool = False
    """Told to end, stay a member: whoever comes back within the session still leads."""

    @property
    def in_advance(self) -> PlanSettings:
        return PlanSettings(self.policy, self.plan_limit, self.seed)

    @property
    def in_rebalance(self) -> PlanSettings:
        return PlanSettings(self.policy, min(self.rebalance_limit, self.session / 4), self.seed)

    @property
    def lag_age(self) -> float:
        """How old a lag may be to plan with."""
        return max(30.0, 3 * self.observe_every)
