"""Groups from the responses to DescribeGroups and ConsumerGroupDescribe.

Importing this module imports kafka-python.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from equilag.adapters.kafka.client_config import kafka_python
from equilag.adapters.kafka.codec.consumer_protocol import read_assignment, read_subscription
from equilag.adapters.kafka.codec.wire import BrokenRecord
from equilag.adapters.kafka.described import (
    CARRIER_RACK,
    ClientPlace,
    Described,
    DescribedMember,
    ReadFailure,
    bare_host,
)
from equilag.adapters.kafka.group_kinds import (
    CLASSIC,
    CLASSIC_STREAMS,
    classic_kind,
    described_kind,
)
from equilag.domain.group.member import UNKNOWN_GENERATION

with kafka_python():
    from kafka import errors

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
    kind = kind_of_classic(group)
    if kind not in (CLASSIC, CLASSIC_STREAMS):
        what, _ = described_kind(kind)
        return ReadFailure(f"it is {what}", transient=False, state=group.group_state, kind=kind)
    if group.members and group.group_state in _REBALANCING:
        # The coordinator withholds the members' metadata until the group is stable.
        other = "" if kind == CLASSIC else kind
        return ReadFailure("it is rebalancing", state=group.group_state, kind=other)
    try:
        members = [_classic(member) for member in group.members]
    except BrokenRecord as error:
        return ReadFailure(f"a member's metadata cannot be read: {error}", transient=False)
    return Described(kind, group.group_state, group.protocol_data, coordinator, members)


def kind_of_classic(group: Any) -> str:
    """Return the kind of a DescribedGroup of a DescribeGroupsResponse, in any state."""
    clients = [member.client_id for member in group.members]
    return classic_kind(group.protocol_type, group.protocol_data, clients)


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
        return failed
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
