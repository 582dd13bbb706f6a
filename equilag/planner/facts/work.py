"""Work: what is spread instead of the lag, what was taken for unknown, and who keeps up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.budget import Budget
from equilag.domain.columns import Floats
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group
from equilag.domain.group.lag import QUALITY
from equilag.domain.group.weight import filled_rates
from equilag.domain.plan.plan import Plan
from equilag.domain.plan.plan_figures import ThroughputFigures
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import WeightKind
from equilag.domain.reduction.reduce import Reduction
from equilag.planner.sizes.size_run import LeastMembers, least_members

SEARCH_EFFORT: Final = 0.25
"""Counted seconds to find how many members it takes, so that it is repeatable: enough for 20,000
partitions, and for four sizes of a small group with mixed subscriptions."""
SEARCH_LIMIT_S: Final = 10.0
"""Seconds by the clock, should the effort take longer than expected."""


WEIGHT_UNITS: Final[dict[WeightKind, str]] = {
    "lag": "records", "given": "weight", "rate": "records/s", "work": "records of work",
}  # fmt: skip
"""What the weights of partitions are counted in."""


class LoadUnit(NamedTuple):
    """What a load is, where it is not lag in records."""

    kind: WeightKind
    horizon_s: float | None
    knows_speeds: bool
    """True if the capacity of any member is known, so that loads are per unit of it."""


def load_unit(reduction: Reduction) -> LoadUnit:
    """The unit of a plan's loads."""
    weights = reduction.weights
    speeds = reduction.given.knows_capacities
    return LoadUnit(weights.kind if weights else "lag", weights and weights.horizon_s, speeds)


def unit_words(unit: LoadUnit, per_capacity: bool) -> str:
    """What loads are counted in: ``records``, ``seconds of work``, …

    per_capacity: whether they are divided by capacity; a plan divides where capacities differ.
    """
    if not (per_capacity and unit.knows_speeds):
        return WEIGHT_UNITS[unit.kind]
    if unit.kind == "work":
        return "seconds of work"
    return f"{WEIGHT_UNITS[unit.kind]} per unit of capacity"


@dataclass(frozen=True, slots=True)
class WorkFacts:
    """What partitions weigh in a plan that does not spread the lag."""

    unit: LoadUnit
    unknown_rates: int
    """Partitions for which a mean is taken; 0 where rates do not matter."""
    unknown_lags: int
    """Partitions whose lag counts as 0; 0 where lags do not matter."""
    partitions: int
    before: ThroughputFigures | None
    """Under the current assignment; None where no rate or no capacity is known."""
    after: ThroughputFigures | None
    """Under the plan."""
    least: LeastMembers | None
    """How many members keep up; None where the plan does, and where nothing is known."""
    is_limited: bool
    """True if the policy asks for more than even counts, whatever the members can read."""
    added: int
    """Members that the plan adds to the group."""
    assumed_rate: float
    """Records per second of the partitions whose rate is unknown; 0 where rates do not matter."""

    @property
    def more(self) -> int | None:
        """How many more members keep up for sure; 0 or less if the present ones do, under looser
        settings. None where no number is known."""
        return None if self.least is None else self.least.more


def work_facts(plan: Plan, least: LeastMembers | None = None) -> WorkFacts | None:
    """None where lag is spread. `least` is how many members keep up, if that is known."""
    reduction = plan.planned
    weights, group = reduction.weights, reduction.given
    if weights is None:
        return None
    after, rates = plan.throughput, filled_rates(group)
    by_rate, by_lag = weights.kind in ("rate", "work"), weights.kind == "work"
    return WorkFacts(
        load_unit(reduction),
        rates.unknown if by_rate else 0,
        int((group.quality == QUALITY.index("unknown")).sum()) if by_lag else 0,
        group.n_partitions,
        plan.current.throughput,
        after,
        None if after is None or after.keeps_up else least or _least_members(plan),
        plan.policy is not None and is_limited(plan.policy),
        (plan.policy and plan.policy.add_members) or 0,
        _assumed(group, rates.rate) if by_rate else 0.0,
    )


def _assumed(group: Group, rate: Floats) -> float:
    """Records per second of partitions of unknown rate."""
    known = np.zeros(len(rate), np.bool_) if group.rates is None else ~np.isnan(group.rates)
    return float(rate[~known & group.assignable].sum())


def is_limited(policy: Policy) -> bool:
    """True if a policy asks for more than even counts, whatever the members can read."""
    fixed = policy.minds_racks or bool(policy.pin or policy.keep)
    return fixed or policy.moves_first or policy.limits_moves


def _least_members(plan: Plan) -> LeastMembers | None:
    """None also for a group whose size cannot be told, such as one without active members."""
    budget = Budget.of_run(SEARCH_LIMIT_S, 0.0, SEARCH_EFFORT)
    try:
        return least_members(plan.planned.given, plan.policy or Policy(), budget)
    except InputError:
        return None
