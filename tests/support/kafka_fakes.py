"""What the admin client of confluent-kafka returns, made up."""

from __future__ import annotations

from typing import Any

from confluent_kafka import KafkaError, KafkaException


class FakeAnswer:
    """The future of a request: raises `value` if it is an exception or an error's number."""

    def __init__(self, value: Any) -> None:
        self.value = KafkaException(KafkaError(value)) if type(value) is int else value

    def result(self, timeout: float) -> Any:
        assert timeout > 0
        if isinstance(self.value, Exception):
            raise self.value
        return self.value
