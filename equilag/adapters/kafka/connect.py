"""Clients of a cluster. Their errors become InputErrors that name the cluster's servers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

from equilag.adapters.kafka.client_config import Config, servers
from equilag.adapters.kafka.command_config import UNDERSTOOD
from equilag.domain.errors import InputError, MissingExtra

if TYPE_CHECKING:
    from confluent_kafka import Consumer, KafkaError
    from confluent_kafka.admin import AdminClient
    from confluent_kafka.admin._metadata import ClusterMetadata

T = TypeVar("T")

WAIT_S: Final = 8.0
"""How long a cluster may take to answer the first request."""

_NEARLY_S: Final = 0.5
"""A failure this close to WAIT_S counts as a timeout in the message."""

# Nothing joins or commits under this name, but a consumer needs one.
_UNUSED_GROUP: Final = "equilag-reads-without-a-group"


def connect(config: Config, topic: str | None = None) -> tuple[AdminClient, ClusterMetadata]:
    """Return an admin client and the cluster's metadata: of all topics, or of `topic`, which must
    exist (a cluster may create it otherwise).

    Raises InputError if no broker answers within WAIT_S, with librdkafka's last complaint: a
    refused connection, an unknown host, a wrong password; also for settings that librdkafka
    refuses. Raises MissingExtra without confluent-kafka.
    """
    complaints: list[str] = []

    def complain(error: KafkaError) -> None:
        if error.name() != "_ALL_BROKERS_DOWN":  # says less than the errors before it
            complaints.append(error.str().partition(" (after ")[0])

    with kafka_errors_named(config):
        from confluent_kafka import KafkaException
        from confluent_kafka.admin import AdminClient

        settings: dict[str, Any] = {**config, "error_cb": complain}
        admin = AdminClient(settings)
        give_up = time.monotonic() + WAIT_S - _NEARLY_S
        try:
            if topic is not None:
                return admin, interruptible(lambda: admin.list_topics(topic, timeout=WAIT_S))
            return admin, interruptible(lambda: admin.list_topics(timeout=WAIT_S))
        except KafkaException as error:
            admin.poll(0)  # calls `complain`
            waited = f" within {WAIT_S:g} s" if time.monotonic() > give_up else ""
            # A listener that requires TLS or a login closes connections without them.
            reason = complaints[-1] if complaints else "does it require TLS or a login?"
            raise InputError(f"no broker answers{waited}: {reason}", "", servers(config)) from (
                error
            )


def interruptible(call: Callable[[], T]) -> T:
    """Return the result of a call that waits in C. Ctrl-C ends the wait at once, not the call: it
    goes on in a thread that does not keep the process alive."""
    answer: Future[T] = Future()

    def run() -> None:
        try:
            answer.set_result(call())
        except BaseException as error:  # noqa: BLE001  the waiting thread raises it
            answer.set_exception(error)

    threading.Thread(target=run, name="kafka-wait", daemon=True).start()
    return answer.result()


def check_settings(config: Config) -> None:
    """Let librdkafka check the settings that kafka-python has no counterpart for. Raises
    InputError, MissingExtra."""
    if all(name in UNDERSTOOD for name in config):
        return
    with kafka_errors_named(config):
        from confluent_kafka.admin import AdminClient

        AdminClient({**config})


def reading_client(config: Config, settings: Mapping[str, str | int | bool]) -> Consumer:
    """Return a consumer that neither joins a group nor commits. Raises InputError, MissingExtra."""
    alone = {
        "group.id": _UNUSED_GROUP,
        "enable.auto.commit": False,
        "enable.auto.offset.store": False,
    }
    with kafka_errors_named(config):
        from confluent_kafka import Consumer

        return Consumer({**config, **settings, **alone})


@contextmanager
def kafka_errors_named(config: Config) -> Iterator[None]:
    """Turn errors of confluent-kafka in the `with` block into InputErrors with the servers as
    source."""
    try:
        from confluent_kafka import KafkaError, KafkaException
    except ImportError as error:
        problem = "confluent-kafka is not installed: pip install 'equilag[kafka]'"
        raise MissingExtra(problem) from error
    try:
        yield
    except KafkaException as error:
        cause = error.args[0] if error.args else error
        problem = cause.str() if isinstance(cause, KafkaError) else str(cause)
        raise InputError(problem, "", servers(config)) from error
