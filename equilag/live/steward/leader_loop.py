"""The leader loop: joins the group, answers rebalances, and handles commands in between."""

from __future__ import annotations

import logging
import queue
import time
from typing import Final

from equilag.adapters.kafka.group_reader import GroupReader, MissingRight, UnplannableGroup
from equilag.domain.errors import EquilagError
from equilag.live.rebalance.assignments import JoinedMembers, RebalanceAnswer
from equilag.live.rebalance.joined_members import member_key
from equilag.live.status.event_log import log_event
from equilag.live.status.status import PASSIVE_REASON
from equilag.live.status.topic_lags import TopicsUnknown
from equilag.live.steward.answer_maker import AnswerMaker
from equilag.live.steward.group_check import check_group, with_protocol_in_use
from equilag.live.steward.group_membership import GroupMembership, JoinResult
from equilag.live.steward.membership_errors import Fenced, MembershipLost, Refused, Unreachable
from equilag.live.steward.shared_state import Command, CommandMessage, SharedState
from equilag.live.steward.take_over import TakeOver

_RETRY_S: Final = 0.3
"""Pause before the next request to a coordinator that did not answer."""
_PASSIVE_S: Final = 5.0
"""Pause between attempts that depend on others: a group that is to become classic again, a right
that is to be granted. Also the longest wait for a command."""


