"""The moves of a plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from equilag.domain.group.group import Group, Index, Ints
from equilag.domain.move_reasons.plan_reasons import PlanReasons
from equilag.domain.move_reasons.unit_reasons import MoveReason
from equilag.domain.plan.assignment import iter_names


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


def moves_of(
    group: Group, gone: Ints, assigned: Index, reasons: PlanReasons, weights: Sequence[float | None]
) -> tuple[Move, ...]:
    """The moves of the partitions `gone`, ascending, in an assignment [P]."""
    ids = [member.id for member in group.members]
    sources, targets = group.owner[gone].tolist(), assigned[gone].tolist()
    names, lags = iter_names(group, gone), group.lag[gone].tolist()
    columns = zip(names, sources, targets, lags, weights, strict=True)
    return tuple(
        Move(topic, index, ids[source], ids[target], lag, reasons, number, weight)
        for number, ((topic, index), source, target, lag, weight) in enumerate(columns)
    )
