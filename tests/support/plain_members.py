"""Members of a group by plain requests of the group protocol: any protocol, no thread, no
heartbeat."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from support.waiting import until

from equilag.adapters.kafka.consumer_protocol import write_subscription
from equilag.adapters.kafka.described import ReadFailure

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from kafka.protocol.consumer import JoinGroupRequest, SyncGroupRequest
    from kafka.protocol.consumer.group import OffsetCommitRequest

SESSION_MS: Final = 1_200_000
"""Longer than any test: nobody expects a heartbeat."""


class Joined(NamedTuple):
    member: str
    generation: int


def coordinator(client: Any, group: str) -> int:
    """Return the coordinator of a group, once there is one."""
    until(lambda: not isinstance(client.coordinator(group), ReadFailure))
    return int(client.coordinator(group))


def join(
    client: Any, group: str, topic: str, protocol: str = "range", member: str = "",
    protocol_type: str = "consumer",
) -> Joined:  # fmt: skip
    """Join a group, or join it again as `member`; waits for the other members."""
    one = JoinGroupRequest.JoinGroupRequestProtocol(
        name=protocol, metadata=write_subscription([topic])
    )
    request = JoinGroupRequest(
        group_id=group, session_timeout_ms=SESSION_MS, rebalance_timeout_ms=SESSION_MS,
        member_id=member, group_instance_id=None, protocol_type=protocol_type, protocols=[one],
        max_version=3,
    )  # fmt: skip
    answer = client.ask(coordinator(client, group), request)
    assert answer.error_code == 0, answer
    return Joined(answer.member_id, answer.generation_id)


def sync(
    client: Any, group: str, joined: Joined, given: Mapping[str, bytes], protocol: str = "range",
    protocol_type: str = "consumer",
) -> None:  # fmt: skip
    """Take up what the leader has given to each member."""
    kind = SyncGroupRequest.SyncGroupRequestAssignment
    request = SyncGroupRequest(
        group_id=group, generation_id=joined.generation, member_id=joined.member,
        group_instance_id=None, protocol_type=protocol_type, protocol_name=protocol,
        assignments=[kind(member_id=name, assignment=data) for name, data in given.items()],
        max_version=3,
    )  # fmt: skip
    answer = client.ask(coordinator(client, group), request)
    assert answer.error_code == 0, answer


def commit(client: Any, group: str, topic: str, metadata: str) -> None:
    """Commit as nobody, which makes a group without members."""
    of_topic = OffsetCommitRequest.OffsetCommitRequestTopic
    of_partition = of_topic.OffsetCommitRequestPartition
    one = of_partition(partition_index=0, committed_offset=0, committed_metadata=metadata)
    request = OffsetCommitRequest(
        group_id=group, generation_id_or_member_epoch=-1, member_id="", group_instance_id=None,
        topics=[of_topic(name=topic, partitions=[one])], max_version=8,
    )  # fmt: skip
    node = coordinator(client, group)

    def done() -> bool:
        answer = client.ask(node, request)
        return [p.error_code for t in answer.topics for p in t.partitions] == [0]

    until(done)