class LeaderLoop:
    """Holds the group membership. Only this thread uses `reader`."""

    def __init__(
        self, shared: SharedState, membership: GroupMembership, reader: GroupReader
    ) -> None:
        self._shared = shared
        self._membership = membership
        self._reader = reader
        self._answers = AnswerMaker(shared, reader)
        self._reason = "the equilag steward starts"
        self._generation = -1
        self._leads = False
        self._took_over = False
        self._left_out: tuple[str, ...] = ()
        self._failing_since: float | None = None
        """When the first of the current failed rebalances was, in monotonic seconds."""
        self.failure: EquilagError | None = None
        self.joining = False
        """True while a JoinGroup waits: the member needs no heartbeats then."""

    @property
    def generation(self) -> int:
        return self._generation

    @property
    def leads(self) -> bool:
        return self._leads

    def run(self) -> None:
        """Run until the shared state says stop, then leave the group."""
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
        except MissingRight as error:  # a leader that cannot read the topics assigns nothing
            self._fail("missing-right", error)
        except UnplannableGroup as error:
            self._fail("refused", error)
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
        if self._shared.state.role != "passive":
            log_event(logging.WARNING, "passive", reason=PASSIVE_REASON)
        self._shared.state.set(role="passive", role_reason=PASSIVE_REASON)
        self._leads = False
        self._end_take_over("the group has changed to KIP-848")
        self._membership.leave()

    def _join_and_serve(self) -> None:
        """Join once, answer the rebalance, and handle commands until the next one."""
        try:
            check_group(self._reader, self._membership)
            self.joining = True
            joined = self._membership.join(self._reason)
            self.joining = False
            self._generation, self._leads = joined.generation, joined.leads
            self._shared.handouts.begin(joined.leads)
            self._shared.state.heartbeat_answered()
            if joined.leads and not joined.skip:
                self._assign(joined)
            else:
                self._end_take_over("another member leads")
                self._membership.sync({})
        except MembershipLost:
            self._membership.forget()
        except TopicsUnknown as error:
            self._topics_unknown(str(error))
        except Unreachable as error:
            self._unreachable(str(error))
        except Refused as error:
            self._refused(error)
        else:
            self._failing_since = None
            self._show_role(joined)
            while not self._shared.stop.is_set() and not self._is_passive():
                if self._handle(self._next_message(_PASSIVE_S)) or self._has_waited_long():
                    break
        finally:
            self.joining = False

    def _handle(self, message: CommandMessage | None) -> bool:
        """Execute a command. Return True if the steward must join again."""
        if message is None or message.generation not in (-1, self._generation):
            return False
        if message.command is Command.REBALANCE:
            self._reason = "rebalance"
        elif message.command is Command.TRIGGER:
            if not self._leads:
                return False
            self._reason = f"equilag steward: {message.reason}"[:200]
        elif message.command is Command.LOST:
            self._membership.forget()
            self._reason = "the equilag steward was expelled"
        elif message.command is Command.TAKE_OVER:
            return not (self._leads or self._took_over) and self._take_over()
        elif message.command is Command.FENCED:
            raise Fenced(f"another process has joined as {self._membership.instance!r}")
        else:
            return False
        return True

    def _take_over(self) -> bool:
        observation = self._shared.observation
        others = [] if observation is None else observation.members
        if not others:
            return False
        # Other stewards too, which are in no observation: one of them may lead.
        ids = {member.id for member in others}.union(self._answers.places())
        try:
            self._membership.remove(sorted(ids - {self._membership.member}))
        except (Refused, Unreachable) as error:
            log_event(logging.ERROR, "take-over-failed", problem=str(error))
            return False
        self._took_over = True  # once only
        wait = self._shared.options.take_over_wait
        self._shared.take_over = TakeOver(others, time.monotonic() + wait)
        log_event(
            logging.WARNING,
            "take-over",
            removed=len(others),
            waits_for=self._shared.take_over.waits_for,
            at_most_s=round(wait),
        )
        self._shared.state.count("rebalances_triggered", "take-over")
        self._reason = "the equilag steward takes over"
        return True

    def _has_waited_long(self) -> bool:
        """True if a take-over has waited for as long as it may: the group must rebalance, so that
        others get what the missing members held."""
        take_over = self._shared.take_over
        if take_over is None or time.monotonic() < take_over.until:
            return False
        self._end_take_over("not all members are back in time")
        self._reason = "the equilag steward waits no longer for removed members"
        return True

    def _end_take_over(self, reason: str) -> None:
        take_over = self._shared.take_over
        if take_over is None:
            return
        self._shared.take_over = None
        self._shared.state.set(take_over_waits_for=0)
        missing = take_over.waits_for
        level = logging.WARNING if missing else logging.INFO
        log_event(level, "take-over-done", missing=missing, reason=reason)

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
            reason = "another member leads until the take-over"
        elif not joined.leads:
            reason = "another member leads; use --take-over or restart the members"
        if state.role != role:
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
        if self._shared.state.role != "unreachable":
            log_event(logging.WARNING, "coordinator-unreachable", problem=problem)
        self._shared.state.set(role="unreachable", role_reason=problem)
        self._shared.stop.wait(_RETRY_S)

    def _topics_unknown(self, problem: str) -> None:
        """Retry for the length of a session, then leave: the group must not wait forever."""
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
        problem = with_protocol_in_use(str(error), self._shared)
        if self._shared.state.role_reason != problem:
            log_event(logging.ERROR, "refused", problem=problem)
        self._shared.state.set(role="unreachable", role_reason=problem)
        self._shared.stop.wait(_PASSIVE_S)

    def _assign(self, joined: JoinResult) -> None:
        """Decide, and send the assignments. Raises what the membership raises."""
        began = time.monotonic()
        joined_members = self._answers.members_of(joined)
        answer = self._answers.answer(joined_members)
        self._membership.sync({**answer.by_member, self._membership.member: {}})
        self._record(joined_members, answer)
        state = self._shared.state
        state.count("handouts", answer.origin)
        for fallback_reason in answer.fallback_reasons:
            state.count("fallbacks")
            state.set(last_fallback_reason=fallback_reason)
        for line in answer.left_out if joined_members.members else ():
            if line not in self._left_out:
                log_event(logging.WARNING, "policy", reason=line)
        self._left_out = answer.left_out
        fields = {
            "generation": joined.generation,
            "protocol": joined.protocol,
            "members": len(joined_members.members),
            "origin": answer.origin,
            "moves": answer.moves,
            "withheld": answer.withheld,
            "ms": round(1000 * (time.monotonic() - began)),
        }
        state.set(last_assignment=f"{answer.origin} to {len(joined_members.members)} members")
        level = logging.WARNING if answer.fallback_reasons else logging.INFO
        log_event(level, "handed-out", **fields, fallback_reason="; ".join(answer.fallback_reasons))

    def _record(self, joined: JoinedMembers, answer: RebalanceAnswer) -> None:
        """Record what was handed out."""
        now, handouts = time.monotonic(), self._shared.handouts
        if not answer.waits_for:
            waited = handouts.record(answer.target, not answer.withheld, now)
            if waited is not None:
                self._shared.controller.record_pause(waited)
            self._end_take_over("all members are back")
            return
        ids = {member_key(member): member.id for member in joined.members}
        handouts.record_partial({key: answer.by_member[name] for key, name in ids.items()}, now)
        self._shared.state.set(take_over_waits_for=answer.waits_for)
        log_event(
            logging.INFO,
            "take-over-waits",
            members=len(ids),
            waits_for=answer.waits_for,
            partitions=answer.withheld,
        )
