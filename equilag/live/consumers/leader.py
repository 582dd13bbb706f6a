"""The leader's part of a rebalance, for any client: decide, and propose a better plan later."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from equilag.assignment import by_name
from equilag.co_partitioning import CoPartitionedTopics
from equilag.group import Group, Index
from equilag.live.consumers.lag_source import LagSource, Sizes
from equilag.live.consumers.late_decision import LateDecision, describe_error
from equilag.live.consumers.options import AssignorOptions
from equilag.live.rebalance.decision import FALLBACK, Decision, PlanSettings, decide
from equilag.live.rebalance.gain import gain_of
from equilag.live.rebalance.joined_members import JoinedMember, group_of
from equilag.live.rebalance.kept_together import KeptTogether
from equilag.live.rebalance.measured import NOTHING_MEASURED, Measured, Racks
from equilag.live.rebalance.measured_loads import measured_loads
from equilag.live.rebalance.member_assignments import (
    MemberAssignments,
    assignments_now,
    count_withheld,
)
from equilag.planner.assign import assign

log: Final = logging.getLogger("equilag.consumers")

PENDING_PLAN_S: Final = 60.0
"""How long a plan waits for the rebalance that hands it out: members join within seconds, and after
a minute the lag behind the plan is old."""

Key: TypeAlias = tuple[tuple[tuple[str, tuple[str, ...]], ...], tuple[tuple[str, int], ...]]


@dataclass(frozen=True, slots=True)
class LeaderSettings:
    """What the leader knows about the group besides its members; times in seconds."""

    name: str
    time_limit: float
    cooperative: bool = False
    patience: float | None = None
    """How long to wait for the solver before a heuristic answers; None: until it is done."""


@dataclass(slots=True)
class _LastAnswer:
    """The last assignment that was assignments out."""

    key: Key
    members: Sequence[JoinedMember]
    sizes: Sizes
    racks: Racks | None
    group: Group
    assigned: Index
    wants_lag: bool
    """True if it was decided without lag, so that a sample would be news."""
    complete: bool
    """True if nothing was withheld."""


@dataclass(frozen=True, slots=True)
class _PendingPlan:
    """A plan for a requested rebalance, valid for exactly these members and topics."""

    key: Key
    assigned: Index
    until: float


class Leader:
    """Answers rebalances for one consumer while it leads.

    `request_rebalance` asks for another rebalance; it is called on a thread that may block. An
    answer never waits for a broker. Any failure ends in a heuristic's answer and a log line.
    """

    def __init__(
        self,
        options: AssignorOptions,
        settings: LeaderSettings,
        source: LagSource,
        request_rebalance: Callable[[], None],
    ) -> None:
        self._options = options
        self._settings = settings
        self._source = source
        self._request_rebalance = request_rebalance
        together = None if options.co_partition == "none" else KeptTogether(self._report_topics)
        self._plan_settings = PlanSettings(
            options.policy, settings.time_limit, options.seed, together
        )
        self._lock = threading.Lock()
        self._last: _LastAnswer | None = None
        self._target: _PendingPlan | None = None
        self._requested: tuple[Key, float] | None = None
        """The members and topics of the last requested rebalance, and its time."""
        self._failures: set[str] = set()
        self._left_out: tuple[str, ...] = ()

    def assign(
        self, members: Sequence[JoinedMember], sizes: Sizes, racks: Racks | None = None
    ) -> MemberAssignments:
        """Return what each member gets. `sizes` has only topics that exist; `racks` those of their
        partitions, None if the policy does not mind them."""
        if not sizes:  # the client has no metadata yet, and rejoins with them
            log.debug("group %s: no partitions are known yet", self._settings.name)
            return {member.id: {} for member in members}
        try:
            return self._assign(members, sizes, racks)
        except Exception:
            # Without the leader's answer the whole group stops.
            log.exception("group %s: planning failed, a heuristic answers", self._settings.name)
        return self._bare_heuristic(members, sizes)

    def reconsider(self) -> None:
        """After a new sample: if the last answer was decided without lag, plan again and propose
        the plan."""
        last = self._last
        if last is None or not (last.wants_lag and last.complete) or not self._may_request(last):
            return
        try:
            measured, fallback_reason = self._measured(last.sizes, last.racks)
            if fallback_reason is not None:
                return
            group = group_of(self._settings.name, _settled(last), last.sizes, measured)
            decision = decide(group, self._plan_settings)
        except Exception as error:  # noqa: BLE001  optional: the group has its assignment
            self._log_failure(error)
            return
        last.wants_lag = False
        self._propose(last, decision)

    def _assign(
        self, members: Sequence[JoinedMember], sizes: Sizes, racks: Racks | None
    ) -> MemberAssignments:
        began = time.monotonic()
        key = _key(members, sizes)
        measured, no_lag = self._measured(sizes, racks)
        group, fallback_reason = self._group(members, sizes, measured, no_lag)
        with self._lock:
            # Proposals for the previous assignment are out of date now.
            self._last, target, self._target = None, self._target, None
        if target is not None and target.key == key and time.monotonic() < target.until:
            assigned, late = target.assigned, None
            log.info("group %s: handing out the plan made in advance", self._settings.name)
        else:
            target = None
            decision, late = self._decided(group, fallback_reason)
            assigned = decision.plan.assigned
            self._report(decision, fallback_reason, time.monotonic() - began)
        assignments = assignments_now(group, assigned, self._settings.cooperative)
        complete = not count_withheld(group, assignments)
        wants_lag = no_lag is not None and target is None
        last = _LastAnswer(key, members, sizes, racks, group, assigned, wants_lag, complete)
        with self._lock:
            self._last = last
            if not complete:
                # The withheld partitions follow in the next rebalance, under the same plan even if
                # the lag has changed: with a new plan each time it might never end.
                self._target = _PendingPlan(key, assigned, time.monotonic() + PENDING_PLAN_S)
        if late is not None:
            late.then(lambda decision: self._propose(last, decision))
        return assignments

    def _measured(self, sizes: Sizes, racks: Racks | None) -> tuple[Measured, str | None]:
        """Return what to plan with; without lags, and with the reason, if there are none."""
        nothing = Measured(racks=racks) if racks else NOTHING_MEASURED
        try:
            sample = self._source.lags(sizes)
        except Exception as error:  # noqa: BLE001  the user's own code
            self._log_failure(error)
            return nothing, f"the lag source failed: {describe_error(error)}"
        if sample is None:
            return nothing, "no lag has been measured yet"
        if sample.age > self._options.max_lag_age:
            return nothing, f"the newest lags are {sample.age:.0f} s old"
        return Measured(sample.lags, racks, sample.age), None

    def _log_failure(self, error: Exception) -> None:
        """Log the first failure of each type: it comes again with every sample."""
        if (kind := type(error).__name__) not in self._failures:
            self._failures.add(kind)
            log.warning(
                "group %s: the lag source failed: %s", self._settings.name, describe_error(error)
            )

    def _group(
        self,
        members: Sequence[JoinedMember],
        sizes: Sizes,
        measured: Measured,
        fallback_reason: str | None,
    ) -> tuple[Group, str | None]:
        """Return the group; without the lags, and with the reason, if they make it unreadable."""
        try:
            return group_of(self._settings.name, members, sizes, measured), fallback_reason
        except Exception as error:  # the lags may be anything
            if fallback_reason is not None:
                raise
            fallback_reason = f"the lags cannot be used: {describe_error(error)}"
        without = Measured(racks=measured.racks)
        return group_of(self._settings.name, members, sizes, without), fallback_reason

    def _decided(
        self, group: Group, fallback_reason: str | None
    ) -> tuple[Decision, LateDecision | None]:
        """Return the decision, and the late one if the solver takes too long."""
        if fallback_reason is not None or self._settings.patience is None:
            return decide(group, self._plan_settings, fallback_reason), None
        late = LateDecision(lambda: decide(group, self._plan_settings), self._settings.name)
        decision = late.wait(self._settings.patience)
        if decision is not None:
            return decision, None
        reason = f"no plan within {self._settings.patience:g} s"
        return decide(group, self._plan_settings, reason), late

    def _report(self, decision: Decision, expected: str | None, seconds: float) -> None:
        """Log how the decision was made."""
        plan, name = decision.plan, self._settings.name
        for line in decision.left_out:
            if line not in self._left_out:
                log.warning("group %s: %s", name, line)
        self._left_out = decision.left_out
        if decision.fallback_reason is None:
            log.info(
                "group %s: planned %d partitions of %d members in %.0f ms: lag spread %d, %d moves",
                name, plan.group.n_partitions, plan.group.n_members, 1000 * seconds,
                plan.lag.spread, len(plan.moves),
            )  # fmt: skip
            return
        # Missing lags are normal at first, and failures of the source are logged where they happen.
        level = logging.WARNING if expected is None else logging.INFO
        way = "a heuristic" if plan.policy is None else "a plan without any search"
        log.log(level, "group %s: %s answers: %s", name, way, decision.fallback_reason)

    def _report_topics(self, found: tuple[CoPartitionedTopics, ...]) -> None:
        topics = "; ".join(", ".join(one.topics) for one in found)
        log.info("group %s: keeps together: %s", self._settings.name, topics or "no topics")

    def _bare_heuristic(self, members: Sequence[JoinedMember], sizes: Sizes) -> MemberAssignments:
        """Run the heuristic without lags and hints. Claims must still count."""
        bare = [replace(member, hints={}) for member in members]
        group = group_of(self._settings.name, bare, sizes)
        return assignments_now(group, assign(group, FALLBACK).assigned, self._settings.cooperative)

    def _propose(self, last: _LastAnswer, decision: Decision) -> None:
        """Request a rebalance if a plan that came after the answer is worth one."""
        rejoin, name = self._options.rejoin, self._settings.name
        if decision.fallback_reason is not None:
            log.info("group %s: no better plan: %s", name, decision.fallback_reason)
            return
        if rejoin is None or not self._may_request(last):
            return
        plan = decision.plan
        loads = measured_loads(
            plan.group, self._plan_settings.policy_for(plan.group), NOTHING_MEASURED
        )
        gain = gain_of(loads, last.assigned, plan.assigned)
        if gain.saved < rejoin.min_records or gain.relief_percent < 100 * rejoin.min_share:
            log.info("group %s: keeping the assignment: a new plan would gain %s", name, gain)
            return
        with self._lock:
            if self._last is not last:  # another rebalance came first
                return
            self._requested = last.key, time.monotonic()
            self._target = _PendingPlan(last.key, plan.assigned, time.monotonic() + PENDING_PLAN_S)
        log.info("group %s: requesting a rebalance: %s", name, gain)
        self._request_rebalance()

    def _may_request(self, last: _LastAnswer) -> bool:
        """True unless a rebalance of the same members and topics was requested within the
        interval."""
        rejoin, requested = self._options.rejoin, self._requested
        if rejoin is None:
            return False
        if requested is None or requested[0] != last.key:
            return True
        return time.monotonic() - requested[1] >= rejoin.min_interval


def _settled(last: _LastAnswer) -> list[JoinedMember]:
    """Return the members as they will join next time, with what they were assignments."""
    held = by_name(last.group, last.assigned)
    return [replace(m, claims={}, hints=held[m.id], generation=-1) for m in last.members]


def _key(members: Sequence[JoinedMember], sizes: Sizes) -> Key:
    who = tuple(sorted((member.id, tuple(sorted(member.topics))) for member in members))
    return who, tuple(sorted(sizes.items()))
