"""The leader loop: joins the group, answers rebalances, and handles commands in between."""

from __future__ import annotations

import logging
import time
from typing import Any, Final

from equilag.adapters.kafka.described import MissingRight, UnplannableGroup
from equilag.adapters.kafka.group_kinds import CONSUMER
from equilag.adapters.kafka.group_reader import GroupReader
from equilag.domain.errors import EquilagError
from equilag.live.carrier.carrier_shell import CarrierShell
from equilag.live.carrier.carriers import ASSIGNOR
from equilag.live.status.status import PASSIVE_REASON, STANDBY_REASON, log_event
from equilag.live.steward.answer_maker import AnswerMaker, TopicsUnknown
from equilag.live.steward.election_loop import ElectionLoop
from equilag.live.steward.group_membership import GroupMembership, JoinResult
from equilag.live.steward.membership_errors import (
    AlreadyRebalancing,
    Fenced,
    MembershipLost,
    Refused,
    Unreachable,
)
from equilag.live.steward.shared_state import Command, CommandMessage, SharedState
from equilag.live.steward.succession import MAX_TRIES, leads_next
from equilag.live.steward.take_over import TakeOver

_RETRY_S: Final = 0.3
"""Pause before the next request to a coordinator that did not answer."""
_PASSIVE_S: Final = 5.0
"""Pause between attempts that depend on others: a group that is to become classic again, a right
that is to be granted. Also the longest wait for a command."""


