"""The offsets and the holders of a group at one moment, as a reader of the group sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

PartitionOffsets: TypeAlias = Mapping[str, Sequence[int | None]]
"""Topic -> one offset per partition; None or a negative number if unknown."""
HeldPartitions: TypeAlias = Mapping[str, Mapping[str, Sequence[int]]]
"""Member key -> topic -> partitions that the member holds."""


@dataclass(frozen=True, slots=True)
class ObservedOffsets:
    """One observation. A member key is the instance id of a static member, else the member id."""

    at: float
    """Seconds of a monotonic clock, at which the offsets were read."""
    log_start: PartitionOffsets
    """Topics may be missing; so may they in `committed`."""
    log_end: PartitionOffsets
    """These topics with these numbers of partitions are the topics of the observation."""
    committed: PartitionOffsets
    """None also for a partition without a commit."""
    holders: HeldPartitions = field(default_factory=dict)
    """A partition that no member holds, or that two claim to hold, is missing or its holder is the
    last one named."""
