"""How long a group of some size takes until all lag is read, while records go on coming in.

A member that reads κ records per second, with a lag of ℓ and r records per second coming in, has
caught up after ℓ / (κ − r) seconds. The least H for which a plan has no more work until H than
capacity × H at any member is found by Newton's method for ratios (Dinkelbach 1967): a plan for one
H takes less time than H, or H is the least.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.domain.budget import Budget
from equilag.domain.columns import NOBODY, Floats
from equilag.domain.group.throughput import catch_up_seconds, spare
from equilag.domain.group.weight import filled_rates
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import WeightKind
from equilag.planner.sizes.size_curve import SizeCurve, probe_budget, used_up
from equilag.planner.sizes.size_members import MemberPool
from equilag.planner.sizes.size_probe import SizedPlan, best_plan, probing_policy
from equilag.planner.sizes.size_weights import RATE, WORK, is_exact, weighed_pool, weights_of

MAX_STEPS: Final = 6
"""Plans that are made at most; the third or fourth seldom takes less time than the one before."""
NOTICED: Final = 0.001
"""Part of a time; a plan that saves less is the last one."""


class CatchUp(NamedTuple):
    """Seconds until everything is read; infinite where members do not keep up."""

    at_least: float
    seconds: float


class CatchUpTimes:
    """The times of a group by size."""

    def __init__(self, pool: MemberPool, policy: Policy, seed: int = 0) -> None:
        """`pool` is one whose group has its own lag and rates, and whose capacities are known."""
        self._pool = pool
        self._policy = policy
        self._probing = probing_policy(policy)
        self._seed = seed
        group = pool.group
        self._lag = group.lag.astype(np.float64)
        self._rate = filled_rates(group).rate
        self._read = group.assignable

    def of(self, size: int, budget: Budget) -> CatchUp:
        """The time of a size under the best plan that is found, and a lower bound.

        The first plan is for the bound: plans that are equally good by rate take very different
        times, so that of one says little where there is no time for another.
        """
        least = self.at_least(size)
        known, seconds = self._rate.any(), np.inf
        if known and 0 < least < np.inf:
            seconds = self._seconds(self._plan(size, WORK, least, budget))
        if seconds == np.inf:
            seconds = self._seconds(self._plan(size, RATE if known else "lag", 1.0, budget))
        for _ in range(MAX_STEPS if known else 0):
            if not least < seconds < np.inf or used_up(budget):
                break
            found = self._seconds(self._plan(size, WORK, seconds, budget))
            if found >= seconds * (1 - NOTICED):
                seconds = min(seconds, found)
                break
            seconds = found
        return CatchUp(self._counted(size, min(least, seconds), seconds), seconds)

    def _plan(self, size: int, kind: WeightKind, horizon: float, budget: Budget) -> SizedPlan:
        weights = weights_of(self._pool.group, self._policy, kind, horizon)
        group = weighed_pool(self._pool, weights).group_of(size)
        with probe_budget(budget, group) as part:
            return best_plan(group, self._probing, part, self._seed)

    def _seconds(self, plan: SizedPlan) -> float:
        """Until the last member has read everything."""
        assigned = plan.reduction.expand(plan.assigned)
        held = assigned != NOBODY
        members = plan.reduction.given.n_members
        lag: Floats = np.bincount(assigned[held], self._lag[held], members).astype(np.float64)
        rate: Floats = np.bincount(assigned[held], self._rate[held], members).astype(np.float64)
        return float(catch_up_seconds(lag, spare(rate, self._speeds(plan))).max(initial=0.0))

    def _speeds(self, plan: SizedPlan) -> Floats:
        capacity = self._pool.capacity
        assert capacity is not None
        of = {member.id: c for member, c in zip(self._pool.group.members, capacity, strict=True)}
        return np.array([of[member.id] for member in plan.reduction.given.members])

    def at_least(self, size: int) -> float:
        """No plan takes less: all members together, the fastest one alone with one partition, and
        where members are alike what counting says of the work until then."""
        speeds = np.array(self._pool.capacities_of(size), dtype=np.float64)
        lag, rate = self._lag[self._read], self._rate[self._read]
        left = spare(rate.sum(keepdims=True), speeds.sum(keepdims=True))
        together = catch_up_seconds(lag.sum(keepdims=True), left)
        alone = catch_up_seconds(lag, spare(rate, np.full(len(rate), speeds[0])))
        return float(max(together[0], alone.max(initial=0.0)))

    def _counted(self, size: int, least: float, seconds: float) -> float:
        """A time that no plan falls short of, between two others, from the bounds on work."""
        low, high = least, seconds
        while self._pool.alike and high - low > NOTICED * high and high < np.inf:
            middle = (low + high) / 2
            if self._work(middle).beyond(size, middle):
                low = middle
            else:
                high = middle
        return low

    def _work(self, seconds: float) -> SizeCurve:
        """The loads of what has to be read within so many seconds."""
        group = self._pool.group
        weights = weights_of(group, self._policy, WORK, seconds)
        exact = is_exact(group, weights)
        pool = weighed_pool(self._pool, weights)
        return SizeCurve(pool, self._probing, self._seed, weights.scale, exact)
