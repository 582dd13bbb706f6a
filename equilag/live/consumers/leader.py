"""The leader's part in a group, for any client: it answers rebalances, and asks for them where the
controller says that one is worth it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from equilag.certificate.verify import verify
from equilag.domain.building import builder
from equilag.domain.group.group import Group
from equilag.domain.plan.assignment import read_assignment
from equilag.live.consumers.lag_source import LoadSource, Sizes
from equilag.live.consumers.late_decision import LateDecision, describe_error
from equilag.live.consumers.leader_state import (
    NOTHING_PENDING,
    PENDING_PLAN_S,
    LastAnswer,
    LeaderLoad,
    LeaderState,
    PendingChange,
    VerdictLog,
)
from equilag.live.consumers.options import AssignorOptions
from equilag.live.rebalance.assignments import (
    JoinedMembers,
    RebalanceAnswer,
    Targets,
    answer_rebalance,
    target_assignment,
)
from equilag.live.rebalance.controller import Considered, Controller
from equilag.live.rebalance.decision import FALLBACK, Decision, PlanSettings, decide
from equilag.live.rebalance.joined_members import (
    JoinedMember,
    MemberAssignments,
    Partitions,
    assignments_now,
    group_of,
    member_key,
)
from equilag.live.rebalance.kept_together import KeptTogether
from equilag.live.rebalance.live_policy import at_most
from equilag.live.rebalance.measured import Measured, Racks, capacities_in_force
from equilag.live.rebalance.rebalance_answer import answer_of, warm_up
from equilag.planner.assign import assign
from equilag.planner.solve import solve
from equilag.planner.solving.make_plan import make_plan
from equilag.planner.worth.gain import Gain, gain_of, possible_gain
from equilag.planner.worth.group_loads import GroupLoads
from equilag.planner.worth.thresholds import Pause, Thresholds, Verdict, judge

log: Final = logging.getLogger("equilag.consumers")

_LOADED: Final = (builder, make_plan, solve, verify)
"""Imported here, not at the first plan, for which the group waits, and aiokafka's event loop."""


@dataclass(frozen=True, slots=True)
class LeaderSettings:
    """What the leader knows about the group besides its members; times in seconds."""

    name: str
    time_limit: float
    cooperative: bool = False
    patience: float | None = None
    """How long to wait for a plan before a quicker one answers; None: until it is done."""


