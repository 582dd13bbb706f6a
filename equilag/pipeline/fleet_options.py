"""What a run is asked to do; checked when it is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from equilag.errors import InputError
from equilag.pipeline.rules import Rules
from equilag.pipeline.signals import WEIGHTS
from equilag.pipeline.solving import KILL_AFTER, TASKS
from equilag.pipeline.tables import END_OF_TIME

RESETS: Final = ("earliest", "latest", "none")


@dataclass(frozen=True, slots=True)
class FleetOptions:
    """All settings of a run. Times are in milliseconds; `at` None is the newest sample."""

    out: str
    rules: Rules
    offsets: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    bootstrap: str | None = None
    """Read a live cluster instead of files."""
    client: dict[str, str] | None = None
    """Further settings of the Kafka client."""
    at: int | None = None
    window: int = 3_600_000
    horizon: int = 600_000
    stale: int | None = None
    weight: str = "lag"
    reset: str = "latest"
    tasks: int = TASKS
    kill_after: float = KILL_AFTER
    """Seconds past twice its time limit after which a group's process is killed."""

    def __post_init__(self) -> None:
        if self.weight not in WEIGHTS:
            raise InputError(f"{self.weight!r} is none of {', '.join(WEIGHTS)}", "weight")
        if self.reset not in RESETS:
            raise InputError(f"{self.reset!r} is none of {', '.join(RESETS)}", "auto_offset_reset")
        if (self.bootstrap is None) == (not self.offsets or not self.members):
            raise InputError("there must be files of offsets and members, or a cluster", "offsets")
        if self.bootstrap is not None and self.weight != "lag":
            raise InputError(
                f"{self.weight} needs a history, as equilag collect records it: of a live cluster"
                " there is one sample",
                "weight",
            )
        if self.at is not None and not 0 <= self.at < END_OF_TIME:
            raise InputError("is no time from 1970 to 9999", "at")
        for name in ("window", "horizon", "tasks"):
            if getattr(self, name) <= 0:
                raise InputError("must be more than 0", name)

    def to_dict(self) -> dict[str, Any]:
        """What the summary says of a run's settings."""
        default = self.rules.default
        return {
            "offsets": list(self.offsets),
            "members": list(self.members),
            "bootstrap_server": self.bootstrap,
            "window_s": self.window / 1000,
            "horizon_s": self.horizon / 1000,
            "stale_after_s": None if self.stale is None else self.stale / 1000,
            "weight": self.weight,
            "auto_offset_reset": self.reset,
            "policy": default.policy.to_dict(),
            "effort": default.effort,
            "time_limit_s": default.time_limit,
            "seed": default.seed,
            "rules": [rule.pattern.pattern for rule in self.rules.rules],
        }
