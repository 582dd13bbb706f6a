"""The steward's status and its log: its threads write them, the HTTP server reads the status."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final, get_args

from equilag import __version__
from equilag.domain.figures import utc
from equilag.live.exporter.group_answer import GroupAnswer
from equilag.live.status.steward_facts import Role, StewardFacts
from equilag.live.status.steward_parts import (
    StewardDecision,
    StewardEvent,
    StewardHistory,
    StewardSettings,
)
from equilag.live.status.steward_words import steward_headline

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


PASSIVE_REASON: Final = "a KIP-848 group: the broker assigns its partitions"
"""Why the steward is passive."""
STANDBY_REASON: Final = (
    "another steward takes part in the group; this one takes its place if it ends"
)
ROLES: Final[tuple[Role, ...]] = get_args(Role)


MAX_WITHOUT_ASSIGNMENT: Final = 10
"""Observations without a complete assignment after which a leader is not healthy: 50 s by default,
in which members with usual settings have long rejoined."""
BEHIND_S: Final = 30.0
"""Seconds of production that a lag must be to count as a backlog: more than slow commits leave."""
GROWS_S: Final = 120.0
"""For so long a lag must grow, in both halves of that time, and"""
LEAST_GROWTH: Final = 0.02
"""by so much of what is produced."""
MAX_DECISIONS: Final = 100
MAX_EVENTS: Final = 100
"""Decisions and events that are remembered: what a page can show, and some hours of most groups."""


@dataclass(slots=True)
class StewardStatus:
    """Facts and counters, shared by several threads."""

    observe_every_s: float
    session_s: float
    _facts: StewardFacts = field(default_factory=StewardFacts)
    _counters: Counter[str] = field(default_factory=Counter)
    _decisions: deque[StewardDecision] = field(default_factory=lambda: deque(maxlen=MAX_DECISIONS))
    _events: deque[StewardEvent] = field(default_factory=lambda: deque(maxlen=MAX_EVENTS))
    _points: deque[tuple[Any, ...]] = field(default_factory=lambda: deque(maxlen=MAX_POINTS))
    """Seconds since 1970, and the facts of the course then."""
    _rebalances: deque[float] = field(default_factory=lambda: deque(maxlen=MAX_REBALANCES))
    _answer: GroupAnswer | None = None
    _answered_at: float = 0.0
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
            self._counters[f"{what}:{kind}" if kind else what] += 1

    def observed(self) -> None:
        """The group was observed just now."""
        self._observed_at = time.monotonic()

    def heartbeat_answered(self) -> None:
        """A heartbeat was answered just now."""
        self._heartbeat_at = time.monotonic()

    def answered(self, answer: GroupAnswer, at: float) -> None:
        """What is known of the group as it was at a monotonic time."""
        with self._lock:
            self._answer, self._answered_at = answer, at

    def answers(self) -> list[GroupAnswer]:
        """What is known of the group, with the age of that."""
        with self._lock:
            answer, age = self._answer, time.monotonic() - self._answered_at
        return [] if answer is None else [answer.aged(age)]

    def answer(self, group: str) -> GroupAnswer | None:
        """The same, if it is this group."""
        return next((one for one in self.answers() if one.group == group), None)

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
            self._rebalances.append(time.time())

    def record_figures(self) -> None:
        """Keep the present figures for the course of the last hour; the newest ones stand for those
        just before them."""
        now = time.time()
        with self._lock:
            if len(self._points) > 1 and now - self._points[-2][0] < SPAN_S / MAX_POINTS:
                self._points.pop()
            self._points.append((now, *(getattr(self._facts, name) for name in _COURSE)))

    @property
    def history(self) -> StewardHistory:
        since = time.time() - SPAN_S
        with self._lock:
            points = [point for point in self._points if point[0] >= since]
            rebalances = tuple(at for at in self._rebalances if at >= since)
        columns = zip(*points, strict=True)
        course = dict(zip(("times", *_COURSE), columns, strict=False))
        return StewardHistory(**course, rebalances=rebalances)

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
                counters=dict(self._counters),
            )
        facts = replace(facts, falls_behind=self._falls_behind(facts))
        problem = self._problem(facts)
        degraded = problem is None and facts.role in ("follower", "passive")
        facts = replace(facts, problem=problem, healthy=problem is None, degraded=degraded)
        headline = steward_headline(facts)
        return replace(facts, headline=headline.words, tone=headline.tone)

    @property
    def role(self) -> str:
        return self._facts.role

    @property
    def role_reason(self) -> str:
        return self._facts.role_reason

    def _falls_behind(self, shown: StewardFacts) -> float | None:
        """Lag that waits for commits is a few seconds of production, and comes and goes."""
        rate, lag = shown.rate_total, shown.lag_total
        with self._lock:
            points = [point for point in self._points if point[1] is not None]
        if not rate or not lag or lag < BEHIND_S * rate or not points:
            return None
        earlier = [point for point in points if points[-1][0] - point[0] >= GROWS_S]
        middle = [point for point in points if points[-1][0] - point[0] >= GROWS_S / 2]
        if not earlier or not earlier[-1][1] < middle[-1][1] < points[-1][1]:
            return None
        growth = (points[-1][1] - earlier[-1][1]) / (points[-1][0] - earlier[-1][0])
        return round(growth, 1) if growth > LEAST_GROWTH * rate else None

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
        if shown.role in ("leader", "follower", "standby") and (
            shown.last_heartbeat_age_s is None or shown.last_heartbeat_age_s > self.session_s
        ):
            return "no heartbeat was answered within the session timeout"
        without = shown.observations_without_assignment
        if shown.role == "leader" and without >= MAX_WITHOUT_ASSIGNMENT:
            return f"the group has no complete assignment in {without} observations"
        return None


def _age(then: float | None, now: float) -> float | None:
    return None if then is None else now - then


LOG: Final = logging.getLogger("equilag.steward")
_SHOWN_ELSEWHERE: Final = {"decision", "would-be", "speeds"}
"""Events whose content the status has as figures."""


def log_event(level: int, event: str, **fields: Any) -> None:
    """Log an event and its fields as one line."""
    LOG.log(level, event, extra={"fields": fields})


class _Recorder(logging.Handler):
    """Hands the lines of the log to a status."""

    def __init__(self, state: StewardStatus) -> None:
        super().__init__(logging.INFO)
        self._state = state

    def emit(self, record: logging.LogRecord) -> None:
        event = record.getMessage()
        if event in _SHOWN_ELSEWHERE:
            return
        text = _in_words(getattr(record, "fields", {}))
        self._state.record_event(
            StewardEvent(utc(record.created), record.levelname.lower(), event, text)
        )


def _in_words(fields: Mapping[str, Any]) -> str:
    """The fields as people read them: reasons as they are, other ones with their names."""
    plain = ("reason", "problem", "text")
    words = [
        str(value) if name in plain else f"{name.replace('_', ' ')}: {value}"
        for name, value in fields.items()
        if value not in ("", None)
    ]
    return "; ".join(words)


@contextmanager
def recorded(state: StewardStatus) -> Iterator[None]:
    """Let the status remember the steward's log."""
    recorder = _Recorder(state)
    LOG.addHandler(recorder)
    try:
        yield
    finally:
        LOG.removeHandler(recorder)
