"""What one thread of the steward asks of the leader loop."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Command(Enum):
    """What one thread asks of the one that has the membership."""

    REBALANCE = "rebalance"
    """The coordinator wants everybody to join again."""
    TRIGGER = "trigger"
    """There is a target that is worth a rebalance."""
    LOST = "lost"
    FENCED = "fenced"
    TAKE_OVER = "take-over"
    RECONSIDER = "reconsider"
    """The group became one of KIP-848, or is no more."""
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class CommandMessage:
    """A call, for the generation it is about (-1: any)."""

    call: Command
    generation: int = -1
    reason: str = ""
