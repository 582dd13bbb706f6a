"""A move of a plan."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from equilag.domain.move_reasons.plan_reasons import PlanReasons
from equilag.domain.move_reasons.unit_reasons import MoveReason


@dataclass(frozen=True, slots=True)
class Move:
    """One partition that a live, still subscribed owner loses."""

    topic: str
    partition: int
    source: str
    target: str
    lag: int
    reasons: PlanReasons = field(repr=False, compare=False)
    """Of all moves of the plan."""
    number: int = field(repr=False, compare=False)
    """Of the move in the plan."""
    weight: float | None = field(default=None, compare=False)
    """None unless moves have a weight."""

    @property
    def reason(self) -> MoveReason:
        """What the move serves; computed when the first one of the plan is read."""
        return self.reasons.reason(self.number)

    def to_dict(self, with_reason: bool = True) -> dict[str, Any]:
        """The move in a plan's JSON."""
        row: dict[str, Any] = {
            "topic": self.topic,
            "partition": self.partition,
            "from": self.source,
            "to": self.target,
            "lag": self.lag,
        }
        if self.weight is not None:
            row["weight"] = self.weight
        if with_reason:
            row["reason"] = self.reason.to_dict()
        return row
