"""Requests about groups through kafka-python: coordinators, and members with their subscriptions
(DescribeGroups, and ConsumerGroupDescribe of KIP-848).

librdkafka is not used: it returns no subscriptions, and an outage of the only broker may abort the
process while it fetches commits (librdkafka issue 4605). The requests only read. They need Kafka
3.0 or newer, where one FindCoordinator serves many groups. Importing this module imports
kafka-python.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from equilag.adapters.kafka.client_config import kafka_python
from equilag.adapters.kafka.consumer_protocol import (
    BrokenRecord,
    read_assignment,
    read_subscription,
)
from equilag.adapters.kafka.described import (
    CARRIER_RACK,
    ClientPlace,
    Described,
    DescribedMember,
    ReadFailure,
    bare_host,
    sorted_out,
)
from equilag.adapters.kafka.group_kinds import (
    CLASSIC,
    CLASSIC_STREAMS,
    CONSUMER,
    classic_kind,
    described_kind,
)
from equilag.adapters.kafka.plain.plain_connection import PlainConnection, describe_error
from equilag.domain.group.member import UNKNOWN_GENERATION

T = TypeVar("T", bound=Hashable)

_SCHEMAS: Final = "equilag.adapters.kafka.schemas"

with kafka_python():
    from kafka import errors
    from kafka.protocol.admin import DescribeGroupsRequest
    from kafka.protocol.api_message import ApiMessage
    from kafka.protocol.metadata import FindCoordinatorRequest

    class ConsumerGroupDescribeRequest(  # type: ignore[call-arg]
        ApiMessage,  # type: ignore[misc]
        load_json=_SCHEMAS,
    ):
        """API 69; the class name selects the schema."""

    class ConsumerGroupDescribeResponse(  # type: ignore[call-arg]
        ApiMessage,  # type: ignore[misc]
        load_json=_SCHEMAS,
    ):
        """Defined so that the response parser knows it."""


GONE: Final = ReadFailure("it no longer exists", transient=False, gone=True)

_REBALANCING: Final = frozenset({"PreparingRebalance", "CompletingRebalance"})
_NOT_FOUND: Final = 69
"""Protocol error code GROUP_ID_NOT_FOUND."""


def error_name(code: int) -> str:
    """Return the name of a protocol error code."""
    kind = errors.for_code(code)
    return getattr(kind, "message", None) or f"error {code}"


def failure_of(group: Any) -> ReadFailure | None:
    """Return the error in a group's description, or None."""
    if group.group_state == "Dead" or group.error_code == _NOT_FOUND:
        return GONE
    if group.error_code:
        return ReadFailure.of(error_name(group.error_code), group.error_code, group.group_state)
    return None


def read_classic(group: Any, coordinator: int) -> Described | ReadFailure:
    """Read a DescribedGroup of a DescribeGroupsResponse."""
    if failed := failure_of(group):
        return failed
    clients = [member.client_id for member in group.members]
    kind = classic_kind(group.protocol_type, group.protocol_data, clients)
    if kind not in (CLASSIC, CLASSIC_STREAMS):
        what, _ = described_kind(kind)
        return ReadFailure(f"it is {what}", transient=False, state=group.group_state, kind=kind)
    if group.members and group.group_state in _REBALANCING:
        # The coordinator withholds the members' metadata until the group is stable.
        return ReadFailure("it is rebalancing", state=group.group_state, kind=kind)
    try:
        members = [_classic(member) for member in group.members]
    except BrokenRecord as error:
        problem = f"a member's metadata cannot be read: {error}"
        return ReadFailure(problem, transient=False, kind=kind)
    return Described(kind, group.group_state, group.protocol_data, coordinator, members)


def _classic(member: Any) -> DescribedMember:
    subscription = read_subscription(bytes(member.member_metadata))
    return DescribedMember(
        member.member_id,
        tuple(subscription.topics),
        owned=read_assignment(bytes(member.member_assignment)),
        rack=subscription.rack or None,
        instance_id=member.group_instance_id,
        client_id=member.client_id or None,
        host=bare_host(member.client_host),
    )


def read_places(group: Any) -> dict[str, ClientPlace]:
    """Return client id and host of each member of a DescribedGroup, in any state of the group."""
    return {
        member.member_id: ClientPlace(member.client_id or None, bare_host(member.client_host))
        for member in group.members
    }


def read_kip848(group: Any, coordinator: int) -> Described | ReadFailure:
    """Read a DescribedGroup of a ConsumerGroupDescribeResponse, without carriers."""
    if failed := failure_of(group):
        # Only where the group is one of KIP-848 does the coordinator come to its topics.
        return replace(failed, kind=CONSUMER) if failed.forbidden == "Topic" else failed
    members = [
        DescribedMember(
            member.member_id,
            tuple(member.subscribed_topic_names),
            member.subscribed_topic_regex or None,
            _owned(member.assignment.topic_partitions),
            member.rack_id or None,
            member.instance_id,
            # Below -1 for a static member that has left and may come back: it keeps its share.
            max(member.member_epoch, UNKNOWN_GENERATION),
            member.client_id or None,
            bare_host(member.client_host),
        )
        for member in group.members
        if not (member.rack_id or "").startswith(CARRIER_RACK)
    ]
    protocol, epoch = group.assignor_name, group.group_epoch
    return Described("consumer", group.group_state, protocol, coordinator, members, epoch)


