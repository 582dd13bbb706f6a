"""Lag as kafka-python measures it, over a connection of its own with the consumer's settings."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

from kafka import KafkaAdminClient, TopicPartition
from kafka.admin import OffsetSpec
from kafka.errors import KafkaError

from equilag.live.consumers.lag_source import Lags, Sizes, by_topic, lag_of

log: Final = logging.getLogger("equilag.consumers")

REQUEST_TIMEOUT_MS: Final = 10_000


class KafkaPythonProbe:
    """Measures the lag of one group. `settings` are kafka-python's, of any of its clients.

    Raises what kafka-python raises.
    """

    def __init__(self, settings: Mapping[str, Any], group: str, reset: str, isolation: Any) -> None:
        wanted = {key: settings[key] for key in KafkaAdminClient.DEFAULT_CONFIG if key in settings}
        wanted["client_id"] = f"{wanted.get('client_id', 'kafka-python')}-equilag"
        wanted["request_timeout_ms"] = min(REQUEST_TIMEOUT_MS, settings["request_timeout_ms"])
        wanted["bootstrap_timeout_ms"] = REQUEST_TIMEOUT_MS
        self._admin = KafkaAdminClient(**wanted)
        self._group = group
        self._reset = reset
        self._isolation = isolation
        self._said: set[str] = set()

    def close(self) -> None:
        self._admin.close()

    def measure(self, topics: Sizes) -> Lags:
        """Topics that the cluster refuses to speak of have no lags, unless that is true of all."""
        offsets = self._admin.list_group_offsets([self._group])[self._group]
        committed = {(tp.topic, tp.partition): at.offset for tp, at in offsets.items()}
        try:
            return self._of(topics, committed)
        except KafkaError:
            if len(topics) == 1:
                raise
        found: dict[str, Sequence[int | None]] = {}
        for topic, size in topics.items():
            try:
                found.update(self._of({topic: size}, committed))
            except KafkaError as error:
                last = error
                if topic not in self._said:
                    self._said.add(topic)
                    log.warning("group %s: no lag of topic %s: %s", self._group, topic, error)
                found[topic] = [None] * size
        if all(lag is None for lags in found.values() for lag in lags):
            raise last
        return found

    def _of(self, topics: Sizes, committed: Mapping[tuple[str, int], int]) -> Lags:
        every = [TopicPartition(topic, n) for topic, size in topics.items() for n in range(size)]
        start, end = (
            self._admin.list_partition_offsets(
                dict.fromkeys(every, spec),
                isolation_level=self._isolation,
                timeout_ms=REQUEST_TIMEOUT_MS,
            )
            for spec in (OffsetSpec.EARLIEST, OffsetSpec.LATEST)
        )
        return by_topic(
            topics,
            (
                (*tp, lag_of(start[tp].offset, end[tp].offset, committed.get(tp), self._reset))
                for tp in every
            ),
        )
