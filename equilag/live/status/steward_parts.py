"""The parts of a steward's facts: members, decisions, plans, events, the course of an hour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from equilag.domain.document import to_document

HISTORY_FORMAT: Final = "equilag/steward-history/1"


@dataclass(frozen=True, slots=True)
class StewardSettings:
    """How the steward runs."""

    observe_every_s: float = 0.0
    """Seconds between two observations."""
    session_s: float = 0.0
    """Session timeout in seconds."""


@dataclass(frozen=True, slots=True)
class StewardMember:
    """A member of the group as it was last observed."""

    name: str
    """What tells it from the others and is kept over restarts: instance id, client id, ..."""
    id: str
    """Instance id, or member id."""
    partitions: int
    lag: int
    """Records."""
    load_percent: float | None
    """Of a fair share; None for a member whose subscription holds no partition."""
    rate: float | None
    """Records per second that are produced for it."""
    speed: float | None
    """Records per second that it can read."""
    speed_measured: bool
    """False for a speed that is assumed, since it had no backlog so far."""


@dataclass(frozen=True, slots=True)
class StewardDecision:
    """What observations ended in, as long as the kind of the decision stayed the same."""

    decision: str
    """One of GROUNDS in `equilag.planner.worth.thresholds`, such as ``even``."""
    reason: str
    """Of the last of these observations."""
    since: str
    until: str
    observations: int


@dataclass(frozen=True, slots=True)
class StewardMove:
    """A move of a plan."""

    topic: str
    partition: int
    source: str
    """Name of the member that has it, empty if nobody has."""
    target: str
    lag: int
    """Records."""


@dataclass(frozen=True, slots=True)
class StewardPlan:
    """The last plan that was made to see whether it is worth a rebalance."""

    at: str
    decision: str
    """The kind of the decision on it; ``worth-it`` if it was handed out."""
    reason: str
    relief_percent: float
    """By how much it relieves the member that it relieves most, in percent of a fair share."""
    relief_s: float | None
    """The same in seconds of work."""
    heaviest_percent: float
    """Load of the heaviest member before, in percent of a fair share."""
    heaviest_percent_planned: float
    moves: int
    moved: tuple[StewardMove, ...]
    """The moves, the largest lag first; not all of a plan with many."""
    gain_record_s: float | None = None
    """Its gain: records that wait less, times how long; None where no rate is known."""
    price_record_s: float | None = None
    """What its rebalance costs in the same unit."""


@dataclass(frozen=True, slots=True)
class StewardEvent:
    """A line of the log."""

    at: str
    level: str
    """``info``, ``warning`` or ``error``."""
    event: str
    """Its name in the log."""
    text: str
    """Its other fields in words."""


@dataclass(frozen=True, slots=True)
class StewardHistory:
    """The course of the last hour, one entry per kept observation; the oldest first."""

    times: tuple[float, ...] = ()
    """Seconds since 1970."""
    lag_total: tuple[int | None, ...] = ()
    heaviest_percent: tuple[float | None, ...] = ()
    lag_total_would_be: tuple[int | None, ...] = ()
    heaviest_percent_would_be: tuple[float | None, ...] = ()
    rebalances: tuple[float, ...] = ()
    """When the steward started one, or would have, in seconds since 1970."""

    def document(self) -> dict[str, Any]:
        return {"format": HISTORY_FORMAT, **to_document(self)}