class Leader:
    """Answers rebalances for one consumer while it leads, and watches the load in between.

    `request_rebalance` asks for a rebalance; it is called on a thread that may block. An answer
    never waits for a broker. Any failure ends in a heuristic's answer and a log line. `assign` and
    `consider` may run at the same time on two threads.
    """

    def __init__(
        self,
        options: AssignorOptions,
        settings: LeaderSettings,
        source: LoadSource,
        request_rebalance: Callable[[], None],
    ) -> None:
        self._settings = settings
        self._request_rebalance = request_rebalance
        self._requests = options.rejoin is not None
        self._log = VerdictLog(settings.name)
        policy = options.planning_policy
        self._load = LeaderLoad(settings.name, source, policy, options.max_lag_age, self._log)
        together = None if options.co_partition == "none" else KeptTogether(self._log.together)
        self._plan_settings = PlanSettings(policy, settings.time_limit, options.seed, together)
        self._lock = threading.Lock()
        self._state = LeaderState()
        self._considering = threading.Lock()
        self._thresholds = options.rejoin or Thresholds()
        self._controller = Controller(self._thresholds)
        self._warm = False
        self._known_members: set[str] = set()
        """Keys of the members that the controller considered last."""

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

    def forget(self) -> None:
        """Another member leads: what is handed out is no longer known."""
        with self._lock:
            self._state = LeaderState()

    def holders_since(self, at: float) -> dict[str, Partitions]:
        """Return member key -> partitions, if they were the same since `at` (monotonic seconds);
        else {}."""
        last = self._state.last
        return {} if last is None or last.at > at else dict(last.held)

    def consider(self) -> None:
        """After a new sample: request a rebalance if one is worth it."""
        last = self._state.last
        if last is None or not last.complete or not self._requests:
            return
        with self._considering:
            if not self._warm:
                self._warm = True
                warm_up()
            try:
                measured, reason = self._load.measured(last.members, last.sizes, last.racks)
                if reason is not None:
                    self._log.verdict(Considered(Verdict("measuring", reason)), time.monotonic())
                    return
                loads = self._load.loads(last, measured)
                considered = self._verdict(last, loads)
            except Exception as error:  # noqa: BLE001  optional: the group has its assignment
                self._log.failure(error)
                return
            self._log.verdict(considered, time.monotonic())
            self._start_if_worth_it(last, loads, considered, measured)

    def _verdict(self, last: LastAnswer, loads: GroupLoads) -> Considered:
        members = {member_key(one) for one in last.members}
        if members != self._known_members:
            self._controller.reset()
            self._known_members = members
        if self._load.awaits_rates(loads):
            return Considered(Verdict("measuring", "rates are known after about 10 s of samples"))

        def make_plan(max_moves: int | None) -> Decision:
            policy = at_most(self._load.policy, max_moves)
            return decide(loads.group, replace(self._plan_settings, policy=policy))

        now = time.monotonic()
        return self._controller.consider(loads, now, make_plan, self._settings.cooperative)

    def _assign(
        self, members: Sequence[JoinedMember], sizes: Sizes, racks: Racks | None
    ) -> MemberAssignments:
        began = time.monotonic()
        with self._lock:
            state = self._state
            # What is being considered for the previous assignment is out of date now.
            self._state = replace(state, last=None, pending=NOTHING_PENDING)
        pending = state.pending if began < state.pending.until else NOTHING_PENDING
        known = [
            replace(one, hints=one.hints or state.before.get(member_key(one), {}))
            for one in members
        ]
        joined = JoinedMembers(known, self._settings.cooperative)
        lates: list[LateDecision] = []
        answer, expected = self._answer(joined, sizes, racks, pending.targets, lates)
        capacities = state.capacities
        if answer.origin == "target" and pending.requested_at is not None:
            self._controller.record_pause(began - pending.requested_at)
            capacities = pending.capacities or {}
        now = time.monotonic()
        self._log.answer(answer, now - began, expected)
        last = LastAnswer.of(members, sizes, racks, answer, now)
        with self._lock:
            self._state = LeaderState.after(last, answer, capacities)
        for late in lates:
            late.then(partial(self._propose, last))
        return answer.by_member

    def _answer(
        self,
        joined: JoinedMembers,
        sizes: Sizes,
        racks: Racks | None,
        targets: Targets,
        lates: list[LateDecision],
    ) -> tuple[RebalanceAnswer, str | None]:
        """Return the answer, and why the load was not known; without measurements if these are
        what makes it fail."""
        measured, reason = self._load.measured(joined.members, sizes, racks)
        keys = [member_key(one) for one in joined.members]
        in_force = capacities_in_force(keys, self._state.capacities, measured.capacities)
        measured = replace(measured, capacities=in_force)
        answered = partial(answer_rebalance, self._settings.name, joined, sizes)
        try:
            decided = partial(self._decided, measured, lates)
            return answered(measured, targets, decided, reason), reason
        except Exception as error:  # noqa: BLE001  the lags may be anything
            reason = f"the lags cannot be used: {describe_error(error)}"
        without = Measured(racks=racks)
        targets = replace(targets, planned=None)
        return answered(without, targets, partial(self._decided, without, lates), reason), reason

    def _decided(
        self,
        measured: Measured,
        lates: list[LateDecision],
        group: Group,
        fallback_reason: str | None,
    ) -> Decision:
        """Return the decision on an answer; a better one that comes late is added to `lates`."""
        settings, patience = self._plan_settings, self._settings.patience
        pause = Pause(self._controller.pause_s, self._settings.cooperative, standing=True)

        def worth_it(gain: Gain) -> bool:
            return judge(gain, self._thresholds, pause).worth_it

        first: list[Decision] = []
        make = partial(
            answer_of, group, settings, worth_it, fallback_reason, measured, first.append
        )
        if patience is None:
            return make()
        late = LateDecision(make, self._settings.name)
        decision = late.wait(patience)
        if decision is not None:
            return decision
        lates.append(late)
        if first:
            return first[0]
        return decide(group, settings, fallback_reason or f"no plan within {patience:g} s")

    def _bare_heuristic(self, members: Sequence[JoinedMember], sizes: Sizes) -> MemberAssignments:
        """Run the heuristic without lags and hints. Claims must still count."""
        bare = [replace(member, hints={}) for member in members]
        group = group_of(self._settings.name, bare, sizes)
        return assignments_now(group, assign(group, FALLBACK).assigned, self._settings.cooperative)

    def _propose(self, last: LastAnswer, decision: Decision) -> None:
        """Request a rebalance for a plan that came after the answer, if it is worth one.

        Not in the middle of a cooperative change, whose second half is pending, nor against the
        cooldown and the budget: the next sample is considered then.
        """
        if decision.fallback_reason is not None or not self._requests or not last.complete:
            return
        with self._considering:
            measured, reason = self._load.measured(last.members, last.sizes, last.racks)
            loads = self._load.loads(last, measured)
            owner = loads.group.owner
            planned = read_assignment(loads.group, decision.plan.assignment, [])
            if reason is not None or planned is None or self._load.awaits_rates(loads):
                return
            gain = gain_of(loads, owner, planned)
            if not self._controller.may_start(loads, gain, time.monotonic()):
                return
            pause = Pause(self._controller.pause_s, self._settings.cooperative)
            verdict = judge(gain, self._thresholds, pause)
            considered = Considered(verdict, possible_gain(loads, owner), decision, gain)
            self._log.verdict(considered, time.monotonic())
            self._start_if_worth_it(last, loads, considered, measured)

    def _start_if_worth_it(
        self, last: LastAnswer, loads: GroupLoads, considered: Considered, measured: Measured
    ) -> None:
        """Request the rebalance to a plan, unless another rebalance came first."""
        if not considered.verdict.worth_it or considered.decision is None:
            return
        assignment = considered.decision.plan.assignment
        targets = Targets(target_assignment(last.members, assignment, last.sizes))
        now = time.monotonic()
        pending = PendingChange(targets, now + PENDING_PLAN_S, now, measured.capacities)
        with self._lock:
            if self._state.last is not last:
                return
            self._state = replace(self._state, pending=pending)
        self._controller.started(loads, considered, now)
        self._log.request(considered)
        self._request_rebalance()
