"""One run of `size`: the curves of loads, and the answer that comes of them."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.budget import Budget
from equilag.domain.columns import Floats
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group
from equilag.domain.group.throughput import unit_weights
from equilag.domain.group.weight import filled_rates, known_rates, knows_rates, weighed_policy
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import WeightKind
from equilag.domain.reduction.reduce import Reduction, reduce_group
from equilag.planner.sizes.size_catch_up import CatchUp, CatchUpTimes
from equilag.planner.sizes.size_curve import RATE, WORK, SizeCurve, used_up, weights_of
from equilag.planner.sizes.size_members import member_pool
from equilag.planner.sizes.size_probe import probing_policy
from equilag.planner.sizes.size_search import SizeGoal, use_up, walk
from equilag.planner.sizes.sizing import (
    HotUnit,
    LeastSize,
    SizeBasis,
    SizeRow,
    Sizing,
    notable_sizes,
)

MAX_SIZE: Final = 10_000
"""The largest size that is looked at unless another one is asked for: the members of the largest
groups that equilag plans."""
WALKING: Final = 0.8
"""Of the time left, what the loads of all sizes may take; the times to catch up follow."""


def sizing_weight(policy: Policy, group: Group) -> WeightKind:
    """The weight in force: rates where the group knows any, since keeping up is what counts in the
    long run; else what a plan spreads."""
    if policy.weight is None and knows_rates(group):
        return RATE
    return weighed_policy(policy, group).weight or "lag"


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
        self._given, self._policy, self._seed = group, policy, seed
        self._weights = weights_of(group, policy, sizing_weight(policy, group), policy.horizon)
        most = int(np.count_nonzero(group.assignable))
        asked = sizes[1] if sizes else min(MAX_SIZE, max(1, most))
        self.pool = member_pool(group, policy, asked, threads)
        units = int(np.count_nonzero(self._units.group.assignable))
        self._most = max(1, -(-units // self.pool.threads))
        if sizes is None:
            sizes = 1, min(max(self._most, self.pool.present), MAX_SIZE)
        # A smaller size would leave the topics of some subscription unread.
        least = len(self.pool.group.class_topics)
        self.first, self.last = max(sizes[0], least), max(sizes[1], least)
        self._times = None
        if self.pool.capacity is not None and group.lag.any():
            self._times = CatchUpTimes(self.pool, policy, seed)

    @cached_property
    def _units(self) -> Reduction:
        """The units that are spread, and over whom now."""
        return reduce_group(self.pool.group_of(self.pool.present), probing_policy(self._policy))

    @property
    def tells_who_keeps_up(self) -> bool:
        """True if rates and capacities are known."""
        return knows_rates(self._given) and self.pool.capacity is not None

    def answer(self, catch_up: float | None, budget: Budget, about: float = 0.0) -> Sizing:
        """Everything that `size` says. Raises InputError where no size has room for all."""
        if catch_up is not None and self.pool.capacity is None:
            raise InputError("needs to know what members can process: --capacity", "catch_up")
        kind, of_weight = self._weights.kind, (self.pool, self._policy, self._seed)
        sizes = self.first, self.last
        curve = SizeCurve(*of_weight, kind, self._policy.horizon, about=about)
        keeping = catching = None
        if self.tells_who_keeps_up:
            rates = curve if kind == RATE else SizeCurve(*of_weight, RATE)
            keeping = SizeGoal(rates, 1.0, sizes, budget)
        if catch_up is not None:
            work = SizeCurve(*of_weight, WORK, catch_up)
            catching = SizeGoal(work, catch_up, sizes, budget)
        goals = [goal for goal in (keeping, catching) if goal is not None]
        least = [goal.least for goal in goals]
        here = min(max(self.first, self.pool.present), self.last)
        with budget.portion(1.0 if self._times is None else WALKING) as part:
            if self.first < self.last:
                walk(curve, here, self.first, self.last, part)
            shown = notable_sizes(self._rows(curve, budget), self.pool.present, least)
            for goal in goals:
                for size in shown:
                    goal.settle(size, part)
            others = [size for size in range(self.first, self.last + 1) if size not in shown]
            use_up(curve, shown, part)
            use_up(curve, others, part)
        rows = self._rows(curve, budget)
        if not rows and curve.refused is not None:
            raise curve.refused
        first = {here, *(found.at_most for found in least)}  # of them somebody wants the time
        shown = notable_sizes(rows, self.pool.present, least)
        for place, row in sorted(enumerate(rows), key=lambda pair: pair[1].size not in first):
            keeps_up = keeping and keeping.met(row.size)
            catches_up = catching and catching.met(row.size)
            rows[place] = replace(row, keeps_up=keeps_up, catches_up=catches_up)
            if row.size in shown or catches_up:
                rows[place] = self._timed(rows[place], row.size in shown, catch_up, budget)
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
            heaviest=self._heaviest(),
            hot=self.hot(),
            interrupted=budget.interrupted,
        )

    def _heaviest(self) -> HotUnit | None:
        """The heaviest unit, the first of several; None where nothing weighs anything."""
        weight = unit_weights(self._units, self._weights.value / self._weights.scale)
        return self._unit(weight, int(np.argmax(weight))) if weight.any() else None

    def hot(self) -> tuple[HotUnit, ...]:
        """The units that no member can read as fast as records come in, by known rates alone; the
        largest rate first."""
        if not self.tells_who_keeps_up or self.pool.capacity is None:
            return ()
        rate = unit_weights(self._units, known_rates(self._given))
        order = np.argsort(-rate, kind="stable")
        hot = order[rate[order] > self.pool.capacity.max()]
        return tuple(self._unit(rate, unit) for unit in hot.tolist())

    def _unit(self, weight: Floats, unit: int) -> HotUnit:
        value, capacity = float(weight[unit]), self.pool.capacity
        share = None if capacity is None else value / float(capacity.max())
        return HotUnit(*self._units.group.partition_name(unit), value, share)

    def _basis(self) -> SizeBasis:
        given, pool, weights = self._given, self.pool, self._weights
        by_rate = weights.kind in (RATE, WORK)
        limit = {RATE: 1.0, WORK: self._policy.horizon}.get(weights.kind)
        return SizeBasis(
            kind=weights.kind,
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
        """The rows of the sizes of which a plan is known, ascending."""
        limit, helpful = budget.limit if budget.effort is None else budget.effort, np.inf
        rows: list[SizeRow] = []
        for size, known in enumerate(curve.all(), start=1):
            if known is None or not self.first <= size <= self.last:
                continue
            helps = known.load < helpful
            if helps:
                helpful = known.load * (1 - self._policy.tolerance / 100)
            members = self.pool.members_of(size)
            share = min(1.0, round(curve.spent(size) / limit, 4)) if limit else 0.0
            rows.append(SizeRow(size, members, known.load, known.at_least, helps, share))
        return rows

    def _timed(
        self, row: SizeRow, is_shown: bool, catch_up: float | None, budget: Budget
    ) -> SizeRow:
        """The row with the time to catch up; without time for a plan what is known of all plans."""
        time = CatchUp(None, None)
        if is_shown and self._times is not None:
            if row.keeps_up is False:
                time = CatchUp(np.inf, np.inf)
            elif used_up(budget):
                time = CatchUp(self._times.at_least(row.size), None)
            else:
                time = self._times.of(row.size, budget)
        if row.catches_up and catch_up is not None:
            # A plan with no more work until then than can be read is done by then.
            time = time._replace(
                seconds=min(catch_up, np.inf if time.seconds is None else time.seconds)
            )
        return replace(row, catch_up_s=time.seconds, catch_up_at_least_s=time.at_least)


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
    run.first = max(run.first, min(run.pool.present, run.last))
    if not run.tells_who_keeps_up:
        return None
    rates = SizeCurve(run.pool, policy, 0, RATE, enough=1.0)
    goal = SizeGoal(rates, 1.0, (run.first, run.last), budget)
    return LeastMembers(run.pool.present, run.pool.threads, goal.least, run.last, run.hot())
