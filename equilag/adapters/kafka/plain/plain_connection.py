"""A connection to a cluster through kafka-python. Importing this module imports kafka-python."""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from equilag.adapters.kafka.client_config import kafka_python

with kafka_python():
    from kafka import errors
    from kafka.net.inet import KafkaNetSocket
    from kafka.net.manager import KafkaConnectionManager
    from kafka.net.selector import NetworkSelector

_CLOSING: Final = "equilag-closing"
_MAX_BACKOFF_MS: Final = 1000
"""Longest pause between two attempts to connect, so that a broker that is back is found within
about a second; kafka-python's default, 30 s, would double the length of an outage."""
_CLOSE_MS: Final = 500
"""How long closing waits for the thread of the connection, which may be stuck in a name lookup."""
_NO_LOGIN: Final = "does it require TLS or a login?"
"""A listener that requires them closes connections without them."""
_CLOSED: Final = "KafkaConnectionError: socket disconnected"
"""kafka-python loses an answer that arrives together with the end of the connection, such as the
reason of a failed login."""
_NAMES: Final = re.compile(r"\[Error -?\d+\] (\w+: )+")
"""Number and name of an error, if its text follows."""
_SYSTEM_ERROR: Final = re.compile(r"KafkaConnectionError: (\d+) E[A-Z]+")
"""As kafka-python writes a connection that the system refuses."""
_TIME_IS_UP: Final = (errors.RequestTimedOutError, errors.KafkaTimeoutError)
"""How an attempt fails that the time limit ends."""
_NEARLY_S: Final = 0.5
"""A failure this close to the time limit counts as a timeout in the message."""


class NoBrokerAnswers(errors.KafkaTimeoutError):  # type: ignore[misc]
    """No broker of the bootstrap list answers; the text says why."""

    def __str__(self) -> str:
        return str(self.args[0])


class PlainConnection:
    """A connection to a cluster; create a new one after an error. `config` is kafka-python's,
    `timeout` in seconds per request, `connect_s` for the first connection (default: `timeout`).

    Raises kafka-python's errors (`kafka.errors.KafkaError`) if no broker answers in time.
    """

    def __init__(
        self, config: Mapping[str, Any], timeout: float, connect_s: float | None = None
    ) -> None:
        # Everything that kafka-python logs is also raised.
        logging.getLogger("kafka").addHandler(logging.NullHandler())
        settings = {
            **config,
            "request_timeout_ms": int(timeout * 1000),
            "metadata_max_age_ms": 30_000,
            "receive_message_max_bytes": 100_000_000,
            "reconnect_backoff_max_ms": _MAX_BACKOFF_MS,
            "proxy_url": f"{_CLOSING}://",
        }
        self._net = NetworkSelector(**settings)
        self._manager = _Manager(self._net, **settings)
        self._net.start()
        try:
            self._connect(timeout if connect_s is None else connect_s)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._manager.close()
        self._net.stop(timeout_ms=_CLOSE_MS)
        self._net.close()

    def _connect(self, seconds: float) -> None:
        give_up = time.monotonic() + seconds - _NEARLY_S
        try:
            self._manager.bootstrap(seconds * 1000)
        except errors.KafkaTimeoutError as error:
            waited = f" within {seconds:g} s" if time.monotonic() > give_up else ""
            reason = self._manager.complaint or _NO_LOGIN
            raise NoBrokerAnswers(f"no broker answers{waited}: {reason}") from error

    def nodes(self) -> list[int]:
        """Return the ids of the cluster's brokers."""
        return sorted(broker.node_id for broker in self._manager.cluster.brokers())

    def ask(self, node: int | None, request: Any, wait_ms: int | None = None) -> Any:
        """Return the response of one broker, or of any. Several threads may ask at the same
        time."""

        async def requests() -> Any:
            return await self._manager.send(request, node_id=node, request_timeout_ms=wait_ms)

        return self._manager.run(requests)

    def ask_all(
        self, requests: Sequence[tuple[int | None, Any]], wait_ms: int | None = None
    ) -> list[Any]:
        """Return the response to each (broker, request), or the error in its place; brokers in
        parallel."""
        manager = self._manager
        answers: list[Any] = [None] * len(requests)
        by_node: dict[int | None, list[int]] = {}
        for at, (node, _) in enumerate(requests):
            by_node.setdefault(node, []).append(at)

        async def in_turn(node: int | None, places: list[int]) -> None:
            for at in places:
                try:
                    answers[at] = await manager.send(
                        requests[at][1], node_id=node, request_timeout_ms=wait_ms
                    )
                except errors.KafkaError as error:
                    answers[at] = error

        async def all_nodes() -> None:
            for task in [manager.call_soon(in_turn, *item) for item in by_node.items()]:
                await task

        manager.run(all_nodes)
        return answers


class _ClosingSocket(KafkaNetSocket):  # type: ignore[misc]
    """Connects directly, and closes sockets that could not connect: kafka-python leaves one open
    per attempt. It looks the class up by the scheme of the proxy."""

    SCHEMES = (_CLOSING,)

    async def sock_connect(self, net: Any, sock: Any, *address: Any, **settings: Any) -> Any:
        try:
            return await super().sock_connect(net, sock, *address, **settings)
        except BaseException:
            sock.close()
            raise


class _Manager(KafkaConnectionManager):  # type: ignore[misc]
    """Keeps why the last connection failed, which kafka-python only logs. A login that fails at
    the start fails at once."""

    complaint = ""
    _login_failure: BaseException | None = None

    def get_connection(self, node_id: Any, *args: Any, **settings: Any) -> Any:
        if self._login_failure is not None and self.cluster.is_bootstrap(node_id):
            raise self._login_failure
        connection = super().get_connection(node_id, *args, **settings)

        def keep(error: BaseException) -> None:
            if self.complaint and isinstance(error, _TIME_IS_UP):
                return  # the time is up; earlier attempts say why
            if isinstance(error, errors.SaslAuthenticationFailedError):
                self._login_failure = error
            broker = self.cluster.broker_metadata(node_id)
            where = "" if broker is None else f"{broker.host}:{broker.port}: "
            text = describe_error(error)
            if text == _CLOSED:
                text = "it closes the connection: "
                text += "authentication failed?" if self.config["sasl_mechanism"] else _NO_LOGIN
            self.complaint = where + text

        connection.init_future.add_errback(keep)
        return connection


def describe_error(error: BaseException) -> str:
    """Return an error of kafka-python as one line, with the system's text for its errors."""
    text = " ".join(str(error).split()) or type(error).__name__
    text = _NAMES.sub("", text)
    found = _SYSTEM_ERROR.fullmatch(text)
    return os.strerror(int(found[1])) if found else text
