"""Commits of a group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from equilag.adapters.kafka.sample_rows import TopicPartition

T = TypeVar("T")


@dataclass(slots=True)
class Commits:
    """The commits of a group; `failed` maps partitions whose commit is unknown to the reason."""

    offsets: dict[TopicPartition, int] = field(default_factory=dict)
    failed: dict[TopicPartition, str] = field(default_factory=dict)
    by_streams: bool = False
    """True if a Kafka Streams application committed all of them."""

    def known(self, found: Mapping[TopicPartition, T]) -> Mapping[TopicPartition, T]:
        """Return what was found without the partitions whose commit is unknown."""
        if not self.failed:
            return found
        return {tp: one for tp, one in found.items() if tp not in self.failed}
