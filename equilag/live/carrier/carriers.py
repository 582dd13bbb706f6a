"""The carriers of a KIP-848 group, members that bring it plans: who may, and a plan as a whole.

Importing this module imports kafka-python.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Final
from uuid import UUID

from equilag.adapters.kafka.client_config import quietly
from equilag.adapters.kafka.described import MissingRight, ReadFailure
from equilag.adapters.kafka.plain.plain_client import (
    ConsumerGroupDescribeRequest,
    PlainClient,
    error_name,
)
from equilag.adapters.kafka.plain.plain_connection import describe_error
from equilag.domain.errors import EquilagError
from equilag.live.carrier.plan_form import plan_pieces
from equilag.live.steward.membership_errors import MembershipLost, Unreachable, raise_for_code

with quietly():
    from kafka import errors
    from kafka.protocol.api_message import ApiMessage

    class ConsumerGroupHeartbeatRequest(  # type: ignore[call-arg]
        ApiMessage,  # type: ignore[misc]
        load_json="equilag.adapters.kafka.codec.schemas",
    ):
        """API 68; the class name selects the schema."""

    class ConsumerGroupHeartbeatResponse(  # type: ignore[call-arg]
        ApiMessage,  # type: ignore[misc]
        load_json="equilag.adapters.kafka.codec.schemas",
    ):
        """Defined so that the response parser knows it."""


ASSIGNOR: Final = "equilag"
"""The plug-in's name, which a carrier names for the whole group."""
TOPICS: Final = ("equilag-carrier-even", "equilag-carrier-odd")
"""Topics that do not exist. Changing from one to the other makes the broker assign anew, in the
same request that brings the plan."""

_JOIN: Final = 0
_LEAVE: Final = -1
_REBALANCE_MS: Final = 45_000
"""A carrier owns nothing that it could be slow to release."""


class Carrier:
    """One carrier, under a member id that stays the same whatever process it is in."""

    def __init__(self, client: PlainClient, group: str, number: int) -> None:
        self.member = f"equilag-carrier-{number}"
        self._client = client
        self._group = group
        self._node: int | None = None
        self._epoch = _JOIN
        self._rack = ""
        self._topic = 0

    def bring(self, rack: str, trigger: bool) -> None:
        """Hold this piece of a plan instead of the former one, as a member. With `trigger` the
        group is assigned anew in the same request.

        Raises Refused, Unreachable; MembershipLost if another process uses the id at this moment.
        """
        self._rack = rack
        if self._epoch == _JOIN:
            self._join()
        self._topic ^= trigger
        try:
            self._renew()
        except MembershipLost:
            self._topic ^= trigger
            self._join()
            self._topic ^= trigger
            self._renew()

    def heartbeat(self) -> None:
        """Stay a member; one that was given up joins again, with its piece. Raises as
        `bring`.
        """
        try:
            self._send()
        except MembershipLost:
            self._join()

    def leave(self) -> None:
        """Leave; the group is assigned anew. Raises Refused, Unreachable."""
        if self._epoch != _JOIN:
            self._epoch = _LEAVE
            self._send()
            self._epoch = _JOIN

    def _renew(self) -> None:
        self._send(rack_id=self._rack, subscribed_topic_names=[TOPICS[self._topic]])

    def _join(self) -> None:
        """Become a member, or go on as the one of this id, for whom the broker does not assign."""
        self._epoch = _JOIN
        try:
            self._send(
                rack_id=self._rack,
                subscribed_topic_names=[TOPICS[self._topic]],
                server_assignor=ASSIGNOR,
                rebalance_timeout_ms=_REBALANCE_MS,
                topic_partitions=[],
            )
        except MembershipLost:  # before Kafka 4.2 a member that is there cannot join again
            self._epoch = self._present_epoch()
            self._renew()

    def _present_epoch(self) -> int:
        """The epoch of the member of this id. Raises Unreachable."""
        request = ConsumerGroupDescribeRequest(
            group_ids=[self._group], include_authorized_operations=False
        )
        (group,) = self._ask(request).groups
        epochs = {one.member_id: one.member_epoch for one in group.members}
        if self.member not in epochs:
            raise Unreachable(f"the group has no member {self.member!r}")
        return int(epochs[self.member])

    def _send(self, **fields: Any) -> None:
        request = ConsumerGroupHeartbeatRequest(
            group_id=self._group,
            member_id=self.member,
            member_epoch=self._epoch,
            min_version=1,
            **fields,
        )
        answer = self._ask(request)
        try:
            raise_for_code(answer.error_code, self._group, self.member)
        except Unreachable:
            self._node = None
            raise
        self._epoch = answer.member_epoch

    def _ask(self, request: Any) -> Any:
        try:
            if self._node is None:
                self._node = self._coordinator()
            return self._client.ask(self._node, request)
        except (errors.KafkaError, OSError, RuntimeError) as error:
            self._node = None
            raise Unreachable(describe_error(error)) from error

    def _coordinator(self) -> int:
        node = self._client.coordinator(self._group)
        if isinstance(node, ReadFailure):
            raise Unreachable(node.reason)
        return node


