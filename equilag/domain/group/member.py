"""What is known of one member of a group, besides its subscription and what it owns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

UNKNOWN_GENERATION: Final = -1
"""Of claims of which nobody knows when they were made; older than any other, as in Kafka."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a consumer group."""

    id: str
    """Unique within the group, not empty."""
    instance_id: str | None = None
    """`group.instance.id`; None for a dynamic member."""
    rack: str | None = None
    """`client.rack`"""
    generation: int = UNKNOWN_GENERATION
    """The generation at which the member made its claims."""
    capacity: float | None = None
    """How much it can process, above 0, in any unit that all members share; None if unknown."""
    client_id: str | None = None
    host: str | None = None
    max_partitions: int | None = None
    """No more partitions than this; None for no limit."""
    instance: str | None = None
    """The process that this member is a thread of; None for a process of its own."""
