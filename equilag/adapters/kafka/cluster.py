"""Requests to one cluster, over connections that stay open in between.

Groups, commits and topics come through confluent-kafka, the rest through `plain_client`. Nothing
joins a group or commits: the right Describe on cluster, groups and topics is enough.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from equilag.adapters.kafka.client_config import Config
from equilag.adapters.kafka.command_config import plain_config
from equilag.adapters.kafka.connect import connect
from equilag.adapters.kafka.described import Described, ReadFailure
from equilag.adapters.kafka.log_ends import log_bounds
from equilag.adapters.kafka.reading import distinct_racks, several
from equilag.adapters.kafka.sample_rows import TopicPartition
from equilag.errors import EquilagError, MissingExtra

if TYPE_CHECKING:
    from equilag.adapters.kafka.plain_client import PlainClient

T = TypeVar("T")
TopicLeaders = Mapping[str, Mapping[int, int]]
"""Topic to partition to the broker that leads it (-1: none)."""

TIMEOUT: Final = 15.0
"""Seconds per request: a coordinator whose broker was killed answers again within that (12.4 s
measured, docs/live.md)."""

_GROUPS_PER_BATCH: Final = 500
"""Groups whose commits are requested at the same time: librdkafka queues one request per group."""
_RETRY_PAUSES: Final = (0.2, 0.5, 1.0)
"""Seconds before rebalancing groups are described again: a group that still rebalances after about
two seconds is reported."""
_NO_LEADER: Final = -1
"""As Kafka's protocol writes it."""


class NoAnswer(EquilagError):
    """The cluster as a whole does not answer."""


