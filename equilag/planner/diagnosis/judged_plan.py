"""A plan judged by the rule that live groups are rebalanced by: its gain, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import Flags, Floats
from equilag.domain.group.group import NOBODY
from equilag.domain.plan.assignment import first_phase
from equilag.domain.plan.broken_rules import broken_rules
from equilag.domain.plan.metrics import moved
from equilag.domain.plan.plan import Plan
from equilag.domain.plan.plan_figures import LagFigures
from equilag.domain.policy.policy import Policy
from equilag.planner.diagnosis.suspects import SuspectFacts, slow_suspects
from equilag.planner.facts.work import LoadUnit, WorkFacts, is_limited, unit_words
from equilag.planner.worth.gain import Gain, gain_of, possible_gain
from equilag.planner.worth.group_loads import GroupLoads, best_loads, group_loads
from equilag.planner.worth.thresholds import Pause, Thresholds, Verdict, judge, reaches

CAUGHT_UP: Final = 10.0
"""Records per partition below which a group without rates has caught up: a poll takes up to 500
from all partitions of a consumer, and what is below is the chance of one moment."""

HARDLY: Final = Thresholds().gain_percent / 100
"""Part of a member's load that is not worth a rebalance."""


@dataclass(frozen=True, slots=True)
class CostFacts:
    """What the plan takes."""

    moves: int
    owned: int
    """Partitions of the current assignment."""
    new: int
    """Partitions that are assigned and that nobody owned."""
    lag_moved: int
    """Records that wait in the partitions that move."""
    rebalances: int
    """Under a cooperative protocol; one under an eager one, in which all partitions pause."""
    paused: int
    """Partitions that pause between the two rebalances of a cooperative protocol."""


@dataclass(frozen=True, slots=True)
class HeaviestFacts:
    """The heaviest member now and under the plan; loads in the unit of the verdict."""

    before: str
    load_before: float
    above_before_percent: float
    """By how much it is above the mean; so is `above_percent`."""
    after: str
    load: float
    above_percent: float


class RelievedRank(NamedTuple):
    """The rank among the members by load, from 0 on, that the plan relieves most."""

    rank: int
    load_before: float
    load: float


@dataclass(frozen=True, slots=True)
class HotPartitionFacts:
    """A partition that is more than a fair share even for the member with the largest capacity."""

    topic: str
    partition: int
    fair_shares: float
    """Its weight, in fair shares of that member."""
    load: float
    """What that member has at least, in the unit of the verdict."""


class JudgedPlan(NamedTuple):
    """A plan, and what the rule says about it."""

    plan: Plan
    work: WorkFacts | None
    gain: Gain
    verdict: Verdict
    best: Gain
    """No plan has a larger one."""
    heaviest: HeaviestFacts | None
    unit: str
    by_count: bool
    """True if no lag is worth balancing, so that partitions are counted."""
    hot: tuple[HotPartitionFacts, ...]
    cost: CostFacts
    broken: int
    """Rules of the group that the current assignment breaks."""
    relieved: RelievedRank | None
    """None where no member reads anything."""
    lightest: float
    """Load of the lightest member under the plan."""
    loads: GroupLoads
    suspects: tuple[SuspectFacts, ...]
    """Members that may be slow or stuck."""

    @property
    def is_hot(self) -> bool:
        """True if the heaviest member has hardly more than a partition that one has to have."""
        if not self.hot or self.heaviest is None:
            return False
        return (1 - HARDLY) * self.heaviest.load_before <= float(self.loads.best[0])

    @property
    def is_limited(self) -> bool:
        """True if the policy asks for more than even counts and even lag."""
        policy = self.plan.policy
        return policy is None or is_limited(policy)

    @property
    def is_beyond_help(self) -> bool:
        """True if no assignment relieves a member by as much as makes a rebalance worth it."""
        return not reaches(self.best, Thresholds())


def judged_plan(plan: Plan, work: WorkFacts | None, unit: LoadUnit) -> JudgedPlan:
    """Judge a plan by the rule that live groups are rebalanced by, with its default thresholds."""
    group = plan.planned.given
    loads, by_count = _loads(plan)
    gain = gain_of(loads, group.owner, plan.assigned)
    best = possible_gain(loads, group.owner)
    broken = broken_rules(plan.planned, group.owner)
    return JudgedPlan(
        plan,
        work,
        gain,
        judge(gain, Thresholds(), Pause()),
        best,
        _heaviest(plan, loads),
        "partitions" if by_count else unit_words(unit, not _of_lag(plan)),
        by_count,
        () if by_count else _hot(loads),
        _cost(plan),
        sum(broken.to_dict().values()),
        _relieved(plan, loads),
        float(loads.of(plan.assigned).min(initial=np.inf)),
        loads,
        slow_suspects(group, group.owner),
    )


