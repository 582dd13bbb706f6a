"""Sizes of logs (DescribeLogDirs) through kafka-python. Importing this imports kafka-python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from equilag.adapters.kafka.descriptions import error_name
from equilag.adapters.kafka.plain.plain_client import PlainClient
from equilag.adapters.kafka.plain.plain_connection import describe_error
from equilag.adapters.kafka.plain.quiet import quietly
from equilag.adapters.kafka.sample_rows import TopicPartition

with quietly():
    from kafka.protocol.admin import DescribeLogDirsRequest


def log_sizes(
    client: PlainClient, leaders: Mapping[TopicPartition, int]
) -> tuple[dict[TopicPartition, int], list[str]]:
    """Return the bytes of each partition's log at its leader, and the problems with others."""
    by_node: dict[int, dict[str, list[int]]] = {}
    for (topic, partition), node in leaders.items():
        by_node.setdefault(node, {}).setdefault(topic, []).append(partition)
    sizes: dict[TopicPartition, int] = {}
    problems = []
    requests = [(node, _log_dirs(topics)) for node, topics in sorted(by_node.items())]
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
