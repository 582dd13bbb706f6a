"""Why no broker answers: what the attempts to connect say, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from equilag.adapters.kafka.plain import plain_connection
from equilag.adapters.kafka.plain.plain_connection import errors


@pytest.mark.parametrize("late", [errors.KafkaTimeoutError(), errors.RequestTimedOutError()])
def test_an_attempt_that_the_time_limit_ends_does_not_hide_why_others_failed(
    monkeypatch: pytest.MonkeyPatch, late: Exception
) -> None:
    """kafka-python ends the last attempt with either error."""
    failed: list[Callable[[BaseException], None]] = []
    connection = SimpleNamespace(init_future=SimpleNamespace(add_errback=failed.append))
    manager = object.__new__(plain_connection._Manager)
    of_kafka = plain_connection.KafkaConnectionManager
    monkeypatch.setattr(of_kafka, "get_connection", lambda *_: connection)
    manager.config = {"sasl_mechanism": "PLAIN"}
    manager.cluster = SimpleNamespace(broker_metadata=lambda _: None)
    for error in (late, errors.KafkaConnectionError("socket disconnected"), late):
        manager.get_connection("bootstrap-0")
        failed.pop()(error)
    assert manager.complaint == "it closes the connection: authentication failed?"