class LeaderLoop:
    """Holds the group membership while `election` says so. `reader` is its own."""

    def __init__(
        self,
        shared: SharedState,
        membership: GroupMembership,
        reader: GroupReader,
        election: ElectionLoop,
        carriers: CarrierShell,
    ) -> None:
        self._shared = shared
        self._membership = membership
        self._reader = reader
        self._election = election
        self._carriers = carriers
        self._answers = AnswerMaker(shared, reader)
        self._reason = "the equilag steward starts"
        self.generation = -1
        self.leads = False
        self._took_over = False
        self._tries = 0
        """How often it has joined in a row for another member id."""
        self._next: bool | None = None
        """True for a follower that leads when the leader has left."""
        self._failing_since: float | None = None
        """When the first of the current failed rebalances was, in monotonic seconds."""
        self.joining = False
        """True while a JoinGroup waits: the member needs no heartbeats then."""

    def run(self) -> None:
        """Run until the shared state says stop, then leave the group."""
        try:
            while not self._shared.stop.is_set():
                if not self._election.holds:
                    self._stand_by()
                elif self._by_carriers():
                    self._lead_by_carriers()
                else:
                    self._carriers.end(leave=True)
                    self._join_and_serve()
        except MissingRight as error:  # a leader that cannot read the topics assigns nothing
            self._shared.fail("missing-right", error)
        except UnplannableGroup as error:
            self._shared.fail("refused", error)
        finally:
            options = self._shared.options
            self._carriers.end(not (options.keep_membership or self._election.replaced))
            if self._shared.failure is not None or not options.keep_membership:
                self._membership.leave()
            self._membership.close()

    def _by_carriers(self) -> bool:
        observation = self._shared.observation
        kind = "" if observation is None else observation.kind
        return kind == CONSUMER or self._shared.options.convert

    def _stand_by(self) -> None:
        """Take no part in the group until the election makes this steward the holder."""
        self._membership.forget()
        self._carriers.end(leave=False)
        self.leads, self.generation = False, -1
        self._shared.end_take_over("another steward leads")
        holds, problem = self._election.holds, self._election.problem
        if problem and holds is None:
            self._shared.state.set(role="unreachable", role_reason=problem)
        elif holds is False:
            self._shared.become("standby", STANDBY_REASON, logging.INFO)
        self._shared.next_message(_PASSIVE_S)

    def _lead_by_carriers(self) -> None:
        self._shared.end_take_over("the group has changed to KIP-848")
        self._membership.leave()
        epoch = self._carriers.turn(self._shared.next_message(self._carriers.pause_s))
        if epoch is not None:
            self._show_role(JoinResult(epoch, ASSIGNOR, True, False, ()))
        self.generation, self.leads = epoch or -1, epoch is not None

    def _join_and_serve(self) -> None:
        """Join once, answer the rebalance, and handle commands until the next one."""
        try:
            self._check_group()
            self.joining = True
            # From now on a plan for the group as it was is out of date, though others may take
            # long to join.
            self._shared.control.handouts.begin(now=time.monotonic())
            with self._answers.reading_ahead():
                joined = self._membership.join(self._reason)
            self.joining = False
            self.generation, self.leads = joined.generation, joined.leads
            self._shared.control.handouts.begin(joined.leads)
            self._shared.state.heartbeat_answered()
            if joined.leads and not joined.skip:
                self._answers.assign(joined, self._membership)
            else:
                self._shared.end_take_over("another member leads")
                self._membership.sync({})
        except MembershipLost:
            self._membership.forget()
        except AlreadyRebalancing:
            pass
        except Fenced as error:
            self._fenced(str(error))
        except TopicsUnknown as error:
            self._topics_unknown(str(error))
        except Unreachable as error:
            known = self._shared.state.role == "unreachable"
            self._retry_after(_RETRY_S, str(error), "" if known else "coordinator-unreachable")
        except Refused as error:
            self._refused(error)
        else:
            self._failing_since = None
            if self._tries_another_id(joined):
                return
            self._show_role(joined)
            while (
                not self._shared.stop.is_set() and not self._by_carriers() and self._election.holds
            ):
                if self._handle(self._shared.next_message(_PASSIVE_S)) or self._has_waited_long():
                    break
        finally:
            self.joining = False

    def _tries_another_id(self, joined: JoinResult) -> bool:
        """True for a follower that joins again, so that it leads when the leader has left."""
        takes_over = self._shared.options.take_over and not self._took_over
        follows = joined.leader and not joined.leads
        members = self._answers.places() if follows and not takes_over else {}
        member = self._membership.member
        self._next = leads_next(member, joined.leader, members) if members else None
        again = self._next is False and self._tries < MAX_TRIES
        self._tries = self._tries + 1 if again else 0
        if again:
            self._membership.forget()
        return again

    def _check_group(self) -> None:
        """Check the kind of the group if the steward is no member yet.

        In a group without members its protocols would keep an application's members out; one of
        KIP-848 it would join by the classic protocol. Raises UnplannableGroup for an application's
        group, Refused for one of KIP-848 that has not been observed as such, Unreachable if its
        kind is unknown. The join names a missing right.
        """
        if self._membership.is_member:
            return
        try:
            kind = self._reader.check_kind(self._membership.group)
        except UnplannableGroup:
            raise
        except MissingRight:
            return
        except EquilagError as error:
            raise Unreachable(str(error)) from error
        if kind == CONSUMER:
            raise Refused(self._shared.unread or "it has become a KIP-848 group")

    def _handle(self, message: CommandMessage | None) -> bool:
        """Execute a command. Return True if the steward must join again."""
        if message is None or message.generation not in (-1, self.generation):
            return False
        if message.command is Command.REBALANCE:
            self._reason = "rebalance"
        elif message.command is Command.TRIGGER:
            if not self.leads:
                return False
            self._reason = f"equilag steward: {message.reason}"[:200]
        elif message.command is Command.LOST:
            self._membership.forget()
            self._reason = "the equilag steward was expelled"
        elif message.command is Command.TAKE_OVER:
            return not (self.leads or self._took_over) and self._take_over()
        elif message.command is Command.FENCED:
            self._fenced(f"another process has joined as {self._membership.instance!r}")
        else:
            return False
        return True

    def _fenced(self, reason: str) -> None:
        """Another process is in this one's place: the election says whether it stays there."""
        log_event(logging.WARNING, "fenced", reason=reason)
        self._membership.forget()
        self._election.fenced()

    def _take_over(self) -> bool:
        observation = self._shared.observation
        others = [] if observation is None else observation.members
        if not others or not self._election.claim_take_over():
            return False
        # Other stewards too, which are in no observation: one of them may lead.
        ids = {member.id for member in others}.union(self._answers.places())
        try:
            self._membership.remove(sorted(ids - {self._membership.member}))
        except (AlreadyRebalancing, Fenced, Refused, Unreachable) as error:
            log_event(logging.ERROR, "take-over-failed", problem=str(error))
            return False
        self._took_over = True  # once only
        wait = self._shared.options.take_over_wait
        self._shared.take_over = TakeOver(others, time.monotonic() + wait)
        waits_for = self._shared.take_over.waits_for
        figures = {"removed": len(others), "waits_for": waits_for, "at_most_s": round(wait)}
        log_event(logging.WARNING, "take-over", **figures)
        self._shared.state.count("rebalances_triggered", "take-over")
        self._reason = "the equilag steward takes over"
        return True

    def _has_waited_long(self) -> bool:
        """True if a take-over has waited for as long as it may: the group must rebalance, so that
        others get what the missing members held."""
        take_over = self._shared.take_over
        if take_over is None or time.monotonic() < take_over.until:
            return False
        self._shared.end_take_over("not all members are back in time")
        self._reason = "the equilag steward waits no longer for removed members"
        return True

    def _show_role(self, joined: JoinResult) -> None:
        known: dict[str, Any] = {"generation": joined.generation, "protocol": joined.protocol}
        role, reason = "follower", "another member leads until the take-over"
        if joined.leads:
            role, reason = "leader", ""
        elif not joined.leader:  # it has become a KIP-848 group, which the next observation shows
            role, reason = "passive", PASSIVE_REASON
        elif not self._shared.options.take_over or self._took_over:
            who = "that member" if self._next else "all members"
            reason = f"{joined.leader} leads; restart {who}, or use --take-over"
        level = logging.INFO if joined.leads else logging.WARNING
        self._shared.become(role, reason, level, **known)

    def _topics_unknown(self, problem: str) -> None:
        """Retry for the length of a session, then leave: the group must not wait forever."""
        self._retry_after(_RETRY_S, problem, "topics-unknown")
        now = time.monotonic()
        if self._failing_since is None:
            self._failing_since = now
        if now - self._failing_since >= self._shared.options.session:
            log_event(logging.ERROR, "leaves", problem=problem)
            self._membership.leave()
            self._failing_since = None
            self._shared.stop.wait(_PASSIVE_S)

    def _refused(self, error: Refused) -> None:
        problem, observation = str(error), self._shared.observation
        offered = ("", *self._shared.options.protocols)
        if observation is not None and observation.protocol not in offered:
            problem = f"{problem}; they use {observation.protocol!r}"
        known = self._shared.state.role_reason == problem
        self._retry_after(_PASSIVE_S, problem, "" if known else "refused", logging.ERROR)

    def _retry_after(
        self, seconds: float, problem: str, event: str, level: int = logging.WARNING
    ) -> None:
        """Show why the steward takes no part in the group, log it as an event unless that is empty,
        and pause."""
        if event:
            log_event(level, event, problem=problem)
        self._shared.state.set(role="unreachable", role_reason=problem)
        self._shared.stop.wait(seconds)