with quietly():
    from kafka import errors
    from kafka.protocol.admin import DescribeConfigsRequest

PLUG_IN: Final = "equilag.broker.EquilagAssignor"
"""The plug-in's class, as in the brokers' list of assignors."""

ASSIGNORS: Final = "group.consumer.assignors"
HEARTBEAT: Final = "group.consumer.min.heartbeat.interval.ms"
"""Brokers' settings: the list of assignors, and how often members may send heartbeats."""
_BROKER: Final = 4
"""Resource type of a broker in DescribeConfigs."""


class NoPlugIn(EquilagError):
    """A broker lacks the plug-in: a plan there would end all consumers of the group."""


class GroupCarriers:
    """The carriers of `group`, and their plans, made with `key` where the brokers have one."""

    def __init__(self, client: PlainClient, group: str, key: bytes = b"", least: int = 1) -> None:
        """`least` is how many carriers there may be already, of a process before."""
        self._client = client
        self._group = group
        self._key = key
        self._least = least
        self._carriers: list[Carrier] = []
        self._nodes: list[int] = []

    @property
    def number(self) -> int:
        """Of carriers that are members."""
        return len(self._carriers)

    def bring(
        self,
        assigned: Mapping[str, Mapping[UUID, Iterable[int]]],
        topics: Mapping[UUID, int],
        number: int,
    ) -> None:
        """Make the group take a plan, as `plan_pieces` takes it, with as many carriers as it needs
        and at least as many as there are.

        Raises InputError, NoPlugIn, MissingRight, and what `Carrier.bring` raises. After an error
        the group is held until the next plan is brought.
        """
        self.check_brokers()
        pieces = plan_pieces(assigned, topics, number, self._key, max(self._least, self.number))
        for at in range(len(self._carriers), len(pieces)):
            self._carriers.append(Carrier(self._client, self._group, at))
        for carrier, piece in zip(self._carriers, pieces, strict=True):
            carrier.bring(piece, trigger=carrier is self._carriers[-1])

    def keep(self) -> None:
        """Send a heartbeat of each carrier: within the group's session timeout, better every
        second. Raises what `Carrier.bring` raises."""
        for carrier in self._carriers:
            carrier.heartbeat()

    def leave(self) -> None:
        """Take all carriers out of the group, as far as its coordinator answers: its consumers have
        another assignor then."""
        for carrier in self._carriers:
            with suppress(EquilagError):
                carrier.leave()
        self._carriers.clear()

    def check_brokers(self) -> None:
        """Ask all brokers, anew when their set has changed. Raises NoPlugIn, MissingRight,
        Unreachable."""
        nodes = self._client.nodes()
        if nodes == self._nodes:
            return
        settings = broker_settings(self._client)
        lacking = [node for node, found in settings.items() if PLUG_IN not in assignors(found)]
        if lacking:
            listed = ", ".join(map(str, lacking))
            raise NoPlugIn(f"{ASSIGNORS} has no {PLUG_IN} at: broker {listed}")
        self._nodes = nodes


def broker_settings(client: PlainClient) -> dict[int, dict[str, str]]:
    """Return ASSIGNORS and HEARTBEAT of each broker, as far as it has them. Raises MissingRight,
    Unreachable."""
    nodes = client.nodes()
    answers = client.ask_all([(node, _settings_of(node)) for node in nodes])
    settings = {}
    for node, answer in zip(nodes, answers, strict=True):
        if isinstance(answer, Exception):
            raise Unreachable(f"broker {node} does not answer: {describe_error(answer)}")
        (result,) = answer.results
        if result.error_code == errors.ClusterAuthorizationFailedError.errno:
            raise MissingRight("needs the right DescribeConfigs on the Cluster")
        if result.error_code:
            raise Unreachable(f"broker {node}: {error_name(result.error_code)}")
        settings[node] = {one.name: one.value for one in result.configs if one.value}
    return settings


def assignors(settings: Mapping[str, str]) -> list[str]:
    """Return the assignors that a broker lists, by name or class; the first one is that of groups
    whose members name none."""
    return [name for one in settings.get(ASSIGNORS, "").split(",") if (name := one.strip())]


def _settings_of(node: int) -> DescribeConfigsRequest:
    kind, names = DescribeConfigsRequest.DescribeConfigsResource, [ASSIGNORS, HEARTBEAT]
    resource = kind(resource_type=_BROKER, resource_name=str(node), configuration_keys=names)
    return DescribeConfigsRequest(
        resources=[resource], include_synonyms=False, include_documentation=False
    )
