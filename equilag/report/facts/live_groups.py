"""The consumer groups of a live cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Final

GROUPS_FORMAT: Final = "equilag/groups/1"


@dataclass(frozen=True, slots=True)
class LiveGroupFacts:
    """A group; figures of members are None where no member reads anything, and all of them for a
    group of a kind that is not read."""

    group: str
    state: str
    kind: str
    """The kind, as `equilag.adapters.kafka.group_kinds` has it, such as ``classic``."""
    members: int | None
    partitions: int | None
    lag: int | None
    lag_spread: int | None
    worst_member: str | None
    worst_share_percent: float | None
    unknown_lags: int
    """Partitions whose lag could not be read."""
    remarks: Sequence[str]


@dataclass(frozen=True, slots=True)
class LiveGroupsFacts:
    kind: ClassVar[str] = "live-groups"
    size: ClassVar[int] = 0

    groups: tuple[LiveGroupFacts, ...]
    left_out: Mapping[str, str]
    """Group -> why it could not be read."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What was asked for: the cluster, which groups, and how commits become lag."""
    next_command: str | None = None
    """The command that plans the most uneven group; None if none is uneven."""
    taken_at: str | None = None
    """When the groups were read: RFC 3339 in UTC."""

    @property
    def lag(self) -> int:
        return sum(row.lag or 0 for row in self.groups)

    @property
    def unknown_lags(self) -> int:
        return sum(row.unknown_lags for row in self.groups)

    def document(self) -> dict[str, Any]:
        return {
            "format": GROUPS_FORMAT,
            "taken_at": self.taken_at,
            "settings": dict(self.settings),
            "groups": [asdict(row) for row in self.groups],
            "left_out": dict(self.left_out),
        }
