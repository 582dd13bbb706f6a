"""Consumer groups of a live cluster, read from outside: members and offsets as they are now.

It only reads: the right Describe on groups and topics is enough, and no member notices.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from typing import Concatenate, Final, ParamSpec, TypeVar

from equilag.adapters.kafka.client_config import SERVERS, Config, kafka_python, plain_config
from equilag.adapters.kafka.described import (
    ClientPlace,
    Commits,
    Described,
    MissingRight,
    NoAnswer,
    NoSuchGroup,
    ReadFailure,
    TemporarilyUnreadable,
    TopicPartition,
    UnplannableGroup,
    needs_describe,
    needs_right,
    resolved,
)
from equilag.adapters.kafka.group_kinds import CONSUMER, PLANNED, ListedGroup
from equilag.adapters.kafka.plain.plain_client import PlainClient
from equilag.adapters.kafka.plain.plain_connection import describe_error
from equilag.adapters.kafka.plain.plain_ends import log_sizes, read_ends
from equilag.adapters.kafka.plain.plain_requests import (
    described,
    kind_now,
    list_groups,
    read_commits,
    read_topics,
)
from equilag.adapters.kafka.reading import (
    NamedTopics,
    Reading,
    Readings,
    TopicOffsets,
    kind_of,
    lost_commits,
    several,
    state_remarks,
    topic_offsets,
    topics_of,
    unknown_topics,
)
from equilag.domain.errors import EquilagError, InputError
from equilag.domain.figures import utc

with kafka_python():
    from kafka.errors import KafkaError

P = ParamSpec("P")
T = TypeVar("T")

WAIT_S: Final = 8.0
"""How long a cluster may take to answer the first request."""
TIMEOUT: Final = 15.0
"""Seconds per request: a coordinator whose broker was killed answers again within that (12.4 s
measured, docs/live.md)."""
ISOLATION_LEVELS: Final = ("read_uncommitted", "read_committed")
_ROUNDS: Final = 4
"""Requests in turn that `lags` takes."""


class GroupReader:
    """Reads groups; connections stay open between calls. For one thread at a time.

    `config` is librdkafka's. With `isolation` ``read_committed`` a log ends where the oldest open
    transaction begins. Raises InputError if the cluster does not answer or a client refuses a
    setting; MissingExtra without the clients.

    All methods raise NoAnswer if the cluster stops answering; the next call tries again.
    """

    def __init__(
        self, config: Config, *, isolation: str = "read_uncommitted", timeout: float = TIMEOUT
    ) -> None:
        if isolation not in ISOLATION_LEVELS:
            problem = f"{isolation!r} is none of {', '.join(ISOLATION_LEVELS)}"
            raise InputError(problem, "isolation")
        self._committed = isolation == "read_committed"
        self._plain_config, self._timeout = plain_config(config), timeout
        self.servers = str(config[SERVERS])
        """The cluster's name for messages."""
        self._client: PlainClient | None
        try:
            self._client = PlainClient(self._plain_config, timeout, WAIT_S)
        except (KafkaError, OSError) as error:
            raise InputError(describe_error(error), "", self.servers) from error

    def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            with suppress(Exception):
                client.close()

    def topics(self, names: Collection[str] | None = None) -> NamedTopics:
        """Return these topics, or all that the user may describe; missing ones are not created."""
        return NamedTopics() if names is not None and not names else self.call(read_topics, names)

    def call(
        self, request: Callable[Concatenate[PlainClient, P], T], *args: P.args, **settings: P.kwargs
    ) -> T:
        """Return what a request comes to. After an error the next one opens a new connection."""
        try:
            if self._client is None:
                self._client = PlainClient(self._plain_config, self._timeout)
            return request(self._client, *args, **settings)
        except (KafkaError, OSError, RuntimeError) as error:
            self.close()
            raise NoAnswer(describe_error(error)) from error
        except BaseException:
            self.close()
            raise

    def read(self, group: str) -> Reading:
        """Return members and offsets of one group.

        Raises TemporarilyUnreadable if it keeps rebalancing, InputError if there is no such group,
        UnplannableGroup (an InputError) if it is of a kind that is not planned, and MissingRight
        (an InputError) that names the missing right.
        """
        if not group:
            raise InputError("is empty; expected the name of a group", "group")
        found, unknown = self.call(described, {group: None})
        if group in unknown:
            if unknown[group].gone:
                self.check_kind(group)
            raise self._error(group, unknown[group])
        commits, failed = self.call(read_commits, {group: found[group].coordinator})
        if group in failed:
            raise self._error(group, failed[group])
        kind = kind_of(found[group], commits[group])
        if kind not in PLANNED:
            raise UnplannableGroup(group, kind, self.servers)
        names = topics_of(found[group]) | {topic for topic, _ in commits[group].offsets}
        if any(member.pattern for member in found[group].members):  # else no need to list them all
            members, _ = resolved(found[group].members, self.topics().found)
            names.update(topic for member in members for topic in member.topics)
        readings = self._readings(found, commits, self.topics(names))
        if group in readings.left_out:
            raise MissingRight(readings.left_out[group], "", self.servers)
        return readings.groups[0]

    def read_all(
        self, wanted: Callable[[str], object] = bool, *, patient: bool = False
    ) -> Readings:
        """Return all listed groups that are `wanted`, except for unreadable ones. Waits about two
        seconds for groups that rebalance, if `patient` about twenty."""
        every, remarks = self.call(list_groups)
        named = self.topics()
        listed = {group: one for group, one in every.items() if wanted(group)}
        new = {name: one.kind == CONSUMER for name, one in listed.items() if one.kind in PLANNED}
        found, unread = self.call(described, new, patient)
        commits, failed = self.call(read_commits, {g: one.coordinator for g, one in found.items()})
        readable = {group: found[group] for group in commits}
        # Topics without the right Describe are not listed, but a request by name reports them.
        absent = set().union(*map(topics_of, readable.values())) - named.found.keys()
        named.forbidden = self.topics(absent).forbidden
        readings = self._readings(readable, commits, named)
        for group, failure in (unread | failed).items():
            if failure.kind and failure.kind not in PLANNED:
                listed[group] = ListedGroup(failure.kind, failure.state)
            elif not failure.gone:
                readings.left_out[group] = (
                    needs_right(failure, group) if failure.forbidden else failure.reason
                )
        readings.others = {g: one for g, one in listed.items() if one.kind not in PLANNED}
        readings.remarks = remarks
        return readings

    def log_sizes(self, read: Readings) -> tuple[dict[TopicPartition, int], list[str]]:
        """Return the bytes of each log that has ends, and the problems with single brokers."""
        leaders = read.topics.found
        return self.call(log_sizes, {(t, p): leaders[t][p] for t, p in read.logs.found})

    def lags(self, group: str, topics: Iterable[str], timeout: float | None = None) -> TopicOffsets:
        """Return the offsets of these topics, without reading the group's members.

        Missing topics become remarks. `timeout` is for all requests, in seconds. Raises
        MissingRight, and TemporarilyUnreadable if the coordinator does not return the commits.
        """
        wait_ms = int(1000 * (self._timeout if timeout is None else timeout) / _ROUNDS)
        node = self.call(lambda client: client.coordinator(group, wait_ms))
        if isinstance(node, ReadFailure):
            raise self._error(group, node)
        every, failed = self.call(read_commits, {group: node}, wait_ms)
        if failed:
            raise self._error(group, failed[group])
        named = self.call(read_topics, topics, wait_ms)
        self._check_topics(named)
        logs = self.call(read_ends, named.leaders(), self._committed, wait_ms)
        offsets = topic_offsets(named.found, named, every[group], logs)
        offsets.remarks += [f"there is no topic {name!r}" for name in named.missing]
        return offsets

    def sizes(self, topics: Iterable[str], timeout: float | None = None) -> dict[str, int]:
        """Return the number of partitions of these topics, if they exist; one request.

        Raises MissingRight.
        """
        wait_ms = int(1000 * (self._timeout if timeout is None else timeout))
        named = self.call(read_topics, topics, wait_ms)
        self._check_topics(named)
        return {topic: max(found, default=-1) + 1 for topic, found in named.found.items()}

    def places(self, group: str, timeout: float) -> dict[str, ClientPlace]:
        """Return client id and host of each member, also while a classic group rebalances; nothing
        if its coordinator does not answer. `timeout` is in seconds, for each of two requests."""
        return self.call(lambda client: client.places(group, int(1000 * timeout)))

    def check_kind(self, group: str) -> str:
        """Return the kind of the group in whatever state it is, "" if there is none. Raise
        UnplannableGroup if it must not be joined; MissingRight, and TemporarilyUnreadable if that
        cannot be found out."""
        kind = self.call(kind_now, group)
        if isinstance(kind, ReadFailure):
            raise self._error(group, kind)
        if kind and kind not in PLANNED:
            raise UnplannableGroup(group, kind, self.servers)
        return kind

    def _check_topics(self, topics: NamedTopics) -> None:
        if topics.forbidden:
            raise MissingRight(needs_describe("Topic", topics.forbidden), "", self.servers)

    def _error(self, group: str, failure: ReadFailure) -> EquilagError:
        if failure.forbidden:
            return MissingRight(needs_right(failure, group), "", self.servers)
        if failure.kind and failure.kind not in PLANNED:
            return UnplannableGroup(group, failure.kind, self.servers)
        if failure.gone:
            why = "Kafka forgets groups without members and commits"
            return NoSuchGroup(f"there is no group {group!r} ({why})", "group", self.servers)
        if failure.transient:
            return TemporarilyUnreadable(
                f"group {group!r} cannot be read now: {failure.reason}", failure.state
            )
        return InputError(f"group {group!r}: {failure.reason}", "", self.servers)

    def _readings(
        self, groups: Mapping[str, Described], commits: Mapping[str, Commits], named: NamedTopics
    ) -> Readings:
        """Put the groups together; `named` has at least the topics that they name."""
        topics, readings = named.found, Readings(ts_ms=time.time_ns() // 1_000_000, topics=named)
        wanted: dict[str, set[str]] = {}
        for group, one in sorted(groups.items()):
            names, mine = topics_of(one), commits[group]
            if forbidden := sorted(names & set(named.forbidden)):
                readings.left_out[group] = needs_describe("Topic", forbidden)
                continue
            members, remarks = resolved(one.members, topics)
            lacking = [f"no commits: {several(sorted(mine.failed))}"] if mine.failed else []
            readings.problems += [f"group {group}: {problem}" for problem in remarks + lacking]
            names.update(topic for member in members for topic in member.topics)
            names.update(topic for topic, _ in mine.offsets)
            wanted[group] = names & topics.keys()
            remarks += state_remarks(one, mine.offsets) + unknown_topics(members, topics)
            remarks += lost_commits(mine.offsets, topics)
            readings.groups.append(
                Reading(
                    group=group,
                    kind=kind_of(one, mine),
                    state=one.state,
                    protocol=one.protocol,
                    taken_at=utc(readings.ts_ms / 1000),
                    members=members,
                    offsets=TopicOffsets(),
                    remarks=remarks,
                    epoch=one.epoch,
                )
            )
        shown = sorted(set().union(*wanted.values()))
        leaders = {(topic, n): topics[topic][n] for topic in shown for n in sorted(topics[topic])}
        readings.logs = self.call(read_ends, leaders, self._committed)
        for read in readings.groups:
            names = wanted[read.group]
            read.offsets = topic_offsets(names, named, commits[read.group], readings.logs)
            read.remarks += read.offsets.remarks
        return readings
