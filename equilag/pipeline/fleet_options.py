"""The settings of a fleet run, checked on construction."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from equilag.domain.errors import InputError
from equilag.domain.group.lag import RESETS
from equilag.pipeline.rules import Rules
from equilag.pipeline.solving import KILL_AFTER
from equilag.pipeline.sources.history import END_OF_TIME
from equilag.pipeline.sources.signals import WEIGHTS
from equilag.planner.worth.thresholds import VerdictLimits


@dataclass(frozen=True, slots=True)
class FleetOptions:
    """All settings of a run. Times are in milliseconds; if `at` is None, the newest sample is used.

    Raises InputError for a setting that is out of range or contradicts another one.
    """

    out: str
    rules: Rules
    offsets: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    racks: tuple[str, ...] = ()
    """Of a history; none where racks are unknown."""
    bootstrap: str | None = None
    """Read a live cluster instead of files."""
    client: dict[str, str] | None = None
    """More settings of the Kafka client."""
    at: int | None = None
    window: int = 3_600_000
    horizon: int = 600_000
    """Of the forecast; that of work is a setting of the policy."""
    stale: int | None = None
    weight: str | None = None
    """What is spread; None for work where the history has rates, else lag."""
    reset: str = "latest"
    tasks: int | None = None
    """Bins of groups; None for some on each core."""
    kill_after: float = KILL_AFTER
    """Seconds beyond twice its time limit after which a group's process is killed."""
    limits: VerdictLimits = field(default_factory=VerdictLimits)

    def __post_init__(self) -> None:
        if self.weight is not None and self.weight not in WEIGHTS:
            problem = f"must be one of {', '.join(WEIGHTS)}, not {self.weight!r}"
            raise InputError(problem, "weight")
        if self.reset not in RESETS:
            problem = f"must be one of {', '.join(RESETS)}, not {self.reset!r}"
            raise InputError(problem, "auto_offset_reset")
        if (self.bootstrap is None) == (not self.offsets or not self.members):
            problem = "either files of offsets and members or a live cluster is required"
            raise InputError(problem, "offsets")
        if self.bootstrap is not None and self.weight not in (None, "lag"):
            raise InputError(
                f"{self.weight} needs a history, as equilag collect records it; a live cluster"
                " gives only one sample",
                "weight",
            )
        if self.at is not None and not 0 <= self.at < END_OF_TIME:
            raise InputError("must be a time from 1970 to 9999", "at")
        for name in ("window", "horizon", "tasks"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise InputError("must be more than 0", name)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as they are written to the summary."""
        default = self.rules.default
        return {
            "offsets": list(self.offsets),
            "members": list(self.members),
            **({"racks": list(self.racks)} if self.racks else {}),
            "bootstrap_server": self.bootstrap,
            "window_s": self.window / 1000,
            "horizon_s": self.horizon / 1000,
            "stale_after_s": None if self.stale is None else self.stale / 1000,
            "weight": self.weight or "work",
            "auto_offset_reset": self.reset,
            "policy": default.policy.to_dict(),
            "effort": default.effort,
            "time_limit_s": default.time_limit,
            "seed": default.seed,
            "limits": self.limits.to_dict(),
            "rules": [rule.pattern.pattern for rule in self.rules.rules],
        }
