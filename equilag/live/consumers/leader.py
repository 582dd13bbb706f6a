"""The leader's part in a group, for any client: it answers rebalances, and asks for them where the
controller says that one is worth it."""

from __future__ import annotations

import logging
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from equilag.domain.group.co_partitioning import CoPartitionedTopics
from equilag.domain.group.group import Group
from equilag.domain.policy.policy import Policy
from equilag.live.consumers.consumer_handle import ConsumerHandle
from equilag.live.consumers.lag_source import (
    Background,
    LagSample,
    LagSource,
    LiveLag,
    Sizes,
    checked,
)
from equilag.live.consumers.options import AssignorOptions
from equilag.live.consumers.sampler import LagSampler, LeaderLoad, Probe
from equilag.live.rebalance.assignments import Answering, JoinedMembers, RebalanceAnswer
from equilag.live.rebalance.controller import Considered, SeenGroup
from equilag.live.rebalance.decision import (
    FALLBACK,
    PATIENCE,
    Decision,
    Origin,
    PlanSettings,
    decide,
    load_planner,
)
from equilag.live.rebalance.fitting_policy import with_capacities
from equilag.live.rebalance.group_control import GroupControl
from equilag.live.rebalance.handouts import HandedOut
from equilag.live.rebalance.joined_members import (
    JoinedMember,
    MemberAssignments,
    Partitions,
    assignments_now,
    group_of,
    member_key,
)
from equilag.live.rebalance.kept_together import KeptTogether
from equilag.live.rebalance.measured import Measured, Racks, measured_loads
from equilag.live.rebalance.rebalance_limits import VerdictNews
from equilag.live.rebalance.sticky_plan import sticky_decision
from equilag.planner.assign import assign
from equilag.planner.worth.thresholds import Thresholds, Verdict

log: Final = logging.getLogger("equilag.consumers")

NAMELESS: Final = "(unknown)"
"""The group's name in log lines if the consumer was not found."""
_ANSWERS: Final[dict[Origin, str]] = {
    "target": "the plan made in advance",
    "sticky": "a sticky plan",
    "heuristic": "a heuristic",
}

load_planner()  # now, not at the first plan, for which the group waits, and aiokafka's event loop


class _NotFound:
    """The lag source of an assignor whose consumer was not found."""

    def lags(self, topics: Sizes) -> LagSample:
        raise LookupError("the consumer was not found, so its lag cannot be measured")


