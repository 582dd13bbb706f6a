"""The thread that has the membership: joins, hands out, waits for what comes, joins again."""

from __future__ import annotations

import logging
import queue
import time
from collections.abc import Mapping, Sequence
from typing import Final

from equilag.adapters.kafka.group_reader import GroupReader, MissingRight, TopicOffsets
from equilag.errors import EquilagError, InputError
from equilag.group import Group
from equilag.live.rebalance.decision import Decision, decide_within
from equilag.live.steward.assignments import (
    JoinedMembers,
    RebalanceAnswer,
    answer_rebalance,
    read_joined_members,
)
from equilag.live.steward.commands import Command, CommandMessage
from equilag.live.steward.event_log import log_event
from equilag.live.steward.group_membership import GroupMembership, JoinResult
from equilag.live.steward.membership_errors import Fenced, MembershipLost, Refused, Unreachable
from equilag.live.steward.observer import known_share, lags_of
from equilag.live.steward.shared_state import SharedState

_RETRY_S: Final = 0.3
"""Before the coordinator is asked again that did not answer."""
_PASSIVE_S: Final = 5.0
_MIN_KNOWN_LAGS: Final = 0.9
"""Share of partitions whose lag has to be known for a plan."""


class _TopicsUnknown(Unreachable):
    """Without the topics' sizes nothing can be handed out."""


