"""Which steward of a group takes part in it: what the answers of the election mean.

The stewards of a group are the members of a classic group of their own. Its leader is the *holder*:
it alone joins the group that is led. Kafka makes another member leader when the leader has left or
has been silent for a session. `Election` is what one
steward knows of that, without clock, thread or connection; `ElectionLoop` keeps its membership.
Times are seconds of one clock that goes on while the process is paused.

The holder joins under the instance id that all stewards share, so Kafka fences the former one.
Safety needs nothing else; the election sees to it that a fenced one does not come back.
"""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass
from typing import Final

from equilag.adapters.kafka.consumer_protocol import read_assignment
from equilag.adapters.kafka.group_kinds import STEWARDS
from equilag.live.status.status import log_event
from equilag.live.steward.group_membership import GroupMembership
from equilag.live.steward.membership_errors import (
    AlreadyRebalancing,
    Fenced,
    MembershipLost,
    Refused,
    Unreachable,
)
from equilag.live.steward.shared_state import Command, SharedState

SESSION_S: Final = 6.0
"""After so long the election gives up a silent holder: Kafka's default of
group.min.session.timeout.ms, below which brokers accept none."""
MAX_SILENT_S: Final = 2 * SESSION_S
"""A request fails sooner than that, with the time to connect."""
_EVERY_S: Final = 0.5
"""Pause between two heartbeats: so late the next holder learns that it is the holder."""
_REFUSED_S: Final = 5.0
"""Pause after a refusal, such as for a right that is to be granted."""
_JOIN_S: Final = 3 * SESSION_S
"""A join waits for a silent member for a session; after so long its connection is dead."""
_ASK_S: Final = 2 * SESSION_S
"""How long a request to the group waits for the election, which may wait in a join."""
_TAKEN_OVER: Final = {"taken-over": list[int]()}
"""What the holder assigns to all stewards once one of them has claimed the take-over."""
_PROBLEM: Final = "the election of the stewards"
_CLOCK: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Goes on while the machine sleeps, where there is such a clock."""


@dataclass(slots=True)
class Election:
    """What one steward knows of the election."""

    holds: bool | None = None
    """Whether it is the holder; None until the election has answered, at the start, after it was
    fenced, and after it was expelled."""
    others: bool = False
    """True if other stewards stand by. The holder alone knows."""
    taken_over: bool = False
    """True if one of the stewards has claimed the one take-over."""
    _told: bool = False
    """True if the holder has told the others of that."""
    _claimed: bool = False
    resigned: bool = False
    _asked_at: float = float("-inf")
    """When the last request was sent that was answered, or failed."""
    _valid_s: float = SESSION_S
    """For how long that tells whether it is the holder."""
    _fenced_at: float = float("-inf")

    def heard(self, leads: bool, sent_at: float) -> None:
        """The election has answered a request that was sent at that time."""
        self._asked_at, self._valid_s = sent_at, SESSION_S
        if sent_at >= self._fenced_at:
            self.holds = leads
        if not leads:
            self._claimed = False  # the next holder may have claimed it, too

    def silent(self, sent_at: float, now: float) -> None:
        """A request has failed, which deposes nobody. If that took long, the process was paused
        meanwhile, and the election may have another holder."""
        self._valid_s = MAX_SILENT_S
        self._asked_at = now if now - sent_at < MAX_SILENT_S else sent_at

    def expelled(self) -> None:
        """The election has given this steward up: another one may be the holder."""
        self.holds = None

    def fenced(self, now: float) -> None:
        """Another process has joined the group in its place. Only a newer answer of the election
        makes this one the holder again."""
        self.holds, self._fenced_at = None, now

    def resign(self) -> bool:
        """It is to end. Return True if another steward takes its place: until then it goes on."""
        self.resigned = True
        return bool(self.holds) and self.others

    def may_act(self, now: float) -> bool | None:
        """Return whether it may send a request to the group; None if the election must be asked
        first, as after a pause for as long as the election waits for a holder."""
        if self.resigned:
            return bool(self.holds)
        return self.holds if now - self._asked_at < self._valid_s else None

    def asked_since(self, then: float) -> bool:
        """Return True if it is known what the election says, or that it is silent."""
        return self.holds is not None and self._asked_at >= then

    def told(self, taken_over: bool) -> None:
        """The holder has told the other stewards this, or was told it."""
        self.taken_over = self.taken_over or taken_over
        self._told = taken_over

    @property
    def is_to_tell(self) -> bool:
        """True if the holder must tell the others of a take-over."""
        return self.taken_over and not self._told and bool(self.holds)

    def claim_take_over(self) -> bool:
        """Claim the one take-over of these stewards. Return True if it is this one's, and all
        others know that."""
        if self.holds and not self.taken_over:
            self.taken_over = self._claimed = True
        return self._claimed and self._told and bool(self.holds)


def election_group(group: str) -> str:
    """Name of the group in which the stewards of `group` elect their holder."""
    return f"{group}.{STEWARDS}"


class ElectionLoop:
    """`membership` is that in the election group; only the thread of `run` uses it."""

    def __init__(self, shared: SharedState, membership: GroupMembership) -> None:
        self._shared = shared
        self._membership = membership
        self._election = Election()
        self._changed = threading.Condition()
        """Guards the election."""
        self._wake = threading.Event()
        self._must_join = True
        self._leads = False
        """True if the last join made this steward the leader of the election group."""
        self.replaced = False
        """True once it has resigned, and another steward takes its place."""
        self.problem = ""
        """Why it cannot take part in the election; empty if it can."""

    @property
    def holds(self) -> bool | None:
        """Whether it is the holder; None while that is unknown."""
        return self._election.holds

    def run(self) -> None:
        """Leave once this steward has resigned; run until the shared state says stop."""
        while not (self._shared.stop.is_set() or self._election.resigned):
            held, pause = self.holds, self._turn()
            if self.holds != held:
                self._shared.send(Command.RECONSIDER)
            self._wake.wait(pause)
            self._wake.clear()
        self._membership.leave()
        self._membership.close()
        self._shared.stop.wait()

    def permit(self) -> None:
        """Return if this steward may send a request to the group. After a pause of the process the
        election is asked first. Raises Fenced."""
        now = _now()
        with self._changed:
            may = self._election.may_act(now)
            if may is None:
                self._wake.set()
                self._changed.wait_for(lambda: self._election.asked_since(now), _ASK_S)
                may = self._election.holds
        if not may:
            raise Fenced("another steward takes part in its place")

    def fenced(self) -> None:
        """Another process has joined the group in this steward's place."""
        with self._changed:
            self._election.fenced(_now())
        self._wake.set()

    def claim_take_over(self) -> bool:
        """Return True if this steward may remove the other members: no other one does so."""
        with self._changed:
            may = self._election.claim_take_over()
        self._wake.set()
        return may

    def resign(self) -> bool:
        """Leave the election. Return True if another steward will take this one's place."""
        with self._changed:
            self.replaced = self._election.resign()
        self._wake.set()
        return self.replaced

    def _turn(self) -> float:
        """Join or send a heartbeat; return the seconds until the next turn."""
        sent_at, pause, problem = _now(), _EVERY_S, ""
        try:
            if self._must_join or self._election.is_to_tell:
                sent_at = self._join()
            else:
                self._membership.heartbeat()
        except AlreadyRebalancing:
            self._must_join, pause = True, 0.0
        except (MembershipLost, Fenced):
            self._membership.forget()
            self._must_join, pause = True, 0.0
            with self._changed:
                self._election.expelled()
        except (Refused, Unreachable) as error:
            problem = f"{_PROBLEM}: {error}"
            pause = _REFUSED_S if isinstance(error, Refused) else _EVERY_S
            with self._changed:
                self._election.silent(sent_at, _now())
        else:
            with self._changed:
                self._election.heard(self._leads, sent_at)
            if not self._leads:  # the holder's heartbeats go to the group
                self._shared.state.heartbeat_answered()
        if problem and not self.problem:
            log_event(logging.WARNING, "no-election", problem=problem)
        self.problem = problem
        with self._changed:
            self._changed.notify_all()
        return pause

    def _join(self) -> float:
        """Join and sync; return when the request was sent whose answer says who is the holder."""
        joined = self._membership.join("a steward stands by", _JOIN_S)
        sent_at, taken_over = _now(), self._election.taken_over
        ids = [self._membership.member, *(member for member, _, _ in joined.members)]
        given = dict.fromkeys(ids, _TAKEN_OVER if taken_over else {}) if joined.leads else {}
        received = self._membership.sync(given)
        self._leads, self._must_join = joined.leads, False
        with self._changed:
            self._election.others = bool(joined.members)
            self._election.told(taken_over if joined.leads else bool(read_assignment(received)))
        return sent_at


def _now() -> float:
    return time.clock_gettime(_CLOCK)
