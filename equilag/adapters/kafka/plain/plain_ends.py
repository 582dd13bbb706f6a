"""Log starts and ends (ListOffsets) through kafka-python. Importing this imports kafka-python."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from equilag.adapters.kafka.client_config import kafka_python
from equilag.adapters.kafka.described import TopicPartition
from equilag.adapters.kafka.plain.plain_client import PlainClient, error_name
from equilag.adapters.kafka.plain.plain_connection import describe_error
from equilag.adapters.kafka.plain.plain_requests import read_topics
from equilag.adapters.kafka.reading import LogEnds

with kafka_python():
    from kafka import errors
    from kafka.protocol.admin import DescribeLogDirsRequest
    from kafka.protocol.consumer.offsets import ListOffsetsRequest

_LATEST: Final = -1
_EARLIEST: Final = -2
"""Timestamps of ListOffsets that stand for the log's ends."""
_CONSUMER: Final = -1
"""Replica id of a client that is not a replica."""
_NOBODY: Final = -1
"""Stands for a partition without a leader."""
NO_LEADER: Final = "no leader"
"""Why such a partition's log ends are unknown."""
_MOVING: Final = frozenset(
    {
        errors.NotLeaderForPartitionError.errno,
        errors.FencedLeaderEpochError.errno,
        errors.LeaderNotAvailableError.errno,
        errors.OffsetNotAvailableError.errno,
        errors.UnknownLeaderEpochError.errno,
    }
)
"""Answers of a broker that led the partition, or is about to lead it."""
_TRIES: Final = 4
"""Attempts for partitions whose leader is moving, _PAUSE_S apart: 1.5 s in all."""
_PAUSE_S: Final = 0.5
_TIMEOUTS: Final = (errors.KafkaTimeoutError, errors.RequestTimedOutError)


def read_ends(
    client: PlainClient,
    leaders: Mapping[TopicPartition, int],
    committed: bool,
    wait_ms: int | None = None,
) -> LogEnds:
    """Return the ends of logs as their leaders know them, brokers in parallel. A leader below 0
    stands for none.

    With `committed` a log ends where the oldest open transaction begins. Without a limit on the
    time, partitions with moving leaders are asked again for a while. Raises kafka-python's errors
    if nobody knows the leaders then.
    """
    found = _ends_now(client, leaders, committed, wait_ms)
    for _ in range(_TRIES - 1 if wait_ms is None else 0):
        if not found.moved:
            break
        time.sleep(_PAUSE_S)
        known = read_topics(client, {topic for topic, _ in found.moved}).leaders()
        again = _ends_now(client, {tp: known.get(tp, _NOBODY) for tp in found.moved}, committed)
        found.failed = {tp: why for tp, why in found.failed.items() if tp not in again.found}
        found = LogEnds(found.found | again.found, found.failed | again.failed, again.moved)
    return found


def _ends_now(
    client: PlainClient,
    leaders: Mapping[TopicPartition, int],
    committed: bool,
    wait_ms: int | None = None,
) -> LogEnds:
    found = LogEnds(failed={tp: NO_LEADER for tp, leader in leaders.items() if leader < 0})
    by_leader = _by_leader(leaders).items()
    asked = [(at, *one) for at in (_LATEST, _EARLIEST) for one in by_leader]
    requests = [(leader, _list_offsets(mine, at, committed)) for at, leader, mine in asked]
    bounds: dict[int, dict[TopicPartition, int]] = {_LATEST: {}, _EARLIEST: {}}
    for (at, _, mine), answer in zip(asked, client.ask_all(requests, wait_ms), strict=True):
        bounds[at] |= _offsets(mine, answer, found)
    for tp, end in bounds[_LATEST].items():
        if (start := bounds[_EARLIEST].get(tp)) is not None:
            # The end is the older answer: a start above it means that records were deleted since.
            found.found[tp] = start, max(start, end)
    return found


def _by_leader(leaders: Mapping[TopicPartition, int]) -> dict[int, dict[str, list[int]]]:
    """Leader -> topic -> partitions, without those that have none."""
    found: dict[int, dict[str, list[int]]] = {}
    for (topic, partition), leader in leaders.items():
        if leader >= 0:
            found.setdefault(leader, {}).setdefault(topic, []).append(partition)
    return found


def _list_offsets(topics: Mapping[str, list[int]], at: int, committed: bool) -> Any:
    topic = ListOffsetsRequest.ListOffsetsTopic
    partition = topic.ListOffsetsPartition
    return ListOffsetsRequest(
        replica_id=_CONSUMER,
        isolation_level=int(committed),
        topics=[
            topic(
                name=name,
                partitions=[
                    partition(partition_index=number, current_leader_epoch=-1, timestamp=at)
                    for number in numbers
                ],
            )
            for name, numbers in topics.items()
        ],
        min_version=4,
        max_version=9,
    )


def _offsets(
    requested: Mapping[str, list[int]], answer: Any, found: LogEnds
) -> dict[TopicPartition, int]:
    """Return the offsets of an answer; `found` gets why other partitions have none."""
    offsets: dict[TopicPartition, int] = {}
    missing = {(topic, number) for topic, numbers in requested.items() for number in numbers}
    reason = "no answer"
    if isinstance(answer, Exception):
        reason = describe_error(answer)
        if not isinstance(answer, _TIMEOUTS):  # who is late now will not be in time at once
            found.moved |= missing
    else:
        for topic in answer.topics:
            for one in topic.partitions:
                tp = topic.name, one.partition_index
                missing.discard(tp)
                if not one.error_code:
                    offsets[tp] = int(one.offset)
                    continue
                found.failed[tp] = error_name(one.error_code)
                if one.error_code in _MOVING:
                    found.moved.add(tp)
    found.failed |= dict.fromkeys(missing, reason)
    return offsets


def log_sizes(
    client: PlainClient, leaders: Mapping[TopicPartition, int]
) -> tuple[dict[TopicPartition, int], list[str]]:
    """Return the bytes of each partition's log at its leader, and the problems with others."""
    sizes: dict[TopicPartition, int] = {}
    problems = []
    requests = [(node, _log_dirs(topics)) for node, topics in sorted(_by_leader(leaders).items())]
    for (node, _), answer in zip(requests, client.ask_all(requests), strict=True):
        problem = None
        if isinstance(answer, Exception):
            problem = describe_error(answer)
        elif answer.error_code:
            problem = error_name(answer.error_code)
        else:
            failed = [one.error_code for one in answer.results if one.error_code]
            problem = error_name(failed[0]) if failed else None
            sizes.update(_sizes(answer.results))
        if problem:
            problems.append(f"broker {node} does not return the sizes of its logs: {problem}")
    return sizes, problems


def _log_dirs(topics: Mapping[str, list[int]]) -> Any:
    kind = DescribeLogDirsRequest.DescribableLogDirTopic
    return DescribeLogDirsRequest(
        topics=[kind(topic=topic, partitions=numbers) for topic, numbers in topics.items()]
    )


def _sizes(results: Iterable[Any]) -> Iterator[tuple[TopicPartition, int]]:
    for one in results:
        for topic in one.topics:
            for partition in topic.partitions:
                # A replica that moves to another disk is listed twice.
                if not partition.is_future_key:
                    yield (topic.name, partition.partition_index), partition.partition_size
