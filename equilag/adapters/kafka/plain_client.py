"""Requests that librdkafka cannot send, through kafka-python: members with their subscriptions
(DescribeGroups, and ConsumerGroupDescribe of KIP-848) and the sizes of logs (DescribeLogDirs).

Only reads: no request of these changes anything on a broker. Needs Kafka 3.0 or newer, where one
FindCoordinator asks for many groups. Importing this module imports kafka-python.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from equilag.adapters.kafka.consumer_protocol import read_assignment, read_subscription
from equilag.adapters.kafka.sample_rows import Member, TopicPartition
from equilag.adapters.kafka.wire import BrokenRecord

_SCHEMAS: Final = "equilag.adapters.kafka.schemas"

with warnings.catch_warnings():
    # kafka-python reads its schemas with a function that Python 3.11 and 3.12 call deprecated.
    warnings.simplefilter("ignore", DeprecationWarning)
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
_REBALANCING: Final = frozenset({"PreparingRebalance", "CompletingRebalance"})
_GONE: Final = 69
_FORBIDDEN: Final = frozenset({29, 30, 31})
"""Topic, group and cluster authorization."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Why the members of a group are not known; `gone` if the group is no more."""

    reason: str
    passing: bool = True
    """Whether to ask again makes sense."""
    gone: bool = False


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

    def describe(self, groups: Mapping[str, bool]) -> dict[str, list[Member] | Unknown]:
        """The members of each group; the value says whether it is a group of KIP-848."""
        found: dict[str, list[Member] | Unknown] = {}
        by_node: dict[tuple[int, bool], list[str]] = {}
        for group, node in self._coordinators(list(groups)).items():
            if isinstance(node, Unknown):
                found[group] = node
            else:
                by_node.setdefault((node, groups[group]), []).append(group)
        asked = [
            (node, new, names[at : at + BATCH])
            for (node, new), names in by_node.items()
            for at in range(0, len(names), BATCH)
        ]
        answers = self._ask([(node, _describe(new, names)) for node, new, names in asked])
        for (node, new, names), answer in zip(asked, answers, strict=True):
            if isinstance(answer, Exception):
                reason = f"its coordinator, broker {node}, does not answer: {said(answer)}"
                found.update(dict.fromkeys(names, Unknown(reason)))
                continue
            read = _read_new if new else _read_classic
            told = {group.group_id: read(group) for group in answer.groups}
            nothing = Unknown("its coordinator says nothing of it")
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
        for (node, _), answer in zip(asked, self._ask(asked), strict=True):
            problem = None
            if isinstance(answer, Exception):
                problem = said(answer)
            elif answer.error_code:
                problem = _name(answer.error_code)
            else:
                failed = [one.error_code for one in answer.results if one.error_code]
                problem = _name(failed[0]) if failed else None
                sizes.update(_sizes(answer.results))
            if problem:
                problems.append(f"broker {node} does not tell the sizes of its logs: {problem}")
        return sizes, problems

    def _coordinators(self, groups: Sequence[str]) -> dict[str, int | Unknown]:
        request = FindCoordinatorRequest(
            key_type=_GROUP, coordinator_keys=list(groups), min_version=4
        )
        (answer,) = self._ask([(None, request)])
        if isinstance(answer, Exception):
            raise answer
        found: dict[str, int | Unknown] = dict.fromkeys(groups, Unknown("no coordinator"))
        for one in answer.coordinators:
            found[one.key] = one.node_id
            if one.error_code:
                reason = f"no coordinator: {_name(one.error_code)}"
                found[one.key] = Unknown(reason, one.error_code not in _FORBIDDEN)
        return found

    def _ask(self, requests: Sequence[tuple[int | None, Any]]) -> list[Any]:
        """The answer to each (broker, request), or the error in its place; brokers in parallel."""
        manager = self._manager
        answers: list[Any] = [None] * len(requests)
        by_node: dict[int | None, list[int]] = {}
        for at, (node, _) in enumerate(requests):
            by_node.setdefault(node, []).append(at)

        async def in_turn(node: int | None, places: list[int]) -> None:
            for at in places:
                try:
                    answers[at] = await manager.send(requests[at][1], node_id=node)
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


def _name(code: int) -> str:
    """The name of an error code of the protocol."""
    kind = errors.for_code(code)
    return getattr(kind, "message", None) or f"error {code}"


def _describe(new: bool, groups: list[str]) -> Any:
    if new:
        return ConsumerGroupDescribeRequest(group_ids=groups, include_authorized_operations=False)
    return DescribeGroupsRequest(groups=groups, include_authorized_operations=False)


def _log_dirs(topics: Mapping[str, list[int]]) -> Any:
    kind = DescribeLogDirsRequest.DescribableLogDirTopic
    return DescribeLogDirsRequest(
        topics=[kind(topic=topic, partitions=numbers) for topic, numbers in topics.items()]
    )


def _failed(group: Any) -> Unknown | None:
    """The error in a group's description, of either kind."""
    if group.group_state == "Dead" or group.error_code == _GONE:
        return Unknown("it is gone", passing=False, gone=True)
    if group.error_code:
        return Unknown(_name(group.error_code), group.error_code not in _FORBIDDEN)
    return None


def _read_classic(group: Any) -> list[Member] | Unknown:
    """Members out of a DescribedGroup of DescribeGroupsResponse."""
    if failed := _failed(group):
        return failed
    if group.members and group.group_state in _REBALANCING:
        # The coordinator keeps the members' metadata to itself until the group is stable.
        return Unknown("it is rebalancing")
    try:
        return [_classic(member) for member in group.members]
    except BrokenRecord as error:
        return Unknown(f"a member's metadata cannot be read: {error}", passing=False)


def _classic(member: Any) -> Member:
    told = read_subscription(bytes(member.member_metadata))
    return Member(
        member.member_id,
        tuple(told.topics),
        owned=read_assignment(bytes(member.member_assignment)),
        rack=told.rack or None,
        instance_id=member.group_instance_id,
    )


def _read_new(group: Any) -> list[Member] | Unknown:
    """Members out of a DescribedGroup of ConsumerGroupDescribeResponse."""
    if failed := _failed(group):
        return failed
    return [
        Member(
            member.member_id,
            tuple(member.subscribed_topic_names),
            member.subscribed_topic_regex or None,
            _owned(member.assignment.topic_partitions),
            member.rack_id or None,
            member.instance_id,
            member.member_epoch,
        )
        for member in group.members
    ]


def _owned(assigned: Iterable[Any]) -> dict[str, list[int]]:
    owned: dict[str, list[int]] = {}
    for one in assigned:
        owned.setdefault(one.topic_name, []).extend(one.partitions)
    return owned


def _sizes(results: Iterable[Any]) -> Iterator[tuple[TopicPartition, int]]:
    for one in results:
        for topic in one.topics:
            for partition in topic.partitions:
                # A replica on its way to another disk is there twice.
                if not partition.is_future_key:
                    yield (topic.name, partition.partition_index), partition.partition_size
