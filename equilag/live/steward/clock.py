"""The time of day as the steward writes it."""

from __future__ import annotations

from datetime import UTC, datetime


def utc(seconds: float) -> str:
    """Seconds since 1970 as RFC 3339 in UTC, to the second."""
    when = datetime.fromtimestamp(seconds, UTC)
    return when.isoformat(timespec="seconds").replace("+00:00", "Z")
