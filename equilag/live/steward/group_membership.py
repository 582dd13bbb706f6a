"""A membership in a classic group: the requests of a member, and what their errors mean for it.

JoinGroup keeps its connection busy until all members have joined, so that heartbeats have another
one. Importing this module imports kafka-python.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from equilag.adapters.kafka.client_config import Config
from equilag.adapters.kafka.command_config import plain_config
from equilag.adapters.kafka.consumer_protocol import write_assignment, write_subscription
from equilag.adapters.kafka.described import ReadFailure
from equilag.adapters.kafka.plain_client import PlainClient, said
from equilag.adapters.kafka.quiet import quietly
from equilag.errors import EquilagError
from equilag.live.steward.assignments import BUILT_IN
from equilag.live.steward.membership_errors import (
    Fenced,
    MembershipLost,
    Refused,
    Unreachable,
    raise_for_code,
)

with quietly():
    from kafka import errors
    from kafka.protocol.consumer.group import (
        HeartbeatRequest,
        JoinGroupRequest,
        LeaveGroupRequest,
        SyncGroupRequest,
    )

PROTOCOL_TYPE: Final = "consumer"
_TIMEOUT_S: Final = 8.0
_SLACK_MS: Final = 15_000
_LAST_REBALANCE_MS: Final = 30 * 60_000
"""Java's members may take max.poll.interval.ms to join, and the leader's request waits for all."""


class HeartbeatResult(Enum):
    """What the coordinator says to a heartbeat."""

    FINE = "fine"
    REBALANCE = "rebalance"
    """The group rebalances: join again."""
    LOST = "lost"
    """It does not know us any more: join anew."""
    FENCED = "fenced"
    """Somebody else took our instance id."""
    SILENT = "silent"
    """No answer, or the coordinator moves: the membership is kept for the session timeout."""


@dataclass(frozen=True, slots=True)
class JoinGroupMember:
    """A member as the leader is told of it; `metadata` is its subscription."""

    id: str
    instance_id: str | None
    metadata: bytes


@dataclass(frozen=True, slots=True)
class JoinResult:
    """The answer to a JoinGroup."""

    generation: int
    protocol: str
    leads: bool
    skip: bool
    """We lead, and the assignment in force stays (KIP-814)."""
    members: tuple[JoinGroupMember, ...]
    """The others; empty for who does not lead."""


class GroupMembership:
    """Our place in `group` as the static member `instance`.

    `session_s` is how long the group waits for our heartbeats. Methods may be called from several
    threads, `join` and `sync` from one only.
    """

    def __init__(
        self,
        config: Config,
        group: str,
        instance: str,
        protocols: Iterable[str] = BUILT_IN,
        session_s: float = 10.0,
    ) -> None:
        self.group = group
        self.instance = instance
        self._config = plain_config(config)
        self._session_ms = int(session_s * 1000)
        self._protocols = tuple(protocols)
        self._lock = threading.Lock()
        self._member = ""
        self._generation = -1
        self._join_sent = False
        """Was a join sent since we last had no place."""
        self._protocol = ""
        self._node: int | None = None
        self._clients: dict[bool, PlainClient] = {}
        """By whether it is the one that may have to wait."""

    @property
    def member(self) -> str:
        """The member id that the coordinator gave us, or nothing yet."""
        return self._member

    @property
    def is_member(self) -> bool:
        """Do we have a place that heartbeats keep?"""
        return bool(self._member)

    def join(self, reason: str) -> JoinResult:
        """Join, or join again: waits until all other members have.

        Raises MembershipLost, Fenced, Refused, Unreachable.
        """
        protocols = [
            JoinGroupRequest.JoinGroupRequestProtocol(name=name, metadata=write_subscription([]))
            for name in self._protocols
        ]
        request = JoinGroupRequest(
            group_id=self.group,
            session_timeout_ms=self._session_ms,
            rebalance_timeout_ms=self._session_ms,
            member_id=self._member,
            group_instance_id=self.instance,
            protocol_type=PROTOCOL_TYPE,
            protocols=protocols,
            reason=reason,
            min_version=9,
        )
        self._join_sent = True
        answer = self._send(request, slow=True, wait_ms=_LAST_REBALANCE_MS)
        self._check(answer.error_code)
        self._member, self._generation = answer.member_id, answer.generation_id
        self._protocol = answer.protocol_name or ""
        leads = answer.leader == answer.member_id
        others = tuple(
            JoinGroupMember(one.member_id, one.group_instance_id, bytes(one.metadata))
            for one in answer.members
            if one.member_id != answer.member_id
        )
        return JoinResult(
            answer.generation_id, self._protocol, leads, bool(answer.skip_assignment), others
        )

    def sync(self, given: Mapping[str, Mapping[str, Iterable[int]]]) -> None:
        """Hand out what each member is given (by member id); nothing where we do not lead.

        Raises MembershipLost, Fenced, Refused, Unreachable.
        """
        kind = SyncGroupRequest.SyncGroupRequestAssignment
        assignments = [
            kind(member_id=member, assignment=write_assignment(topics))
            for member, topics in given.items()
        ]
        request = SyncGroupRequest(
            group_id=self.group,
            generation_id=self._generation,
            member_id=self._member,
            group_instance_id=self.instance,
            protocol_type=PROTOCOL_TYPE,
            protocol_name=self._protocol,
            assignments=assignments,
            min_version=5,
        )
        answer = self._send(request, slow=True, wait_ms=self._session_ms + _SLACK_MS)
        self._check(answer.error_code)

    def heartbeat(self) -> HeartbeatResult:
        """One heartbeat; never raises."""
        request = HeartbeatRequest(
            group_id=self.group,
            generation_id=self._generation,
            member_id=self._member,
            group_instance_id=self.instance,
            min_version=4,
        )
        try:
            answer = self._send(request, wait_ms=max(1000, self._session_ms // 3))
            self._check(answer.error_code)
        except Unreachable:
            return HeartbeatResult.SILENT
        except MembershipLost:
            return HeartbeatResult.LOST
        except Fenced:
            return HeartbeatResult.FENCED
        except Refused as error:
            return HeartbeatResult.REBALANCE if error.transient else HeartbeatResult.LOST
        return HeartbeatResult.FINE

    def remove(self, members: Iterable[str]) -> None:
        """Take other members out of the group, all in one request. Raises Refused, Unreachable."""
        kind = LeaveGroupRequest.MemberIdentity
        gone = [
            kind(member_id=member, group_instance_id=None, reason="equilag steward takes over")
            for member in members
        ]
        self._check(self._leave(gone))

    def leave(self) -> None:
        """Leave for good, as well as can be; the group rebalances at once. Never raises."""
        if not (self._member or self._join_sent):
            return
        # A join that still waits has no member id, but a place under our instance id.
        kind = LeaveGroupRequest.MemberIdentity
        ourselves = kind(
            member_id=self._member,
            group_instance_id=self.instance,
            reason="equilag steward is stopped",
        )
        with suppress(EquilagError):
            self._leave([ourselves])
        self.forget()

    def abort_join(self) -> None:
        """End a join that waits, as its connection may be dead."""
        self._close_client(slow=True)

    def forget(self) -> None:
        """The coordinator does not know our member id any more."""
        self._member, self._generation, self._join_sent = "", -1, False

    def close(self) -> None:
        """Close the connections, which ends a join that waits."""
        for slow in (True, False):
            self._close_client(slow)

    def _leave(self, members: list[Any]) -> int:
        request = LeaveGroupRequest(group_id=self.group, members=members, min_version=5)
        answer = self._send(request)
        codes = [answer.error_code, *(one.error_code for one in answer.members or ())]
        unknown = errors.UnknownMemberIdError.errno
        return next((int(code) for code in codes if code and code != unknown), 0)

    def _send(self, request: Any, slow: bool = False, wait_ms: int | None = None) -> Any:
        try:
            client = self._client(slow)
            node = self._node
            if node is None:
                node = self._node = self._find_coordinator(client)
            return client.ask(node, request, wait_ms)
        except (errors.KafkaError, OSError, RuntimeError) as error:
            self._node = None
            self._close_client(slow)
            raise Unreachable(said(error)) from error

    def _client(self, slow: bool) -> PlainClient:
        with self._lock:
            if slow not in self._clients:
                self._clients[slow] = PlainClient(self._config, _TIMEOUT_S)
            return self._clients[slow]

    def _close_client(self, slow: bool) -> None:
        with self._lock:
            client = self._clients.pop(slow, None)
        if client is not None:
            with suppress(Exception):
                client.close()

    def _find_coordinator(self, client: PlainClient) -> int:
        node = client.coordinator(self.group)
        if not isinstance(node, ReadFailure):
            return node
        if node.lacks:
            self._check(errors.GroupAuthorizationFailedError.errno)
        raise Unreachable(node.reason)

    def _check(self, code: int) -> None:
        """Raise what an error code means for us."""
        try:
            raise_for_code(code, self.group, self.instance)
        except Unreachable:
            self._node = None
            raise
