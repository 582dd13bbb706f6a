"""The controller of a live group: from observation to observation, whether to rebalance, and why.

It has no clock, thread or connection of its own: the steward and the assignors call it with what
they observed. Each call ends in a verdict with a reason, whether or not anything is to be done.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from equilag.domain.group.group import NOBODY, Group
from equilag.domain.policy.policy import Policy
from equilag.live.rebalance.decision import Decision
from equilag.live.rebalance.handouts import HandedOut
from equilag.live.rebalance.live_policy import at_most
from equilag.live.rebalance.measured import awaits_rates
from equilag.live.rebalance.rebalance_limits import (
    Cooldown,
    MoveBudget,
    PromisedRelief,
    VainPlans,
    effect_of,
)
from equilag.planner.worth.gain import Gain, gain_of, possible_gain
from equilag.planner.worth.group_loads import GroupLoads
from equilag.planner.worth.thresholds import (
    CLEAR,
    DEFAULT_PAUSE_S,
    SLIGHT,
    Pause,
    Thresholds,
    Verdict,
    judge,
    reaches,
)

MakePlan = Callable[[Group, Policy], Decision]
"""Makes a plan by a policy."""

_OUT_OF_REACH_S: Final = 300.0
"""How long an imbalance that the last plan left counts as one that no plan removes: plans are not
made again and again for a few heavy partitions, and the load may have changed after 5 minutes."""
_JUDGED_S: Final = 240.0
"""Seconds after which a rebalance is judged, or after the cooldown if that is shorter. Later its
effect is lost in other changes, and an unlucky one would keep a long cooldown as it is."""
_STEPS: Final = (4, 16)
"""Parts of the moves that are tried where all of them cost too much at once: of many moves, the
first ones relieve most. Each takes a plan, so they are few."""
_PAUSE_WEIGHT: Final = 0.5
"""Weight of the newest measured pause in the mean of all."""
_PAUSE_HALF_S: Final = 600.0
"""Seconds in which half of what a pause was longer than usual is forgotten. An outage in the middle
of a rebalance makes all others look too costly, and without any the pause is not measured again."""


@dataclass(frozen=True, slots=True)
class Seen:
    """How a group was seen. Times are in seconds of a monotonic clock."""

    began: float
    """When the observation began."""
    now: float
    known: HandedOut
    """What has been handed out by now."""
    cooperative: bool
    """True if only partitions that move pause in a rebalance."""


@dataclass(frozen=True, slots=True)
class Considered:
    """What the controller found in one observation."""

    verdict: Verdict
    possible: Gain | None = None
    """The gain that no plan exceeds; None if the loads are unknown."""
    decision: Decision | None = None
    gain: Gain | None = None
    """Of the plan in `decision`; both are None where none was made."""
    effect: str = ""
    """What the last started rebalance brought, once it is known."""

    @property
    def to_start(self) -> Decision | None:
        """The decision on a plan that is worth a rebalance."""
        return self.decision if self.verdict.worth_it else None

    @property
    def case(self) -> str:
        """The reason, with the figures of the plan."""
        return f"{self.verdict.reason}; {self.gain}"


class Controller:
    """The state behind the verdicts on one group. `now` is in seconds of any monotonic clock."""

    def __init__(self, thresholds: Thresholds, policy: Policy) -> None:
        self.thresholds = thresholds
        self._policy = policy
        self._members: set[str] = set()
        """Keys of the members of the last observation."""
        self.cooldown = Cooldown(thresholds.cooldown_s)
        self.budget = MoveBudget(thresholds.moves_per_hour)
        self.pause_s = DEFAULT_PAUSE_S
        """How long a rebalance pauses partitions, in seconds."""
        self._considered_at: float | None = None
        self._confirmations = 0
        self._out_of_reach = (0.0, float("-inf"))
        """Percent that the last plan left, and when it was made."""
        self._vain_plans = VainPlans()
        self._promised: PromisedRelief | None = None

    def record_pause(self, seconds: float) -> None:
        """A rebalance paused partitions for so long."""
        self.pause_s += _PAUSE_WEIGHT * (seconds - self.pause_s)

    def consider(self, loads: GroupLoads, seen: Seen, make_plan: MakePlan) -> Considered:
        """Return the verdict on the group's present assignment; plan only if that may be of use."""
        now = seen.now
        self._notice_members(loads.group)
        if (reason := _unsettled(loads.group, seen)) is not None:
            self._confirmations = 0
            return Considered(Verdict("settling", reason))
        if awaits_rates(loads.group, self._policy):
            reason = "rates are known after about 10 s of observations"
            return Considered(Verdict("measuring", reason))
        possible = possible_gain(loads, loads.group.owner)
        effect = self._effect(loads, possible, now)
        self._forget_pauses(now)
        pause = Pause(self.pause_s, seen.cooperative)
        within_reach = self._within_reach(possible, now)
        verdict = judge(within_reach, self.thresholds, pause)
        if not verdict.worth_it:
            self._confirmations = 0
            return Considered(_at_best(verdict), possible, effect=effect)
        self._confirmations += 1
        waits = self._waits(verdict, within_reach, loads, now) or self._vain_plans.wait(
            within_reach.relief_percent, now
        )
        if waits is not None:
            return Considered(waits, possible, effect=effect)
        decision, limit = make_plan(loads.group, self._policy), None
        gain = _gain_of_plan(loads, decision)
        left = self.budget.left(loads.group.n_partitions, now)
        if gain is not None and gain.moves > left:
            limit, decision = left, make_plan(loads.group, at_most(self._policy, left))
            gain = _gain_of_plan(loads, decision)
        if gain is None:
            verdict = Verdict("no-plan", decision.fallback_reason or "")
            self._vain_plans.record(verdict, within_reach.relief_percent, now)
            return Considered(verdict, possible, effect=effect)
        if limit is None:
            after = possible_gain(loads, decision.plan.assigned)
            self._out_of_reach = (after.relief_percent, now)
        verdict = self._of_plan(gain, pause, limit)
        if verdict.ground == "pause" and seen.cooperative:
            verdict, decision, gain = self._step(loads, make_plan, pause, (verdict, decision, gain))
        if not verdict.worth_it:
            self._confirmations = 0
            relief = self._within_reach(possible, now).relief_percent
            self._vain_plans.record(verdict, relief, now)
        return Considered(verdict, possible, decision, gain, effect)

    def _step(
        self,
        loads: GroupLoads,
        make_plan: MakePlan,
        pause: Pause,
        whole: tuple[Verdict, Decision, Gain],
    ) -> tuple[Verdict, Decision, Gain]:
        """Return a plan with fewer moves that is worth their pause, as a step of the whole plan,
        which is not; the whole one if there is none. In a cooperative group the others read on."""
        for divisor in _STEPS:
            if moves := whole[2].moves // divisor:
                decision = make_plan(loads.group, at_most(self._policy, moves))
                gain = _gain_of_plan(loads, decision)
                if gain is not None and (verdict := self._of_plan(gain, pause, None)).worth_it:
                    return verdict, decision, gain
        return whole

    def _notice_members(self, group: Group) -> None:
        """Where members came or went, earlier observations no longer count."""
        members = {member.instance_id or member.id for member in group.members}
        if members != self._members:
            self._members = members
            self._confirmations = 0
            self._out_of_reach = (0.0, float("-inf"))
            self._vain_plans.clear()
            self._promised = None

    def started(self, loads: GroupLoads, considered: Considered, now: float) -> None:
        """The rebalance to the plan was started."""
        self._confirmations = 0
        self._vain_plans.clear()
        self.cooldown.start(now)
        if considered.gain is None or considered.possible is None:
            return
        self.budget.take(considered.gain.moves, loads.group.n_partitions, now)
        self._promised = PromisedRelief(
            loads.group,
            considered.gain.relief_percent,
            considered.possible.relief_percent,
            now + min(self.cooldown.seconds, _JUDGED_S),
            loads.in_seconds,
        )

    def _forget_pauses(self, now: float) -> None:
        since = 0.0 if self._considered_at is None else max(0.0, now - self._considered_at)
        longer = max(0.0, self.pause_s - DEFAULT_PAUSE_S)
        self.pause_s -= longer * (1.0 - 0.5 ** (since / _PAUSE_HALF_S))
        self._considered_at = now

    def _effect(self, loads: GroupLoads, possible: Gain, now: float) -> str:
        """Judge the last started rebalance, once its time has come."""
        promised = self._promised
        if promised is None or now < promised.due:
            return ""
        self._promised = None
        effect = effect_of(promised, loads, possible)
        if effect is None:
            return ""
        if effect.helped:
            self.cooldown.helped()
        else:
            self.cooldown.brought_nothing()
        return f"{effect}; at least {self.cooldown.seconds:.0f} s between rebalances now"

    def _within_reach(self, possible: Gain, now: float) -> Gain:
        """The possible gain without what the last plan left."""
        percent, at = self._out_of_reach
        if now - at > _OUT_OF_REACH_S or possible.relief_percent <= 0:
            return possible
        # It may shrink meanwhile, and what comes on top then is new.
        percent = min(percent, possible.relief_percent)
        self._out_of_reach = (percent, at)
        share = 1.0 - percent / possible.relief_percent
        return replace(
            possible,
            relief_percent=possible.relief_percent - percent,
            relief_s=None if possible.relief_s is None else possible.relief_s * share,
        )

    def _waits(
        self, verdict: Verdict, within_reach: Gain, loads: GroupLoads, now: float
    ) -> Verdict | None:
        """Return why nothing is done yet about an imbalance; None if a plan is to be made."""
        number, confirm = self._confirmations, self.thresholds.confirm
        if not reaches(within_reach, self.thresholds, CLEAR):
            confirm *= SLIGHT
        best = _at_best(verdict).reason
        if number < confirm:
            return Verdict("patience", f"{best}; observation {number} of {confirm}")
        if left := self.cooldown.left(now):
            return Verdict("cooldown", f"{best}; {left:.0f} s left of the cooldown")
        if not self.budget.left(loads.group.n_partitions, now):
            return Verdict("budget", f"{best}; all moves of this hour are taken")
        return None

    def _of_plan(self, gain: Gain, pause: Pause, limit: int | None) -> Verdict:
        verdict = judge(gain, self.thresholds, pause)
        if limit is not None and not verdict.worth_it:
            return Verdict("budget", f"with the {limit} moves left: {verdict.reason}")
        return verdict


def _unsettled(group: Group, seen: Seen) -> str | None:
    """Return why the last rebalance is not over, so that none is started for a gain; None if it
    is."""
    if seen.known.pending(seen.now) or seen.known.unfinished:
        return "a rebalance is under way"
    if seen.began <= seen.known.at:
        return "the group was looked at before the last assignment was handed out"
    unowned = int(np.count_nonzero(group.assignable & (group.owner == NOBODY)))
    return f"{unowned:,} partitions have no owner" if unowned else None


def _gain_of_plan(loads: GroupLoads, decision: Decision) -> Gain | None:
    """The gain of a plan; None if planning failed."""
    if decision.fallback_reason is not None:
        return None
    return gain_of(loads, loads.group.owner, decision.plan.assigned)


def _at_best(verdict: Verdict) -> Verdict:
    return verdict._replace(reason=f"at best {verdict.reason}")
