"""The leader's part in a group, for any client: it answers rebalances, and asks for them where the
controller says that one is worth it."""

from __future__ import annotations

import logging
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from equilag.domain.group.group import Group
from equilag.domain.policy.policy import Policy
from equilag.live.consumers.consumer_handle import ConsumerHandle
from equilag.live.consumers.lag_source import (
    EVERY_S,
    Background,
    GivenLags,
    LagSource,
    LiveLag,
    LoadSource,
    ObservedLoad,
    SampledLags,
    Sizes,
    checked,
)
from equilag.live.consumers.leader_state import LastAnswer, LeaderLoad, VerdictLog
from equilag.live.consumers.options import PATIENCE, AssignorOptions
from equilag.live.consumers.sampler import LagSampler, MeasureProbe, Probe
from equilag.live.rebalance.assignments import Answering, JoinedMembers
from equilag.live.rebalance.controller import Considered, Controller, Seen
from equilag.live.rebalance.decision import FALLBACK, Decision, PlanSettings, decide, load_planner
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
from equilag.live.rebalance.measured import Racks
from equilag.live.rebalance.sticky_plan import sticky_decision
from equilag.planner.assign import assign
from equilag.planner.worth.thresholds import Thresholds, Verdict

log: Final = logging.getLogger("equilag.consumers")

NAMELESS: Final = "(unknown)"
"""The group's name in log lines if the consumer was not found."""


load_planner()  # now, not at the first plan, for which the group waits, and aiokafka's event loop


