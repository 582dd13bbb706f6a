"""The leader's part in a group, for any client: it answers rebalances, and asks for them where the
controller says that one is worth it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from equilag.certificate.verify import verify
from equilag.domain.building import builder
from equilag.domain.group.group import Group
from equilag.domain.policy.policy import Policy
from equilag.live.consumers.lag_source import LoadSource, Sizes
from equilag.live.consumers.leader_state import LastAnswer, LeaderLoad, VerdictLog
from equilag.live.consumers.options import AssignorOptions
from equilag.live.rebalance.assignments import Answering, JoinedMembers
from equilag.live.rebalance.controller import Considered, Controller, Seen
from equilag.live.rebalance.decision import FALLBACK, Decision, PlanSettings, decide
from equilag.live.rebalance.handouts import Handouts, TargetAssignment
from equilag.live.rebalance.joined_members import (
    JoinedMember,
    MemberAssignments,
    Partitions,
    assignments_now,
    group_of,
    member_key,
)
from equilag.live.rebalance.kept_together import KeptTogether
from equilag.live.rebalance.measured import Measured, Racks
from equilag.live.rebalance.sticky_plan import sticky_decision, warm_up
from equilag.planner.assign import assign
from equilag.planner.solve import solve
from equilag.planner.solving.make_plan import make_plan
from equilag.planner.worth.group_loads import GroupLoads
from equilag.planner.worth.thresholds import Thresholds, Verdict

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
        self._handouts = Handouts()
        self._last: LastAnswer | None = None
        """None while another member leads, and while an answer is being made."""
        self._considering = threading.Lock()
        self._controller = Controller(options.rejoin or Thresholds(), policy)
        self._warm = False

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
        self._last = None
        self._handouts.forget()

    def holders_since(self, at: float) -> Mapping[str, Partitions]:
        """Return member key -> partitions, if they were the same since `at` (monotonic seconds);
        else {}."""
        last, known = self._last, self._handouts.known
        return {} if last is None or known.unfinished or known.at > at else last.held

    def consider(self, began: float) -> None:
        """After a new sample, begun at this time: request a rebalance if one is worth it."""
        last = self._last
        if last is None or not self._requests:
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
                known, now = self._handouts.known, time.monotonic()
                seen = Seen(began, now, known, self._settings.cooperative)
                considered = self._controller.consider(loads, seen, self._plan)
            except Exception as error:  # noqa: BLE001  optional: the group has its assignment
                self._log.failure(error)
                return
            self._log.verdict(considered, time.monotonic())
            self._start_if_worth_it(last, loads, considered, measured)

    def _plan(self, group: Group, policy: Policy) -> Decision:
        return decide(group, replace(self._plan_settings, policy=policy))

    def _assign(
        self, members: Sequence[JoinedMember], sizes: Sizes, racks: Racks | None
    ) -> MemberAssignments:
        began = time.monotonic()
        self._last = None  # what is being considered for it is out of date now
        known = self._handouts.begin()
        hinted = [
            replace(one, hints=one.hints or known.held.get(member_key(one), {})) for one in members
        ]
        if not known.pending(began):
            known = known.without_target()
        joined = JoinedMembers(hinted, self._settings.cooperative)
        measured, reason = self._load.measured(joined.members, sizes, racks)
        answering = Answering(self._settings.name, joined, sizes, known)
        settings, patience = self._plan_settings, self._settings.patience
        decide_sticky = partial(sticky_decision, settings=settings, patience=patience)
        answer = answering.answer(measured, decide_sticky, reason)
        now = time.monotonic()
        self._log.answer(answer, now - began)
        paused = self._handouts.record(answer.target, not answer.withheld, now)
        if paused is not None:
            self._controller.record_pause(paused)
        subscribed, known = [one for one in members if one.topics], self._handouts.known
        self._last = LastAnswer(known.rebalances, subscribed, sizes, racks, known.held)
        return answer.by_member

    def _bare_heuristic(self, members: Sequence[JoinedMember], sizes: Sizes) -> MemberAssignments:
        """Run the heuristic without lags and hints. Claims must still count."""
        bare = [replace(member, hints={}) for member in members]
        group = group_of(self._settings.name, bare, sizes)
        return assignments_now(group, assign(group, FALLBACK).assigned, self._settings.cooperative)

    def _start_if_worth_it(
        self, last: LastAnswer, loads: GroupLoads, considered: Considered, measured: Measured
    ) -> None:
        """Request the rebalance to a plan, unless another rebalance came first."""
        if (decision := considered.to_start) is None:
            return
        assignment = decision.plan.assignment
        target = TargetAssignment.of(last.members, assignment, last.sizes, measured.capacities)
        now = time.monotonic()
        if not self._handouts.request(target, last.rebalances, now):
            return
        self._controller.started(loads, considered, now)
        self._log.request(considered)
        self._request_rebalance()
