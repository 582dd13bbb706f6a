"""The carriers of a KIP-848 group, members that bring it plans: each one, and a plan as a whole.

Importing this module imports kafka-python.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Final
from uuid import UUID

from equilag.adapters.kafka.client_config import quietly
from equilag.adapters.kafka.described import MissingRight, needs_describe
from equilag.adapters.kafka.plain.plain_client import (
    GONE,
    ConsumerGroupDescribeRequest,
    PlainClient,
    failure_of,
)
from equilag.adapters.kafka.plain.plain_connection import describe_error
from equilag.domain.errors import EquilagError
from equilag.live.carrier.plan_form import plan_pieces
from equilag.live.carrier.plug_in import check_plug_in
from equilag.live.status.steward_facts import PlanStep
from equilag.live.steward.membership_errors import (
    MembershipLost,
    Unreachable,
    coordinator_of,
    raise_for_code,
)

with quietly():
    from kafka import errors
    from kafka.protocol.api_message import ApiMessage

    class ConsumerGroupHeartbeatRequest(  # type: ignore[call-arg]
        ApiMessage,  # type: ignore[misc]
        load_json="equilag.adapters.kafka.schemas",
    ):
        """API 68; the class name selects the schema."""

    class ConsumerGroupHeartbeatResponse(  # type: ignore[call-arg]
        ApiMessage,  # type: ignore[misc]
        load_json="equilag.adapters.kafka.schemas",
    ):
        """Defined so that the response parser knows it."""


ASSIGNOR: Final = "equilag"
"""The plug-in's name, which a carrier names for the whole group."""
TOPICS: Final = ("equilag-carrier-even", "equilag-carrier-odd")
"""Topics that do not exist. Changing from one to the other makes the broker assign anew, in the
same request that brings the plan."""

_CARRIER: Final = "equilag-carrier-"
"""Member ids of carriers, before their numbers from 0."""
_JOIN: Final = 0
_LEAVE: Final = -1
_REBALANCE_MS: Final = 45_000
"""A carrier owns nothing that it could be slow to release."""


class Coordinator:
    """The broker that coordinates `group`, looked up anew once it does not answer, or is another
    one."""

    def __init__(self, client: PlainClient, group: str) -> None:
        self._client = client
        self._group = group
        self._node: int | None = None

    def heartbeat(self, member: str, epoch: int, **fields: Any) -> int:
        """Send a heartbeat of a member, and return its new epoch. Raises MissingRight, and what
        `raise_for_code` raises."""
        answer = self._ask(
            ConsumerGroupHeartbeatRequest(
                group_id=self._group, member_id=member, member_epoch=epoch, min_version=1, **fields
            )
        )
        if answer.error_code == errors.TopicAuthorizationFailedError.errno:
            raise MissingRight(needs_describe("Topic", [*TOPICS]))
        try:
            raise_for_code(answer.error_code, self._group, member)
        except Unreachable:
            self._node = None
            raise
        return int(answer.member_epoch)

    def members(self) -> dict[str, Any]:
        """Return what it tells of each member by its id; nothing of a classic group. Raises
        Refused, Unreachable."""
        request = ConsumerGroupDescribeRequest(
            group_ids=[self._group], include_authorized_operations=False
        )
        (group,) = self._ask(request).groups
        if (failure := failure_of(group)) is GONE:
            return {}
        if failure:
            self._node = None
            raise Unreachable(failure.reason)
        return {one.member_id: one for one in group.members}

    def _ask(self, request: Any) -> Any:
        try:
            if self._node is None:
                self._node = coordinator_of(self._client, self._group)
            return self._client.ask(self._node, request)
        except (errors.KafkaError, OSError, RuntimeError) as error:
            self._node = None
            raise Unreachable(describe_error(error)) from error


class Carrier:
    """One carrier, under a member id that stays the same whatever process it is in."""

    def __init__(self, coordinator: Coordinator, number: int) -> None:
        self.member = f"{_CARRIER}{number}"
        self._coordinator = coordinator
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
            present = self._coordinator.members().get(self.member)
            if present is None:
                raise Unreachable(f"the group has no member {self.member!r}") from None
            self._epoch = int(present.member_epoch)
            self._renew()

    def _send(self, **fields: Any) -> None:
        self._epoch = self._coordinator.heartbeat(self.member, self._epoch, **fields)


class GroupCarriers:
    """The carriers of `group`, and their plans, made with `key` where the brokers have one."""

    def __init__(self, client: PlainClient, group: str, key: bytes = b"", least: int = 1) -> None:
        """`least` is how many carriers there may be already, of a process before."""
        self.client = client
        self._coordinator = Coordinator(client, group)
        self._key = key
        self._least = least
        self._carriers: list[Carrier] = []
        self._nodes: list[int] = []
        self._plan: dict[str, set[tuple[UUID, int]]] = {}
        """What the last plan gives to each member."""

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
        if not self._carriers:  # those of a process before have pieces of its plan
            present = self._coordinator.members()
            while f"{_CARRIER}{self._least}" in present:
                self._least += 1
        pieces = plan_pieces(assigned, topics, number, self._key, max(self._least, self.number))
        for at in range(len(self._carriers), len(pieces)):
            self._carriers.append(Carrier(self._coordinator, at))
        self._plan = {
            member: {(topic, n) for topic, numbers in share.items() for n in numbers}
            for member, share in assigned.items()
        }
        # What the plug-in came to by itself needs no new epoch, for which eager members pause.
        last = self._carriers[-1] if self.step() == "brought" else None
        for carrier, piece in zip(self._carriers, pieces, strict=True):
            carrier.bring(piece, trigger=carrier is last)

    def outvote(self, workers: int) -> None:
        """Bring the next plan with more carriers than there are workers, who name an assignor of
        their own."""
        self._least = workers + 1

    def step(self) -> PlanStep:
        """Return how far the last plan has come, by the group's coordinator. Raises Refused,
        Unreachable."""
        members = self._coordinator.members()
        found = [members[one] for one in self._plan if one in members]
        if {one.member_id: _pairs(one.target_assignment) for one in found} != self._plan:
            return "brought"
        is_owned = {one.member_id: _pairs(one.assignment) for one in found} == self._plan
        return "owned" if is_owned else "assigned"

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
        nodes = self.client.nodes()
        if nodes == self._nodes:
            return
        check_plug_in(self.client, self._key)
        self._nodes = nodes


def _pairs(assignment: Any) -> set[tuple[UUID, int]]:
    return {(one.topic_id, n) for one in assignment.topic_partitions for n in one.partitions}