@dataclass(frozen=True, slots=True)
class LastAnswer:
    """What was handed out last, withheld partitions included, to whom, and of what."""

    known: HandedOut
    members: Sequence[JoinedMember]
    """Those with topics."""
    sizes: Sizes
    racks: Racks | None


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
        self._news = VerdictNews()
        self._left_out: tuple[str, ...] = ()
        self._policy = policy = options.planning_policy
        told = partial(_tell_together, self._name)
        together = None if options.co_partition == "none" else KeptTogether(told)
        limit = options.limit(consumer.session if consumer else None)
        self._plan_settings = PlanSettings(policy, limit, options.seed, together)
        # Nobody waits for a plan in advance: on a busy machine it has as much work, and more time.
        self._in_advance = replace(self._plan_settings, time_limit=PATIENCE * limit, effort=limit)
        self._led = False
        self._last: LastAnswer | None = None
        """None while another member leads, and while an answer is being made."""
        self._control = GroupControl(options.rejoin or Thresholds(), policy)
        self._measure(checked(options.lag), options.max_lag_age)

    def _measure(self, lag: LagSource | LiveLag | Background, max_age: float) -> None:
        """Set up what is known of the load, and the sampler that keeps it up to date, or that only
        makes the leader look at it at intervals."""
        consumer, weak = self._consumer, weakref.ref(self)
        probe = lag if isinstance(lag, Background) else Background(lambda _: {})
        open_probe: Callable[[], Probe] = lambda: probe  # noqa: E731
        every, source, reset = probe.every, None, None
        if isinstance(lag, LiveLag) and consumer is not None:
            every, open_probe = lag.every, consumer.open_probe
            reset = lag.auto_offset_reset or consumer.reset
        elif not isinstance(lag, Background):
            source = _NotFound() if isinstance(lag, LiveLag) else lag
        self._load = LeaderLoad(source, reset, max_age, self._name)

        def found(sample: Any, topics: Sizes, at: float) -> None:
            leader = weak()
            if leader is None:
                return
            settled = consumer is None or consumer.settled()
            leader._load.add(sample, topics, at, leader.holders_since(at) if settled else {})
            if settled:
                leader.consider(at)

        alive = consumer.alive if consumer else (lambda: weak() is not None)
        self._sampler = LagSampler(open_probe, every, alive, found, self._name)

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
        assignments = self.assign(
            members, sizes, racks(sizes) if self._policy.minds_racks else None
        )
        self._sampler.set_topics(sizes, leading=True)
        return assignments

    def follow(self, sizes: Sizes) -> None:
        """After every assignment. A follower still measures lag now and then: it may lead next
        time."""
        led, self._led = self._led, False
        if led:
            return
        self.forget()
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
        self._control.handouts.forget()

    def holders_since(self, at: float) -> Mapping[str, Partitions]:
        """Return member key -> partitions, if they were the same since `at` (monotonic seconds);
        else {}."""
        last, known = self._last, self._control.handouts.known
        return {} if last is None or known.unfinished or known.at > at else last.known.held

    def consider(self, began: float) -> None:
        """After a new sample, begun at this time: request a rebalance if one is worth it."""
        last, consumer = self._last, self._consumer
        if last is None or consumer is None or not self._requests:
            return
        try:
            considered, requests = self._considered(last, began)
        except Exception as error:  # noqa: BLE001  optional: the group has its assignment
            self._load.failed(error)
            return
        if considered.effect:
            log.info("group %s: %s", self._name, considered.effect)
        verdict = considered.verdict
        if self._news.is_news(verdict, time.monotonic()):
            log.info("group %s: no rebalance: %s: %s", self._name, verdict.ground, verdict.reason)
        if requests:
            log.info("group %s: requesting a rebalance: %s", self._name, considered.case)
            consumer.request_rebalance()

    def _considered(self, last: LastAnswer, began: float) -> tuple[Considered, bool]:
        """The verdict, and whether to request a rebalance."""
        measured, reason = self._measured(last.members, last.sizes, last.racks)
        if reason is not None:
            return Considered(Verdict("measuring", reason)), False
        members = [
            replace(one, claims=last.known.held[member_key(one)], hints={}, generation=-1)
            for one in last.members
        ]
        group = group_of(self._name, members, last.sizes, measured)
        loads = measured_loads(with_capacities(group, self._policy), self._policy, measured)
        seen = SeenGroup(
            members=last.members, held=last.known.held, sizes=last.sizes, measured=measured,
            loads=loads, cooperative=self._cooperative, rebalances=last.known.rebalances,
            began=began,
        )  # fmt: skip
        return self._control.consider(seen, self._plan)

    def _measured(
        self, members: Sequence[JoinedMember], sizes: Sizes, racks: Racks | None
    ) -> tuple[Measured, str | None]:
        measured, reason = self._load.measured(members, sizes, racks)
        # The user's capacities may be in any unit.
        return (replace(measured, capacities={}) if self._policy.capacity else measured), reason

    def _plan(self, group: Group, policy: Policy) -> Decision:
        return decide(group, replace(self._in_advance, policy=policy))

    def _assign(
        self, members: Sequence[JoinedMember], sizes: Sizes, racks: Racks | None
    ) -> MemberAssignments:
        began = time.monotonic()
        self._last = None  # what is being considered for it is out of date now
        known = self._control.handouts.begin()
        hinted = [
            replace(one, hints=one.hints or known.held.get(member_key(one), {})) for one in members
        ]
        if not known.pending(began):
            known = known.without_target()
        joined = JoinedMembers(hinted, self._cooperative)
        measured, reason = self._measured(joined.members, sizes, racks)
        decided = partial(sticky_decision, settings=self._plan_settings, patience=self._patience)
        answer = Answering(self._name, joined, sizes, known).answer(measured, decided, reason)
        self._tell_answer(answer, time.monotonic() - began)
        self._control.record(answer)
        subscribed = [one for one in members if one.topics]
        self._last = LastAnswer(self._control.handouts.known, subscribed, sizes, racks)
        return answer.by_member

    def _tell_answer(self, answer: RebalanceAnswer, seconds: float) -> None:
        """Write that an answer was made in this time, and what is newly left out of the policy."""
        for line in answer.left_out:
            if line not in self._left_out:
                log.warning("group %s: %s", self._name, line)
        self._left_out = answer.left_out
        reasons = "; ".join(answer.fallback_reasons)
        log.log(
            logging.WARNING if answer.origin == "heuristic" else logging.INFO,
            "group %s: %s answers in %.0f ms: %d moves, %d partitions withheld%s",
            self._name, _ANSWERS[answer.origin], 1000 * seconds, answer.moves, answer.withheld,
            f": {reasons}" if reasons else "",
        )  # fmt: skip


def _tell_together(name: str, found: tuple[CoPartitionedTopics, ...]) -> None:
    topics = "; ".join(", ".join(one.topics) for one in found)
    log.info("group %s: keeps together: %s", name, topics or "no topics")
