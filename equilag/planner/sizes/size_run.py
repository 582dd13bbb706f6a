"""One run of `size`: the curves of loads, and the answer that comes of them."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.budget import Budget
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group
from equilag.domain.group.throughput import unit_weights
from equilag.domain.group.weight import PartitionWeights, filled_rates, known_rates, knows_rates
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import WeightKind
from equilag.domain.reduction.reduce import Reduction, reduce_group
from equilag.planner.sizes.size_catch_up import CatchUp, CatchUpTimes
from equilag.planner.sizes.size_curve import SizeCurve, used_up
from equilag.planner.sizes.size_members import member_pool
from equilag.planner.sizes.size_probe import probing_policy
from equilag.planner.sizes.size_search import LeastSize, notable_sizes, use_up, walk
from equilag.planner.sizes.size_weights import (
    RATE,
    WORK,
    heaviest_unit,
    hot_units,
    is_exact,
    sizing_weight,
    weighed_pool,
    weights_of,
)
from equilag.planner.sizes.sizing import (
    HotUnit,
    SizeBasis,
    SizeGoal,
    SizeRow,
    Sizing,
    size_rows,
)

MAX_SIZE: Final = 10_000
"""The largest size that is looked at unless another one is asked for: the members of the largest
groups that equilag plans."""
WALKING: Final = 0.8
"""Of the time left, what the loads of all sizes may take; the times to catch up follow."""


class SizeRun:
    """A group, the members that groups of other sizes have, and what is spread over them."""

    def __init__(
        self,
        group: Group,
        policy: Policy,
        sizes: tuple[int, int] | None = None,
        threads: int | None = None,
        seed: int = 0,
    ) -> None:
        """Raises InputError where no member reads anything, and for weights that are not known.

        `sizes` are the first and the last one to look at; None for all.
        """
        group = replace(group, move_weights=None)  # in a group of another size nothing moves
        self._given = group
        self._policy = policy
        self._seed = seed
        self._kind: WeightKind = sizing_weight(policy, group)
        self._weights = self._weights_of(self._kind, policy.horizon)
        most = int(np.count_nonzero(group.assignable))
        asked = sizes[1] if sizes else min(MAX_SIZE, max(1, most))
        self.pool = member_pool(group, policy, asked, threads)
        self._probing = probing_policy(policy)
        units = int(np.count_nonzero(self._units.group.assignable))
        self._most = max(1, -(-units // self.pool.threads))
        if sizes is None:
            sizes = 1, min(max(self._most, self.pool.present), MAX_SIZE)
        # A smaller size would leave the topics of some subscription unread.
        least = len(self.pool.group.class_topics)
        self.first, self.last = max(sizes[0], least), max(sizes[1], least)

    def _weights_of(self, kind: WeightKind, horizon: float) -> PartitionWeights:
        return weights_of(self._given, self._policy, kind, horizon)

    @cached_property
    def _units(self) -> Reduction:
        """The units that are spread, and over whom now."""
        return reduce_group(self.pool.group_of(self.pool.present), self._probing)

    @property
    def tells_who_keeps_up(self) -> bool:
        """True if rates and capacities are known."""
        return knows_rates(self._given) and self.pool.capacity is not None

    def curve(self, kind: WeightKind, horizon: float = 1.0, enough: float = 0.0) -> SizeCurve:
        """The loads by some weight, none below `enough`."""
        weights = self._weights_of(kind, horizon)
        pool = weighed_pool(self.pool, weights)
        exact = is_exact(self._given, weights)
        return SizeCurve(pool, self._probing, self._seed, weights.scale, exact, enough)

    def keeping_up(self, curve: SizeCurve, budget: Budget) -> SizeGoal:
        """That all rates are within capacity; `curve` is that of rates."""
        return SizeGoal.of(curve, 1.0, (self.first, self.last), budget)

    def answer(self, catch_up: float | None, budget: Budget) -> Sizing:
        """Everything that `size` says. Raises InputError where no size has room for all."""
        if catch_up is not None and self.pool.capacity is None:
            raise InputError("needs to know what members can process: --capacity", "catch_up")
        curve = self.curve(self._kind, self._policy.horizon)
        keeping = catching = None
        if self.tells_who_keeps_up:
            rates = curve if self._kind == RATE else self.curve(RATE)
            keeping = self.keeping_up(rates, budget)
        if catch_up is not None:
            work = self.curve(WORK, catch_up)
            catching = SizeGoal.of(work, catch_up, (self.first, self.last), budget)
        goals = [goal for goal in (keeping, catching) if goal is not None]
        here = min(max(self.first, self.pool.present), self.last)
        timed = self.pool.capacity is not None and self._given.lag.any()
        with budget.portion(WALKING if timed else 1.0) as part:
            if self.first < self.last:
                walk(curve, here, self.first, self.last, part)
            shown = self._shown(self._rows(curve, budget), goals)
            for goal in goals:
                for size in shown:
                    goal.settle(size, part)
            others = [size for size in range(self.first, self.last + 1) if size not in shown]
            use_up(curve, shown, part)
            use_up(curve, others, part)
        rows = self._rows(curve, budget)
        if not rows and curve.refused is not None:
            raise curve.refused
        shown = self._shown(rows, goals)
        first = {here, *(goal.least.at_most for goal in goals)}  # of them somebody wants the time
        for place, row in sorted(enumerate(rows), key=lambda pair: pair[1].size not in first):
            found = replace(
                row,
                keeps_up=keeping and keeping.met(row.size),
                catches_up=catching and catching.met(row.size),
            )
            found = self._with_time(found, budget) if row.size in shown else found
            if found.catches_up and catch_up is not None:
                # A plan with no more work until then than can be read is done by then.
                known = np.inf if found.catch_up_s is None else found.catch_up_s
                found = replace(found, catch_up_s=min(known, catch_up))
            rows[place] = found
        fastest = max(self.pool.capacity) if self.pool.capacity else None
        planned, weight = self._units.group, self._weights.value / self._weights.scale
        return Sizing(
            group=self._given,
            policy=self._policy,
            basis=self._basis(),
            rows=tuple(rows),
            first=self.first,
            last=self.last,
            most=self._most,
            least_keeping_up=keeping and keeping.least,
            catch_up=catch_up,
            least_catching_up=catching and catching.least,
            heaviest=heaviest_unit(planned, unit_weights(self._units, weight), fastest),
            hot=self.hot(),
            interrupted=budget.interrupted,
        )

    def hot(self) -> tuple[HotUnit, ...]:
        """The units that no member can read as fast as records come in, by known rates alone."""
        if not self.tells_who_keeps_up or self.pool.capacity is None:
            return ()
        rate = unit_weights(self._units, known_rates(self._given))
        return hot_units(self._units.group, rate, max(self.pool.capacity))

    def _basis(self) -> SizeBasis:
        given, pool, weights = self._given, self.pool, self._weights
        by_rate = self._kind in (RATE, WORK)
        limit = {RATE: 1.0, WORK: self._policy.horizon}.get(self._kind)
        return SizeBasis(
            kind=self._kind,
            horizon_s=weights.horizon_s,
            unit=weights.unit,
            total=int(weights.value[given.assignable].sum()) / weights.scale,
            unknown_rates=filled_rates(given).unknown if by_rate else 0,
            limit=None if pool.capacity is None else limit,
            present=pool.present,
            threads=pool.threads,
            capacity=pool.new_capacity,
            equal_capacities=pool.equal_capacities,
            subscriptions=len(pool.group.class_topics),
            idle=pool.idle,
            unrestricted=len(given.allowed or ()),
        )

    def _rows(self, curve: SizeCurve, budget: Budget) -> list[SizeRow]:
        limit = budget.limit if budget.effort is None else budget.effort
        return size_rows(curve, self.first, self.last, self._policy.tolerance, limit)

    def _shown(self, rows: list[SizeRow], goals: list[SizeGoal]) -> list[int]:
        """The sizes that somebody wants to see."""
        helping = [row.size for row in rows if row.helps]
        least = [goal.least for goal in goals]
        return notable_sizes([row.size for row in rows], helping, self.pool.present, least)

    def _with_time(self, row: SizeRow, budget: Budget) -> SizeRow:
        """The row with the time to catch up, where there is lag; without time for a plan what is
        known of all plans."""
        if self.pool.capacity is None or not self._given.lag.any():
            return row
        if row.keeps_up is False:
            found = CatchUp(np.inf, np.inf)
        elif used_up(budget):
            return replace(row, catch_up_at_least_s=self._times.at_least(row.size))
        else:
            found = self._times.of(row.size, budget)
        return replace(row, catch_up_s=found.seconds, catch_up_at_least_s=found.at_least)

    @cached_property
    def _times(self) -> CatchUpTimes:
        return CatchUpTimes(self.pool, self._policy, self._seed)


class LeastMembers(NamedTuple):
    """The least number of members that keep up, under the best plan for each number."""

    present: int
    """Members now, or processes where members are threads of instances; without those that read
    nothing."""
    threads: int
    """Members of a new process."""
    least: LeastSize
    """The least size that keeps up, an interval where it is not proved."""
    last: int
    """The largest size that was looked at; more have no partitions to read."""
    hot: tuple[HotUnit, ...]
    """Partitions with which no number of members keeps up."""

    @property
    def more(self) -> int | None:
        """How many more members, or processes, keep up for sure; None where no number was found."""
        return None if self.least.at_most is None else self.least.at_most - self.present


def least_members(group: Group, policy: Policy, budget: Budget) -> LeastMembers | None:
    """The least number of members from the present one on whose rates can be within capacity.

    None where no rate or no capacity is known. Present members stay, new ones have the median
    capacity; the balance of counts, room, capacities, instances and co-partitioned topics are those
    of the policy and the group, pins and racks are left out. Takes some 20 ms for 500 partitions.
    Raises InputError as `size` does.
    """
    run = SizeRun(group, policy)
    if not run.tells_who_keeps_up:
        return None
    run.first = max(run.first, min(run.pool.present, run.last))
    goal = run.keeping_up(run.curve(RATE, enough=1.0), budget)
    return LeastMembers(run.pool.present, run.pool.threads, goal.least, run.last, run.hot())
