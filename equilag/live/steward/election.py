"""Which steward of a group takes part in it: what the answers of the election mean.

The stewards of a group are the members of a classic group of their own. Its leader is the *holder*:
it alone joins the group that is led. Kafka makes another member leader when the leader has left or
has been silent for a session. This state machine has no clock, thread or connection; times are
seconds of one clock that goes on while the process is paused.

The holder joins under the instance id that all stewards share, so Kafka fences the former one.
Safety needs nothing else; the election sees to it that a fenced one does not come back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SESSION_S: Final = 6.0
"""After so long the election gives up a silent holder: Kafka's default of
group.min.session.timeout.ms, below which brokers accept none."""
MAX_SILENT_S: Final = 2 * SESSION_S
"""A request fails sooner than that, with the time to connect."""


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
