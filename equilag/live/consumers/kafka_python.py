"""Assignors for kafka-python: equilag's plans in place of a built-in strategy, in one line.

    KafkaConsumer(..., partition_assignment_strategy=[EquilagAssignor])
    KafkaConsumer(..., partition_assignment_strategy=[EquilagAssignor.configured(time_limit=0.5)])

They run on kafka-python's I/O thread, where nothing may wait for a broker.
"""

from __future__ import annotations

import logging
import time
import weakref
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Final

from equilag.adapters.kafka.client_config import quietly
from equilag.adapters.measuring.topic_columns import ObservedOffsets
from equilag.domain.errors import MissingExtra
from equilag.domain.group.lag import RESETS
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
from equilag.live.consumers.sampler import REQUEST_TIMEOUT_MS
from equilag.live.consumers.user_data import OwnedPartitions
from equilag.live.rebalance.joined_members import JoinedMember

try:
    with quietly():
        from kafka import KafkaAdminClient, TopicPartition
        from kafka.admin import OffsetSpec
        from kafka.coordinator.assignors.abstract import (
            AbstractPartitionAssignor,
            RebalanceProtocol,
        )
        from kafka.coordinator.base import MemberState
        from kafka.coordinator.consumer import ConsumerCoordinator
        from kafka.errors import KafkaError
        from kafka.protocol.consumer import OffsetResetStrategy
        from kafka.protocol.consumer.metadata import (
            ConsumerProtocolAssignment,
            ConsumerProtocolSubscription,
        )

except ImportError as error:
    problem = "kafka-python is not installed: pip install 'equilag[kafka-python]'"
    raise MissingExtra(problem) from error

log: Final = logging.getLogger("equilag.consumers")

SETTLE_S: Final = 10.0
"""How long a request for a rebalance waits for the end of the current one: rounds take a few
seconds at most, and the next sample asks again."""

_RESETS: Final = {getattr(OffsetResetStrategy, one.upper()): one for one in RESETS}
_EAGER: Final = 0
"""Version of the consumer protocol for eager members."""
_COOPERATIVE: Final = 2
"""Consumer protocol versions: from 2 on a subscription has owned partitions and their
generation."""
_WITH_RACK: Final = 3
"""From this version on a subscription has the member's rack."""


class EquilagAssignor(ConfiguredAssignor, AbstractPartitionAssignor):  # type: ignore[misc]
    """Eager: all members release everything, then each gets its part of the plan.

    Members with aiokafka's `EquilagAssignor` can be in the same group. Two strategies may be
    offered.
    """

    name: ClassVar[str] = "equilag"
    cooperative: ClassVar[bool] = False

    def __init__(self) -> None:
        self._held = OwnedPartitions()
        self._leader: Leader | None = None
        self._consumer()

    def metadata(self, topics: Iterable[str]) -> Any:
        """Return what this member sends when it joins."""
        self._consumer()
        data = user_data.encode(self._held, self.options.rack)
        return ConsumerProtocolSubscription(version=_EAGER, topics=sorted(topics), user_data=data)

    def assign(self, cluster: Any, members: Sequence[Any]) -> dict[str, Any]:
        """Return an assignment for every member, in kafka-python's types."""
        joined = [self._joined_member(member) for member in members]
        leader = self._consumer()
        coordinator = leader.coordinator()
        if coordinator is not None:
            # If poll() times out before this round ends, and new metadata caused the round, the
            # next poll() does not resume it and the assignment is never applied (kafka-python
            # 3.0.12, with its own strategies too). A rejoin request keeps poll() going; the end of
            # the round withdraws it.
            coordinator.request_rejoin()
        racks = partial(known_racks, cluster, "replica_nodes", "node_id")
        topics = {topic for one in joined for topic in one.topics}
        handed = leader.lead(joined, known_sizes(cluster, topics), racks)
        version = _COOPERATIVE if self.cooperative else _EAGER
        return {
            member: ConsumerProtocolAssignment(version, sorted(topics.items()), b"")
            for member, topics in handed.items()
        }

    def on_assignment(self, assignment: Any, generation: int) -> None:
        """Record what the leader assigned to this member."""
        self._held = OwnedPartitions.of(assignment.partitions(), generation)
        leader = self._consumer()
        coordinator = leader.coordinator()
        if coordinator is not None:
            topics = coordinator._subscription.subscription or ()
            leader.follow(known_sizes(coordinator._cluster, topics))

    def _joined_member(self, member: Any) -> JoinedMember:
        """Return a member from its join request."""
        own = member.metadata
        return eager_member(member.member_id, own.topics, own.user_data, member.group_instance_id)

    def _consumer(self) -> Leader:
        """Return the consumer that this assignor works for; search until it is found."""
        if self._leader is None or self._leader.coordinator() is None:
            found = find_caller((ConsumerCoordinator,))
            if self._leader is None or found is not None:
                self._leader = Leader(
                    self.options, found and _consumer_handle(found), self.cooperative
                )
        return self._leader


