"""The steward's status: its threads write it, the HTTP server reads it as facts."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final, get_args

from equilag import __version__
from equilag.report.facts.stewards.steward import Role, StewardFacts, steward_headline
from equilag.report.facts.stewards.steward_parts import (
    StewardDecision,
    StewardEvent,
    StewardHistory,
    StewardSettings,
)

SPAN_S: Final = 3600.0
"""How far back the live page shows the course of a group."""
MAX_POINTS: Final = 720
"""Points in that time: one per observation with the default interval of 5 s, and more than a chart
has pixels for."""
MAX_REBALANCES: Final = 240
"""Rebalances in that time: one in 15 s, twice as many as the shortest cooldown in use allows."""


_COURSE: Final = (
    "lag_total", "heaviest_percent", "lag_total_would_be", "heaviest_percent_would_be"
)  # fmt: skip
"""The facts whose course is shown."""


def utc(seconds: float) -> str:
    """Seconds since 1970 as RFC 3339 in UTC, to the second."""
    when = datetime.fromtimestamp(seconds, UTC)
    return when.isoformat(timespec="seconds").replace("+00:00", "Z")


class HistoryRing:
    """Not for several threads at once. `now` is in seconds since 1970."""

    def __init__(self) -> None:
        self._points: deque[tuple[Any, ...]] = deque(maxlen=MAX_POINTS)
        """Time, and the facts of the course."""
        self._rebalances: deque[float] = deque(maxlen=MAX_REBALANCES)

    def add(self, now: float, facts: StewardFacts) -> None:
        """Keep the figures of an observation; the newest stands for those just before it."""
        if len(self._points) > 1 and now - self._points[-2][0] < SPAN_S / MAX_POINTS:
            self._points.pop()
        self._points.append((now, *(getattr(facts, name) for name in _COURSE)))
        self._forget(now)

    def add_rebalance(self, now: float) -> None:
        self._rebalances.append(now)
        self._forget(now)

    def _forget(self, now: float) -> None:
        while self._points and now - self._points[0][0] > SPAN_S:
            self._points.popleft()
        while self._rebalances and now - self._rebalances[0] > SPAN_S:
            self._rebalances.popleft()

    def facts(self) -> StewardHistory:
        columns = zip(*self._points, strict=True)
        course = dict(zip(("times", *_COURSE), columns, strict=False))
        return StewardHistory(**course, rebalances=tuple(self._rebalances))


PASSIVE_REASON: Final = "a KIP-848 group: the broker assigns its partitions"
"""Why the steward is passive."""
ROLES: Final[tuple[Role, ...]] = get_args(Role)


MAX_WITHOUT_ASSIGNMENT: Final = 10
"""Observations without a complete assignment after which a leader is not healthy: 50 s by default,
in which members with usual settings have long rejoined."""
MAX_DECISIONS: Final = 100
MAX_EVENTS: Final = 100
"""Decisions and events that are remembered: what a page can show, and some hours of most groups."""


@dataclass(slots=True)
class StewardStatus:
    """Facts and counters, shared by several threads."""

    observe_every_s: float
    session_s: float
    _facts: StewardFacts = field(default_factory=StewardFacts)
    _counters: Counter[tuple[str, str]] = field(default_factory=Counter)
    _decisions: deque[StewardDecision] = field(default_factory=lambda: deque(maxlen=MAX_DECISIONS))
    _events: deque[StewardEvent] = field(default_factory=lambda: deque(maxlen=MAX_EVENTS))
    _history: HistoryRing = field(default_factory=HistoryRing)
    _observed_at: float | None = None
    _heartbeat_at: float | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def set(self, **changed: Any) -> None:
        """Change some facts."""
        with self._lock:
            self._facts = replace(self._facts, **changed)

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

    def decide(self, kind: str, reason: str) -> None:
        """An observation ended in this decision; the kind is empty where none was to be made."""
        now = utc(time.time())
        with self._lock:
            self._facts = replace(self._facts, decision=kind, decision_reason=reason)
            if not kind:
                return
            since, observations = now, 1
            if self._decisions and self._decisions[0].decision == kind:
                last = self._decisions.popleft()
                since, observations = last.since, last.observations + 1
            self._decisions.appendleft(StewardDecision(kind, reason, since, now, observations))

    def record_event(self, event: StewardEvent) -> None:
        with self._lock:
            self._events.appendleft(event)

    def record_rebalance(self) -> None:
        """A rebalance was started, or would have been."""
        with self._lock:
            self._history.add_rebalance(time.time())

    def record_figures(self) -> None:
        """Keep the present figures for the course of the last hour."""
        with self._lock:
            self._history.add(time.time(), self._facts)

    @property
    def history(self) -> StewardHistory:
        with self._lock:
            return self._history.facts()

    @property
    def facts(self) -> StewardFacts:
        now = time.monotonic()
        with self._lock:
            facts = replace(
                self._facts,
                at=utc(time.time()),
                version=__version__,
                settings=StewardSettings(self.observe_every_s, self.session_s),
                last_observation_age_s=_age(self._observed_at, now),
                last_heartbeat_age_s=_age(self._heartbeat_at, now),
                decisions=tuple(self._decisions),
                events=tuple(self._events),
                counters={
                    f"{what}:{kind}" if kind else what: n
                    for (what, kind), n in self._counters.items()
                },
            )
        problem = self._problem(facts)
        facts = replace(facts, problem=problem, healthy=problem is None)
        headline = steward_headline(facts)
        return replace(facts, headline=headline.words, tone=headline.tone)

    @property
    def role(self) -> str:
        return self._facts.role

    @property
    def role_reason(self) -> str:
        return self._facts.role_reason

    @property
    def counters(self) -> dict[tuple[str, str], int]:
        with self._lock:
            return dict(self._counters)

    def _problem(self, shown: StewardFacts) -> str | None:
        """Why the steward is unhealthy, or None.

        The group counts as unread after four missed observations, and not before a minute.
        """
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


def _age(then: float | None, now: float) -> float | None:
    return None if then is None else now - then
