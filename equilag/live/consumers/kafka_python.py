"""Assignors for kafka-python: plans in place of its own strategies, in one line.

    KafkaConsumer(..., partition_assignment_strategy=[EquilagAssignor])
    KafkaConsumer(..., partition_assignment_strategy=[EquilagAssignor.configured(time_limit=0.5)])

What happens in them happens on kafka-python's I/O thread, where nothing must wait for a broker.
"""

from __future__ import annotations

import logging
import time
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Final, Self

from equilag.adapters.kafka.quiet import quietly
from equilag.errors import MissingExtra
from equilag.live.consumers import user_data
from equilag.live.consumers.caller import find_caller
from equilag.live.consumers.options import AssignorOptions
from equilag.live.consumers.participant import (
    ConsumerHandle,
    GroupParticipant,
    configured_assignor,
    known_sizes,
    read_owned,
)
from equilag.live.consumers.sampler import Probe
from equilag.live.consumers.user_data import OwnedPartitions
from equilag.live.rebalance.joined_members import JoinedMember

try:
    with quietly():
        from kafka.coordinator.assignors.abstract import (
            AbstractPartitionAssignor,
            RebalanceProtocol,
        )
        from kafka.coordinator.base import MemberState
        from kafka.coordinator.consumer import ConsumerCoordinator
        from kafka.protocol.consumer import OffsetResetStrategy
        from kafka.protocol.consumer.metadata import (
            ConsumerProtocolAssignment,
            ConsumerProtocolSubscription,
        )

        from equilag.live.consumers.kafka_python_lag import KafkaPythonProbe
except ImportError as error:
    problem = "kafka-python is not installed: pip install 'equilag[kafka-python]'"
    raise MissingExtra(problem) from error

log: Final = logging.getLogger("equilag.consumers")

SETTLED_S: Final = 10.0
"""How long a round may take until nobody waits for its end any more."""

_EAGER: Final = 0
_COOPERATIVE: Final = 2
"""Versions of the consumer protocol: from 2 on it says what is owned, and of which generation."""


class EquilagAssignor(AbstractPartitionAssignor):  # type: ignore[misc]
    """Eager: all members let go of everything, then each gets its part of the plan.

    Shares groups with aiokafka's assignor of the same name.
    """

    name: ClassVar[str] = "equilag"
    options: ClassVar[AssignorOptions] = AssignorOptions()
    cooperative: ClassVar[bool] = False

    def __init__(self) -> None:
        self._held = OwnedPartitions()
        self._participant: GroupParticipant | None = None
        self._consumer()

    @classmethod
    def configured(cls, *, name: str | None = None, **settings: Any) -> type[Self]:
        """The same with settings: the fields of `AssignorOptions`. Raises InputError, TypeError.

        `name` is the protocol's, if it is to be another: members whose assignor has the same name
        share a group, and whichever leads decides. So under the name of a built-in eager one
        (`roundrobin`, `range`) members are replaced one by one without ever offering two.
        Two strategies in the list of each member serve as well.
        """
        return configured_assignor(cls, name, AssignorOptions(**settings))

    def metadata(self, topics: Iterable[str]) -> Any:
        """What this member says of itself when it joins."""
        self._consumer()
        return ConsumerProtocolSubscription(
            version=_EAGER, topics=sorted(topics), user_data=user_data.encode(self._held)
        )

    def assign(self, cluster: Any, members: Sequence[Any]) -> dict[str, Any]:
        """An assignment for every member, as kafka-python wants it."""
        joined = [self._introduced(member) for member in members]
        participant = self._consumer()
        coordinator = participant.coordinator()
        if coordinator is not None:
            # If poll() times out before this round is over, and new metadata were its reason, then
            # the next poll() sees none to go on, and the assignment is never applied (kafka-python
            # 3.0.12, with its own strategies too). The end of the round takes this back.
            coordinator.request_rejoin()
        handed = participant.lead(joined, _sizes(cluster, joined))
        version = _COOPERATIVE if self.cooperative else _EAGER
        return {
            member: ConsumerProtocolAssignment(version, sorted(topics.items()), b"")
            for member, topics in handed.items()
        }

    def on_assignment(self, assignment: Any, generation: int) -> None:
        """What this member is given, from the leader."""
        self._held = OwnedPartitions.of(assignment.partitions(), generation)
        participant = self._consumer()
        coordinator = participant.coordinator()
        if coordinator is not None:
            topics = coordinator._subscription.subscription or ()
            participant.follow(known_sizes(coordinator._cluster, topics))

    def _introduced(self, member: Any) -> JoinedMember:
        """A member as it introduced itself."""
        told = member.metadata
        held = read_owned(member.member_id, told.user_data)
        return JoinedMember(
            member.member_id,
            tuple(told.topics),
            generation=held.generation,
            instance_id=member.group_instance_id,
            hints=held.partitions,
        )

    def _consumer(self) -> GroupParticipant:
        """The consumer that this assignor works for, looked for until it is found."""
        if self._participant is None or self._participant.coordinator() is None:
            found = find_caller((ConsumerCoordinator,))
            if self._participant is None or found is not None:
                self._participant = GroupParticipant(
                    self.options, found and _consumer_handle(found), self.cooperative
                )
        return self._participant


