"""A librdkafka consumer in a process of its own, which can be killed.

librdkafka's close may never return when it comes in the middle of a rebalance, and no thread that
waits in C can be ended. So each consumer of the tests is a child process; a call that does not
return in time kills it and fails with the name of the call.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, Final

from confluent_kafka import Consumer, TopicPartition

CALL_S: Final = 45.0
"""Longer than any time limit that a test gives to a call."""
CLOSE_S: Final = 10.0
_CONTEXT: Final = multiprocessing.get_context("forkserver")


class Hanging(AssertionError):
    """A call of librdkafka that did not return in time."""


class ChildConsumer:
    """Takes the settings of `confluent_kafka.Consumer`, and has its methods.

    Messages of `poll` and `consume` come back as True, since no test reads them.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._calls, theirs = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(target=_serve, args=(theirs, dict(settings)), daemon=True)
        self._process.start()
        theirs.close()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *args, **named: self._call(name, args, named, CALL_S)

    def close(self) -> None:
        """Leave the group; a consumer that hangs is killed."""
        with suppress(Hanging, OSError, EOFError):
            self._call("close", (), {}, CLOSE_S)
        self._process.kill()
        self._process.join(CLOSE_S)
        self._calls.close()

    def _call(self, name: str, args: tuple[Any, ...], named: Any, seconds: float) -> Any:
        self._calls.send((name, _plain(args), _plain(named)))
        if not self._calls.poll(seconds):
            self._process.kill()
            raise Hanging(f"librdkafka's {name} has not returned after {seconds:g} s")
        done, answer = self._calls.recv()
        assert done, f"{name}: {answer}"
        return _own(answer)


def _serve(calls: Connection, settings: dict[str, Any]) -> None:
    consumer = Consumer(settings)
    while True:
        try:
            name, args, named = calls.recv()
        except EOFError:
            return
        try:
            answer = (True, _plain(getattr(consumer, name)(*_own(args), **_own(named))))
        except Exception as error:  # noqa: BLE001  the test's process raises it
            answer = (False, repr(error))
        calls.send(answer)


class _Partition(tuple[Any, ...]):
    """A TopicPartition on its way."""

    __slots__ = ()


def _plain(value: Any) -> Any:
    """The value as it can be sent."""
    if isinstance(value, TopicPartition):
        error = None if value.error is None else str(value.error)
        return _Partition((value.topic, value.partition, value.offset, error))
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(_plain, value))
    return value if isinstance(value, (str, bytes, int, float, type(None))) else True


def _own(value: Any) -> Any:
    """What was sent, with partitions as `TopicPartition` again."""
    if isinstance(value, _Partition):
        topic, partition, offset, error = value
        assert error is None, f"{topic}-{partition}: {error}"
        return TopicPartition(topic, partition, offset)
    if isinstance(value, dict):
        return {name: _own(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(_own, value))
    return value
