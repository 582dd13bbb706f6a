"""Membership in a classic group: a member's requests, and what their errors mean.

A JoinGroup request occupies its connection until all members have joined, so heartbeats use another
connection. Importing this module imports kafka-python.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from equilag.adapters.kafka.client_config import Config, plain_config, quietly
from equilag.adapters.kafka.consumer_protocol import write_assignment, write_subscription
from equilag.adapters.kafka.described import ReadFailure
from equilag.adapters.kafka.plain.plain_client import PlainClient
from equilag.adapters.kafka.plain.plain_connection import describe_error
from equilag.domain.errors import EquilagError
from equilag.live.rebalance.assignments import BUILT_IN
from equilag.live.steward.membership_errors import Unreachable, coordinator_of, raise_for_code

with quietly():
    from kafka import errors
    from kafka.protocol.consumer.group import (
        HeartbeatRequest,
        JoinGroupRequest,
        LeaveGroupRequest,
        SyncGroupRequest,
    )

CONSUMERS: Final = "consumer"
"""The protocol type of groups whose members are consumers."""
_TIMEOUT_S: Final = 8.0
"""For requests that a coordinator answers at once, and for connecting: as `connect.WAIT_S`."""
_SYNC_SLACK_MS: Final = 15_000
"""A follower's SyncGroup waits for the leader's assignment: what that may take beyond the steward's
session timeout."""
_MAX_JOIN_S: Final = 30 * 60.0
"""JoinGroup waits for all members, and a Java member may take its max.poll.interval.ms to join: 5
minutes by default. Groups with half an hour are still served."""


JoinGroupMember = tuple[str, str | None, bytes]
"""A member in the leader's JoinGroup response: member id, instance id, subscription."""


@dataclass(frozen=True, slots=True)
class JoinResult:
    """The response to a JoinGroup request."""

    generation: int
    protocol: str
    leads: bool
    skip: bool
    """The steward leads, and the group keeps its current assignment (KIP-814)."""
    members: tuple[JoinGroupMember, ...]
    """The other members; empty for a follower."""
    leader: str = ""
    """Member id of the leader."""


