"""Requests to one cluster, over connections that stay open in between.

All of them go through kafka-python (`plain_client` and its neighbours). Nothing joins a group or
commits: the right Describe on cluster, groups and topics is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Concatenate, Final, ParamSpec, TypeVar

from equilag.adapters.kafka.client_config import (
    SERVERS,
    Config,
    kafka_python,
    plain_config,
)
from equilag.adapters.kafka.plain.plain_client import PlainClient
from equilag.adapters.kafka.plain.plain_connection import describe_error
from equilag.adapters.kafka.plain.plain_requests import read_topics
from equilag.adapters.kafka.reading import NamedTopics
from equilag.domain.errors import EquilagError, InputError

with kafka_python():
    from kafka.errors import KafkaError

P = ParamSpec("P")
T = TypeVar("T")

WAIT_S: Final = 8.0
"""How long a cluster may take to answer the first request."""
TIMEOUT: Final = 15.0
"""Seconds per request: a coordinator whose broker was killed answers again within that (12.4 s
measured, docs/live.md)."""


class NoAnswer(EquilagError):
    """The cluster as a whole does not answer."""


class Cluster:
    """One cluster. `config` is librdkafka's; `timeout` is in seconds per request.

    Raises InputError if the cluster does not answer or one of the clients refuses a setting;
    MissingExtra without the packages of `equilag[kafka]`. Every request raises NoAnswer if no
    broker answers.
    """

    def __init__(self, config: Config, timeout: float = TIMEOUT) -> None:
        self._plain_config = plain_config(config)
        self._timeout = timeout
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
        self,
        request: Callable[Concatenate[PlainClient, P], T],
        *args: P.args,
        **settings: P.kwargs,
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
