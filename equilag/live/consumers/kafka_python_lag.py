"""Offsets read with kafka-python, over its own connection with the consumer's settings."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from typing import Any, Final

from kafka import KafkaAdminClient, TopicPartition
from kafka.admin import OffsetSpec
from kafka.errors import KafkaError

from equilag.live.consumers.lag_source import Sizes
from equilag.live.consumers.sampler import REQUEST_TIMEOUT_MS
from equilag.live.tracking.topic_columns import ObservedOffsets

log: Final = logging.getLogger("equilag.consumers")


class KafkaPythonProbe:
    """Reads the offsets of one group. `settings` are kafka-python's, of any of its clients.

    Raises kafka-python's errors.
    """

    def __init__(self, settings: Mapping[str, Any], group: str, isolation: Any) -> None:
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
        self._isolation = isolation
        self._logged: set[str] = set()

    def close(self) -> None:
        self._admin.close()

    def measure(self, topics: Sizes) -> ObservedOffsets:
        """Return the offsets. Those of a topic that the cluster refuses to describe are unknown; if
        all are refused, raise."""
        offsets = self._admin.list_group_offsets([self._group])[self._group]
        committed = {tp: one.offset for tp, one in offsets.items()}
        start = self._log_offsets(topics, OffsetSpec.EARLIEST)
        began = time.monotonic()
        end = self._log_offsets(topics, OffsetSpec.LATEST)
        at = (began + time.monotonic()) / 2  # rates are differences of log ends
        return ObservedOffsets.of(at, topics, start, end, committed)

    def _log_offsets(self, topics: Sizes, spec: OffsetSpec) -> dict[TopicPartition, int]:
        """Return the first or last offset of each partition."""
        try:
            return self._of(topics, spec)
        except KafkaError:
            if len(topics) == 1:
                raise
        found: dict[TopicPartition, int] = {}
        for topic, size in topics.items():
            try:
                found |= self._of({topic: size}, spec)
            except KafkaError as error:
                last = error
                if topic not in self._logged:
                    self._logged.add(topic)
                    text = "group %s: the lag of topic %s cannot be measured: %s"
                    log.warning(text, self._group, topic, error)
        if not found:
            raise last
        return found

    def _of(self, topics: Sizes, spec: OffsetSpec) -> dict[TopicPartition, int]:
        every = [TopicPartition(topic, n) for topic, size in topics.items() for n in range(size)]
        offsets = self._admin.list_partition_offsets(
            dict.fromkeys(every, spec),
            isolation_level=self._isolation,
            timeout_ms=REQUEST_TIMEOUT_MS,
        )
        return {tp: one.offset for tp, one in offsets.items()}