class GroupMembership:
    """Membership in `group` as the static member `instance`.

    The group waits `session_s` seconds for a heartbeat. Methods may be called from several threads,
    `join` and `sync` from one thread only.
    """

    def __init__(
        self,
        config: Config,
        group: str,
        instance: str,
        protocols: Iterable[str] = BUILT_IN,
        session_s: float = 20.0,
        protocol_type: str = CONSUMERS,
    ) -> None:
        self.group = group
        self.instance = instance
        self.permit: Callable[[], None] = lambda: None
        """Called before each request; raises Fenced if it must not be sent."""
        self._protocol_type = protocol_type
        self._config = plain_config(config)
        self._session_ms = int(session_s * 1000)
        self._protocols = tuple(protocols)
        self._lock = threading.Lock()
        self._member = ""
        self._generation = -1
        self.protocol = ""
        """That of the last join."""
        self._node: int | None = None
        self._clients: dict[bool, PlainClient] = {}
        """Blocking or not -> connection; joins and syncs use the blocking one."""

    @property
    def member(self) -> str:
        """The member id that the coordinator assigned, "" before the first join."""
        return self._member

    @property
    def is_member(self) -> bool:
        """True if the group holds a place that heartbeats keep."""
        return bool(self._member)

    @property
    def _own(self) -> dict[str, str]:
        """What every request of a member says."""
        return {
            "group_id": self.group,
            "member_id": self._member,
            "group_instance_id": self.instance,
        }

    def join(self, reason: str, wait_s: float = _MAX_JOIN_S) -> JoinResult:
        """Join, or join again; blocks until all other members have joined.

        Raises MembershipLost, AlreadyRebalancing, Fenced, Refused, Unreachable.
        """
        protocols = [
            JoinGroupRequest.JoinGroupRequestProtocol(name=name, metadata=write_subscription([]))
            for name in self._protocols
        ]
        request = JoinGroupRequest(
            **self._own,
            session_timeout_ms=self._session_ms,
            rebalance_timeout_ms=self._session_ms,
            protocol_type=self._protocol_type,
            protocols=protocols,
            reason=reason,
            min_version=9,
        )
        answer = self._send(request, blocking=True, wait_ms=int(wait_s * 1000))
        self._check(answer.error_code)
        self._member, self._generation = answer.member_id, answer.generation_id
        self.protocol = answer.protocol_name or ""
        leads = answer.leader == answer.member_id
        others = tuple(
            (one.member_id, one.group_instance_id, bytes(one.metadata))
            for one in answer.members
            if one.member_id != answer.member_id
        )
        skip = bool(answer.skip_assignment)
        return JoinResult(answer.generation_id, self.protocol, leads, skip, others, answer.leader)

    def sync(self, given: Mapping[str, Mapping[str, Iterable[int]]]) -> bytes:
        """Send each member's partitions, by member id; a follower sends none. Return the own ones
        as the leader wrote them.

        Raises MembershipLost, AlreadyRebalancing, Fenced, Refused, Unreachable.
        """
        kind = SyncGroupRequest.SyncGroupRequestAssignment
        assignments = [
            kind(member_id=member, assignment=write_assignment(topics))
            for member, topics in given.items()
        ]
        request = SyncGroupRequest(
            **self._own,
            generation_id=self._generation,
            protocol_type=self._protocol_type,
            protocol_name=self.protocol,
            assignments=assignments,
            min_version=5,
        )
        answer = self._send(request, blocking=True, wait_ms=self._session_ms + _SYNC_SLACK_MS)
        self._check(answer.error_code)
        return bytes(answer.assignment or b"")

    def heartbeat(self) -> None:
        """Send one heartbeat.

        Raises MembershipLost, AlreadyRebalancing, Fenced, Refused, Unreachable.
        """
        request = HeartbeatRequest(**self._own, generation_id=self._generation, min_version=4)
        answer = self._send(request, wait_ms=max(1000, min(3000, self._session_ms // 3)))
        self._check(answer.error_code)

    def remove(self, members: Iterable[str]) -> None:
        """Remove other members from the group in one request. Raises Refused, Unreachable."""
        self._check(
            self._leave("the equilag steward takes over", *((one, None) for one in members))
        )

    def leave(self) -> None:
        """Leave for good, as far as the coordinator answers; the group rebalances at once. Never
        raises.

        Without a member id it does not leave: the instance id alone would remove its successor.
        """
        if not self._member:
            return
        with suppress(EquilagError):
            self._leave("the equilag steward is stopped", (self._member, self.instance))
        self.forget()

    def coordinator_answers(self) -> bool:
        """True if the coordinator answers on a new connection, however long it takes."""
        with suppress(errors.KafkaError, OSError, RuntimeError):
            client = PlainClient(self._config, _TIMEOUT_S)
            try:
                found = client.describe({self.group: False})[self.group]
                return not isinstance(found, ReadFailure) or bool(found.kind)
            finally:
                client.close()
        return False

    def abort_join(self) -> None:
        """Abort a waiting join by closing its connection, which may be dead."""
        self._close_client(blocking=True)

    def forget(self) -> None:
        """Drop the member id: the coordinator no longer knows it."""
        self._member, self._generation = "", -1

    def close(self) -> None:
        """Close the connections, which ends a waiting join."""
        for blocking in (True, False):
            self._close_client(blocking)

    def _leave(self, reason: str, *members: tuple[str, str | None]) -> int:
        """Member and instance ids are to leave. Return an error code, 0 for none."""
        kind = LeaveGroupRequest.MemberIdentity
        leaving = [
            kind(member_id=member, group_instance_id=instance, reason=reason)
            for member, instance in members
        ]
        request = LeaveGroupRequest(group_id=self.group, members=leaving, min_version=5)
        answer = self._send(request)
        codes = [answer.error_code, *(one.error_code for one in answer.members or ())]
        unknown = errors.UnknownMemberIdError.errno
        return next((int(code) for code in codes if code and code != unknown), 0)

    def _send(self, request: Any, blocking: bool = False, wait_ms: int | None = None) -> Any:
        try:
            client = self._client(blocking)
            node = self._node
            if node is None:
                node = self._node = coordinator_of(client, self.group)
            self.permit()
            return client.ask(node, request, wait_ms)
        except (errors.KafkaError, OSError, RuntimeError) as error:
            self._node = None
            self._close_client(blocking)
            raise Unreachable(describe_error(error)) from error

    def _client(self, blocking: bool) -> PlainClient:
        with self._lock:
            if blocking not in self._clients:
                self._clients[blocking] = PlainClient(self._config, _TIMEOUT_S)
            return self._clients[blocking]

    def _close_client(self, blocking: bool) -> None:
        with self._lock:
            client = self._clients.pop(blocking, None)
        if client is not None:
            with suppress(Exception):
                client.close()

    def _check(self, code: int) -> None:
        """Raise the error that a code means for this member."""
        try:
            raise_for_code(code, self.group, self.instance)
        except Unreachable:
            self._node = None
            raise
