"""Questions to one cluster, over connections that stay open between them.

Listing, offsets and topics come through confluent-kafka, the rest through `plain_client`. Nothing
joins a group or commits: rights to describe the cluster, its groups and topics are enough.
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
from equilag.adapters.kafka.sample_rows import TopicPartition
from equilag.errors import EquilagError, MissingExtra

if TYPE_CHECKING:
    from equilag.adapters.kafka.plain_client import PlainClient

T = TypeVar("T")
Topics = Mapping[str, Mapping[int, int]]
"""Topic to partition to the broker that leads it (-1: none)."""

TIMEOUT: Final = 15.0
"""Seconds for each request."""

_AT_ONCE: Final = 500
"""Groups whose commits are asked for at the same time: librdkafka queues one request for each."""
_PAUSES: Final = (0.2, 0.5, 1.0)
"""Seconds before groups that were rebalancing are described again."""
_NO_LEADER: Final = -1


class NoAnswer(EquilagError):
    """The cluster as a whole does not answer."""


@dataclass(slots=True)
class NamedTopics:
    """What the cluster says of topics asked for by name: their leaders, or why there are none."""

    found: dict[str, dict[int, int]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    forbidden: list[str] = field(default_factory=list)
    """Without the right Describe."""


class Cluster:
    """One cluster; `config` is librdkafka's, `timeout` in seconds for each request.

    Raises InputError if the cluster does not answer, or for settings that one of the clients does
    not take; MissingExtra without the packages of `equilag[kafka]`. Each question raises NoAnswer
    if nobody answers it.
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
        """Group to whether it is one of KIP-848, and what was wrong with single brokers."""
        kind = self._kafka.ConsumerGroupType.CONSUMER
        try:
            listing = self._admin.list_consumer_groups(request_timeout=self._timeout).result()
        except self._kafka.KafkaException as error:
            raise NoAnswer(said(error)) from error
        if listing.errors and not listing.valid:
            raise NoAnswer(said(listing.errors[0]))
        return (
            {group.group_id: group.type == kind for group in listing.valid},
            [f"not all groups are listed: {said(error)}" for error in listing.errors],
        )

    def topics(self) -> dict[str, dict[int, int]]:
        """All topics that may be described."""
        try:
            topics = self._admin.list_topics(timeout=self._timeout).topics
        except self._kafka.KafkaException as error:
            raise NoAnswer(said(error)) from error
        return {
            name: {number: one.leader for number, one in topic.partitions.items()}
            for name, topic in topics.items()
        }

    def named_topics(self, names: Iterable[str]) -> NamedTopics:
        """These topics and no others; the cluster is not moved to make one that is missing."""
        return self._told(self._ask_topics(sorted(set(names))))

    def described(
        self, groups: Mapping[str, bool | None]
    ) -> tuple[dict[str, Described], dict[str, ReadFailure]]:
        """Each group with its members, or why they are not known; the values say whether it is a
        group of KIP-848, as far as that is known. Waits a little for groups that rebalance."""
        found: dict[str, Described] = {}
        open_: dict[str, ReadFailure] = {}
        for pause in (0.0, *_PAUSES):
            again = {name: new for name, new in groups.items() if name not in found}
            again = {n: new for n, new in again.items() if n not in open_ or open_[n].passing}
            if not again:
                break
            time.sleep(pause)
            for name, told in self.with_plain(partial(_describe, again)).items():
                if isinstance(told, ReadFailure):
                    open_[name] = told
                else:
                    found[name] = told
        return found, {name: why for name, why in open_.items() if name not in found}

    def committed(
        self, groups: list[str]
    ) -> tuple[dict[str, dict[TopicPartition, int]], dict[str, ReadFailure]]:
        """The commits of each group, or why they are not known."""
        found: dict[str, dict[TopicPartition, int]] = {}
        failed: dict[str, ReadFailure] = {}
        for at in range(0, len(groups), _AT_ONCE):
            futures = self._ask_commits(groups[at : at + _AT_ONCE])
            for group, future in futures.items():
                told = self._commits(future)
                if isinstance(told, ReadFailure):
                    failed[group] = told
                else:
                    found[group] = told
        return found, failed

    def ends(
        self,
        partitions: Iterable[TopicPartition],
        topics: Topics,
        *,
        committed: bool = False,
    ) -> tuple[dict[TopicPartition, tuple[int, int]], dict[TopicPartition, str]]:
        """First offset and end of each partition's log, or what stood in the way.

        With `committed` a log ends where the oldest open transaction begins.
        """
        failed: dict[TopicPartition, str] = {}
        asked = []
        for tp in partitions:
            if topics[tp[0]][tp[1]] < 0:  # librdkafka would wait for a leader
                failed[tp] = "no leader"
            else:
                asked.append(tp)
        try:
            bounds = log_bounds(self._admin, asked, committed=committed)
        except self._kafka.KafkaException as error:
            raise NoAnswer(said(error)) from error
        ends: dict[TopicPartition, tuple[int, int]] = {}
        for tp, told in bounds.items():
            if isinstance(told, str):
                failed[tp] = told
            else:
                ends[tp] = told
        return ends, failed

    def with_plain(self, call: Callable[[PlainClient], T]) -> T:
        """The result of a call; after an error the connection is made anew with the next one."""
        from kafka.errors import KafkaError

        from equilag.adapters.kafka import plain_client

        try:
            if self._plain is None:
                self._plain = plain_client.PlainClient(self._plain_config, self._timeout)
            return call(self._plain)
        except (KafkaError, OSError, RuntimeError) as error:
            self.close()
            raise NoAnswer(plain_client.said(error)) from error
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

    def _told(self, asked: Mapping[str, Future[Any]]) -> NamedTopics:
        told = NamedTopics()
        for name, future in asked.items():
            try:
                told.found[name] = {one.id: _leader(one) for one in future.result().partitions}
            except self._kafka.KafkaException as error:
                match error.args[0].name():
                    case "UNKNOWN_TOPIC_OR_PART" | "TOPIC_EXCEPTION":  # the name cannot be one
                        told.missing.append(name)
                    case "TOPIC_AUTHORIZATION_FAILED":
                        told.forbidden.append(name)
                    case _:
                        raise NoAnswer(said(error)) from error
        return told

    def _ask_commits(self, groups: Iterable[str]) -> dict[str, Future[Any]]:
        futures: dict[str, Future[Any]] = {}
        for group in groups:
            request = [self._kafka.ConsumerGroupTopicPartitions(group)]
            futures |= self._admin.list_consumer_group_offsets(
                request, request_timeout=self._timeout
            )
        return futures

    def _commits(self, asked: Future[Any]) -> dict[TopicPartition, int] | ReadFailure:
        try:
            told = asked.result().topic_partitions
        except self._kafka.KafkaException as error:
            return _no_commits(said(error), error.args[0])
        wrong = next((one for one in told if one.error is not None), None)
        if wrong is not None:
            where = f"{wrong.topic}-{wrong.partition}"
            return _no_commits(f"{where}: {said(wrong.error)}", wrong.error)
        return {(one.topic, one.partition): one.offset for one in told if one.offset >= 0}


def _describe(
    groups: Mapping[str, bool | None], client: PlainClient
) -> dict[str, Described | ReadFailure]:
    return client.describe(groups)


def _no_commits(reason: str, error: Any) -> ReadFailure:
    return ReadFailure.of(f"its commits cannot be read: {reason}", error.code())


def _leader(partition: Any) -> int:
    leader = partition.leader
    return _NO_LEADER if leader is None else int(leader.id)


def said(error: Any) -> str:
    """An error of confluent-kafka in a few words."""
    inner = error.args[0] if isinstance(error, Exception) and error.args else error
    text = inner.str() if hasattr(inner, "str") else str(inner)
    return " ".join(text.split())


def by_reason(failed: Mapping[TopicPartition, str]) -> list[str]:
    """One remark for each reason, with one of its partitions."""
    first: dict[str, TopicPartition] = {}
    count: dict[str, int] = {}
    for tp, reason in sorted(failed.items()):
        first.setdefault(reason, tp)
        count[reason] = count.get(reason, 0) + 1
    return [
        f"{count[reason]} partitions without log ends, {topic}-{partition} first: {reason}"
        for reason, (topic, partition) in first.items()
    ]
