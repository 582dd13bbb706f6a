"""Offsets read with aiokafka, over its own connections and its own event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any, Final

from aiokafka import AIOKafkaConsumer
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.structs import TopicPartition

from equilag.live.consumers.lag_source import Sizes
from equilag.live.tracking.topic_columns import ObservedOffsets

REQUEST_TIMEOUT_MS: Final = 10_000
"""As for kafka-python's probe: two sampling intervals of `LiveLag`."""
_PATIENCE_S: Final = 3 * REQUEST_TIMEOUT_MS / 1000
"""One measurement is three requests in turn."""


class AiokafkaProbe:
    """Reads the offsets of one group. `settings` are aiokafka's, for any of its clients.

    For one thread, which must not run an event loop. Raises aiokafka's errors and TimeoutError.
    """

    def __init__(self, settings: Mapping[str, Any], group: str) -> None:
        self._settings = {**settings, "request_timeout_ms": REQUEST_TIMEOUT_MS}
        self._group = group
        self._admin: AIOKafkaAdminClient | None = None
        self._reader: AIOKafkaConsumer | None = None
        self._runner = asyncio.Runner()
        try:
            self._run(self._open())
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        try:
            self._run(self._close())
        finally:
            self._runner.close()

    def measure(self, topics: Sizes) -> ObservedOffsets:
        observed: ObservedOffsets = self._run(self._measure(topics))
        return observed

    def _run(self, work: Any) -> Any:
        return self._runner.run(asyncio.wait_for(work, _PATIENCE_S))

    async def _open(self) -> None:
        self._admin = AIOKafkaAdminClient(**self._settings)
        await self._admin.start()
        # Without a group it neither joins nor commits.
        self._reader = AIOKafkaConsumer(**self._settings, enable_auto_commit=False)
        await self._reader.start()

    async def _close(self) -> None:
        if self._reader is not None:
            await self._reader.stop()
        if self._admin is not None:
            await self._admin.close()

    async def _measure(self, topics: Sizes) -> ObservedOffsets:
        assert self._admin is not None and self._reader is not None
        every = [TopicPartition(topic, n) for topic, size in topics.items() for n in range(size)]
        committed = await self._admin.list_consumer_group_offsets(self._group)
        start = await self._reader.beginning_offsets(every)
        began = time.monotonic()
        end = await self._reader.end_offsets(every)
        at = (began + time.monotonic()) / 2  # rates are differences of log ends
        commits = {tp: one.offset for tp, one in committed.items()}
        return ObservedOffsets.of(at, topics, start, end, commits)
