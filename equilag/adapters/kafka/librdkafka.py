"""librdkafka: its consumer reads `__consumer_offsets`, and it checks settings of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, TypeVar

from equilag.adapters.kafka.client_config import Config, servers
from equilag.adapters.kafka.command_config import UNDERSTOOD
from equilag.domain.errors import EquilagError, InputError, MissingExtra

if TYPE_CHECKING:
    from confluent_kafka import Consumer

T = TypeVar("T")

GRACE_S: Final = 10.0
"""librdkafka ends a call at its own limit; one that is not back so long after it never will be."""

# Nothing joins or commits under this name, but a consumer needs one.
_UNUSED_GROUP: Final = "equilag-reads-without-a-group"


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