class Leader:
    """Answers rebalances for one consumer while it leads, and watches the load in between.

    `consumer` is None if it was not found. `patience` is how long an answer may wait for a plan, in
    seconds, before a quicker one answers. An answer never waits for a broker. Any failure ends in a
    heuristic's answer and a log line. `assign` and `consider` may run at the same time on two
    threads.
    """

    def __init__(
        self,
        options: AssignorOptions,
        consumer: ConsumerHandle | None,
        cooperative: bool = False,
        patience: float | None = None,
    ) -> None:
        self._consumer, self._cooperative, self._patience = consumer, cooperative, patience
        self._name = consumer.group if consumer else NAMELESS
        self._requests = consumer is not None and options.rejoin is not None
        self._log = VerdictLog(self._name)
        policy = options.planning_policy
        self._minds_racks = policy.minds_racks
        self._sampler: LagSampler | None = None
        source = self._source(checked(options.lag))
        self._load = LeaderLoad(self._name, source, policy, options.max_lag_age, self._log)
        together = None if options.co_partition == "none" else KeptTogether(self._log.together)
        limit = options.limit(consumer.session if consumer else None)
        self._plan_settings = PlanSettings(policy, limit, options.seed, together)
        # Nobody waits for a plan in advance: on a busy machine it has as much work, and more time.
        self._in_advance = replace(self._plan_settings, time_limit=PATIENCE * limit, effort=limit)
        self._handouts = Handouts()
        self._led = False
        self._last: LastAnswer | None = None
        """None while another member leads, and while an answer is being made."""
        self._controller = Controller(options.rejoin or Thresholds(), policy)

    def _source(self, lag: LagSource | LiveLag | Background) -> LoadSource:
        """Return what is known of the load; create the sampler that keeps it up to date, or that
        only makes the leader look at it at intervals."""
        consumer, every = self._consumer, EVERY_S
        load: LoadSource
        open_probe: Callable[[], Probe] = partial(MeasureProbe, dict)
        if isinstance(lag, LiveLag):
            if consumer is None:
                return GivenLags(None)
            load, every = ObservedLoad(lag.auto_offset_reset or consumer.reset), lag.every
            open_probe = consumer.open_probe
        elif isinstance(lag, Background):
            load, every, open_probe = SampledLags(), lag.every, partial(MeasureProbe, lag.measure)
        else:
            load = GivenLags(lag)
        weak = weakref.ref(self)

        def found(sample: Any, topics: Sizes, at: float) -> None:
            leader = weak()
            if leader is None:
                return
            settled = consumer is None or consumer.settled()
            load.add(sample, topics, at, leader.holders_since(at) if settled else {})
            if settled:
                leader.consider(at)

        alive = consumer.alive if consumer else (lambda: weak() is not None)
        self._sampler = LagSampler(open_probe, every, alive, found, self._name)
        return load

    def coordinator(self) -> Any | None:
        """Return the client's coordinator, if it was found and still exists."""
        return self._consumer.coordinator() if self._consumer else None

    def lead(
        self, members: Sequence[JoinedMember], sizes: Sizes, racks: Callable[[Sizes], Racks]
    ) -> MemberAssignments:
        """Return what each member gets; from now on measure the lag of these topics.

        `racks` returns the racks of the topics' partitions, if the policy minds them.
        """
        self._led = True
        assignments = self.assign(members, sizes, racks(sizes) if self._minds_racks else None)
        if self._sampler:
            self._sampler.set_topics(sizes, leading=True)
        return assignments

    def follow(self, sizes: Sizes) -> None:
        """After every assignment. A follower still measures lag now and then: it may lead next
        time."""
        led, self._led = self._led, False
        if led:
            return
        self.forget()
        if self._sampler:
            self._sampler.set_topics(sizes, leading=False)

    def assign(
        self, members: Sequence[JoinedMember], sizes: Sizes, racks: Racks | None = None
    ) -> MemberAssignments:
        """Return what each member gets. `sizes` has only topics that exist; `racks` those of their
        partitions, None if the policy does not mind them."""
        if not sizes:  # the client has no metadata yet, and rejoins with them
            log.debug("group %s: no partitions are known yet", self._name)
            return {member.id: {} for member in members}
        try:
            return self._assign(members, sizes, racks)
        except Exception:
            # Without the leader's answer the whole group stops.
            log.exception("group %s: planning failed, a heuristic answers", self._name)
        # Without lags and hints; claims must still count.
        bare = [replace(member, hints={}) for member in members]
        group = group_of(self._name, bare, sizes)
        return assignments_now(group, assign(group, FALLBACK).assigned, self._cooperative)

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
        last, consumer = self._last, self._consumer
        if last is None or consumer is None or not self._requests:
            return
        try:
            measured, reason = self._load.measured(last.members, last.sizes, last.racks)
            if reason is not None:
                self._log.verdict(Considered(Verdict("measuring", reason)), time.monotonic())
                return
            loads = self._load.loads(last, measured)
            known, now = self._handouts.known, time.monotonic()
            seen = Seen(began, now, known, self._cooperative)
            considered = self._controller.consider(loads, seen, self._plan)
        except Exception as error:  # noqa: BLE001  optional: the group has its assignment
            self._log.failure(error)
            return
        self._log.verdict(considered, now)
        if (decision := considered.to_start) is not None:
            assignment = decision.plan.assignment
            target = TargetAssignment.of(last.members, assignment, last.sizes, {})
            if measured.capacities:
                target = target.by_speed()
            # Unless another rebalance came first.
            if self._handouts.request(target, last.rebalances, time.monotonic()):
                self._controller.started(loads, considered, time.monotonic())
                self._log.request(considered)
                consumer.request_rebalance()

    def _plan(self, group: Group, policy: Policy) -> Decision:
        return decide(group, replace(self._in_advance, policy=policy))

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
        joined = JoinedMembers(hinted, self._cooperative)
        measured, reason = self._load.measured(joined.members, sizes, racks)
        decided = partial(sticky_decision, settings=self._plan_settings, patience=self._patience)
        answer = Answering(self._name, joined, sizes, known).answer(measured, decided, reason)
        now = time.monotonic()
        self._log.answer(answer, now - began)
        taken = self._handouts.record(answer.target, not answer.withheld, now)
        if taken is not None:
            self._controller.rounds.record(taken, now)
        subscribed, known = [one for one in members if one.topics], self._handouts.known
        self._last = LastAnswer(known.rebalances, subscribed, sizes, racks, known.held)
        return answer.by_member
