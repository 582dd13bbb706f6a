"""A plan: what it brings and costs, by the rule that live groups are rebalanced by; and what is
known of its group: rates, two samples, whether it has caught up."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Final

import numpy as np

from equilag.domain.columns import NOBODY, Flags, Floats, Ints
from equilag.domain.group.lag import UNKNOWN
from equilag.domain.group.throughput import ReadProgress, progress_of
from equilag.domain.group.weight import filled_rates
from equilag.domain.plan.assignment import first_phase
from equilag.domain.plan.broken_rules import broken_rules
from equilag.domain.plan.metrics import member_sums, moved
from equilag.domain.plan.plan import Plan
from equilag.domain.plan.plan_figures import LagFigures
from equilag.domain.plan.verdict import CostFacts, HeaviestFacts, HotPartitionFacts, SuspectFacts
from equilag.domain.policy.policy import Policy
from equilag.planner.facts.suspects import slow_suspects
from equilag.planner.facts.work import WorkFacts, is_limited, load_unit, unit_words, work_facts
from equilag.planner.sizes.size_run import LeastMembers
from equilag.planner.worth.gain import Gain, gain_of
from equilag.planner.worth.group_loads import GroupLoads, group_loads
from equilag.planner.worth.thresholds import Verdict, VerdictLimits, judge, least_records, reaches

CAUGHT_UP: Final = 10.0
"""Records per partition up to which a group has caught up: a poll takes up to 500 from all
partitions of a consumer, and what is below is the chance of one moment. Seconds of production, too:
consumers commit every 5 s by default, and what came since two commits is no lag."""
CLEARLY: Final = 0.02
"""Part of what is produced by which lag has to fall: less is the chance of two moments."""


class JudgedPlan:
    """Figures are made when they are read."""

    def __init__(
        self, plan: Plan, limits: VerdictLimits | None = None, least: LeastMembers | None = None
    ) -> None:
        """The rule has its default thresholds unless `limits` has others; `least` is how many
        members keep up, if that is known."""
        self.plan, self.group = plan, plan.planned.given
        self.limits = limits or VerdictLimits()
        self.work: WorkFacts | None = work_facts(plan, least)
        """What is known of rates."""
        self.progress: ReadProgress | None = progress_of(self.group)
        """None without an earlier sample."""

    @cached_property
    def _weighed(self) -> GroupLoads:
        """The loads in what is spread; not per unit of capacity where a plan's are not, since all
        capacities are the same."""
        loads = group_loads(self.group, self.plan.policy or Policy().with_weight("lag"))
        if not self._is_of_lag or not len(loads.capacity) or np.ptp(loads.capacity):
            return loads
        return replace(loads, capacity=np.ones(len(loads.capacity)))

    @property
    def _is_of_lag(self) -> bool:
        """True if a plan compares members by their lag, since capacities do not differ."""
        return isinstance(self.plan.loads, LagFigures)

    @cached_property
    def by_count(self) -> bool:
        """True if no lag is worth balancing, so that partitions are counted."""
        few = CAUGHT_UP * np.count_nonzero(self.group.assignable)
        return self.plan.planned.weights is None and bool(self._weighed.weight.sum() <= few)

    @cached_property
    def loads(self) -> GroupLoads:
        """What the plan is judged by."""
        loads = self._weighed
        if not self.by_count:
            return loads
        weight = self.group.assignable.astype(np.float64)
        rate = np.zeros(len(weight))
        return replace(loads, weight=weight, rate=rate, in_records=False, by_count=True)

    @property
    def unit(self) -> str:
        unit = load_unit(self.plan.planned)
        return "partitions" if self.by_count else unit_words(unit, not self._is_of_lag)

    @cached_property
    def gain(self) -> Gain:
        return gain_of(self.loads, self.group.owner, self.plan.assigned)

    @property
    def least(self) -> float:
        """Records that a relief has to be at least."""
        return least_records(self.gain, self.limits.thresholds)

    @cached_property
    def heaviest(self) -> HeaviestFacts | None:
        loads = self.loads
        before, after = loads.of(self.group.owner), loads.of(self.plan.assigned)
        if not before.any():
            return None
        first, then = int(before.argmax()), int(after.argmax())
        ids = [self.group.members[loads.busy[place]].id for place in (first, then)]
        high, low = float(before[first]), float(after[then])
        above = [100 * (load / loads.fair - 1) if loads.fair else 0.0 for load in (high, low)]
        return HeaviestFacts(ids[0], high, above[0], ids[1], low, above[1])

    @cached_property
    def hot(self) -> tuple[HotPartitionFacts, ...]:
        """Partitions that are each more than the load of all members if these were equally
        loaded, the heaviest first."""
        loads = self.loads
        if self.by_count:
            return ()
        largest = float(loads.capacity.max(initial=0.0))
        share = loads.fair * largest
        hot = np.flatnonzero(loads.weight > share)
        return tuple(
            HotPartitionFacts(
                *self.group.partition_name(place),
                float(loads.weight[place]) / share,
                float(loads.weight[place]) / largest,
            )
            for place in hot[np.argsort(-loads.weight[hot], kind="stable")].tolist()
        )

    @cached_property
    def cost(self) -> CostFacts:
        group, assigned = self.plan.group, self.plan.assigned
        owned: Flags = group.owner != NOBODY
        moves = moved(group.owner, assigned)
        paused = int(np.count_nonzero(first_phase(group, assigned) != assigned))
        return CostFacts(
            int(np.count_nonzero(moves)),
            int(np.count_nonzero(owned)),
            int(np.count_nonzero(~owned & (assigned != NOBODY))),
            int(group.lag[moves].sum()),
            2 if paused else 1,
            paused,
        )

    @cached_property
    def broken(self) -> int:
        """Rules of the group that the current assignment breaks."""
        return sum(broken_rules(self.plan.planned, self.group.owner).to_dict().values())

    @property
    def is_hot(self) -> bool:
        """True if the heaviest member has hardly more than a partition that one has to have."""
        if not self.hot or self.heaviest is None:
            return False
        hardly = self.limits.thresholds.gain_percent / 100
        return (1 - hardly) * self.heaviest.load_before <= float(self.loads.best[0])

    @property
    def is_beyond_help(self) -> bool:
        """True if no assignment relieves a member by as much as makes a rebalance worth it."""
        return not reaches(gain_of(self.loads, self.group.owner), self.limits.thresholds)

    @property
    def is_limited(self) -> bool:
        """True if the policy asks for more than even counts and even lag."""
        policy = self.plan.policy
        return policy is None or is_limited(policy)

    @property
    def called(self) -> str:
        """What a sentence calls the plan."""
        is_best = self.plan.status == "optimal" and not self.is_limited
        return "the best plan" if is_best else "this plan"

    @cached_property
    def rate(self) -> Floats:
        """[P] records per second, from rates or from two samples; 0 for unknown."""
        rate = np.where(self.group.assignable, filled_rates(self.group).rate, 0.0)
        if self.progress is not None and not rate.any():
            return self.progress.produced / self.progress.seconds
        return rate

    @cached_property
    def caught_up(self) -> bool:
        """True if no more waits than what came since the last commits; False where nothing is
        known of the lag."""
        known: Flags = self.group.assignable & (self.group.quality != UNKNOWN)
        lag = self.group.lag[known]
        late = lag > CAUGHT_UP * np.maximum(1.0, self.rate[known])
        return len(lag) > 0 and (bool(lag.sum() <= CAUGHT_UP * len(lag)) or not late.any())

    @cached_property
    def is_settled(self) -> bool:
        """True if the lag falls between two samples; or if it is little at each member and hardly
        grows: commits make it look larger by what came since."""
        progress, group = self.progress, self.group
        if progress is None or not progress.is_whole:
            return False
        total = float(self.rate.sum())
        if progress.fallen > CLEARLY * progress.seconds * total:
            return True
        lag, usual = (
            self.by_owner(values)
            for values in (group.lag, self.limits.behind_s * self.rate + CAUGHT_UP)
        )
        return progress.fallen >= -CAUGHT_UP * total and bool((lag <= usual).all())

    @property
    def held(self) -> Flags:
        """[P] True for partitions that their owner reads."""
        held: Flags = self.group.assignable & (self.group.owner != NOBODY)
        return held

    def by_owner(self, values: Floats | Ints, where: Flags | None = None) -> Floats:
        """[M] the sums of values [P] over the partitions that a member reads, or some of these."""
        read = np.where(self.held if where is None else where, self.group.owner, NOBODY)
        return member_sums(values.astype(np.float64), read, self.group.n_members)

    @cached_property
    def verdict(self) -> Verdict:
        verdict = judge(self.gain, self.limits.thresholds)
        is_fine = self.caught_up or self.is_settled
        if is_fine and (self.by_count or self.loads.in_records) and verdict.worth_it:
            why = "the lag falls" if self.is_settled else "the group has caught up"
            return Verdict("even", why)
        return verdict

    @cached_property
    def suspects(self) -> tuple[SuspectFacts, ...]:
        """Members that may be slow or stuck; two samples say more."""
        if self.caught_up or self.progress is not None:
            return ()
        return slow_suspects(self.group, self.group.owner)

    @property
    def keeps_up_now(self) -> bool | None:
        """None where no rate or no capacity is known."""
        before = None if self.work is None else self.work.before
        return None if before is None else before.keeps_up

    @property
    def is_short(self) -> bool:
        """True if members fall behind under the plan."""
        after = None if self.work is None else self.work.after
        return after is not None and not after.keeps_up
