"""Lag measured with kafka-python, over its own connection with the consumer's settings."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

from kafka import KafkaAdminClient, TopicPartition
from kafka.admin import OffsetSpec
from kafka.errors import KafkaError

from equilag.lag import lag_list, lags_by_topic
from equilag.live.consumers.lag_source import Lags, Sizes

log: Final = logging.getLogger("equilag.consumers")

REQUEST_TIMEOUT_MS: Final = 10_000
"""For each request: one sampling interval of `LiveLag`. A slower answer is out of date."""


class KafkaPythonProbe:
    """Measures the lag of one group. `settings` are kafka-python's, of any of its clients.

    Raises kafka-python's errors.
    """

    def __init__(self, settings: Mapping[str, Any], group: str, reset: str, isolation: Any) -> None:
        admin_settings = {
            key: settings[key] for key in KafkaAdminClient.DEFAULT_CONFIG if key in settings
        }
        admin_settings["client_id"] = f"{admin_settings.get('client_id', 'kafka-python')}-equilag"
        admin_settings["request_timeout_ms"] = min(
            REQUEST_TIMEOUT_MS, settings["request_timeout_ms"]
        )
        admin_settings["bootstrap_timeout_ms"] = REQUEST_TIMEOUT_MS
        self._admin = KafkaAdminClient(**admin_settings)
        self._group = group
        self._reset = reset
        self._isolation = isolation
        self._logged: set[str] = set()

    def close(self) -> None:
        self._admin.close()

    def measure(self, topics: Sizes) -> Lags:
        """Return the lags. A topic that the cluster refuses to describe has none; if all are
        refused, raise."""
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
                if topic not in self._logged:
                    self._logged.add(topic)
                    log.warning(
                        "group %s: the lag of topic %s cannot be measured: %s",
                        self._group,
                        topic,
                        error,
                    )
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
        lags = lag_list(
            [committed.get(tp) for tp in every],
            [start[tp].offset for tp in every],
            [end[tp].offset for tp in every],
            self._reset,
        )
        return lags_by_topic(topics, lags)