def _owned(assigned: Iterable[Any]) -> dict[str, list[int]]:
    owned: dict[str, list[int]] = {}
    for one in assigned:
        owned.setdefault(one.topic_name, []).extend(one.partitions)
    return owned


GROUPS_PER_REQUEST: Final = 100
"""Groups per request: responses stay small, and a failing request affects few groups."""

_GROUP: Final = 0
"""Key type of FindCoordinator for consumer groups."""
_UNSUPPORTED: Final = (errors.UnsupportedVersionError, errors.IncompatibleBrokerVersion)


class PlainClient(PlainConnection):
    """A connection, and what coordinators know of groups."""

    def describe(self, groups: Mapping[str, bool | None]) -> dict[str, Described | ReadFailure]:
        """Return each group's description. The value tells whether it is a KIP-848 group; None if
        unknown, which costs a second request."""
        nodes, failed = sorted_out(self.coordinators(list(groups)))
        found: dict[str, Described | ReadFailure] = {**failed}
        found |= self._described({name: (nodes[name], bool(groups[name])) for name in nodes})
        # A coordinator reports a group of the other kind as missing.
        other = {
            name: (node, True)
            for name, node in nodes.items()
            if groups[name] is None
            and isinstance(failure := found[name], ReadFailure)
            and failure.gone
        }
        return found | self._described(other)

    def places(self, group: str, wait_ms: int) -> dict[str, ClientPlace]:
        """Return client id and host of each member of a classic group, also while it rebalances;
        nothing if its coordinator does not answer."""
        node = self.coordinator(group, wait_ms)
        if isinstance(node, ReadFailure):
            return {}
        (answer,) = self.ask_all([(node, _describe(False, [group]))], wait_ms)
        return {} if isinstance(answer, Exception) else read_places(answer.groups[0])

    def _described(
        self, groups: Mapping[str, tuple[int, bool]]
    ) -> dict[str, Described | ReadFailure]:
        """Describe groups, given their coordinators and whether they are KIP-848 groups."""
        found: dict[str, Described | ReadFailure] = {}
        batches = in_batches(groups)
        answers = self.ask_all([(node, _describe(new, names)) for (node, new), names in batches])
        for ((node, new), names), answer in zip(batches, answers, strict=True):
            if new and isinstance(answer, _UNSUPPORTED):
                # Brokers without KIP-848 have no such groups.
                found.update(dict.fromkeys(names, GONE))
                continue
            if isinstance(answer, Exception):
                found.update(dict.fromkeys(names, ReadFailure(_silent(node, answer))))
                continue
            read = read_kip848 if new else read_classic
            described = {group.group_id: read(group, node) for group in answer.groups}
            missing = ReadFailure("its coordinator does not describe it")
            found.update({name: described.get(name, missing) for name in names})
        return found

    def coordinator(self, group: str, wait_ms: int | None = None) -> int | ReadFailure:
        """Return the broker that coordinates a group."""
        return self.coordinators([group], wait_ms)[group]

    def coordinators(
        self, groups: Sequence[str], wait_ms: int | None = None
    ) -> dict[str, int | ReadFailure]:
        request = FindCoordinatorRequest(
            key_type=_GROUP, coordinator_keys=list(groups), min_version=4
        )
        (answer,) = self.ask_all([(None, request)], wait_ms)
        if isinstance(answer, Exception):
            raise answer
        found: dict[str, int | ReadFailure] = dict.fromkeys(groups, ReadFailure("no coordinator"))
        for one in answer.coordinators:
            found[one.key] = one.node_id
            if one.error_code:
                reason = f"no coordinator: {error_name(one.error_code)}"
                found[one.key] = ReadFailure.of(reason, one.error_code)
        return found


def in_batches(groups: Mapping[str, T]) -> list[tuple[T, list[str]]]:
    """Return groups with the same value together, GROUPS_PER_REQUEST at a time."""
    together: dict[T, list[str]] = {}
    for group, value in groups.items():
        together.setdefault(value, []).append(group)
    return [
        (value, names[at : at + GROUPS_PER_REQUEST])
        for value, names in together.items()
        for at in range(0, len(names), GROUPS_PER_REQUEST)
    ]


def _silent(node: int, error: BaseException) -> str:
    return f"its coordinator, broker {node}, does not answer: {describe_error(error)}"


def _describe(new: bool, groups: list[str]) -> Any:
    if new:
        return ConsumerGroupDescribeRequest(group_ids=groups, include_authorized_operations=False)
    return DescribeGroupsRequest(groups=groups, include_authorized_operations=False)