def _loads(plan: Plan) -> tuple[GroupLoads, bool]:
    """The loads that a plan is judged by, and whether they are counts of partitions."""
    group, policy = plan.planned.given, plan.policy or Policy().with_weight("lag")
    loads = group_loads(group, policy)
    if _of_lag(plan):
        loads = _not_per_capacity(loads)
    caught_up = plan.planned.weights is None and (
        loads.weight.sum() < CAUGHT_UP * np.count_nonzero(group.assignable)
    )
    if not caught_up:
        return loads, False
    weight = group.assignable.astype(np.float64)
    total = float(loads.capacity.sum())
    return replace(
        loads,
        weight=weight,
        fair=float(weight.sum()) / total if total else 0.0,
        best=_even_counts(weight, loads.capacity),
        rate=np.zeros(len(weight)),
    ), True


def _of_lag(plan: Plan) -> bool:
    """True if a plan compares members by their lag, since capacities do not differ."""
    return isinstance(plan.loads, LagFigures)


def _not_per_capacity(loads: GroupLoads) -> GroupLoads:
    """The loads in weight, where all capacities are the same one."""
    if not len(loads.capacity) or np.ptp(loads.capacity):
        return loads
    one = float(loads.capacity[0])
    return replace(
        loads,
        capacity=np.ones(len(loads.capacity)),
        fair=loads.fair * one,
        best=loads.best * one,
        error=loads.error * one,
    )


def _even_counts(weight: Floats, capacity: Floats) -> Floats:
    """[B] loads that no plan falls below where each partition weighs 1, the heaviest first."""
    if not len(capacity) or np.ptp(capacity):
        return best_loads(weight, capacity)
    share, rest = divmod(int(weight.sum()), len(capacity))
    counts = share + (np.arange(len(capacity)) < rest)
    least: Floats = counts / capacity[0]
    return least


def _heaviest(plan: Plan, loads: GroupLoads) -> HeaviestFacts | None:
    before, after = loads.of(plan.planned.given.owner), loads.of(plan.assigned)
    if not len(before) or not before.any():
        return None
    first, then = int(before.argmax()), int(after.argmax())
    fair = loads.fair
    ids = [loads.group.members[loads.busy[place]].id for place in (first, then)]
    high, low = float(before[first]), float(after[then])
    above = [100 * (load / fair - 1) if fair else 0.0 for load in (high, low)]
    return HeaviestFacts(ids[0], high, above[0], ids[1], low, above[1])


def _relieved(plan: Plan, loads: GroupLoads) -> RelievedRank | None:
    before, after = (
        np.sort(loads.of(assigned))[::-1] for assigned in (plan.planned.given.owner, plan.assigned)
    )
    if not len(before):
        return None
    drop = np.maximum(before, loads.best) - np.maximum(after, loads.best)
    rank = int(drop.argmax())
    return RelievedRank(rank, float(before[rank]), float(after[rank]))


def _hot(loads: GroupLoads) -> tuple[HotPartitionFacts, ...]:
    """Partitions that are each more than the load of all members if these were equally loaded."""
    largest = float(loads.capacity.max(initial=0.0))
    share = loads.fair * largest
    hot = np.flatnonzero(loads.weight > share)
    order = hot[np.argsort(-loads.weight[hot], kind="stable")].tolist()
    return tuple(
        HotPartitionFacts(
            *loads.group.partition_name(place),
            float(loads.weight[place]) / share,
            float(loads.weight[place]) / largest,
        )
        for place in order
    )


def _cost(plan: Plan) -> CostFacts:
    owner, first = plan.group.owner, first_phase(plan.group, plan.assigned)
    owned: Flags = owner != NOBODY
    moves = moved(owner, plan.assigned)
    paused = int(np.count_nonzero(first != plan.assigned))
    return CostFacts(
        int(np.count_nonzero(moves)),
        int(np.count_nonzero(owned)),
        int(np.count_nonzero(~owned & (plan.assigned != NOBODY))),
        int(plan.group.lag[moves].sum()),
        2 if paused else 1,
        paused,
    )
