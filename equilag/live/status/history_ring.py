"""The figures of the last hour, in bounded memory."""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple

from equilag.report.facts.stewards.steward import StewardFacts
from equilag.report.facts.stewards.steward_parts import StewardHistory

SPAN_S: Final = 3600.0
"""How far back the live page shows the course of a group."""
MAX_POINTS: Final = 720
"""Points in that time: one per observation with the default interval of 5 s, and more than a chart
has pixels for."""
MAX_REBALANCES: Final = 240
"""Rebalances in that time: one in 15 s, twice as many as the shortest cooldown in use allows."""


class HistoryPoint(NamedTuple):
    at: float
    lag_total: int | None
    heaviest_percent: float | None
    lag_total_would_be: int | None
    heaviest_percent_would_be: float | None


class HistoryRing:
    """Not for several threads at once. `now` is in seconds since 1970."""

    def __init__(self) -> None:
        self._points: deque[HistoryPoint] = deque(maxlen=MAX_POINTS)
        self._rebalances: deque[float] = deque(maxlen=MAX_REBALANCES)

    def add(self, now: float, facts: StewardFacts) -> None:
        """Keep the figures of an observation; the newest stands for those just before it."""
        if len(self._points) > 1 and now - self._points[-2].at < SPAN_S / MAX_POINTS:
            self._points.pop()
        self._points.append(
            HistoryPoint(
                now,
                facts.lag_total,
                facts.heaviest_percent,
                facts.lag_total_would_be,
                facts.heaviest_percent_would_be,
            )
        )
        self._forget(now)

    def add_rebalance(self, now: float) -> None:
        self._rebalances.append(now)
        self._forget(now)

    def _forget(self, now: float) -> None:
        while self._points and now - self._points[0].at > SPAN_S:
            self._points.popleft()
        while self._rebalances and now - self._rebalances[0] > SPAN_S:
            self._rebalances.popleft()

    def facts(self) -> StewardHistory:
        points = tuple(self._points)
        return StewardHistory(
            times=tuple(one.at for one in points),
            lag_total=tuple(one.lag_total for one in points),
            heaviest_percent=tuple(one.heaviest_percent for one in points),
            lag_total_would_be=tuple(one.lag_total_would_be for one in points),
            heaviest_percent_would_be=tuple(one.heaviest_percent_would_be for one in points),
            rebalances=tuple(self._rebalances),
        )
