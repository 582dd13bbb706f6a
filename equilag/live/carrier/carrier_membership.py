"""Members of a KIP-848 group that bring it plans: their heartbeats, and what the errors mean.

Importing this module imports kafka-python.
"""

from __future__ import annotations

from typing import Any, Final

from equilag.adapters.kafka.client_config import quietly
from equilag.adapters.kafka.described import ReadFailure
from equilag.adapters.kafka.plain.plain_client import (
    ConsumerGroupDescribeRequest,
    PlainClient,
)
from equilag.adapters.kafka.plain.plain_connection import describe_error
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