class CooperativeEquilagAssignor(EquilagAssignor):
    """Cooperative (KIP-429): members keep what they have, except for what goes elsewhere."""

    name: ClassVar[str] = "equilag-cooperative"
    cooperative: ClassVar[bool] = True

    def supported_protocols(self) -> list[Any]:
        return [RebalanceProtocol.COOPERATIVE]

    def metadata(self, topics: Iterable[str]) -> Any:
        """What this member says of itself: above all what it owns, which nobody else gets then."""
        coordinator = self._consumer().coordinator()
        if coordinator is not None:
            # The truth, not what was assigned last: who fell out of the group has lost it all, and
            # what is claimed without being held is waited for in vain: nobody lets go of it.
            owned = OwnedPartitions.of(
                coordinator._subscription.assigned_partitions(), self._held.generation
            )
        else:
            owned = self._held
        pair = ConsumerProtocolSubscription.TopicPartition
        return ConsumerProtocolSubscription(
            version=_COOPERATIVE,
            topics=sorted(topics),
            user_data=b"",
            owned_partitions=[
                pair(topic=topic, partitions=list(numbers))
                for topic, numbers in owned.partitions.items()
            ],
            generation_id=owned.generation,
        )

    def _introduced(self, member: Any) -> JoinedMember:
        told = member.metadata
        pairs = [(one.topic, n) for one in told.owned_partitions or () for n in one.partitions]
        return JoinedMember(
            member.member_id,
            tuple(told.topics),
            claims=OwnedPartitions.of(pairs, -1).partitions,
            generation=told.generation_id,
            instance_id=member.group_instance_id,
        )


def _consumer_handle(coordinator: Any) -> ConsumerHandle:
    """What matters of a consumer, from its coordinator. Keeps no reference to it."""
    group, settings = coordinator.config["group_id"], coordinator._manager.config
    isolation = coordinator._isolation_level
    strategy = coordinator._subscription._default_offset_reset_strategy
    own_reset = "earliest" if strategy == OffsetResetStrategy.EARLIEST else "latest"
    weak = weakref.ref(coordinator)

    def alive() -> bool:
        there = weak()
        return there is not None and not there._manager.closed

    def asked(generation: int) -> bool:
        """Whether there is nothing to wait for any more."""
        there = weak()
        # Nobody heeds who does not lead, and another round has its own plan.
        if there is None or not there._is_leader or there._manager.closed:
            return True
        if there._generation.generation_id != generation:
            return True
        if there.state is not MemberState.STABLE:
            return False
        there.request_rejoin()
        return True

    def ask() -> None:
        # The end of a round takes back what is asked for in it, so it has to be over.
        there, give_up = weak(), time.monotonic() + SETTLED_S
        if there is None:
            return
        generation, there = there._generation.generation_id, None
        while not asked(generation) and time.monotonic() < give_up:
            time.sleep(0.02)

    def open_probe(reset: str | None) -> Callable[[], Probe]:
        return lambda: KafkaPythonProbe(settings, group, reset or own_reset, isolation)

    session = coordinator.config["session_timeout_ms"] / 1000
    return ConsumerHandle(group, session, weak, ask, alive, open_probe)


def _sizes(cluster: Any, members: Sequence[JoinedMember]) -> dict[str, int]:
    return known_sizes(cluster, {topic for member in members for topic in member.topics})
