"""What the member that leads a group does, whatever its client: decide, and think again later."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from equilag.assignment import by_name
from equilag.group import Group, Index
from equilag.live.consumers.lag_source import Lags, LagSource, Sizes
from equilag.live.consumers.late_decision import LateDecision, describe_error
from equilag.live.consumers.options import AssignorOptions
from equilag.live.rebalance.decision import FALLBACK, Decision, PlanSettings, decide
from equilag.live.rebalance.gain import gain_of
from equilag.live.rebalance.joined_members import JoinedMember, group_of
from equilag.live.rebalance.member_assignments import (
    MemberAssignments,
    assignments_now,
    count_withheld,
)
from equilag.planner.assign import assign

log: Final = logging.getLogger("equilag.consumers")

PENDING_PLAN_S: Final = 60.0
"""How long a plan waits for the rebalance in which it is handed out."""

Key: TypeAlias = tuple[tuple[tuple[str, tuple[str, ...]], ...], tuple[tuple[str, int], ...]]


@dataclass(frozen=True, slots=True)
class LeaderSettings:
    """The group as the leader knows it apart from its members; times in seconds."""

    name: str
    time_limit: float
    cooperative: bool = False
    patience: float | None = None
    """How long to wait for the solver before a heuristic answers; None: as long as it takes."""


@dataclass(slots=True)
class _LastAnswer:
    """What was handed out last."""

    key: Key
    members: Sequence[JoinedMember]
    sizes: Sizes
    group: Group
    assigned: Index
    wants_lag: bool
    """Was it decided without lag, so that a sample would be news."""
    whole: bool
    """Was nothing withheld."""


@dataclass(frozen=True, slots=True)
class _PendingPlan:
    """A plan for a rebalance that is on its way, good for exactly these members and topics."""

    key: Key
    assigned: Index
    until: float


class Leader:
    """Answers rebalances for one consumer, in those where it leads.

    `ask` asks for another rebalance; where that has to wait, it is called on a thread that may. An
    answer never waits for a broker, and a failure of whatever kind ends in a heuristic's answer and
    a line in the log.
    """

    def __init__(
        self,
        options: AssignorOptions,
        settings_of_group: LeaderSettings,
        source: LagSource,
        ask: Callable[[], None],
    ) -> None:
        self._options = options
        self._setting = settings_of_group
        self._source = source
        self._ask = ask
        self._settings = PlanSettings(options.policy, settings_of_group.time_limit, options.seed)
        self._lock = threading.Lock()
        self._last: _LastAnswer | None = None
        self._target: _PendingPlan | None = None
        self._asked: tuple[Key, float] | None = None
        """For whom it last asked for a rebalance, and when."""
        self._failures: set[str] = set()

    def assign(self, members: Sequence[JoinedMember], sizes: Sizes) -> MemberAssignments:
        """What each member is given. `sizes` has only topics that exist."""
        if not sizes:  # metadata are still on their way; the client rejoins when they are there
            log.debug("group %s: no partitions are known yet", self._setting.name)
            return {member.id: {} for member in members}
        try:
            return self._assign(members, sizes)
        except Exception:
            # A leader that fails takes the whole group with it.
            log.exception("group %s: failed, a heuristic answers", self._setting.name)
        return self._bare_heuristic(members, sizes)

    def reconsider(self) -> None:
        """After a new sample: if the last answer had to do without, see what it would gain."""
        last = self._last
        if last is None or not (last.wants_lag and last.whole) or not self._may_request(last):
            return
        try:
            lags, fallback_reason = self._lags(last.sizes)
            if fallback_reason is not None:
                return
            group = group_of(self._setting.name, _settled(last), last.sizes, lags)
            decision = decide(group, self._settings)
        except Exception as error:  # noqa: BLE001  the group is served; this is an extra
            self._log_failure(error)
            return
        last.wants_lag = False
        self._propose(last, group, decision)

    def _assign(self, members: Sequence[JoinedMember], sizes: Sizes) -> MemberAssignments:
        began = time.monotonic()
        key = _key(members, sizes)
        lags, fallback_reason = self._lags(sizes)
        group, fallback_reason = self._group(members, sizes, lags, fallback_reason)
        with self._lock:
            # A second thought about what was before is of no use any more.
            self._last, target, self._target = None, self._target, None
        if target is not None and target.key == key and time.monotonic() < target.until:
            assigned, late = target.assigned, None
            log.info("group %s: handing out the plan made before", self._setting.name)
        else:
            target = None
            decision, late = self._decided(group, fallback_reason)
            assigned = decision.plan.assigned
            self._report(decision, fallback_reason, time.monotonic() - began)
        handed = assignments_now(group, assigned, self._setting.cooperative)
        whole = not count_withheld(group, handed)
        last = _LastAnswer(
            key, members, sizes, group, assigned, lags is None and target is None, whole
        )
        with self._lock:
            self._last = last
            if not whole:
                # The rest follows when those who held it have let go: towards the same end, even if
                # the lag has changed meanwhile, or it might go on without end.
                self._target = _PendingPlan(key, assigned, time.monotonic() + PENDING_PLAN_S)
        if late is not None:
            late.then(lambda decision: self._propose(last, group, decision))
        return handed

    def _lags(self, sizes: Sizes) -> tuple[Lags | None, str | None]:
        """Lags to plan with, or why there are none."""
        try:
            sample = self._source.lags(sizes)
        except Exception as error:  # noqa: BLE001  the user's own code
            self._log_failure(error)
            return None, f"the lag source failed: {describe_error(error)}"
        if sample is None:
            return None, "no lag has been measured yet"
        if sample.age > self._options.max_lag_age:
            return None, f"the newest lags are {sample.age:.0f} s old"
        return sample.lags, None

    def _log_failure(self, error: Exception) -> None:
        """Log the first failure of a kind: they come again with every sample."""
        if (kind := type(error).__name__) not in self._failures:
            self._failures.add(kind)
            log.warning(
                "group %s: the lag source failed: %s", self._setting.name, describe_error(error)
            )

    def _group(
        self,
        members: Sequence[JoinedMember],
        sizes: Sizes,
        lags: Lags | None,
        fallback_reason: str | None,
    ) -> tuple[Group, str | None]:
        """Return the group; without the lags, and with the reason, if they make it unreadable."""
        try:
            return group_of(self._setting.name, members, sizes, lags), fallback_reason
        except Exception as error:  # the lags may be anything
            if lags is None:
                raise
            fallback_reason = f"the lags cannot be used: {describe_error(error)}"
        return group_of(self._setting.name, members, sizes), fallback_reason

    def _decided(
        self, group: Group, fallback_reason: str | None
    ) -> tuple[Decision, LateDecision | None]:
        """The decision, and the one still in the making where the solver takes too long."""
        if fallback_reason is not None or self._setting.patience is None:
            return decide(group, self._settings, fallback_reason), None
        late = LateDecision(lambda: decide(group, self._settings), self._setting.name)
        decision = late.wait(self._setting.patience)
        if decision is not None:
            return decision, None
        why = f"no plan within {self._setting.patience:g} s"
        return decide(group, self._settings, why), late

    def _report(self, decision: Decision, expected: str | None, seconds: float) -> None:
        plan, name = decision.plan, self._setting.name
        if decision.fallback_reason is None:
            log.info(
                "group %s: planned %d partitions of %d members in %.0f ms: lag spread %d, %d moves",
                name, plan.group.n_partitions, plan.group.n_members, 1000 * seconds,
                plan.lag.spread, len(plan.moves),
            )  # fmt: skip
            return
        # Lags that are not there yet are nothing to worry about, and failures of the source are
        # logged where they happen.
        level = logging.WARNING if expected is None else logging.INFO
        log.log(level, "group %s: a heuristic answers: %s", name, decision.fallback_reason)

    def _bare_heuristic(self, members: Sequence[JoinedMember], sizes: Sizes) -> MemberAssignments:
        """The heuristic and nothing else: no lags, no hints; what members hold must still count."""
        bare = [replace(member, hints={}) for member in members]
        group = group_of(self._setting.name, bare, sizes)
        return assignments_now(group, assign(group, FALLBACK).assigned, self._setting.cooperative)

    def _propose(self, last: _LastAnswer, group: Group, decision: Decision) -> None:
        """Ask for a rebalance if a plan that came after the answer is worth one."""
        rejoin, name = self._options.rejoin, self._setting.name
        if decision.fallback_reason is not None:
            log.info("group %s: no better plan: %s", name, decision.fallback_reason)
            return
        if rejoin is None or not self._may_request(last):
            return
        gain = gain_of(group, last.assigned, decision.plan.assigned)
        before, after = gain.spread_now, gain.spread_then
        if gain.saved < max(rejoin.min_records, rejoin.min_share * gain.mean):
            log.info("group %s: lag spread is %d, a new plan would make it %d: it stays",
                     name, before, after)  # fmt: skip
            return
        with self._lock:
            if self._last is not last:  # another rebalance came first
                return
            self._asked = last.key, time.monotonic()
            self._target = _PendingPlan(
                last.key, decision.plan.assigned, time.monotonic() + PENDING_PLAN_S
            )
        log.info("group %s: asking for a rebalance, lag spread %d to %d", name, before, after)
        self._ask()

    def _may_request(self, last: _LastAnswer) -> bool:
        """Not twice within the interval for the same members and topics."""
        rejoin, asked = self._options.rejoin, self._asked
        if rejoin is None:
            return False
        if asked is None or asked[0] != last.key:
            return True
        return time.monotonic() - asked[1] >= rejoin.min_interval


def _settled(last: _LastAnswer) -> list[JoinedMember]:
    """The members as they will introduce themselves, holding what they were handed."""
    held = by_name(last.group, last.assigned)
    return [replace(m, claims={}, hints=held[m.id], generation=-1) for m in last.members]


def _key(members: Sequence[JoinedMember], sizes: Sizes) -> Key:
    who = tuple(sorted((member.id, tuple(sorted(member.topics))) for member in members))
    return who, tuple(sorted(sizes.items()))
