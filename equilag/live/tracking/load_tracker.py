"""Rates of partitions and speeds of members, learnt from observation to observation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from equilag.adapters.measuring.topic_columns import ObservedOffsets, TopicColumns, renumbered
from equilag.domain.columns import Floats, Ints
from equilag.domain.errors import InputError
from equilag.domain.show import show
from equilag.domain.values import as_object, below
from equilag.live.tracking.member_speeds import MemberSpeeds
from equilag.live.tracking.produce_rates import produce_rates
from equilag.live.tracking.sample_ring import SampleRing
from equilag.live.tracking.tracked_state import (
    STATE_FORMAT,
    TrackingSettings,
    read_number,
    read_rates,
    read_speeds,
    written_speeds,
)
from equilag.planner.simulation.rebalance_price import COMMIT_S

SILENT: Final = 1.5
"""Times the longest time between two commits after which a member is silent."""
HELD_S: Final = 120.0
"""Seconds for which the last rate stands in for an unknown one: a log end cannot be read while a
partition has no leader."""


Rates: TypeAlias = dict[str, list[float | None]]
"""Topic -> one figure per partition in records per second, None where unknown."""


class _KnownRates(NamedTuple):
    """Of P partitions; NaN where nothing is known."""

    value: Floats
    error: Floats
    at: Floats
    """[P] when the rate was measured."""


class LoadTracker:
    """What the observations of one group tell of its load. Not for several threads at a time."""

    def __init__(self, settings: TrackingSettings | None = None) -> None:
        self._settings = settings or TrackingSettings()
        longest = max(self._settings.rate_window, self._settings.speed_window)
        self._ring = SampleRing(longest)
        self._known = _KnownRates(np.zeros(0), np.zeros(0), np.zeros(0))
        self._speeds = MemberSpeeds(self._settings)

    @classmethod
    def from_dict(cls, state: object, now: float, wall: float) -> LoadTracker:
        """Return a tracker that knows what `to_dict` wrote; `now` is the monotonic, `wall` the
        Unix time of this moment. Unknown fields are ignored.

        Rates are used for two minutes, until they are measured again. Speeds go on to age. A state
        older than the ageing time is as good as none. Raises InputError, with the place of what is
        not as it should be.
        """
        found = as_object(state, "")
        if found.get("format") != STATE_FORMAT:
            raise InputError(f"{show(found.get('format'))} is not {show(STATE_FORMAT)}", "format")
        tracker, age = cls(), max(0.0, wall - read_number(found.get("time"), "time"))
        rates, errors = read_rates(found.get("rates"))
        speeds, steady = (
            read_speeds(found.get(name), name, now - age) for name in ("speeds", "steady")
        )
        levels = {
            key: read_number(one, below("levels", key), 0.0, True)
            for key, one in as_object(found.get("levels"), "levels").items()
        }
        if age > tracker._settings.keep:
            return tracker
        known = tracker._speeds
        known.speeds, known.steady, known.levels = speeds, steady, levels
        columns = tracker._ring.columns = TopicColumns({t: len(row) for t, row in rates.items()})
        measured = np.full((3, columns.number), np.nan)
        if age <= HELD_S:
            measured[0], measured[1] = columns.values(rates), columns.values(errors)
            measured[2] = now - age
        tracker._known = _KnownRates(*measured)
        return tracker

    def to_dict(self, now: float, wall: float) -> dict[str, Any]:
        """Return what is known as plain JSON; `now` is the monotonic, `wall` the Unix time."""
        known, columns = self._known, self._ring.columns
        rates, errors = columns.by_topic(known.value), columns.by_topic(known.error)
        return {
            "format": STATE_FORMAT,
            "time": wall,
            "rates": {topic: {"rate": row, "error": errors[topic]} for topic, row in rates.items()},
            "speeds": written_speeds(self._speeds.speeds, now),
            "steady": written_speeds(self._speeds.steady, now),
            "levels": dict(self._speeds.levels),
        }

    def add(self, observed: ObservedOffsets) -> None:
        """Learn from an observation. One that is not later than the one before by
        `TrackingSettings.spacing` is not used."""
        rows = self._ring.rows
        if rows and observed.at < rows[-1].at + self._settings.spacing:
            return
        numbers = self._ring.add(observed)
        times, log_ends = self._ring.times(), self._ring.log_ends()
        if numbers is not None:
            known = (renumbered(column, numbers, np.nan) for column in self._known)
            self._known = _KnownRates(*known)
        self._learn_rates(times, log_ends)
        samples, keys = self._ring.samples(self._settings.speed_window)
        self._speeds.learn(samples, keys, self.commit_s)

    def _learn_rates(self, times: Floats, log_ends: Ints) -> None:
        found, known, now = produce_rates(times, log_ends, self._settings), self._known, times[-1]
        gone = known.at < now - HELD_S
        if len(rows := log_ends[-2:]) > 1:  # a topic that was made anew
            gone |= (rows[1] >= 0) & (rows[1] < rows[0])
        new = ~np.isnan(found.value)
        self._known = _KnownRates(
            np.where(new, found.value, np.where(gone, np.nan, known.value)),
            np.where(new, found.error, np.where(gone, np.nan, known.error)),
            np.where(new, now, known.at),
        )

    @property
    def commit_s(self) -> float:
        """The longest time between two commits, as far as it was seen; the default interval if
        that is longer."""
        return max(COMMIT_S, self._ring.commit_gap())

    def silent_s(self) -> dict[str, float]:
        """Return the members that have committed nothing for longer than commits take, and for how
        many seconds."""
        usual = SILENT * self.commit_s
        return {key: age for key, age in self._ring.commit_ages().items() if age > usual}

    def rates(self, sizes: Mapping[str, int]) -> tuple[Rates, Rates]:
        """Return the rates of topics with these numbers of partitions, as of the last observation,
        and their standard errors; those of bursty producers are as large as the bursts make them.

        A topic that was not observed, or with another size, is unknown.
        """
        known, columns = self._known, self._ring.columns
        values, errors = columns.by_topic(known.value), columns.by_topic(known.error)
        return _sized(values, sizes), _sized(errors, sizes)

    def has_speed(self, key: str) -> bool:
        """True if the member's own speed was measured; else its capacity is assumed."""
        return key in self._speeds.speeds

    def capacities(self, keys: Iterable[str], now: float) -> dict[str, float]:
        """Return a capacity in records per second for each member key; {} if no speed is known:
        then all count as equal.

        Capacities are free of noise, see `speed_levels`: they change only if speeds do.
        """
        rate = float(np.nansum(self._known.value))
        return self._speeds.capacities(keys, now, rate)


def _sized(rows: Rates, sizes: Mapping[str, int]) -> Rates:
    return {
        topic: row if len(row := rows.get(topic, [])) == size else [None] * size
        for topic, size in sizes.items()
    }
