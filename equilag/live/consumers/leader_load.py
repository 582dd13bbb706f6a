"""What a leader knows of the load of its group."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from equilag.domain.errors import describe_error
from equilag.live.consumers.lag_source import LagSource, Sizes
from equilag.live.rebalance.joined_members import JoinedMember, member_key
from equilag.live.rebalance.measured import (
    Measured,
    Racks,
    lags_of,
    too_few_lags,
    with_size,
)
from equilag.live.tracking.load_tracker import LoadTracker
from equilag.live.tracking.topic_columns import HeldPartitions, ObservedOffsets


class LeaderLoad:
    """Samples of one group: `source` has them, or they are added. Those older than `max_age` s do
    not count. Safe to use from several threads."""

    def __init__(
        self,
        source: LagSource | None,
        reset: str | None,
        max_age: float,
        failed: Callable[[Exception], None],
    ) -> None:
        """`reset` is the consumers' `auto.offset.reset`, None if it is unknown. `failed` is called
        with what a source raises."""
        self._source, self._reset, self._max_age, self._failed = source, reset, max_age, failed
        self._tracker = LoadTracker()
        self._lock = threading.Lock()
        self._newest: tuple[Any, Sizes, float] | None = None

    def add(self, sample: Any, topics: Sizes, at: float, holders: HeldPartitions) -> None:
        """Learn from a sample of these topics, begun at `at` (monotonic seconds), while members
        held these partitions: observed offsets, or the lags that a user's function returned."""
        with self._lock:
            self._newest = sample, topics, at
            if isinstance(sample, ObservedOffsets):
                self._tracker.add(replace(sample, holders=holders))

    def measured(
        self, members: Sequence[JoinedMember], sizes: Sizes, racks: Racks | None
    ) -> tuple[Measured, str | None]:
        """Return what is known; and why nothing is to be planned by it, if so. Never raises."""
        nothing = Measured(racks=racks)
        try:
            found = self._found(sizes, [member_key(one) for one in members if one.topics])
        except Exception as error:  # noqa: BLE001  the user's own code
            self._failed(error)
            return nothing, f"the lag source failed: {describe_error(error)}"
        if found is None:
            return nothing, "no lag has been measured yet"
        if found.age > self._max_age:
            return nothing, f"the newest lags are {found.age:.0f} s old"
        try:
            reason = too_few_lags(with_size(found.lags, sizes))
        except Exception as error:  # noqa: BLE001  the user's lags may be anything
            return nothing, f"the lags cannot be used: {describe_error(error)}"
        rates = (rate for row in found.rates.values() for rate in row)
        if reason is not None and any(rate is not None for rate in rates):
            # Rates alone tell more than lags that would count as 0 for some partitions.
            found, reason = replace(found, lags={}), None
        return replace(found, racks=racks), reason

    def _found(self, sizes: Sizes, keys: Collection[str]) -> Measured | None:
        """What is known of topics with these sizes and members with these keys; None if nothing
        was measured yet, or the newest sample lacks a topic or knows another size."""
        if self._source is not None:
            given = self._source.lags(sizes)
            return None if given is None else Measured(given.lags, age=given.age)
        with self._lock:
            if self._newest is None or not sizes.items() <= self._newest[1].items():
                return None
            sample, _, at = self._newest
            now = time.monotonic()
            if not isinstance(sample, ObservedOffsets):
                return Measured(sample, age=now - at)
            rates = self._tracker.rates(sizes)
            return Measured(
                lags_of(sample.committed, sample.log_start, sample.log_end, self._reset),
                age=now - sample.at,
                rates=rates.rates,
                rate_errors=rates.errors,
                capacities=self._tracker.capacities(keys, now),
            )
