"""What a tracker knows, as plain JSON that outlives a restart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from equilag.domain.errors import InputError
from equilag.domain.show import show
from equilag.domain.values import as_lists, as_object, below, not_a

STATE_FORMAT: Final = "equilag/steward-state/1"
LARGEST: Final = 1e100
"""Largest number in a state, and 1 / LARGEST is the smallest above 0: those of rates and capacities
in a group, which a steward could otherwise not build."""


class MeasuredSpeed(NamedTuple):
    """A speed in records per second, its standard error, and when it was true last."""

    value: float
    error: float
    until: float
    """Seconds of the observations' clock."""


def written_speeds(speeds: Mapping[str, MeasuredSpeed], now: float) -> dict[str, Any]:
    """Return speeds as JSON, as `read_speeds` reads them; `now` is on their clock."""
    return {
        key: {"speed": one.value, "error": one.error, "age": max(0.0, now - one.until)}
        for key, one in speeds.items()
    }


def read_speeds(value: object, place: str, then: float) -> dict[str, MeasuredSpeed]:
    """Return speeds by member key that were written `then`, in seconds of the observations' clock.
    Raises InputError."""
    speeds = {}
    for key, one in as_object(value, place).items():
        here = below(place, key)
        fields = as_object(one, here)
        speeds[key] = MeasuredSpeed(
            read_number(fields.get("speed"), below(here, "speed"), 0.0, above=True),
            read_number(fields.get("error"), below(here, "error"), 0.0),
            then - read_number(fields.get("age"), below(here, "age"), 0.0),
        )
    return speeds


def read_rates(value: object) -> tuple[dict[str, list[float | None]], ...]:
    """Return rates and their errors: topic -> records per second, one entry per partition, None
    where unknown. Raises InputError."""
    rates: dict[str, list[float | None]] = {}
    errors: dict[str, list[float | None]] = {}
    for topic, one in as_object(value, "rates").items():
        here = below("rates", topic)
        fields = as_lists(one, here)
        for name, rows in (("rate", rates), ("error", errors)):
            row = fields.get(name, [])
            rows[topic] = [
                None if entry is None else read_number(entry, f"{here}.{name}[{at}]", 0.0)
                for at, entry in enumerate(row)
            ]
        if len(rates[topic]) != len(errors[topic]):
            raise InputError("rate and error have different numbers of partitions", here)
    return rates, errors


def read_number(value: object, place: str, least: float = -LARGEST, above: bool = False) -> float:
    """Return a number that is at least `least`, or above it. Raises InputError."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise InputError(not_a(value, "a number"), place)
    if abs(value) > LARGEST or 0 < abs(value) < 1 / LARGEST:
        raise InputError(f"{show(value)} is not 0, or 1e-100 to 1e+100", place)
    if value < least or (above and value == least):
        problem = f"not above {least:g}" if above else f"below {least:g}"
        raise InputError(f"{show(value)} is {problem}", place)
    return float(value)


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