class CooperativeEquilagAssignor(EquilagAssignor):
    """Cooperative (KIP-429): members keep their partitions, except for those that move."""

    name: ClassVar[str] = "equilag-cooperative"
    cooperative: ClassVar[bool] = True

    def supported_protocols(self) -> list[Any]:
        return [RebalanceProtocol.COOPERATIVE]

    def metadata(self, topics: Iterable[str]) -> Any:
        """Return what this member sends when it joins: above all the partitions that it owns, which
        the leader gives to nobody else."""
        coordinator = self._consumer().coordinator()
        if coordinator is not None:
            # The partitions held now, not the last assignment: a member that fell out of the group
            # has lost everything, and the others would wait in vain for it to release what it only
            # claims.
            owned = OwnedPartitions.of(
                coordinator._subscription.assigned_partitions(), self._held.generation
            )
        else:
            owned = self._held
        pair, rack = ConsumerProtocolSubscription.TopicPartition, self.options.rack
        return ConsumerProtocolSubscription(
            version=_COOPERATIVE if rack is None else _WITH_RACK,
            topics=sorted(topics),
            user_data=b"",
            owned_partitions=[
                pair(topic=topic, partitions=list(numbers))
                for topic, numbers in owned.partitions.items()
            ],
            generation_id=owned.generation,
            **({} if rack is None else {"rack_id": rack}),
        )

    def _joined_member(self, member: Any) -> JoinedMember:
        subscription = member.metadata
        return JoinedMember(
            member.member_id,
            tuple(subscription.topics),
            claims={one.topic: one.partitions for one in subscription.owned_partitions or ()},
            generation=subscription.generation_id,
            instance_id=member.group_instance_id,
            rack=getattr(subscription, "rack_id", None),
        )


def _consumer_handle(coordinator: Any) -> ConsumerHandle:
    """Return what the assignor needs of a consumer. Keeps no reference to its coordinator."""
    group, settings = coordinator.config["group_id"], coordinator._manager.config
    isolation = coordinator._isolation_level
    weak = weakref.ref(coordinator)

    def alive() -> bool:
        return (now := weak()) is not None and not now._manager.closed

    def requested(generation: int) -> bool:
        """Request a rebalance; return True if there is nothing left to wait for."""
        now = weak()
        # Followers cannot request a rebalance, and another round has its own plan.
        if now is None or not now._is_leader or now._manager.closed:
            return True
        if now._generation.generation_id != generation:
            return True
        if now.state is not MemberState.STABLE:
            return False
        now.request_rejoin()
        return True

    def request_rebalance() -> None:
        # The end of a round withdraws requests made during it, so wait for the end.
        now, give_up = weak(), time.monotonic() + SETTLE_S
        if now is None:
            return
        generation, now = now._generation.generation_id, None
        while not requested(generation) and time.monotonic() < give_up:
            time.sleep(0.02)

    def settled() -> bool:
        return (now := weak()) is not None and now.state is MemberState.STABLE

    return ConsumerHandle(
        group,
        coordinator.config["session_timeout_ms"] / 1000,
        weak,
        request_rebalance,
        alive,
        settled,
        lambda: KafkaPythonProbe(settings, group, isolation),
        _RESETS.get(coordinator._subscription._default_offset_reset_strategy),
    )


class KafkaPythonProbe:
    """Reads the offsets of one group over its own connection, with kafka-python's `settings`, of
    any of its clients. Raises kafka-python's errors."""

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
