"""How long a group of some size takes until all lag is read, while records go on coming in.

A member that reads κ records per second, with a lag of ℓ and r records per second coming in, has
caught up after ℓ / (κ − r) seconds. The least H for which a plan has no more work until H than
capacity × H at any member is found by Newton's method for ratios (Dinkelbach 1967): a plan for one
H takes less time than H, or H is the least.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equilag.domain.budget import Budget
from equilag.domain.group.throughput import catch_up_seconds, spare
from equilag.domain.group.weight import filled_rates
from equilag.domain.plan.metrics import member_loads, member_sums
from equilag.domain.plan.plan_figures import NEGLIGIBLE
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import WeightKind
from equilag.planner.sizes.size_curve import (
    RATE,
    WORK,
    SizeCurve,
    probe_budget,
    used_up,
    weighed_pool,
    weights_of,
)
from equilag.planner.sizes.size_members import MemberPool
from equilag.planner.sizes.size_probe import best_plan, probing_policy


class CatchUp(NamedTuple):
    """Seconds until everything is read; infinite where members do not keep up, None where that was
    not computed."""

    at_least: float | None
    seconds: float | None


class CatchUpTimes:
    """The times of a group by size."""

    def __init__(self, pool: MemberPool, policy: Policy, seed: int = 0) -> None:
        """`pool` is one whose group has its own lag and rates, and whose capacities are known."""
        assert pool.capacity is not None
        self._pool, self._speeds, self._policy, self._seed = pool, pool.capacity, policy, seed
        self._lag, self._rate = pool.group.lag, filled_rates(pool.group).rate

    def of(self, size: int, budget: Budget) -> CatchUp:
        """The time of a size under the best plan that is found, and a lower bound.

        The first plan is for the bound: plans that are equally good by rate take very different
        times, so that of one says little where there is no time for another.
        """
        least = self.at_least(size)
        known, seconds = bool(self._rate.any()), np.inf
        if known and 0 < least < np.inf:
            seconds = self._planned(size, WORK, least, budget)
        if seconds == np.inf:
            seconds = self._planned(size, RATE if known else "lag", 1.0, budget)
        gains = known
        while gains and least < seconds < np.inf and not used_up(budget):
            found = self._planned(size, WORK, seconds, budget)
            gains, seconds = found < seconds * (1 - NEGLIGIBLE), min(seconds, found)
        return CatchUp(self._counted(size, min(least, seconds), seconds), seconds)

    def _planned(self, size: int, kind: WeightKind, horizon: float, budget: Budget) -> float:
        """Until the last member has read everything under a plan of the size."""
        weights = weights_of(self._pool.group, self._policy, kind, horizon)
        group = weighed_pool(self._pool, weights).group_of(size)
        with probe_budget(budget, group) as part:
            plan = best_plan(group, probing_policy(self._policy), part, self._seed)
        assigned, speeds = (
            plan.reduction.expand(plan.assigned),
            self._speeds[self._pool.first(size)],
        )
        lag = member_loads(assigned, self._lag, len(speeds))
        rate = member_sums(self._rate, assigned, len(speeds))
        return float(catch_up_seconds(lag, spare(rate, speeds)).max(initial=0.0))

    def at_least(self, size: int) -> float:
        """No plan takes less: all members together, the fastest one alone with one partition, and
        where members are alike what counting says of the work until then."""
        speeds, read = self._speeds[self._pool.first(size)], self._pool.group.assignable
        lag, rate = self._lag[read], self._rate[read]
        left = spare(rate.sum(keepdims=True), speeds.sum(keepdims=True))
        together = catch_up_seconds(lag.sum(keepdims=True), left)
        alone = catch_up_seconds(lag, spare(rate, np.full(len(rate), speeds.max())))
        return float(max(together[0], alone.max(initial=0.0)))

    def _counted(self, size: int, least: float, seconds: float) -> float:
        """A time that no plan falls short of, between two others, from the bounds on work."""
        low, high = least, seconds
        while self._pool.alike and high - low > NEGLIGIBLE * high and high < np.inf:
            middle = (low + high) / 2
            work = SizeCurve(self._pool, self._policy, self._seed, WORK, middle)
            if work.beyond(size, middle):
                low = middle
            else:
                high = middle
        return low
