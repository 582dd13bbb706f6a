"""The assignor for aiokafka: plans in place of its own strategies, in one line.

    AIOKafkaConsumer(..., partition_assignment_strategy=[EquilagAssignor])
    AIOKafkaConsumer(..., partition_assignment_strategy=[EquilagAssignor.configured(seed=1)])

aiokafka calls methods of the bare class from its event loop, and knows eager rebalances only.
"""

from __future__ import annotations

import asyncio
import logging
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Final, Self

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
from equilag.planner import at_once, run

try:
    from aiokafka.consumer.group_coordinator import CoordinatorGroupRebalance, GroupCoordinator
    from aiokafka.coordinator.assignors.abstract import AbstractPartitionAssignor
    from aiokafka.coordinator.protocol import (
        ConsumerProtocolMemberAssignment,
        ConsumerProtocolMemberMetadata,
    )

    from equilag.live.consumers.aiokafka_lag import AiokafkaProbe
except ImportError as error:
    problem = "aiokafka is not installed: pip install 'equilag[aiokafka]'"
    raise MissingExtra(problem) from error

log: Final = logging.getLogger("equilag.consumers")

# What a plan takes is loaded now, not when the first one is due and the event loop waits for it.
_LOADED: Final = (at_once, run)

_VERSION: Final = 0
_PLACE: Final = "_equilag"
"""Where a coordinator keeps what belongs to it, so that it ends with it."""
_SETTINGS: Final = (
    "bootstrap_servers", "client_id", "metadata_max_age_ms", "security_protocol", "ssl_context",
    "connections_max_idle_ms", "sasl_mechanism", "sasl_plain_username", "sasl_plain_password",
    "sasl_kerberos_service_name", "sasl_kerberos_domain_name", "sasl_oauth_token_provider",
)  # fmt: skip


class _AssignorState:
    """What one consumer has with this assignor."""

    def __init__(self, options: AssignorOptions, coordinator: Any) -> None:
        self.held = OwnedPartitions()
        consumer = _consumer_handle(coordinator) if coordinator else None
        self.participant = GroupParticipant(
            options, consumer, cooperative=False, patience=options.loop_limit
        )


class EquilagAssignor(AbstractPartitionAssignor):  # type: ignore[misc]
    """Eager: all members let go of everything, then each gets its part of the plan.

    Shares groups with kafka-python's assignor of the same name.
    """

    name: ClassVar[str] = "equilag"
    options: ClassVar[AssignorOptions] = AssignorOptions()

    @classmethod
    def configured(cls, *, name: str | None = None, **settings: Any) -> type[Self]:
        """The same with settings: the fields of `AssignorOptions`. Raises InputError, TypeError.

        `name` is the protocol's, if it is to be another: members whose assignor has the same name
        share a group, and whichever leads decides. So under the name of a built-in eager one
        (`roundrobin`, `range`) members are replaced one by one without ever offering two. Do that
        with aiokafka: with two strategies it sends two requests to join, and three such members may
        disturb each other without end (aiokafka 0.14, also with its own strategies).
        """
        return configured_assignor(cls, name, AssignorOptions(**settings))

    @classmethod
    def metadata(cls, topics: Iterable[str]) -> Any:
        """What this member says of itself when it joins."""
        held = cls._state().held
        return ConsumerProtocolMemberMetadata(_VERSION, sorted(topics), user_data.encode(held))

    @classmethod
    def assign(cls, cluster: Any, members: Mapping[str, Any]) -> dict[str, Any]:
        """An assignment for every member, as aiokafka wants it."""
        joined = []
        for member, told in members.items():
            held = read_owned(member, told.user_data)
            joined.append(
                JoinedMember(
                    member, tuple(told.subscription), generation=held.generation,
                    hints=held.partitions,
                )
            )  # fmt: skip
        topics = {topic for member in joined for topic in member.topics}
        handed = cls._state().participant.lead(joined, known_sizes(cluster, topics))
        return {
            member: ConsumerProtocolMemberAssignment(_VERSION, sorted(given.items()), b"")
            for member, given in handed.items()
        }

    @classmethod
    def on_assignment(cls, assignment: Any) -> None:
        """What this member is given, from the leader."""
        state = cls._state()
        coordinator = state.participant.coordinator()
        if coordinator is None:
            return
        state.held = OwnedPartitions.of(assignment.partitions(), coordinator.generation)
        subscription = coordinator._subscription.subscription
        state.participant.follow(known_sizes(coordinator._cluster, subscription.topics))

    @classmethod
    def _state(cls) -> _AssignorState:
        """The state of the consumer that calls; an empty one if none is found."""
        found = find_caller((GroupCoordinator, CoordinatorGroupRebalance))
        if isinstance(found, CoordinatorGroupRebalance):
            found = found._coordinator
        if found is None:
            log.warning("the consumer was not found: the heuristic answers, nothing is remembered")
            return _AssignorState(cls.options, None)
        state = found.__dict__.get(_PLACE)
        if not isinstance(state, _AssignorState):
            state = found.__dict__[_PLACE] = _AssignorState(cls.options, found)
        return state


def _consumer_handle(coordinator: Any) -> ConsumerHandle:
    """What matters of a consumer, from its coordinator. Keeps no reference to it."""
    client, group = coordinator._client, coordinator.group_id
    settings = {name: getattr(client, f"_{name}") for name in _SETTINGS}
    settings["client_id"] = f"{settings['client_id']}-equilag"
    weak, loop = weakref.ref(coordinator), weakref.ref(asyncio.get_running_loop())

    def ask() -> None:
        there, home = weak(), loop()
        if there is not None and home is not None and not home.is_closed():
            home.call_soon_threadsafe(there.request_rejoin)

    def alive() -> bool:
        there = weak()
        return there is not None and not there._closing.done()

    def open_probe(reset: str | None) -> Callable[[], Probe]:
        return lambda: AiokafkaProbe(settings, group, reset or "latest")

    session = coordinator._session_timeout_ms / 1000
    return ConsumerHandle(group, session, weak, ask, alive, open_probe)
