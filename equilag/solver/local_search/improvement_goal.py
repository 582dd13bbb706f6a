"""What a local search is to reach, and what it must keep."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ImprovementGoal:
    """The goal of one run of a local search on the lag spread."""

    enough: int = 0
    """A spread at which the search ends."""
    keep_moves: bool = False
    """True if no step may add a move."""
    low: int = 2**62
    """No plan has a larger lightest load: a member there needs no other partitions."""
    high: int = 0
    """No plan has a smaller heaviest load."""
