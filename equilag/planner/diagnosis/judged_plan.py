"""A plan judged by the rule that live groups are rebalanced by: its gain, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import Flags, Floats
from equilag.domain.group.group import NOBODY, Group
from equilag.domain.group.lag import UNKNOWN
from equilag.domain.group.throughput import ReadProgress, progress_of
from equilag.domain.group.weight import filled_rates
from equilag.domain.plan.assignment import first_phase
from equilag.domain.plan.broken_rules import broken_rules
from equilag.domain.plan.metrics import moved
from equilag.domain.plan.plan import Plan
from equilag.domain.plan.plan_figures import LagFigures
from equilag.domain.plan.verdict import (
    CostFacts,
    HeaviestFacts,
    HotPartitionFacts,
    SuspectFacts,
)
from equilag.domain.policy.policy import Policy
from equilag.planner.diagnosis.suspects import slow_suspects
from equilag.planner.facts.work import LoadUnit, WorkFacts, is_limited, unit_words
from equilag.planner.worth.gain import Gain, gain_of, possible_gain
from equilag.planner.worth.group_loads import GroupLoads, best_loads, group_loads
from equilag.planner.worth.thresholds import Thresholds, Verdict, judge, reaches

CAUGHT_UP: Final = 10.0
"""Records per partition up to which a group has caught up: a poll takes up to 500 from all
partitions of a consumer, and what is below is the chance of one moment. Seconds of production, too:
consumers commit every 5 s by default, and what came since two commits is no lag."""

CLEARLY: Final = 0.02
"""Part of what is produced by which lag has to fall: less is the chance of two moments."""


@dataclass(frozen=True, slots=True)
class VerdictLimits:
    """From where on something is wrong."""

    thresholds: Thresholds = field(default_factory=Thresholds)
    """What a plan has to bring."""
    min_lag: float = 10_000
    """Records per partition that are much where no rate is known."""
    behind_s: float = 60.0
    """Seconds of production that are much."""

    def to_dict(self) -> dict[str, float | None]:
        """By the names of their options."""
        return {
            "gain": self.thresholds.gain_percent, "min_gain": self.thresholds.min_gain,
            "min_lag": self.min_lag, "behind": self.behind_s,
        }  # fmt: skip


class RelievedRank(NamedTuple):
    """The rank among the members by load, from 0 on, that the plan relieves most."""

    rank: int
    load_before: float
    load: float


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
    caught_up: bool
    """True if no more waits than what came since the last commits."""
    limits: VerdictLimits
    progress: ReadProgress | None
    """None without an earlier sample."""
    rate: Floats
    """[P] records per second, from rates or from two samples; 0 for unknown."""
    is_settled: bool
    """True if the lag falls between two samples, or is little and does not grow."""

    @property
    def is_hot(self) -> bool:
        """True if the heaviest member has hardly more than a partition that one has to have."""
        if not self.hot or self.heaviest is None:
            return False
        hardly = self.limits.thresholds.gain_percent / 100
        return (1 - hardly) * self.heaviest.load_before <= float(self.loads.best[0])

    @property
    def is_limited(self) -> bool:
        """True if the policy asks for more than even counts and even lag."""
        policy = self.plan.policy
        return policy is None or is_limited(policy)

    @property
    def is_beyond_help(self) -> bool:
        """True if no assignment relieves a member by as much as makes a rebalance worth it."""
        return not reaches(self.best, self.limits.thresholds)


def judged_plan(
    plan: Plan, work: WorkFacts | None, unit: LoadUnit, limits: VerdictLimits | None = None
) -> JudgedPlan:
    """Judge a plan by the rule that live groups are rebalanced by, with its default thresholds
    unless `limits` has others."""
    limits = limits or VerdictLimits()
    group = plan.planned.given
    loads, by_count = _loads(plan)
    gain = gain_of(loads, group.owner, plan.assigned)
    best = possible_gain(loads, group.owner)
    broken = broken_rules(plan.planned, group.owner)
    progress = progress_of(group)
    rate = np.where(group.assignable, filled_rates(group).rate, 0.0)
    if progress is not None and not rate.any():
        rate = progress.produced / progress.seconds
    caught_up = _caught_up(group, rate)
    verdict = judge(gain, limits.thresholds)
    settled = _is_settled(group, progress, rate, limits)
    is_fine = caught_up or settled
    if is_fine and (by_count or loads.in_records) and verdict.worth_it:
        verdict = Verdict("even", "the lag falls" if settled else "the group has caught up")
    return JudgedPlan(
        plan,
        work,
        gain,
        verdict,
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
        () if caught_up or progress is not None else slow_suspects(group, group.owner),
        caught_up,
        limits,
        progress,
        rate,
        settled,
    )


def _caught_up(group: Group, rate: Floats) -> bool:
    """False where nothing is known of the lag."""
    known: Flags = group.assignable & (group.quality != UNKNOWN)
    lag = group.lag[known]
    if not len(lag):
        return False
    late = lag > CAUGHT_UP * np.maximum(1.0, rate[known])
    return bool(lag.sum() <= CAUGHT_UP * len(lag)) or not late.any()


def _is_settled(
    group: Group, progress: ReadProgress | None, rate: Floats, limits: VerdictLimits
) -> bool:
    """True if the lag falls; or if it is little at each member and hardly grows: commits make it
    look larger by what came since."""
    if progress is None or not progress.is_whole:
        return False
    total = float(rate.sum())
    if progress.fallen > CLEARLY * progress.seconds * total:
        return True
    held: Flags = group.owner != NOBODY
    lag, usual = (
        np.bincount(group.owner[held], values[held].astype(np.float64), group.n_members)
        for values in (group.lag, limits.behind_s * rate + CAUGHT_UP)
    )
    return progress.fallen >= -CAUGHT_UP * total and bool((lag <= usual).all())


def _loads(plan: Plan) -> tuple[GroupLoads, bool]:
    """The loads that a plan is judged by, and whether they are counts of partitions."""
    group, policy = plan.planned.given, plan.policy or Policy().with_weight("lag")
    loads = group_loads(group, policy)
    if _of_lag(plan):
        loads = _not_per_capacity(loads)
    caught_up = plan.planned.weights is None and (
        loads.weight.sum() <= CAUGHT_UP * np.count_nonzero(group.assignable)
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
        in_records=False,
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
