"""The assignor for aiokafka: equilag's plans in place of a built-in strategy, in one line.

    AIOKafkaConsumer(..., partition_assignment_strategy=[EquilagAssignor])
    AIOKafkaConsumer(..., partition_assignment_strategy=[EquilagAssignor.configured(seed=1)])

aiokafka calls class methods from its event loop, and supports eager rebalances only.
"""

from __future__ import annotations

import asyncio
import logging
import time
import weakref
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, ClassVar, Final

from equilag.adapters.measuring.topic_columns import ObservedOffsets
from equilag.domain.errors import MissingExtra
from equilag.live.consumers import user_data
from equilag.live.consumers.consumer_handle import (
    ConfiguredAssignor,
    ConsumerHandle,
    eager_member,
    find_caller,
    known_racks,
    known_sizes,
)
from equilag.live.consumers.lag_source import Sizes
from equilag.live.consumers.leader import Leader
from equilag.live.consumers.options import AssignorOptions
from equilag.live.consumers.sampler import REQUEST_TIMEOUT_MS
from equilag.live.consumers.user_data import OwnedPartitions

try:
    from aiokafka import AIOKafkaConsumer
    from aiokafka.admin import AIOKafkaAdminClient
    from aiokafka.consumer.fetcher import Fetcher, OffsetResetStrategy
    from aiokafka.consumer.group_coordinator import CoordinatorGroupRebalance, GroupCoordinator
    from aiokafka.coordinator.assignors.abstract import AbstractPartitionAssignor
    from aiokafka.coordinator.protocol import (
        ConsumerProtocolMemberAssignment,
        ConsumerProtocolMemberMetadata,
    )
    from aiokafka.structs import TopicPartition
except ImportError as error:
    problem = "aiokafka is not installed: pip install 'equilag[aiokafka]'"
    raise MissingExtra(problem) from error

log: Final = logging.getLogger("equilag.consumers")

_VERSION: Final = 0
"""Version of the consumer protocol: aiokafka 0.14 writes no other."""
_PLACE: Final = "_equilag"
"""Attribute of a coordinator that holds this assignor's state, so that both end together."""
_FETCHING: Final = "_fetch_requests_routine"
"""The method that a fetcher runs all the time (aiokafka 0.14)."""
_SETTINGS: Final = (
    "bootstrap_servers", "client_id", "metadata_max_age_ms", "security_protocol", "ssl_context",
    "connections_max_idle_ms", "sasl_mechanism", "sasl_plain_username", "sasl_plain_password",
    "sasl_kerberos_service_name", "sasl_kerberos_domain_name", "sasl_oauth_token_provider",
)  # fmt: skip
"""Settings of the consumer's client that the connection for lag needs too."""


class _AssignorState:
    """What the assignor remembers for one consumer."""

    def __init__(self, options: AssignorOptions, coordinator: Any) -> None:
        self.held = OwnedPartitions()
        consumer = _consumer_handle(coordinator) if coordinator else None
        self.leader = Leader(options, consumer, cooperative=False, patience=options.loop_limit)


class EquilagAssignor(ConfiguredAssignor, AbstractPartitionAssignor):  # type: ignore[misc]
    """Eager: all members release everything, then each gets its part of the plan.

    Members with kafka-python's `EquilagAssignor` can be in the same group. Offer one strategy only
    (see `configured`): aiokafka sends one join request per strategy, and three members with two
    strategies may disturb each other without end (aiokafka 0.14, also with its own strategies).
    """

    name: ClassVar[str] = "equilag"

    @classmethod
    def metadata(cls, topics: Iterable[str]) -> Any:
        """Return what this member sends when it joins."""
        held = cls._state().held
        data = user_data.encode(held, cls.options.rack)
        return ConsumerProtocolMemberMetadata(_VERSION, sorted(topics), data)

    @classmethod
    def assign(cls, cluster: Any, members: Mapping[str, Any]) -> dict[str, Any]:
        """Return an assignment for every member, in aiokafka's types."""
        joined = [
            eager_member(member, metadata.subscription, metadata.user_data)
            for member, metadata in members.items()
        ]
        topics = {topic for member in joined for topic in member.topics}
        handed = cls._state().leader.lead(
            joined,
            known_sizes(cluster, topics),
            partial(known_racks, cluster, "replicas", "nodeId"),
        )
        return {
            member: ConsumerProtocolMemberAssignment(_VERSION, sorted(given.items()), b"")
            for member, given in handed.items()
        }

    @classmethod
    def on_assignment(cls, assignment: Any) -> None:
        """Record what the leader assigned to this member."""
        state = cls._state()
        coordinator = state.leader.coordinator()
        if coordinator is None:
            return
        state.held = OwnedPartitions.of(assignment.partitions(), coordinator.generation)
        subscription = coordinator._subscription.subscription
        state.leader.follow(known_sizes(coordinator._cluster, subscription.topics))

    @classmethod
    def _state(cls) -> _AssignorState:
        """Return the state of the calling consumer; an empty one if it is not found."""
        found = find_caller((GroupCoordinator, CoordinatorGroupRebalance))
        if isinstance(found, CoordinatorGroupRebalance):
            found = found._coordinator
        if found is None:
            log.warning(
                "the consumer was not found: a heuristic answers, and nothing is remembered"
            )
            return _AssignorState(cls.options, None)
        state = found.__dict__.get(_PLACE)
        if not isinstance(state, _AssignorState):
            state = found.__dict__[_PLACE] = _AssignorState(cls.options, found)
        return state


def _consumer_handle(coordinator: Any) -> ConsumerHandle:
    """Return what the assignor needs of a consumer. Keeps no reference to its coordinator."""
    client, group = coordinator._client, coordinator.group_id
    settings = {name: getattr(client, f"_{name}") for name in _SETTINGS}
    settings["client_id"] = f"{settings['client_id']}-equilag"
    weak, loop = weakref.ref(coordinator), weakref.ref(asyncio.get_running_loop())

    def request_rebalance() -> None:
        coordinator_now, loop_now = weak(), loop()
        if coordinator_now is not None and loop_now is not None and not loop_now.is_closed():
            loop_now.call_soon_threadsafe(coordinator_now.request_rejoin)

    def alive() -> bool:
        return (now := weak()) is not None and not now._closing.done()

    def settled() -> bool:
        if (now := weak()) is None:
            return False
        subscription = now._subscription.subscription
        return subscription is not None and not now.need_rejoin(subscription)

    return ConsumerHandle(
        group,
        coordinator._session_timeout_ms / 1000,
        weak,
        request_rebalance,
        alive,
        settled,
        lambda: AiokafkaProbe(settings, group),
        _reset_of(coordinator),
    )


def _reset_of(coordinator: Any) -> str | None:
    """Return the consumer's `auto_offset_reset`; None if its fetcher is not found.

    aiokafka keeps it in the fetcher, which neither the coordinator nor the subscription refers to.
    But the fetcher runs as a task of the same event loop, and shares the subscription.
    """
    for task in asyncio.all_tasks():
        frame = getattr(task.get_coro(), "cr_frame", None)
        if frame is None or frame.f_code.co_name != _FETCHING:
            continue
        fetcher = frame.f_locals.get("self")
        if isinstance(fetcher, Fetcher) and fetcher._subscriptions is coordinator._subscription:
            return str(OffsetResetStrategy.to_str(fetcher._default_reset_strategy))
    return None


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
