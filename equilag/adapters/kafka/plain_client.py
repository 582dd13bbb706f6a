"""Requests that librdkafka cannot send, through kafka-python: members with their subscriptions
(DescribeGroups, and ConsumerGroupDescribe of KIP-848) and log sizes (DescribeLogDirs).

The requests only read. They need Kafka 3.0 or newer, where one FindCoordinator serves many groups.
Importing this module imports kafka-python.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from equilag.adapters.kafka.described import ClientPlace, Described, ReadFailure
from equilag.adapters.kafka.descriptions import (
    GONE,
    error_name,
    read_classic,
    read_kip848,
    read_places,
)
from equilag.adapters.kafka.quiet import quietly
from equilag.adapters.kafka.sample_rows import TopicPartition

_SCHEMAS: Final = "equilag.adapters.kafka.schemas"

with quietly():
    from kafka import errors
    from kafka.net.manager import KafkaConnectionManager
    from kafka.net.selector import NetworkSelector
    from kafka.protocol.admin import DescribeGroupsRequest, DescribeLogDirsRequest
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


GROUPS_PER_REQUEST: Final = 100
"""Groups per request: responses stay small, and a failing request affects few groups."""

_GROUP: Final = 0
"""Key type of FindCoordinator for consumer groups."""
_UNSUPPORTED: Final = (errors.UnsupportedVersionError, errors.IncompatibleBrokerVersion)


class PlainClient:
    """A connection to a cluster; create a new one after an error. `config` is kafka-python's.

    Raises kafka-python's errors (`kafka.errors.KafkaError`) if no broker answers in time.
    """

    def __init__(self, config: Mapping[str, Any], timeout: float) -> None:
        # Everything that kafka-python logs is also raised.
        logging.getLogger("kafka").addHandler(logging.NullHandler())
        settings = {
            **config,
            "request_timeout_ms": int(timeout * 1000),
            "metadata_max_age_ms": 30_000,
            "receive_message_max_bytes": 100_000_000,
        }
        self._net = NetworkSelector(**settings)
        self._manager = KafkaConnectionManager(self._net, **settings)
        self._net.start()
        try:
            self._manager.bootstrap(timeout * 1000)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._manager.close()
        self._net.stop(timeout_ms=2000)
        self._net.close()

    def ask(self, node: int | None, request: Any, wait_ms: int | None = None) -> Any:
        """Return the response of one broker, or of any. Several threads may ask at the same
        time."""

        async def requests() -> Any:
            return await self._manager.send(request, node_id=node, request_timeout_ms=wait_ms)

        return self._manager.run(requests)

    def describe(self, groups: Mapping[str, bool | None]) -> dict[str, Described | ReadFailure]:
        """Return each group's description. The value tells whether it is a KIP-848 group; None if
        unknown, which costs a second request."""
        found: dict[str, Described | ReadFailure] = {}
        nodes: dict[str, int] = {}
        for group, node in self._coordinators(list(groups)).items():
            if isinstance(node, ReadFailure):
                found[group] = node
            else:
                nodes[group] = node
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
        by_node: dict[tuple[int, bool], list[str]] = {}
        for group, asked_as in groups.items():
            by_node.setdefault(asked_as, []).append(group)
        requests = [
            (node, new, names[at : at + GROUPS_PER_REQUEST])
            for (node, new), names in by_node.items()
            for at in range(0, len(names), GROUPS_PER_REQUEST)
        ]
        answers = self.ask_all([(node, _describe(new, names)) for node, new, names in requests])
        for (node, new, names), answer in zip(requests, answers, strict=True):
            if new and isinstance(answer, _UNSUPPORTED):
                found.update(
                    dict.fromkeys(names, GONE)
                )  # brokers without KIP-848 have no such groups
                continue
            if isinstance(answer, Exception):
                reason = (
                    f"its coordinator, broker {node}, does not answer: {describe_error(answer)}"
                )
                found.update(dict.fromkeys(names, ReadFailure(reason)))
                continue
            read = read_kip848 if new else read_classic
            described = {group.group_id: read(group, node) for group in answer.groups}
            missing = ReadFailure("its coordinator does not describe it")
            found.update({name: described.get(name, missing) for name in names})
        return found

    def log_sizes(
        self, leaders: Mapping[TopicPartition, int]
    ) -> tuple[dict[TopicPartition, int], list[str]]:
        """Return the bytes of each partition's log at its leader, and the problems with others."""
        by_node: dict[int, dict[str, list[int]]] = {}
        for (topic, partition), node in leaders.items():
            by_node.setdefault(node, {}).setdefault(topic, []).append(partition)
        sizes: dict[TopicPartition, int] = {}
        problems = []
        requests = [(node, _log_dirs(topics)) for node, topics in sorted(by_node.items())]
        for (node, _), answer in zip(requests, self.ask_all(requests), strict=True):
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

    def coordinator(self, group: str, wait_ms: int | None = None) -> int | ReadFailure:
        """Return the broker that coordinates a group."""
        return self._coordinators([group], wait_ms)[group]

    def _coordinators(
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

    def ask_all(
        self, requests: Sequence[tuple[int | None, Any]], wait_ms: int | None = None
    ) -> list[Any]:
        """Return the response to each (broker, request), or the error in its place; brokers in
        parallel."""
        manager = self._manager
        answers: list[Any] = [None] * len(requests)
        by_node: dict[int | None, list[int]] = {}
        for at, (node, _) in enumerate(requests):
            by_node.setdefault(node, []).append(at)

        async def in_turn(node: int | None, places: list[int]) -> None:
            for at in places:
                try:
                    answers[at] = await manager.send(
                        requests[at][1], node_id=node, request_timeout_ms=wait_ms
                    )
                except errors.KafkaError as error:
                    answers[at] = error

        async def all_nodes() -> None:
            for task in [manager.call_soon(in_turn, *item) for item in by_node.items()]:
                await task

        manager.run(all_nodes)
        return answers


def describe_error(error: BaseException) -> str:
    """Return an error of kafka-python as one line."""
    return " ".join(str(error).split()) or type(error).__name__


def _describe(new: bool, groups: list[str]) -> Any:
    if new:
        return ConsumerGroupDescribeRequest(group_ids=groups, include_authorized_operations=False)
    return DescribeGroupsRequest(groups=groups, include_authorized_operations=False)


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
