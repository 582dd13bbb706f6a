"""The steward's status: its threads write it, the HTTP server reads it."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

STATUS_FORMAT: Final = "equilag/steward-status/1"
PASSIVE_REASON: Final = "a KIP-848 group: the broker assigns its partitions"
"""Why the steward is passive."""
ROLES: Final = ("starting", "dry-run", "leader", "follower", "passive", "unreachable", "stopped")


MAX_WITHOUT_ASSIGNMENT: Final = 10
"""Observations without a complete assignment after which a leader is not healthy: 50 s by default,
in which members with usual settings have long rejoined."""


@dataclass(frozen=True, slots=True)
class StatusFigures:
    """The newest known values; None while a value is unknown.

    The field names are the keys of `/status`.
    """

    group: str = ""
    instance: str = ""
    role: str = "starting"
    role_reason: str = ""
    generation: int = -1
    protocol: str = ""
    members: int = 0
    partitions: int = 0
    unowned_partitions: int = 0
    take_over_waits_for: int = 0
    """Members that a take-over removed and that are not back yet."""
    lag_total: int | None = None
    lag_total_would_be: int | None = None
    """In a dry run: the lag that the group would have, had the plans been handed out."""
    lag_spread: int | None = None
    lag_spread_would_be: int | None = None
    rate_total: float | None = None
    """Records produced per second."""
    utilisation_percent: float | None = None
    """Rate of the group in percent of what its members can read."""
    speeds: Mapping[str, float] = field(default_factory=dict)
    """Member key -> records per second; empty as long as no speed is known."""
    heaviest_percent: float | None = None
    """Load of the heaviest member in percent of a fair share."""
    heaviest_percent_planned: float | None = None
    heaviest_percent_would_be: float | None = None
    relief_possible_percent: float | None = None
    """By how much a perfect plan could relieve a member, in percent of a fair share."""
    relief_planned_percent: float | None = None
    moves_planned: int | None = None
    cooldown_s: float | None = None
    cooldown_left_s: float | None = None
    moves_left: int | None = None
    """Moves that rebalances may still take in this hour."""
    pause_s: float | None = None
    """How long a rebalance pauses partitions."""
    observations_without_assignment: int = 0
    """Consecutive observations in which the group was rebalancing or had unowned partitions."""
    decision: str = ""
    """The kind of reason of the last verdict."""
    verdict: str = ""
    last_assignment: str = ""
    last_fallback_reason: str = ""
    last_observation_age_s: float | None = None
    last_heartbeat_age_s: float | None = None


@dataclass(slots=True)
class StewardStatus:
    """Figures and counters, shared by several threads."""

    observe_every_s: float
    session_s: float
    _figures: StatusFigures = field(default_factory=StatusFigures)
    _counters: Counter[tuple[str, str]] = field(default_factory=Counter)
    _observed_at: float | None = None
    _heartbeat_at: float | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def set(self, **changed: Any) -> None:
        """Change some figures."""
        with self._lock:
            self._figures = replace(self._figures, **changed)

    def count(self, what: str, kind: str = "") -> None:
        """Count one more `what` of a kind, such as an assignment by its origin."""
        with self._lock:
            self._counters[what, kind] += 1

    def observed(self) -> None:
        """The group was observed just now."""
        self._observed_at = time.monotonic()

    def heartbeat_answered(self) -> None:
        """A heartbeat was answered just now."""
        self._heartbeat_at = time.monotonic()

    @property
    def figures(self) -> StatusFigures:
        now = time.monotonic()
        with self._lock:
            return replace(
                self._figures,
                last_observation_age_s=None
                if self._observed_at is None
                else now - self._observed_at,
                last_heartbeat_age_s=None
                if self._heartbeat_at is None
                else now - self._heartbeat_at,
            )

    @property
    def counters(self) -> dict[tuple[str, str], int]:
        with self._lock:
            return dict(self._counters)

    def problem(self) -> str | None:
        """Return why the steward is unhealthy, or None.

        The group counts as unread after four missed observations, and not before a minute.
        """
        shown = self.figures
        if shown.role in ("unreachable", "stopped"):
            return f"{shown.role}: {shown.role_reason}" if shown.role_reason else shown.role
        if shown.last_observation_age_s is None:
            return "the group has not been read yet"
        if shown.last_observation_age_s > max(60.0, 4 * self.observe_every_s):
            return f"the group was last read {shown.last_observation_age_s:.0f} s ago"
        if shown.role in ("leader", "follower") and (
            shown.last_heartbeat_age_s is None or shown.last_heartbeat_age_s > self.session_s
        ):
            return "no heartbeat was answered within the session timeout"
        without = shown.observations_without_assignment
        if shown.role == "leader" and without >= MAX_WITHOUT_ASSIGNMENT:
            return f"the group has no complete assignment in {without} observations"
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return the status as a JSON object: the figures, settings, `counters`,
        `healthy` and `problem`."""
        problem = self.problem()
        counters = {
            f"{what}:{kind}" if kind else what: n for (what, kind), n in self.counters.items()
        }
        return {
            "format": STATUS_FORMAT,
            **asdict(self.figures),
            "settings": {"observe_every_s": self.observe_every_s, "session_s": self.session_s},
            "counters": counters,
            "healthy": problem is None,
            "problem": problem,
        }
