"""Other plans that a run came across."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """One trade-off between moves and lag spread that a run came across."""

    label: str
    moves: int
    spread: float
    """In records; per unit of capacity where capacities differ."""
    excess: float = 0.0
    """What lies above a fair share, summed over the members; in the same unit."""
    move_weight: float | None = None
    """What the moves weigh; None unless moves have a weight."""
    short: float | None = None
    """Records per second by which members fall behind; None unless rates and capacities count."""

    @property
    def cost(self) -> float:
        """What is traded for evenness: the weight of the moves, else their number."""
        return self.moves if self.move_weight is None else self.move_weight
