"""One sampling round of a cluster: every group's members, subscriptions, commits and log ends.

Listing, offsets and topics come through confluent-kafka, the rest through `plain_client`. Nothing
joins a group or commits: rights to describe the cluster, its groups and topics are enough.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from equilag.adapters.kafka.client_config import Config
from equilag.adapters.kafka.command_config import plain_config
from equilag.adapters.kafka.connect import connect
from equilag.adapters.kafka.log_ends import offsets
from equilag.adapters.kafka.sample_rows import (
    GroupAnswer,
    Member,
    Rows,
    Sample,
    TopicPartition,
    subscription,
    wanted,
)
from equilag.errors import EquilagError, MissingExtra

if TYPE_CHECKING:
    from equilag.adapters.kafka.plain_client import PlainClient, Unknown

T = TypeVar("T")
Topics = Mapping[str, Mapping[int, int]]
"""Topic to partition to the broker that leads it (-1: none)."""

TIMEOUT: Final = 15.0
"""Seconds for each request."""

_AT_ONCE: Final = 500
"""Groups whose commits are asked for at the same time: librdkafka queues one request for each."""
_PARTITIONS: Final = 20_000
"""Partitions whose log ends are asked for at the same time."""
_PAUSES: Final = (0.2, 0.5, 1.0)
"""Seconds before groups that were rebalancing are described again."""


class NoAnswer(EquilagError):
    """The cluster as a whole does not answer: there is no round."""


class Sampler:
    """Samples one cluster, round by round; connections stay open in between.

    `config` is librdkafka's; `groups` keeps those whose whole name it matches. Raises InputError if
    the cluster does not answer, or for settings that one of the clients does not take; MissingExtra
    without the packages of `equilag[kafka]`.
    """

    def __init__(
        self,
        config: Config,
        groups: re.Pattern[str] | None = None,
        timeout: float = TIMEOUT,
    ) -> None:
        try:
            import confluent_kafka

            import equilag.adapters.kafka.plain_client  # noqa: F401
        except ImportError as error:
            raise MissingExtra(
                "reading a cluster needs confluent-kafka and kafka-python:"
                " pip install 'equilag[kafka,spark]'"
            ) from error
        self._kafka: Any = confluent_kafka
        self._plain_config = plain_config(config)
        self._plain: PlainClient | None = None
        self._groups = groups
        self._timeout = timeout
        self._admin: Any
        self._admin, _ = connect(config)

    def close(self) -> None:
        self._drop_plain()

    def round(self) -> Sample:
        """One round, of all groups that could be read. Raises NoAnswer.

        Commits are asked for before log ends, so that no commit looks too far ahead; the round's
        time lies between the two.
        """
        listed, listing_problems = self._list_groups()
        topics = self._topics()
        members, left_out = self._members(listed)
        committed, failed = self._committed(list(members))
        left_out |= failed
        ts_ms = time.time_ns() // 1_000_000
        remarks = [*listing_problems]
        plan: dict[str, tuple[GroupAnswer, list[list[str]], set[TopicPartition]]] = {}
        for group, commits in sorted(committed.items()):
            answer = GroupAnswer(members[group], commits)
            subscriptions = []
            for member in answer.members:
                names, problem = subscription(member, topics)
                subscriptions.append(names)
                if problem:
                    remarks.append(f"group {group}: {problem}")
            subscribed = {name for names in subscriptions for name in names}
            plan[group] = (answer, subscriptions, wanted(answer, subscribed, topics))
        partitions = sorted({tp for _, _, tps in plan.values() for tp in tps})
        ends, problems = self._ends(partitions, topics)
        sizes, size_problems = self._sizes(ends, topics)
        rows = Rows(ts_ms, ends, sizes)
        for group, parts in plan.items():
            rows.add(group, *parts)
        remarks += [*problems, *size_problems]
        return Sample(ts_ms, rows.offsets, rows.members, left_out, _once(remarks))

    def _list_groups(self) -> tuple[dict[str, bool], list[str]]:
        """Group to whether it is one of KIP-848, and what was wrong with single brokers."""
        kind = self._kafka.ConsumerGroupType.CONSUMER
        try:
            listing = self._admin.list_consumer_groups(request_timeout=self._timeout).result()
        except self._kafka.KafkaException as error:
            raise NoAnswer(_said(error)) from error
        if listing.errors and not listing.valid:
            raise NoAnswer(_said(listing.errors[0]))
        pattern = self._groups
        return (
            {
                group.group_id: group.type == kind
                for group in listing.valid
                if pattern is None or pattern.fullmatch(group.group_id)
            },
            [f"not all groups are listed: {_said(error)}" for error in listing.errors],
        )

    def _topics(self) -> dict[str, dict[int, int]]:
        try:
            topics = self._admin.list_topics(timeout=self._timeout).topics
        except self._kafka.KafkaException as error:
            raise NoAnswer(_said(error)) from error
        return {
            name: {number: one.leader for number, one in topic.partitions.items()}
            for name, topic in topics.items()
        }

    def _members(
        self, groups: Mapping[str, bool]
    ) -> tuple[dict[str, list[Member]], dict[str, str]]:
        """The members of each group, or why they are not known; nothing of groups that are gone."""
        from equilag.adapters.kafka.plain_client import Unknown

        found: dict[str, list[Member]] = {}
        open_: dict[str, Unknown] = {}
        for pause in (0.0, *_PAUSES):
            again = {name: new for name, new in groups.items() if name not in found}
            again = {n: new for n, new in again.items() if n not in open_ or open_[n].passing}
            if not again:
                break
            time.sleep(pause)
            for name, told in self._with_plain(partial(_described, again)).items():
                if isinstance(told, Unknown):
                    open_[name] = told
                else:
                    found[name] = told
        return found, {
            name: why.reason for name, why in open_.items() if name not in found and not why.gone
        }

    def _committed(
        self, groups: list[str]
    ) -> tuple[dict[str, dict[TopicPartition, int]], dict[str, str]]:
        """The commits of each group, or why they are not known."""
        found: dict[str, dict[TopicPartition, int]] = {}
        failed: dict[str, str] = {}
        for at in range(0, len(groups), _AT_ONCE):
            futures: dict[str, Future[Any]] = {}
            for group in groups[at : at + _AT_ONCE]:
                request = [self._kafka.ConsumerGroupTopicPartitions(group)]
                futures |= self._admin.list_consumer_group_offsets(
                    request, request_timeout=self._timeout
                )
            for group, future in futures.items():
                try:
                    told = future.result().topic_partitions
                except self._kafka.KafkaException as error:
                    failed[group] = f"its commits cannot be read: {_said(error)}"
                    continue
                wrong = next((one for one in told if one.error is not None), None)
                if wrong is not None:
                    problem = f"{wrong.topic}-{wrong.partition}: {_said(wrong.error)}"
                    failed[group] = f"its commits cannot be read: {problem}"
                else:
                    found[group] = {
                        (one.topic, one.partition): one.offset for one in told if one.offset >= 0
                    }
        return found, failed

    def _ends(
        self, partitions: list[TopicPartition], topics: Topics
    ) -> tuple[dict[TopicPartition, tuple[int, int]], list[str]]:
        """First offset and end of each partition's log, and what stood in the way of others."""
        failed = {tp: "no leader" for tp in partitions if topics[tp[0]][tp[1]] < 0}
        asked = [tp for tp in partitions if tp not in failed]
        ends: dict[TopicPartition, tuple[int, int]] = {}
        for at in range(0, len(asked), _PARTITIONS):
            batch = asked[at : at + _PARTITIONS]
            try:
                # The end first, as an end can only be too old and never before the start then.
                last = offsets(self._admin, batch, latest=True)
                first = offsets(self._admin, batch, latest=False)
            except self._kafka.KafkaException as error:
                raise NoAnswer(_said(error)) from error
            for tp in batch:
                begin, end = first[tp], last[tp]
                if isinstance(begin, int) and isinstance(end, int):
                    ends[tp] = (begin, max(begin, end))
                else:
                    failed[tp] = str(end if isinstance(begin, int) else begin)
        if asked and not ends:
            raise NoAnswer(failed[asked[0]])
        return ends, _by_reason(failed)

    def _sizes(
        self, partitions: Iterable[TopicPartition], topics: Topics
    ) -> tuple[dict[TopicPartition, int], list[str]]:
        led = {(topic, p): topics[topic][p] for topic, p in partitions if topics[topic][p] >= 0}
        return self._with_plain(lambda client: client.log_sizes(led)) if led else ({}, [])

    def _with_plain(self, call: Callable[[PlainClient], T]) -> T:
        """The result of a call; after an error the connection is made anew with the next one."""
        from kafka.errors import KafkaError

        from equilag.adapters.kafka.plain_client import PlainClient, said

        try:
            if self._plain is None:
                self._plain = PlainClient(self._plain_config, self._timeout)
            return call(self._plain)
        except (KafkaError, OSError, RuntimeError) as error:
            self._drop_plain()
            raise NoAnswer(said(error)) from error
        except BaseException:
            self._drop_plain()
            raise

    def _drop_plain(self) -> None:
        client, self._plain = self._plain, None
        if client is not None:
            with suppress(Exception):
                client.close()


def _described(
    groups: Mapping[str, bool], client: PlainClient
) -> dict[str, list[Member] | Unknown]:
    return client.describe(groups)


def _said(error: Any) -> str:
    """An error of confluent-kafka in a few words."""
    inner = error.args[0] if isinstance(error, Exception) and error.args else error
    text = inner.str() if hasattr(inner, "str") else str(inner)
    return " ".join(text.split())


def _by_reason(failed: Mapping[TopicPartition, str]) -> list[str]:
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


def _once(remarks: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(remarks))
