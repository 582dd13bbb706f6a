"""Requests to one cluster, over connections that stay open in between.

All of them go through kafka-python (`plain_client` and its neighbours). Nothing joins a group or
commits: the right Describe on cluster, groups and topics is enough.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from operator import methodcaller
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from equilag.adapters.kafka.client_config import Config, servers
from equilag.adapters.kafka.command_config import plain_config
from equilag.adapters.kafka.described import (
    Commits,
    Described,
    ReadFailure,
    TopicPartition,
    sorted_out,
)
from equilag.adapters.kafka.group_kinds import CONSUMER, PLANNED, ListedGroup
from equilag.adapters.kafka.librdkafka import check_settings
from equilag.adapters.kafka.reading import NamedTopics, TopicLeaders
from equilag.domain.errors import EquilagError, InputError, MissingExtra

if TYPE_CHECKING:
    from equilag.adapters.kafka.plain.plain_client import PlainClient

T = TypeVar("T")

WAIT_S: Final = 8.0
"""How long a cluster may take to answer the first request."""
TIMEOUT: Final = 15.0
"""Seconds per request: a coordinator whose broker was killed answers again within that (12.4 s
measured, docs/live.md)."""

_RETRY_PAUSES: Final = (0.2, 0.5, 1.0)
"""Seconds before rebalancing groups are described again: a group that still rebalances after about
two seconds is reported."""


class NoAnswer(EquilagError):
    """The cluster as a whole does not answer."""


class GroupsRead(NamedTuple):
    """The groups of a cluster at one moment."""

    listed: dict[str, ListedGroup]
    described: dict[str, Described]
    """Those of kinds that are planned, as far as they can be read."""
    commits: dict[str, Commits]
    """Of those among them whose commits can be read."""
    unread: dict[str, ReadFailure]
    topics: NamedTopics
    """All topics that the user may describe."""
    remarks: list[str]
    """Problems with single brokers."""


class Cluster:
    """One cluster. `config` is librdkafka's; `timeout` is in seconds per request.

    Raises InputError if the cluster does not answer or one of the clients refuses a setting;
    MissingExtra without the packages of `equilag[kafka]`. Every request raises NoAnswer if no
    broker answers.
    """

    def __init__(self, config: Config, timeout: float = TIMEOUT) -> None:
        try:
            from equilag.adapters.kafka.plain import plain_client
            from equilag.adapters.kafka.plain.plain_connection import describe_error
        except ImportError as error:
            raise MissingExtra(
                "reading a cluster needs kafka-python: pip install 'equilag[kafka]'"
            ) from error
        self._plain_config = plain_config(config)
        self._timeout = timeout
        self.servers = servers(config)
        check_settings(config)
        from kafka.errors import KafkaError

        self._plain: PlainClient | None
        try:
            self._plain = plain_client.PlainClient(self._plain_config, timeout, WAIT_S)
        except (KafkaError, OSError) as error:
            raise InputError(describe_error(error), "", self.servers) from error

    def close(self) -> None:
        client, self._plain = self._plain, None
        if client is not None:
            with suppress(Exception):
                client.close()

    def read_groups(self, wanted: Callable[[str], object]) -> GroupsRead:
        """Return the groups that are `wanted`, with their commits."""
        from equilag.adapters.kafka.plain.plain_requests import list_groups

        every, remarks = self.with_plain(list_groups)
        topics = self.topics()
        listed = {group: one for group, one in every.items() if wanted(group)}
        described, unread = self.described(
            {group: one.kind == CONSUMER for group, one in listed.items() if one.kind in PLANNED}
        )
        commits, failed = self.committed({g: one.coordinator for g, one in described.items()})
        return GroupsRead(listed, described, commits, {**unread, **failed}, topics, remarks)

    def kind(self, group: str) -> str | ReadFailure:
        """Return the kind of a group in any state, "" if there is none, or why it is unknown."""
        from equilag.adapters.kafka.plain.plain_requests import kind_now

        return self.with_plain(lambda client: kind_now(client, group))

    def topics(self, names: Collection[str] | None = None) -> NamedTopics:
        """Return these topics, or all that the user may describe; missing ones are not created."""
        from equilag.adapters.kafka.plain.plain_requests import read_topics

        if names is not None and not names:
            return NamedTopics()
        return self.with_plain(lambda client: read_topics(client, names))

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
            answers = self.with_plain(methodcaller("describe", again))
            read, failed = sorted_out(answers)
            found |= read
            unread |= failed
        return found, {name: why for name, why in unread.items() if name not in found}

    def committed(
        self, coordinators: Mapping[str, int]
    ) -> tuple[dict[str, Commits], dict[str, ReadFailure]]:
        """Return the commits of each group, or why they cannot be read; the values are the groups'
        coordinators."""
        from equilag.adapters.kafka.plain.plain_requests import read_commits

        return sorted_out(self.with_plain(lambda client: read_commits(client, coordinators)))

    def ends(
        self,
        partitions: Iterable[TopicPartition],
        topics: TopicLeaders,
        *,
        committed: bool = False,
    ) -> tuple[dict[TopicPartition, tuple[int, int]], dict[TopicPartition, str]]:
        """Return first offset and log end of each partition, or why they are unknown.

        With `committed` a log ends where the oldest open transaction begins. Partitions with moving
        leaders are asked again for a while.
        """
        from equilag.adapters.kafka.plain.plain_ends import read_ends_patiently

        leaders = {(topic, number): topics[topic][number] for topic, number in partitions}
        ends = self.with_plain(lambda client: read_ends_patiently(client, leaders, committed))
        return ends.found, ends.failed

    def with_plain(self, call: Callable[[PlainClient], T]) -> T:
        """Return the result of a call. After an error the next call opens a new connection."""
        from kafka.errors import KafkaError

        from equilag.adapters.kafka.plain import plain_client
        from equilag.adapters.kafka.plain.plain_connection import describe_error

        try:
            if self._plain is None:
                self._plain = plain_client.PlainClient(self._plain_config, self._timeout)
            return call(self._plain)
        except (KafkaError, OSError, RuntimeError) as error:
            self.close()
            raise NoAnswer(describe_error(error)) from error
        except BaseException:
            self.close()
            raise


@contextmanager
def connected(config: Config, timeout: float) -> Iterator[Cluster]:
    """Yield a cluster for one task. Raises InputError, too, if it stops answering meanwhile."""
    try:
        with closing(Cluster(config, timeout)) as cluster:
            yield cluster
    except NoAnswer as error:
        raise InputError(str(error), "", servers(config)) from error
