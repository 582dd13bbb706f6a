"""Requests that librdkafka cannot send, through kafka-python: members with their subscriptions
(DescribeGroups, and ConsumerGroupDescribe of KIP-848) and the sizes of logs (DescribeLogDirs).

Only reads: no request of these changes anything on a broker. Needs Kafka 3.0 or newer, where one
FindCoordinator asks for many groups. Importing this module imports kafka-python.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from equilag.adapters.kafka.described import Described, ReadFailure
from equilag.adapters.kafka.descriptions import GONE, error_name, read_classic, read_new
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
        """API 69; the name finds the schema."""

    class ConsumerGroupDescribeResponse(  # type: ignore[call-arg]
        ApiMessage,  # type: ignore[misc]
        load_json=_SCHEMAS,
    ):
        """Known to the parser of responses from here on."""


BATCH: Final = 100
"""Groups in one request: answers stay small, and one that fails takes few others with it."""

_GROUP: Final = 0
_UNSUPPORTED: Final = (errors.UnsupportedVersionError, errors.IncompatibleBrokerVersion)


class PlainClient:
    """A connection to a cluster; made anew after an error of the whole. `config` is kafka-python's.

    Raises what kafka-python raises (`kafka.errors.KafkaError`) if no broker answers in time.
    """

    def __init__(self, config: Mapping[str, Any], timeout: float) -> None:
        # Everything that it logs comes back as an error as well.
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
        """The answer of one broker, or of any; several threads may ask at the same time."""

        async def asked() -> Any:
            return await self._manager.send(request, node_id=node, request_timeout_ms=wait_ms)

        return self._manager.run(asked)

    def describe(self, groups: Mapping[str, bool | None]) -> dict[str, Described | ReadFailure]:
        """What each group is like. The value says whether it is a group of KIP-848; None if that
        is not known, which takes another request."""
        found: dict[str, Described | ReadFailure] = {}
        nodes: dict[str, int] = {}
        for group, node in self._coordinators(list(groups)).items():
            if isinstance(node, ReadFailure):
                found[group] = node
            else:
                nodes[group] = node
        found |= self._described({name: (nodes[name], bool(groups[name])) for name in nodes})
        # A coordinator takes a group of the other kind for one that is not there.
        other = {
            name: (node, True)
            for name, node in nodes.items()
            if groups[name] is None and isinstance(told := found[name], ReadFailure) and told.gone
        }
        return found | self._described(other)

    def _described(
        self, groups: Mapping[str, tuple[int, bool]]
    ) -> dict[str, Described | ReadFailure]:
        """Groups by their coordinators, and whether they are asked for as groups of KIP-848."""
        found: dict[str, Described | ReadFailure] = {}
        by_node: dict[tuple[int, bool], list[str]] = {}
        for group, asked_as in groups.items():
            by_node.setdefault(asked_as, []).append(group)
        asked = [
            (node, new, names[at : at + BATCH])
            for (node, new), names in by_node.items()
            for at in range(0, len(names), BATCH)
        ]
        answers = self.ask_all([(node, _describe(new, names)) for node, new, names in asked])
        for (node, new, names), answer in zip(asked, answers, strict=True):
            if new and isinstance(answer, _UNSUPPORTED):
                found.update(dict.fromkeys(names, GONE))  # no broker of this kind has any
                continue
            if isinstance(answer, Exception):
                reason = f"its coordinator, broker {node}, does not answer: {said(answer)}"
                found.update(dict.fromkeys(names, ReadFailure(reason)))
                continue
            read = read_new if new else read_classic
            told = {group.group_id: read(group, node) for group in answer.groups}
            nothing = ReadFailure("its coordinator says nothing of it")
            found.update({name: told.get(name, nothing) for name in names})
        return found

    def log_sizes(
        self, leaders: Mapping[TopicPartition, int]
    ) -> tuple[dict[TopicPartition, int], list[str]]:
        """Bytes of each partition's log at its leader, and what stood in the way of others."""
        by_node: dict[int, dict[str, list[int]]] = {}
        for (topic, partition), node in leaders.items():
            by_node.setdefault(node, {}).setdefault(topic, []).append(partition)
        sizes: dict[TopicPartition, int] = {}
        problems = []
        asked = [(node, _log_dirs(topics)) for node, topics in sorted(by_node.items())]
        for (node, _), answer in zip(asked, self.ask_all(asked), strict=True):
            problem = None
            if isinstance(answer, Exception):
                problem = said(answer)
            elif answer.error_code:
                problem = error_name(answer.error_code)
            else:
                failed = [one.error_code for one in answer.results if one.error_code]
                problem = error_name(failed[0]) if failed else None
                sizes.update(_sizes(answer.results))
            if problem:
                problems.append(f"broker {node} does not tell the sizes of its logs: {problem}")
        return sizes, problems

    def coordinator(self, group: str, wait_ms: int | None = None) -> int | ReadFailure:
        """The broker that coordinates a group."""
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
        """The answer to each (broker, request), or the error in its place; brokers in parallel."""
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


def said(error: BaseException) -> str:
    """An error of kafka-python in a few words."""
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
                # A replica on its way to another disk is there twice.
                if not partition.is_future_key:
                    yield (topic.name, partition.partition_index), partition.partition_size
