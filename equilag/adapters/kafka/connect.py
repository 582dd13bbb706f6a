"""Clients of a cluster, and what goes wrong with it as InputError that names its servers."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from equilag.adapters.kafka.client_config import Config, servers
from equilag.errors import InputError, MissingExtra

if TYPE_CHECKING:
    from confluent_kafka import Consumer, KafkaError
    from confluent_kafka.admin import AdminClient
    from confluent_kafka.admin._metadata import ClusterMetadata

WAIT_S: Final = 8.0
"""How long a cluster may take to answer at all."""

_MOMENT_S: Final = 0.5

# Nothing is ever joined or committed under this name, but without one there is no consumer.
_NOBODY: Final = "equilag-reads-without-a-group"


def connect(config: Config, topic: str | None = None) -> tuple[AdminClient, ClusterMetadata]:
    """A client for questions about the cluster, and the answer to the first: all its topics, or
    the one asked for, which must exist (a cluster may make it otherwise).

    Raises InputError if nobody answers within WAIT_S, with what librdkafka last complained of: a
    refused connection, an unknown host, a wrong password; also for settings that it does not
    take. Raises MissingExtra.
    """
    complaints: list[str] = []

    def complain(error: KafkaError) -> None:
        if error.name() != "_ALL_BROKERS_DOWN":  # which says less than what came before
            complaints.append(error.str().partition(" (after ")[0])

    with named(config):
        from confluent_kafka import KafkaException
        from confluent_kafka.admin import AdminClient

        settings: dict[str, Any] = {**config, "error_cb": complain}
        admin = AdminClient(settings)
        give_up = time.monotonic() + WAIT_S - _MOMENT_S
        try:
            if topic is not None:
                return admin, admin.list_topics(topic, timeout=WAIT_S)
            return admin, admin.list_topics(timeout=WAIT_S)
        except KafkaException as error:
            admin.poll(0)  # the complaints are handed over here
            waited = f" within {WAIT_S:g} s" if time.monotonic() > give_up else ""
            # A listener that wants TLS or a login hangs up on whoever comes without.
            why = complaints[-1] if complaints else "does it ask for TLS or a login?"
            raise InputError(f"no broker answers{waited}: {why}", "", servers(config)) from (error)


def reading_client(config: Config, settings: Mapping[str, str | int | bool]) -> Consumer:
    """A consumer that neither joins a group nor commits. Raises InputError, MissingExtra."""
    alone = {"group.id": _NOBODY, "enable.auto.commit": False, "enable.auto.offset.store": False}
    with named(config):
        from confluent_kafka import Consumer

        return Consumer({**config, **settings, **alone})


@contextmanager
def named(config: Config) -> Iterator[None]:
    """What confluent-kafka raises inside, as InputError with the servers as source."""
    try:
        from confluent_kafka import KafkaError, KafkaException
    except ImportError as error:
        problem = "confluent-kafka is not installed: pip install 'equilag[kafka]'"
        raise MissingExtra(problem) from error
    try:
        yield
    except KafkaException as error:
        reason = error.args[0] if error.args else error
        problem = reason.str() if isinstance(reason, KafkaError) else str(reason)
        raise InputError(problem, "", servers(config)) from error