class LeaderLoop:
    """Has the membership. `reader` is used by this thread only."""

    def __init__(
        self, shared: SharedState, membership: GroupMembership, reader: GroupReader
    ) -> None:
        self._shared = shared
        self._membership = membership
        self._reader = reader
        self._reason = "equilag steward starts"
        self._generation = -1
        self._leads = False
        self._took_over = False
        self._failing_since: float | None = None
        """When the first of the rebalances was that we could hand out nothing in."""
        self.failure: EquilagError | None = None
        self.joining = False
        """While a JoinGroup waits no heartbeat is due."""

    @property
    def generation(self) -> int:
        return self._generation

    @property
    def leads(self) -> bool:
        return self._leads

    def run(self) -> None:
        """Until the shared says stop; then leaves the group."""
        try:
            while not self._shared.stop.is_set():
                if self._is_passive():
                    self._go_passive()
                    self._next_message(_PASSIVE_S)
                else:
                    self._join_and_serve()
        except Fenced as error:
            self._fail("fenced", error)
            self._membership.forget()
        except MissingRight as error:  # whoever cannot see the topics must not lead
            self._fail("missing-right", error)
        finally:
            if self.failure is not None or not self._shared.options.keep_membership:
                self._membership.leave()
            self._membership.close()

    def _fail(self, event: str, error: EquilagError) -> None:
        self.failure = error
        log_event(logging.ERROR, event, problem=str(error))
        self._shared.stop_all()

    def _is_passive(self) -> bool:
        observation = self._shared.observation
        return (
            observation is not None and observation.kind == "consumer" and bool(observation.members)
        )

    def _go_passive(self) -> None:
        reason = "the group uses the protocol of KIP-848, where the broker assigns"
        if self._shared.state.figures.role != "passive":
            log_event(logging.WARNING, "passive", reason=reason)
        self._shared.state.set(role="passive", role_reason=reason)
        self._leads = False
        self._membership.leave()

    def _join_and_serve(self) -> None:
        """Join once, see to the rebalance, and wait until the next one."""
        try:
            self.joining = True
            joined = self._membership.join(self._reason)
            self.joining = False
            self._generation, self._leads = joined.generation, joined.leads
            self._shared.count_rebalance()
            self._shared.state.heartbeat_answered()
            if joined.leads and not joined.skip:
                self._assign(joined)
            else:
                self._membership.sync({})
        except MembershipLost:
            self._membership.forget()
        except _TopicsUnknown as error:
            self._topics_unknown(str(error))
        except Unreachable as error:
            self._unreachable(str(error))
        except Refused as error:
            self._refused(error)
        else:
            self._failing_since = None
            self._show_role(joined)
            while not self._shared.stop.is_set() and not self._is_passive():
                if self._handle(self._next_message(_PASSIVE_S)):
                    break
        finally:
            self.joining = False

    def _handle(self, message: CommandMessage | None) -> bool:
        """Do what is asked; True if we have to join again."""
        if message is None or message.generation not in (-1, self._generation):
            return False
        if message.call is Command.REBALANCE:
            self._reason = "rebalance"
        elif message.call is Command.TRIGGER:
            if not self._leads:
                return False
            self._reason = f"equilag steward: {message.reason}"[:200]
        elif message.call is Command.LOST:
            self._membership.forget()
            self._reason = "equilag steward was expelled"
        elif message.call is Command.TAKE_OVER:
            return not (self._leads or self._took_over) and self._take_over()
        elif message.call is Command.FENCED:
            raise Fenced(f"another process has joined as {self._membership.instance!r}")
        else:
            return False
        return True

    def _take_over(self) -> bool:
        observation = self._shared.observation
        members = [member.id for member in observation.members] if observation is not None else []
        if not members:
            return False
        try:
            self._membership.remove(members)
        except (Refused, Unreachable) as error:
            log_event(logging.ERROR, "take-over-failed", problem=str(error))
            return False
        self._took_over = True  # in one step, and never again
        log_event(logging.WARNING, "take-over", removed=len(members))
        self._shared.state.count("rebalances_triggered", "take-over")
        self._reason = "equilag steward takes over"
        return True

    def _next_message(self, seconds: float) -> CommandMessage | None:
        try:
            return self._shared.messages.get(timeout=seconds)
        except queue.Empty:
            return None

    def _show_role(self, joined: JoinResult) -> None:
        state = self._shared.state
        role = "leader" if joined.leads else "follower"
        reason = ""
        if not joined.leads and self._shared.options.take_over and not self._took_over:
            reason = "another member leads, and is about to lose that"
        elif not joined.leads:
            reason = "another member leads; --take-over, or restart the members"
        if state.figures.role != role:
            level = logging.INFO if joined.leads else logging.WARNING
            log_event(
                level, role, generation=joined.generation, protocol=joined.protocol, reason=reason
            )
        state.set(
            role=role,
            role_reason=reason,
            generation=joined.generation,
            protocol=joined.protocol,
        )

    def _unreachable(self, problem: str) -> None:
        if self._shared.state.figures.role != "unreachable":
            log_event(logging.WARNING, "coordinator-unreachable", problem=problem)
        self._shared.state.set(role="unreachable", role_reason=problem)
        self._shared.stop.wait(_RETRY_S)

    def _topics_unknown(self, problem: str) -> None:
        """Try again; but the group must not wait for us for ever."""
        log_event(logging.WARNING, "topics-unknown", problem=problem)
        self._shared.state.set(role="unreachable", role_reason=problem)
        now = time.monotonic()
        if self._failing_since is None:
            self._failing_since = now
        if now - self._failing_since < self._shared.options.session:
            self._shared.stop.wait(_RETRY_S)
            return
        log_event(logging.ERROR, "leaves", problem=problem)
        self._membership.leave()
        self._failing_since = None
        self._shared.stop.wait(_PASSIVE_S)

    def _refused(self, error: Refused) -> None:
        if error.transient:
            return
        if self._shared.state.figures.role_reason != str(error):
            log_event(logging.ERROR, "refused", problem=str(error))
        self._shared.state.set(role="unreachable", role_reason=str(error))
        self._shared.stop.wait(_PASSIVE_S)

    def _assign(self, joined: JoinResult) -> None:
        """Decide and sync. Raises what the membership raises."""
        began = time.monotonic()
        here = read_joined_members(
            joined.protocol,
            [(one.id, one.instance_id, one.metadata) for one in joined.members],
            self._shared.held,
        )
        answer = self._answer(here)
        self._membership.sync({**answer.given, self._membership.member: {}})
        self._shared.record_assignment(answer.target, complete=not answer.withheld)
        state = self._shared.state
        state.count("handouts", answer.origin)
        for fallback_reason in answer.fallback_reasons:
            state.count("fallbacks")
            state.set(last_fallback_reason=fallback_reason)
        fields = {
            "generation": joined.generation,
            "protocol": joined.protocol,
            "members": len(here.members),
            "origin": answer.origin,
            "withheld": answer.withheld,
            "ms": round(1000 * (time.monotonic() - began)),
        }
        state.set(last_assignment=f"{answer.origin} to {len(here.members)} members")
        level = logging.WARNING if answer.fallback_reasons else logging.INFO
        log_event(level, "handed-out", **fields, fallback_reason="; ".join(answer.fallback_reasons))

    def _answer(self, here: JoinedMembers) -> RebalanceAnswer:
        topics = sorted({topic for member in here.members for topic in member.topics})
        sizes, lags, fallback_reason = self._sizes_and_lags(topics)
        sizes = {topic: sizes[topic] for topic in topics if topic in sizes}

        def decide(group: Group, why: str | None) -> Decision:
            return decide_within(group, self._shared.options.in_rebalance, why)

        target = self._shared.target
        try:
            return answer_rebalance(
                self._membership.group, here, sizes, lags, target, decide, fallback_reason
            )
        except EquilagError as error:  # such as lags that add up to more than there can be
            return answer_rebalance(
                self._membership.group, here, sizes, {}, None, decide, str(error)
            )

    def _sizes_and_lags(
        self, topics: list[str]
    ) -> tuple[Mapping[str, int], Mapping[str, Sequence[int | None]], str | None]:
        """Of the topics, and a fallback_reason where their lag is not known or not fresh."""
        if not topics:
            return {}, {}, None
        options = self._shared.options
        observation = self._shared.observation
        try:
            offsets = self._reader.lags(options.group, topics, options.in_rebalance.time_limit)
        except MissingRight:
            raise
        except EquilagError as error:
            seen = (
                set() if observation is None else {t for m in observation.members for t in m.topics}
            )
            if observation is not None and seen.issuperset(topics):
                fresh = time.monotonic() - observation.at <= options.lag_age
                fallback_reason = None if fresh else f"no fresh lag: {error}"
                return observation.sizes, observation.lags, fallback_reason
            return self._sizes(topics), {}, f"no lag: {error}"
        return self._with_lags(offsets)

    def _sizes(self, topics: list[str]) -> Mapping[str, int]:
        """Without them nothing can be handed out, so they may take half of the session."""
        try:
            return self._reader.sizes(topics, self._shared.options.session / 2)
        except MissingRight:
            raise
        except EquilagError as error:
            raise _TopicsUnknown(f"the topics are not known: {error}") from error

    def _with_lags(
        self, offsets: TopicOffsets
    ) -> tuple[Mapping[str, int], Mapping[str, Sequence[int | None]], str | None]:
        try:
            lags = lags_of(offsets, self._shared.options.reset)
        except InputError as error:
            return offsets.sizes, {}, f"no lag that makes sense: {error}"
        known, total = known_share(lags)
        fallback_reason = f"the lag of {total - known} of {total} partitions is not known"
        return offsets.sizes, lags, fallback_reason if known < _MIN_KNOWN_LAGS * total else None
