"""Work: what is spread instead of the lag, what was taken for unknown, and who keeps up."""

from __future__ import annotations

from dataclasses import dataclass

from equilag.lag import QUALITY
from equilag.plan import Plan
from equilag.plan_figures import ThroughputFigures
from equilag.policy import WeightKind
from equilag.throughput import throughput
from equilag.weight import filled_rates


@dataclass(frozen=True, slots=True)
class WorkFacts:
    """What partitions weigh in a plan that does not spread the lag."""

    kind: WeightKind
    horizon_s: float | None
    unknown_rates: int
    """Partitions for which a mean is taken; 0 where rates do not matter."""
    unknown_lags: int
    """Partitions whose lag counts as 0; 0 where lags do not matter."""
    partitions: int
    knows_speeds: bool
    """True if the capacity of any member is known, so that loads are per unit of it."""
    before: ThroughputFigures | None
    """Under the current assignment; None where no rate or no capacity is known."""
    after: ThroughputFigures | None
    """Under the plan."""

    @property
    def in_seconds(self) -> bool:
        """True if loads are seconds of work."""
        return self.kind == "work" and self.knows_speeds


def work_facts(plan: Plan) -> WorkFacts | None:
    """None where lag is spread."""
    reduction = plan.planned
    weights, group = reduction.weights, reduction.given
    if weights is None:
        return None
    by_rate, by_lag = weights.kind in ("rate", "work"), weights.kind == "work"
    return WorkFacts(
        weights.kind,
        weights.horizon_s,
        filled_rates(group).unknown if by_rate else 0,
        int((group.quality == QUALITY.index("unknown")).sum()) if by_lag else 0,
        group.n_partitions,
        any(member.capacity is not None for member in group.members),
        throughput(reduction, group.owner),
        throughput(reduction, plan.assigned),
    )
