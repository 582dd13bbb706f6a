"""Moved: see `equilag.live.consumers.listener`."""

from equilag.live.consumers.listener import (
    ConfluentListener,
    aiokafka_listener,
    kafka_python_listener,
)

__all__ = ["ConfluentListener", "aiokafka_listener", "kafka_python_listener"]