@dataclass(slots=True)
class NamedTopics:
    """Topics requested by name: partition -> leader of each, or why there are none."""

    found: dict[str, dict[int, int]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    forbidden: list[str] = field(default_factory=list)
    """The right Describe is missing."""
    racks: dict[str, dict[int, tuple[str, ...]]] = field(default_factory=dict)
    """Of the topics in `found`."""


class Cluster:
    """One cluster. `config` is librdkafka's; `timeout` is in seconds per request.

    Raises InputError if the cluster does not answer or one of the clients refuses a setting;
    MissingExtra without the packages of `equilag[kafka]`. Every request raises NoAnswer if no
    broker answers.
    """

    def __init__(self, config: Config, timeout: float = TIMEOUT) -> None:
        try:
            import confluent_kafka

            import equilag.adapters.kafka.plain_client  # noqa: F401
        except ImportError as error:
            raise MissingExtra(
                "reading a cluster needs confluent-kafka and kafka-python:"
                " pip install 'equilag[kafka]'"
            ) from error
        self._kafka: Any = confluent_kafka
        self._plain_config = plain_config(config)
        self._plain: PlainClient | None = None
        self._timeout = timeout
        self._admin: Any
        self._admin, _ = connect(config)

    def close(self) -> None:
        client, self._plain = self._plain, None
        if client is not None:
            with suppress(Exception):
                client.close()

    def groups(self) -> tuple[dict[str, bool], list[str]]:
        """Return group -> True if it is a KIP-848 group, and the problems with single brokers."""
        kind = self._kafka.ConsumerGroupType.CONSUMER
        try:
            listing = self._admin.list_consumer_groups(request_timeout=self._timeout).result()
        except self._kafka.KafkaException as error:
            raise NoAnswer(describe_error(error)) from error
        if listing.errors and not listing.valid:
            raise NoAnswer(describe_error(listing.errors[0]))
        return (
            {group.group_id: group.type == kind for group in listing.valid},
            [f"not all groups are listed: {describe_error(error)}" for error in listing.errors],
        )

    def topics(self) -> dict[str, dict[int, int]]:
        """Return all topics that the user may describe: topic -> partition -> leader."""
        try:
            topics = self._admin.list_topics(timeout=self._timeout).topics
        except self._kafka.KafkaException as error:
            raise NoAnswer(describe_error(error)) from error
        return {
            name: {number: one.leader for number, one in topic.partitions.items()}
            for name, topic in topics.items()
        }

    def named_topics(self, names: Iterable[str]) -> NamedTopics:
        """Return these topics only. The request does not auto-create missing topics."""
        return self._named_topics(self._ask_topics(sorted(set(names))))

    def described(
        self, groups: Mapping[str, bool | None]
    ) -> tuple[dict[str, Described], dict[str, ReadFailure]]:
        """Return each group with its members, or why it cannot be read. The values tell whether a
        group is a KIP-848 group, None if unknown. Waits about two seconds for rebalancing
        groups."""
        found: dict[str, Described] = {}
        unread: dict[str, ReadFailure] = {}
        for pause in (0.0, *_RETRY_PAUSES):
            again = {name: new for name, new in groups.items() if name not in found}
            again = {n: new for n, new in again.items() if n not in unread or unread[n].transient}
            if not again:
                break
            time.sleep(pause)
            for name, answer in self.with_plain(partial(_describe, again)).items():
                if isinstance(answer, ReadFailure):
                    unread[name] = answer
                else:
                    found[name] = answer
        return found, {name: why for name, why in unread.items() if name not in found}

    def committed(
        self, groups: list[str]
    ) -> tuple[dict[str, dict[TopicPartition, int]], dict[str, ReadFailure]]:
        """Return the commits of each group, or why they cannot be read."""
        found: dict[str, dict[TopicPartition, int]] = {}
        failed: dict[str, ReadFailure] = {}
        for at in range(0, len(groups), _GROUPS_PER_BATCH):
            futures = self._ask_commits(groups[at : at + _GROUPS_PER_BATCH])
            for group, future in futures.items():
                commits = self._commits(future)
                if isinstance(commits, ReadFailure):
                    failed[group] = commits
                else:
                    found[group] = commits
        return found, failed

    def ends(
        self,
        partitions: Iterable[TopicPartition],
        topics: TopicLeaders,
        *,
        committed: bool = False,
    ) -> tuple[dict[TopicPartition, tuple[int, int]], dict[TopicPartition, str]]:
        """Return first offset and log end of each partition, or why they are unknown.

        With `committed` a log ends where the oldest open transaction begins.
        """
        failed: dict[TopicPartition, str] = {}
        asked = []
        for tp in partitions:
            if topics[tp[0]][tp[1]] < 0:  # librdkafka would wait for one
                failed[tp] = "no leader"
            else:
                asked.append(tp)
        try:
            bounds = log_bounds(self._admin, asked, committed=committed)
        except self._kafka.KafkaException as error:
            raise NoAnswer(describe_error(error)) from error
        ends: dict[TopicPartition, tuple[int, int]] = {}
        for tp, bound in bounds.items():
            if isinstance(bound, str):
                failed[tp] = bound
            else:
                ends[tp] = bound
        return ends, failed

    def with_plain(self, call: Callable[[PlainClient], T]) -> T:
        """Return the result of a call. After an error the next call opens a new connection."""
        from kafka.errors import KafkaError

        from equilag.adapters.kafka import plain_client

        try:
            if self._plain is None:
                self._plain = plain_client.PlainClient(self._plain_config, self._timeout)
            return call(self._plain)
        except (KafkaError, OSError, RuntimeError) as error:
            self.close()
            raise NoAnswer(plain_client.describe_error(error)) from error
        except BaseException:
            self.close()
            raise

    def _ask_topics(self, names: list[str]) -> dict[str, Future[Any]]:
        if not names:
            return {}
        collection = self._kafka.TopicCollection(names)
        asked: dict[str, Future[Any]] = self._admin.describe_topics(
            collection, request_timeout=self._timeout
        )
        return asked

    def _named_topics(self, answers: Mapping[str, Future[Any]]) -> NamedTopics:
        topics = NamedTopics()
        for name, future in answers.items():
            try:
                partitions = future.result().partitions
                topics.found[name] = {one.id: _leader(one) for one in partitions}
                topics.racks[name] = {
                    one.id: distinct_racks(node.rack for node in one.replicas) for one in partitions
                }
            except self._kafka.KafkaException as error:
                match error.args[0].name():
                    case "UNKNOWN_TOPIC_OR_PART" | "TOPIC_EXCEPTION":  # an invalid name
                        topics.missing.append(name)
                    case "TOPIC_AUTHORIZATION_FAILED":
                        topics.forbidden.append(name)
                    case _:
                        raise NoAnswer(describe_error(error)) from error
        return topics

    def _ask_commits(self, groups: Iterable[str]) -> dict[str, Future[Any]]:
        futures: dict[str, Future[Any]] = {}
        for group in groups:
            request = [self._kafka.ConsumerGroupTopicPartitions(group)]
            futures |= self._admin.list_consumer_group_offsets(
                request, request_timeout=self._timeout
            )
        return futures

    def _commits(self, answer: Future[Any]) -> dict[TopicPartition, int] | ReadFailure:
        try:
            partitions = answer.result().topic_partitions
        except self._kafka.KafkaException as error:
            return _no_commits(describe_error(error), error.args[0])
        wrong = next((one for one in partitions if one.error is not None), None)
        if wrong is not None:
            where = f"{wrong.topic}-{wrong.partition}"
            return _no_commits(f"{where}: {describe_error(wrong.error)}", wrong.error)
        return {(one.topic, one.partition): one.offset for one in partitions if one.offset >= 0}


def _describe(
    groups: Mapping[str, bool | None], client: PlainClient
) -> dict[str, Described | ReadFailure]:
    return client.describe(groups)


def _no_commits(reason: str, error: Any) -> ReadFailure:
    return ReadFailure.of(f"its commits cannot be read: {reason}", error.code())


def _leader(partition: Any) -> int:
    leader = partition.leader
    return _NO_LEADER if leader is None else int(leader.id)


def describe_error(error: Any) -> str:
    """Return an error of confluent-kafka as one line."""
    inner = error.args[0] if isinstance(error, Exception) and error.args else error
    text = inner.str() if hasattr(inner, "str") else str(inner)
    return " ".join(text.split())


def by_reason(failed: Mapping[TopicPartition, str]) -> list[str]:
    """Return one remark per reason, with its first partition."""
    partitions: dict[str, list[TopicPartition]] = {}
    for tp, reason in sorted(failed.items()):
        partitions.setdefault(reason, []).append(tp)
    return [f"no log ends ({reason}): {several(tps)}" for reason, tps in partitions.items()]
