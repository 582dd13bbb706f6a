"""The controller of a live group: from observation to observation, whether to rebalance, and why.

It has no clock, thread or connection of its own: the steward and the assignors call it with what
they observed. Each call ends in a verdict with a reason, whether or not anything is to be done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np

from equilag.domain.group.group import NOBODY, Group
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.live.rebalance.decision import Decision
from equilag.live.rebalance.handouts import HandedOut, TargetAssignment
from equilag.live.rebalance.joined_members import JoinedMember, Partitions
from equilag.live.rebalance.measured import Measured, awaits_rates
from equilag.live.rebalance.rebalance_limits import (
    COOLDOWN_DOUBLINGS,
    PLAN_DOUBLINGS,
    PLAN_S,
    Backoff,
    MoveBudget,
    PromisedRelief,
    RoundTimes,
)
from equilag.live.rebalance.sticky_plan import (
    MakePlan,
    cheaper_plan,
    first_step,
    gain_of_plan,
    with_move_prices,
)
from equilag.planner.simulation.rebalance_price import WORTH_S, Pace
from equilag.planner.worth.gain import Gain, gain_of
from equilag.planner.worth.group_loads import GroupLoads
from equilag.planner.worth.thresholds import (
    CLEAR,
    SLIGHT,
    VAST,
    Thresholds,
    Verdict,
    judge,
    reaches,
)

_JUDGED_S: Final = 240.0
"""Seconds after which a rebalance is judged, or after the cooldown if that is shorter. Later its
effect is lost in other changes, and an unlucky one would keep a long cooldown as it is."""
_LEAST_S: Final = 10.0
"""The shortest time that a gain is counted for."""
_KEPT: Final = 0.5
"""Share of the promised relief that counts as help: loads change a little all the time."""
_GROWN: Final = 1.5
"""An imbalance that has grown by so much is another one, and planned for at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenGroup:
    """A group at one moment, without members that read nothing, such as stewards."""

    members: Sequence[JoinedMember]
    held: Mapping[str, Partitions]
    """Member key -> owned partitions."""
    sizes: Mapping[str, int]
    measured: Measured
    loads: GroupLoads
    cooperative: bool
    """True if only partitions that move pause in a rebalance."""
    rebalances: int
    """Rebalances so far when the observation began."""
    began: float
    """When that was, in seconds of the monotonic clock."""

    def target(self, plan: Plan, shares: Mapping[str, float]) -> TargetAssignment:
        """The target of a plan of this group that gives members these shares."""
        return TargetAssignment.of(self.members, plan.assignment, self.sizes, shares)


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
        self.cooldown = Backoff(thresholds.cooldown_s, COOLDOWN_DOUBLINGS)
        self.budget = MoveBudget(thresholds.moves_per_hour)
        self.rounds = RoundTimes()
        self.pace = Pace()
        """How the group rebalances, as of the last observation."""
        self._changed_at = float("-inf")
        """When members were last seen to come or go."""
        self._confirmations = 0
        self._forget_vain()
        self._promised: PromisedRelief | None = None
        self._by_speed = False
        """True if the last rebalance was by speeds; the first ones do not wait for its cooldown."""

    def consider(
        self, seen: SeenGroup, known: HandedOut, now: float, make_plan: MakePlan
    ) -> Considered:
        """Return the verdict on the group's present assignment, of which this is `known` to be
        handed out; plan only if that may be of use."""
        loads = seen.loads
        self._notice_members(loads.group, now)
        self.pace = pace = self.rounds.pace(seen.cooperative, seen.measured.commit_s, now)
        if (reason := self._unsettled(seen, known, now)) is not None:
            self._confirmations = 0
            return Considered(Verdict("settling", reason))
        if awaits_rates(loads.group, self._policy):
            reason = "rates are known after about 10 s of observations"
            return Considered(Verdict("measuring", reason))
        # An assignment lasts for at least as long as the last one, as far as anybody knows.
        seconds = min(WORTH_S, max(_LEAST_S, now - self._changed_at))
        weigh = partial(gain_of_plan, loads, pace, seconds)
        possible = gain_of(loads, loads.group.owner, None, pace, seconds)
        effect = self._effect(loads, possible, now)
        verdict = judge(possible, self.thresholds)
        if not verdict.worth_it:
            self._confirmations = 0
            self._forget_vain()
            return Considered(_at_best(verdict), possible, effect=effect)
        self._confirmations += 1
        waits = self._waits(verdict, possible, loads, now)
        if waits is not None:
            return Considered(waits, possible, effect=effect)
        group = with_move_prices(loads, self._policy) if seen.cooperative else loads.group
        decision, limit = make_plan(group, self._policy), None
        gain = weigh(decision)
        left = self.budget.left(loads.group.n_partitions, now)
        if gain is not None and gain.moves > left:
            limit, most = left, self._policy.max_moves
            fewer = replace(self._policy, max_moves=left if most is None else min(left, most))
            decision = make_plan(group, fewer)
            gain = weigh(decision)
        if gain is None:
            verdict = Verdict("no-plan", decision.fallback_reason or "")
            self._note_vain(verdict, possible, now)
            return Considered(verdict, possible, effect=effect)
        decision, gain = cheaper_plan(group, self._policy, weigh, decision, gain)
        verdict = self._of_plan(gain, limit)
        if verdict.ground == "pause" and group.move_weights is not None:
            step = first_step(group, self._policy, make_plan, weigh, decision, gain)
            if step is not None and (found := self._of_plan(step[1], None)).worth_it:
                verdict, (decision, gain) = found, step
        if not verdict.worth_it:
            self._note_vain(verdict, possible, now)
        return Considered(verdict, possible, decision, gain, effect)

    def _unsettled(self, seen: SeenGroup, known: HandedOut, now: float) -> str | None:
        """Return why the last rebalance is not over, so that none is started for a gain; None if it
        is."""
        if known.pending(now) or known.unfinished:
            return "a rebalance is under way"
        if seen.began <= known.at:
            return "the group was looked at before the last assignment was handed out"
        if seen.began <= known.at + self.rounds.applied_s:
            return "members may not have applied the last assignment"
        group = seen.loads.group
        unowned = int(np.count_nonzero(group.assignable & (group.owner == NOBODY)))
        return f"{unowned:,} partitions have no owner" if unowned else None

    def _notice_members(self, group: Group, now: float) -> None:
        """Where members came or went, earlier observations no longer count."""
        members = {member.instance_id or member.id for member in group.members}
        if members != self._members:
            if self._members:
                self._changed_at = now
            self._members = members
            self._confirmations = 0
            self._forget_vain()
            self._promised = None

    def started(self, loads: GroupLoads, considered: Considered, now: float) -> None:
        """The rebalance to the plan was started."""
        self._confirmations = 0
        self._forget_vain()
        self.cooldown.start(now)
        self._by_speed = loads.in_seconds
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

    def _effect(self, loads: GroupLoads, possible: Gain, now: float) -> str:
        """Judge the last started rebalance, once its time has come."""
        promised = self._promised
        if promised is None or now < promised.due:
            return ""
        self._promised = None
        found = promised.found(loads, possible)
        if found is None:
            return ""
        helped = found >= _KEPT * promised.percent
        self.cooldown.judge(helped)
        return (
            f"the last rebalance {'helped' if helped else 'brought little'}: relief {found:.0f} %"
            f" of a fair share, {promised.percent:.0f} % promised;"
            f" at least {self.cooldown.seconds:.0f} s between rebalances now"
        )

    def _forget_vain(self) -> None:
        """A rebalance was started, the group is even or its membership has changed: plans are made
        at once again."""
        self._vain: Verdict | None = None
        """What the last plan came to, if that was nothing."""
        self._plans, self._vain_relief = Backoff(PLAN_S, PLAN_DOUBLINGS), 0.0

    def _note_vain(self, verdict: Verdict, possible: Gain, now: float) -> None:
        """A plan came to nothing with this verdict."""
        if self._vain is not None:
            self._plans.judge(helped=False)
        self._vain, self._vain_relief = verdict, possible.relief_percent
        self._plans.start(now)

    def _waits(
        self, verdict: Verdict, possible: Gain, loads: GroupLoads, now: float
    ) -> Verdict | None:
        """Return why nothing is done yet about an imbalance; None if a plan is to be made."""
        left, grown = self._plans.left(now), possible.relief_percent >= _GROWN * self._vain_relief
        if self._vain is not None and left and not grown:
            reason = f"the last plan: {self._vain.reason}; {left:.0f} s until the next"
            return Verdict(self._vain.ground, reason)
        number, confirm = self._confirmations, self.thresholds.confirm
        if not reaches(possible, self.thresholds, CLEAR):
            confirm *= SLIGHT
        elif reaches(possible, self.thresholds, VAST):
            confirm = 1
        best = _at_best(verdict).reason
        if number < confirm:
            return Verdict("patience", f"{best}; observation {number} of {confirm}")
        first_speeds = loads.in_seconds and not self._by_speed
        if (left := self.cooldown.left(now)) and not first_speeds:
            return Verdict("cooldown", f"{best}; {left:.0f} s left of the cooldown")
        if not self.budget.left(loads.group.n_partitions, now):
            return Verdict("budget", f"{best}; all moves of this hour are taken")
        return None

    def _of_plan(self, gain: Gain, limit: int | None) -> Verdict:
        verdict = judge(gain, self.thresholds)
        if limit is not None and not verdict.worth_it:
            return Verdict("budget", f"with the {limit} moves left: {verdict.reason}")
        return verdict


def _at_best(verdict: Verdict) -> Verdict:
    return verdict._replace(reason=f"at best {verdict.reason}")
