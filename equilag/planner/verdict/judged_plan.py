"""A plan, and what is known of its group: rates, two samples, whether it has caught up."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import numpy as np

from equilag.domain.columns import NOBODY, Flags, Floats, Ints
from equilag.domain.group.lag import UNKNOWN
from equilag.domain.group.throughput import ReadProgress, progress_of
from equilag.domain.group.weight import filled_rates
from equilag.domain.plan.metrics import member_sums
from equilag.domain.plan.plan import Plan
from equilag.domain.plan.verdict import SuspectFacts
from equilag.planner.facts.suspects import slow_suspects
from equilag.planner.facts.work import WorkFacts, work_facts
from equilag.planner.sizes.size_run import LeastMembers
from equilag.planner.worth.plan_worth import CAUGHT_UP, PlanWorth
from equilag.planner.worth.thresholds import Verdict, VerdictLimits, judge

CLEARLY: Final = 0.02
"""Part of what is produced by which lag has to fall: less is the chance of two moments."""


class JudgedPlan(PlanWorth):
    """Figures are made when they are read."""

    def __init__(
        self, plan: Plan, limits: VerdictLimits | None = None, least: LeastMembers | None = None
    ) -> None:
        """`least` is how many members keep up, if that is known."""
        super().__init__(plan, limits)
        self.work: WorkFacts | None = work_facts(plan, least)
        """What is known of rates."""
        self.progress: ReadProgress | None = progress_of(self.group)
        """None without an earlier sample."""

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
