"""Members of a group by plain requests of the group protocol: any protocol, no thread, no
heartbeat."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NamedTuple

from benchmarks.waiting import until
from equilag.adapters.kafka.consumer_protocol import write_assignment, write_subscription
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


def join_in_halves(
    first: Any, second: Any, threads: ThreadPoolExecutor, group: str, topic: str, partitions: int
) -> Joined:
    """Two members, of half of the topic each; returns the leader."""
    node = coordinator(first, group)
    mine = join(first, group, topic).member
    other = threads.submit(join, second, group, topic)
    rebalancing = ReadFailure("it is rebalancing", state="PreparingRebalance", kind="classic")
    until(lambda: first._described({group: (node, False)})[group] == rebalancing)
    leader = join(first, group, topic, member=mine)
    halves = (range(partitions // 2), range(partitions // 2, partitions))
    assigned = dict(zip((mine, other.result().member), halves, strict=True))
    given = {name: write_assignment({topic: part}) for name, part in assigned.items()}
    sync(first, group, leader, given)
    sync(second, group, other.result(), {})
    return leader


def commit(client: Any, group: str, topic: str, metadata: str) -> None:
    """Commit as nobody, which makes a group without members."""
    until(lambda: commit_as(client, group, Joined("", -1), topic, [0], metadata))


def commit_as(
    client: Any, group: str, member: Joined, topic: str, offsets: Sequence[int], metadata: str = ""
) -> bool:
    """Commit for all partitions of a topic; False if the broker refused it."""
    of_topic = OffsetCommitRequest.OffsetCommitRequestTopic
    rows = [
        of_topic.OffsetCommitRequestPartition(
            partition_index=number, committed_offset=offset, committed_metadata=metadata
        )
        for number, offset in enumerate(offsets)
    ]
    request = OffsetCommitRequest(
        group_id=group, generation_id_or_member_epoch=member.generation, member_id=member.member,
        group_instance_id=None, topics=[of_topic(name=topic, partitions=rows)], max_version=8,
    )  # fmt: skip
    answer = client.ask(coordinator(client, group), request)
    return not any(p.error_code for t in answer.topics for p in t.partitions)
