"""Commands to the leader loop, from the other threads of the steward."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Command(Enum):
    """What one thread asks of the one that has the membership."""

    REBALANCE = "rebalance"
    """The coordinator asks all members to join again."""
    TRIGGER = "trigger"
    """The shared state has a target that is worth a rebalance."""
    LOST = "lost"
    """The coordinator has expelled the steward."""
    FENCED = "fenced"
    """Another process has joined with the steward's instance id."""
    TAKE_OVER = "take-over"
    """Remove the other members, so that the steward becomes the leader."""
    RECONSIDER = "reconsider"
    """The group has changed to KIP-848, or exists no more."""
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class CommandMessage:
    """A command and the generation that it is for (-1: any)."""

    command: Command
    generation: int = -1
    reason: str = ""
