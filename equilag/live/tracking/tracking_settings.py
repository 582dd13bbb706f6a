"""Times of tracking; the defaults fit observations every 2 to 60 s."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TrackingSettings:
    """All in seconds."""

    rate_window: float = 120.0
    """Longest window of a rate: 24 observations at 5 s. At 30 records/s its rate is sure to 2 %."""
    least_window: float = 9.0
    """A rate is unknown below: two steps of 5 s, one second less for observations that are not
    quite regular."""
    speed_window: float = 90.0
    """Observations that a speed is measured from: three windows of 30 s, so that a member of
    another speed shows within 90 s of backlog."""
    spacing: float = 1.5
    """An observation that comes sooner after the one before is not used: a window then has at most
    80 of them, and observations every 2 s all count, even if they are not quite regular."""
    keep: float = 3600.0
    """A speed that was not measured again for so long is forgotten, as are members that left."""
