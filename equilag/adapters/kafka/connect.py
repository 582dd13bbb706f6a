"""Clients of a cluster. Their errors become InputErrors that name the cluster's servers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from equilag.adapters.kafka.client_config import Config, servers
from equilag.adapters.kafka.command_config import UNDERSTOOD
from equilag.domain.errors import EquilagError, InputError, MissingExtra

if TYPE_CHECKING:
    from confluent_kafka import Consumer, KafkaError
    from confluent_kafka.admin import AdminClient
    from confluent_kafka.admin._metadata import ClusterMetadata

T = TypeVar("T")

WAIT_S: Final = 8.0
"""How long a cluster may take to answer the first request."""

REQUEST_S: Final = 30.0
"""Per later request; for a recording or a fleet run, which can wait longer than a command."""
GRACE_S: Final = 10.0
"""librdkafka ends a call at its own limit; one that is not back so long after it never will be."""
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
                ask = partial(admin.list_topics, topic, timeout=WAIT_S)
            else:
                ask = partial(admin.list_topics, timeout=WAIT_S)
            return admin, bounded("list_topics", ask, WAIT_S + GRACE_S)
        except KafkaException as error:
            admin.poll(0)  # calls `complain`
            waited = f" within {WAIT_S:g} s" if time.monotonic() > give_up else ""
            # A listener that requires TLS or a login closes connections without them.
            reason = complaints[-1] if complaints else "does it require TLS or a login?"
            raise InputError(f"no broker answers{waited}: {reason}", "", servers(config)) from (
                error
            )


class HangingClient(EquilagError):
    """A call of librdkafka that has not returned, although its own time limit is over."""


def bounded(what: str, call: Callable[[], T], seconds: float) -> T:
    """Return the result of a call that waits in C.

    Ctrl-C ends the wait at once, and `HangingClient` after `seconds` names the call. Neither ends
    the call itself: it goes on in a thread that does not keep the process alive.
    """
    answer: Future[T] = Future()

    def run() -> None:
        try:
            answer.set_result(call())
        except BaseException as error:  # noqa: BLE001  the waiting thread raises it
            answer.set_exception(error)

    threading.Thread(target=run, name=f"librdkafka {what}", daemon=True).start()
    if wait([answer], seconds).not_done:
        problem = f"librdkafka's {what} has not returned after {seconds:g} s; try again"
        raise HangingClient(problem)
    return answer.result()


def result_of(what: str, answer: Future[T]) -> T:
    """Return what a request of the admin client was answered. Raises HangingClient, and what the
    answer raises."""
    seconds = REQUEST_S + GRACE_S
    try:
        return answer.result(seconds)
    except TimeoutError as error:
        problem = f"librdkafka has not answered {what} after {seconds:g} s; try again"
        raise HangingClient(problem) from error


def close(consumer: Consumer) -> None:
    """Close a consumer. One that hangs is left behind: what it read is complete."""
    with suppress(HangingClient):
        bounded("close", consumer.close, GRACE_S)


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
