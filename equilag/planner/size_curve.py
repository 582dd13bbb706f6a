"""The heaviest load against the number of processes: what is known of each size, and what to try.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.budget import Budget
from equilag.columns import Floats
from equilag.metrics import load_divisor
from equilag.planner.size_bounds import AlikeLoads
from equilag.planner.size_members import MemberPool
from equilag.planner.size_probe import best_plan
from equilag.policy import UNCONSTRAINED, Policy
from equilag.reduction.reduce import reduce_group

PROBE_EFFORT: Final = 0.01
"""Seconds' worth of work for the plan of one size: 500 partitions come within 0.01 % of the bound
in most sizes, and all sizes take some 2 s."""
ROUNDED: Final = 0.99
"""Capacities that differ are rounded to three digits before loads are compared: by less than 0.5 %.
"""


class SizeLoad(NamedTuple):
    """The heaviest load of one size under its best plan, per unit of capacity."""

    at_least: float
    """No plan has less."""
    load: float
    """A plan has this."""

    @property
    def proved(self) -> bool:
        return self.at_least == self.load


class SizeCurve:
    """What is known of the heaviest load, for sizes from 1 on; infinite where nothing is."""

    def __init__(self, pool: MemberPool, policy: Policy, seed: int = 0, scale: int = 1) -> None:
        """`policy` is a `probing_policy`, `scale` what one unit of weight is in the pool's lag."""
        self.pool = pool
        self._policy = policy
        self._seed = seed
        self._scale = scale
        n = len(pool.processes) + 1
        self._bound: Floats = np.zeros(n)
        self._load: Floats = np.full(n, np.inf)
        self._tried = np.zeros(n, np.bool_)
        self.loads: AlikeLoads | None = None
        lag = pool.group.lag[pool.group.assignable]
        self._total, self._heaviest = int(lag.sum()), int(lag.max(initial=0))
        free = policy.balance == UNCONSTRAINED
        if pool.alike and not policy.counts_topics:
            planned = reduce_group(pool.group_of(1), policy).group
            self.loads = AlikeLoads(planned.lag[planned.assignable], not free)
        self.falls = free or self.loads is not None
        """True if a larger size never has a heavier load: each has all members of the smaller, and
        counts do not stand in the way."""

    @property
    def sizes(self) -> int:
        """The largest size."""
        return len(self._load) - 1

    def at(self, size: int) -> SizeLoad | None:
        """What is known of a size; None where no plan is."""
        load = self._load[1 : size + 1].min() if self.falls else self._load[size]
        if not np.isfinite(load):
            return None
        return SizeLoad(self.at_least(size), float(load))

    def within(self, size: int, limit: float) -> bool:
        """True if a plan of the size is known whose heaviest load is at most `limit`."""
        known = self.at(size)
        return known is not None and known.load <= limit

    def at_least(self, size: int) -> float:
        """No plan of the size has a smaller heaviest load."""
        known = float(self._bound[size:].max() if self.falls else self._bound[size])
        if self.loads is not None:
            counted = self.loads.at_least(self.pool.members_of(size))
            return max(known, counted / self._divisor)
        capacities = self.pool.capacities_of(size)
        mean = self._total / (sum(capacities) * self._scale)
        alone = self._heaviest / (capacities[0] * self._scale)
        return max(known, ROUNDED * max(mean, alone))

    @property
    def _divisor(self) -> float:
        """What loads of alike members are divided by to be weight per unit of capacity."""
        capacity = self.pool.capacity
        return self._scale * (capacity[0] if capacity else 1.0)

    def tried(self, size: int) -> bool:
        """True if a plan of this very size was looked for, and none is needed."""
        known = self.at(size)
        return bool(self._tried[size]) or (known is not None and known.proved)

    def try_size(self, size: int, budget: Budget, effort: float = PROBE_EFFORT) -> None:
        """Look for the best plan of a size. Where partitions do not fit, nothing is known of it."""
        self._tried[size] = True
        if self.loads is not None:
            exact = self.loads.exact(self.pool.members_of(size))
            if exact is not None:
                self._note(size, exact / self._divisor, exact / self._divisor)
                return
        part = Budget.of_run(budget.time_left, 0.0, effort, budget.stop)
        found = best_plan(self.pool.group_of(size), self._policy, part, self._seed)
        divisor = self._divisor
        if self.loads is None:
            scaled = load_divisor(found.reduction.group)
            divisor = divisor if scaled is None else scaled * self._scale
        self._note(size, found.load.bound / divisor, found.load.value / divisor)

    def _note(self, size: int, bound: float, load: float) -> None:
        self._bound[size] = max(self._bound[size], bound)
        self._load[size] = min(self._load[size], load)
