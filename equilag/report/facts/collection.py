"""What `equilag collect` has recorded when it ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

FORMAT: Final = "equilag/collection/1"


@dataclass(frozen=True, slots=True)
class CollectionFacts:
    kind: ClassVar[str] = "collection"
    size: ClassVar[int] = 0

    directory: str
    """The directory of the history."""
    settings: Mapping[str, Any]
    """What was asked for: the cluster, the groups, the interval and the number of rounds."""
    recorded: int
    """Rounds that were written."""
    skipped: int
    """Rounds in which the cluster could not be read, or had no group to record."""
    first_ms: int | None
    """When the first of the written rounds was sampled, in milliseconds since 1970; None without
    any."""
    last_ms: int | None
    groups: int
    """Groups of the last round that was written; so are the other figures."""
    partitions: int
    """A partition counts once for each group that reads it."""
    lag: int
    """In records."""
    left_out: Mapping[str, str]
    """Group -> why it could not be read."""

    def document(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "directory": self.directory,
            "settings": dict(self.settings),
            "rounds": {"recorded": self.recorded, "skipped": self.skipped},
            "first_ms": self.first_ms,
            "last_ms": self.last_ms,
            "groups": self.groups,
            "partitions": self.partitions,
            "lag": self.lag,
            "left_out": dict(self.left_out),
        }
