"""What is known of the heaviest load under the best plan, by the number of processes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

import numpy as np

from equilag.certificate.exhaustive.small_problem import MAX_ITEMS, MAX_MEMBERS
from equilag.domain.budget import ELEMENT, Budget
from equilag.domain.columns import are_whole
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group
from equilag.domain.group.weight import (
    EXACT_TOTAL,
    MEAN_DIGITS,
    PartitionWeights,
    filled_rates,
    partition_weights,
)
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import UNCONSTRAINED, WeightKind
from equilag.domain.reduction.reduce import reduce_group
from equilag.planner.sizes.size_bounds import AlikeLoads, SizeLoad
from equilag.planner.sizes.size_members import MemberPool
from equilag.planner.sizes.size_probe import best_plan, probing_policy

RATE: Final[WeightKind] = "rate"
WORK: Final[WeightKind] = "work"

PROBE_EFFORT: Final = 0.01
"""Seconds' worth of work for the plan of one size: 500 partitions come within 0.01 % of the bound
in most sizes, and all sizes take some 2 s."""
PROBED: Final = 500
"""Partitions for which that is enough."""
MAX_COUNTED: Final = 1_000
"""Sizes up to which bounds are counted for each: 0.1 ms a size. Else those of the sizes that were
tried hold for smaller ones."""
SMALL_EFFORT: Final = 0.06
"""The same for a group that is small enough for an exhaustive search."""


def weights_of(group: Group, policy: Policy, kind: WeightKind, horizon: float) -> PartitionWeights:
    """What the partitions of the group weigh; of a group that is small enough for an exhaustive
    search, as exactly as there is room for. Raises InputError if it does not know."""
    digits = EXACT_TOTAL if group.n_partitions <= MAX_ITEMS else MEAN_DIGITS
    found = partition_weights(group, replace(policy, weight=kind, horizon=horizon), digits)
    return found or PartitionWeights("lag", None, group.lag, 1)


def weighed_pool(pool: MemberPool, weights: PartitionWeights) -> MemberPool:
    """The pool with these weights in place of its lag, so that nothing else is weighed."""
    return replace(pool, group=replace(pool.group, lag=weights.value, rates=None, weights=None))


def is_exact(group: Group, weights: PartitionWeights) -> bool:
    """True if the weights, as integers, are what they stand for: decimals may be rounded."""
    if weights.kind not in (RATE, WORK):
        return True
    ahead = 1.0 if weights.horizon_s is None else weights.horizon_s
    decimals = filled_rates(group).rate * ahead * weights.scale
    return are_whole(decimals)


@contextmanager
def probe_budget(budget: Budget, group: Group, effort: float = PROBE_EFFORT) -> Iterator[Budget]:
    """A budget for the plan of one size: the time that is left, and so much work, which the whole
    run pays. Large groups get more, in proportion."""
    if group.n_partitions <= MAX_ITEMS and group.n_members <= MAX_MEMBERS:
        effort = max(effort, SMALL_EFFORT)
    effort *= max(1.0, group.n_partitions / PROBED)
    part = Budget.of_run(budget.time_left, 0.0, effort, budget.stop)
    try:
        yield part
    finally:
        budget.pay(effort - part.seconds_of_work())


def used_up(budget: Budget) -> bool:
    """True if no time, or none of the counted work, is left."""
    return budget.expired() or (budget.counted and budget.seconds_of_work() <= 0)


def _left(budget: Budget) -> float:
    """Seconds of work that are left, or what tells of time where that is not counted."""
    return budget.work * ELEMENT if budget.counted else -budget.elapsed


class SizeCurve:
    """What is known of the heaviest load, for sizes from 1 on; infinite where nothing is."""

    def __init__(
        self,
        given: MemberPool,
        policy: Policy,
        seed: int,
        kind: WeightKind,
        horizon: float = 1.0,
        enough: float = 0.0,
        about: float = 0.0,
    ) -> None:
        """The loads by some weight of the pool's group; `policy` is that of `size`. With `enough`,
        no load below it is looked for; one that is `about` so large a part above the best is as
        good."""
        weights = weights_of(given.group, policy, kind, horizon)
        self._exact, self._scale = is_exact(given.group, weights), weights.scale
        self.pool = pool = weighed_pool(given, weights)
        self._policy = policy = probing_policy(policy)
        self._seed, self._enough, self._about = seed, enough, about
        n = len(pool.processes) + 1
        self._bound, self._load, self._spent = np.zeros(n), np.full(n, np.inf), np.zeros(n)
        self._tried, self._dealt = np.zeros((2, n), np.bool_)
        self.refused: InputError | None = None
        """Why the first of the sizes that have no plan has none."""
        self.loads: AlikeLoads | None = None
        lag = pool.group.lag[pool.group.assignable]
        self._read, self._total, self._heaviest = len(lag), int(lag.sum()), int(lag.max(initial=0))
        free = policy.balance == UNCONSTRAINED
        if pool.alike and not policy.minds_topics:
            planned = reduce_group(pool.group_of(1), policy).group
            self.loads = AlikeLoads(planned.lag[planned.assignable], not free)
        self.falls = free or self.loads is not None
        """True if a larger size never has a heavier load: each has all members of the smaller, and
        counts do not stand in the way."""

    def at(self, size: int) -> SizeLoad | None:
        """What is known of a size; None where no plan is."""
        load = float(self._load[1 : size + 1].min() if self.falls else self._load[size])
        return SizeLoad(min(load, self.at_least(size)), load) if np.isfinite(load) else None

    def all(self) -> list[SizeLoad | None]:
        """What is known of each size from 1 on."""
        loads = np.minimum.accumulate(self._load[1:]) if self.falls else self._load[1:]
        known = np.isfinite(loads)
        counted = known if len(loads) <= MAX_COUNTED or not self.falls else self._tried[1:]
        bounds = np.array([self.at_least(k + 1) if counted[k] else 0.0 for k in range(len(loads))])
        if self.falls:
            bounds = np.maximum.accumulate(bounds[::-1])[::-1]
        rows = zip(loads.tolist(), np.minimum(bounds, loads).tolist(), strict=True)
        return [SizeLoad(bound, load) if np.isfinite(load) else None for load, bound in rows]

    def within(self, size: int, limit: float) -> bool:
        """True if a plan of the size is known whose heaviest load is at most `limit`."""
        known = self.at(size)
        return known is not None and known.load <= limit

    def beyond(self, size: int, limit: float) -> bool:
        """True if no plan of the size has a load within the limit, were weights not rounded."""
        return self.at_least(size) > limit + self._rounding(size)

    def _rounding(self, size: int) -> float:
        """What rounded weights change a load by at most: half a unit of the integers each."""
        if self._exact:
            return 0.0
        capacities = self.pool.capacities_of(size)
        most = self._read
        if self._policy.balance != UNCONSTRAINED and len(self.pool.group.class_topics) == 1:
            most = 1 + int(self._read * capacities[0] / sum(capacities))
            most *= max(1, sum(map(len, self.pool.group.co_partitioned)))
        return min(most, self._read) / (2 * self._scale * capacities[-1])

    def at_least(self, size: int) -> float:
        """No plan of the size has a smaller heaviest load."""
        known = float(self._bound[size:].max() if self.falls else self._bound[size])
        capacities = self.pool.capacities_of(size)
        if self.loads is not None:
            return max(known, self._counted(size) / (self._scale * capacities[0]))
        mean = self._total / (sum(capacities) * self._scale)
        alone = self._heaviest / (capacities[0] * self._scale)
        return max(known, mean, alone)

    def _counted(self, size: int) -> int:
        """The same by counting, as loads are compared; 0 where members differ."""
        return 0 if self.loads is None else self.loads.at_least(self.pool.members_of(size))

    def tried(self, size: int) -> bool:
        """True if a plan of this very size was looked for, and none is needed."""
        return bool(self._tried[size]) or self.proved(size)

    def proved(self, size: int) -> bool:
        """True if a plan is known, and none is better."""
        known = self.at(size)
        return known is not None and known.load <= known.at_least * (1 + self._about)

    def try_size(self, size: int, budget: Budget, effort: float | None = PROBE_EFFORT) -> None:
        """Look for the best plan of a size, with so much work or all of a budget (None). Where
        partitions do not fit, nothing is known of it."""
        self._tried[size] = True
        if self.deal(size):
            return
        group = self.pool.group_of(size)
        if effort is None:
            self._plan(size, group, budget)
            return
        with probe_budget(budget, group, effort) as part:
            self._plan(size, group, part)

    def deal(self, size: int) -> bool:
        """Note what members that are all alike have when the heaviest partitions are dealt first;
        True if no better plan is needed."""
        if self.loads is not None and not (self._dealt[size] or self.proved(size)):
            self._dealt[size] = True
            load = self.loads.dealt(self.pool.members_of(size))
            self._note(size, SizeLoad(self._counted(size), load))
        return self.proved(size) or self.within(size, self._enough)

    def spent(self, size: int) -> float:
        """Seconds, of work where it is counted, that were spent on a size."""
        return float(self._spent[size])

    def _plan(self, size: int, group: Group, budget: Budget) -> None:
        before = _left(budget)
        close = self.at_least(size) * (1 + self._about) if self._about else 0.0
        enough = max(self._enough, close) * self._scale * self.pool.capacities_of(size)[0]
        counted = self._counted(size)
        try:
            found = best_plan(group, self._policy, budget, self._seed, counted, enough)
        except InputError as error:
            self.refused = self.refused or error
            return
        self._spent[size] += before - _left(budget)
        self._note(size, found.load)

    def _note(self, size: int, found: SizeLoad) -> None:
        """A load as loads are compared: of a member of the largest capacity."""
        divisor = self._scale * self.pool.capacities_of(size)[0]
        self._bound[size] = max(self._bound[size], float(found.at_least) / divisor)
        self._load[size] = min(self._load[size], float(found.load) / divisor)
