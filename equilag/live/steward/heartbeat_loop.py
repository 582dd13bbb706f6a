"""The heartbeat loop: keeps the membership; tells the leader loop what the coordinator answers."""

from __future__ import annotations

import logging
import time
from typing import Final

from equilag.live.rebalance.assignments import is_cooperative
from equilag.live.status.status import log_event
from equilag.live.steward.group_membership import GroupMembership
from equilag.live.steward.leader_loop import LeaderLoop
from equilag.live.steward.membership_errors import MembershipProblem
from equilag.live.steward.shared_state import Command, SharedState

_PER_SESSION: Final = 10
"""Heartbeats per session: Kafka advises at least three; ten survive several lost ones."""
_MAX_PAUSE_S: Final = 0.1
"""The longest pause between two heartbeats. They tell the steward of a rebalance, and the group
waits for it."""
_EAGER_PAUSE_S: Final = 0.03
"""The same in an eager group, which waits without reading: members' heartbeats are in step after
each rebalance, so that the steward would often be the last. A heartbeat takes 1 ms of a core."""

SILENT_S: Final = 3.0
"""Seconds without an answer to any heartbeat after which a coordinator counts as gone."""


class HeartbeatLoop:
    """Sends heartbeats for `membership`, which `leader` joins with."""

    def __init__(
        self, shared: SharedState, membership: GroupMembership, leader: LeaderLoop
    ) -> None:
        self._shared = shared
        self._membership = membership
        self._leader = leader
        self._answered_at = time.monotonic()
        self._silent_since: float | None = None
        self._told_silence = False
        self._silent_in: int | None = None
        """The generation in which the coordinator was silent."""

    def run(self) -> None:
        """Run until the shared state says stop."""
        while not self._shared.stop.wait(self._pause_s):
            if self._leader.joining:
                self._while_joining()
            else:
                self._answered_at = time.monotonic()
                if self._membership.is_member:
                    self.send()

    @property
    def _pause_s(self) -> float:
        waits = self._leader.joining or not self._membership.is_member
        often = not waits and not is_cooperative(self._membership.protocol)
        most = self._shared.options.session / _PER_SESSION
        return min(_EAGER_PAUSE_S if often else _MAX_PAUSE_S, most)

    def _while_joining(self) -> None:
        """The group waits for other members, which may take long; or the connection is dead."""
        if self._heard() != "silent":
            self._answered_at = time.monotonic()
            self._shared.state.heartbeat_answered()
        elif time.monotonic() - self._answered_at > self._shared.options.session:
            # A broker that has no time for heartbeats still has the join, which others wait for.
            if not self._membership.coordinator_answers():
                self._membership.abort_join()
            self._answered_at = time.monotonic()

    def _note_silence(self, silent: bool) -> None:
        """Log once that the coordinator does not answer, and that it does again."""
        now, since = time.monotonic(), self._silent_since
        self._silent_since = (now if since is None else since) if silent else None
        if since is None or silent == self._told_silence:
            return
        if not silent:
            log_event(logging.INFO, "coordinator-answers", after_s=round(now - since))
        elif now - since > SILENT_S:
            reason = "members read on; rebalances and commits wait"
            log_event(logging.WARNING, "coordinator-silent", problem=reason)
        else:
            return
        self._told_silence = silent
        self._shared.state.set(coordinator_silent=silent)

    def _heard(self) -> str:
        """Send one heartbeat, and return the coordinator's answer in one word."""
        try:
            self._membership.heartbeat()
        except MembershipProblem as error:
            return error.heard
        return "fine"

    def send(self) -> None:
        """Send one heartbeat, and tell the leader loop what it has to know."""
        shared, generation = self._shared, self._leader.generation
        observation = shared.observation
        member = self._membership.member
        heard = self._heard()
        if self._membership.member != member:
            return  # it has joined anew meanwhile
        self._note_silence(heard == "silent")
        shared.state.count("heartbeats", heard)
        if heard in ("fine", "rebalance"):
            shared.state.heartbeat_answered()
        if heard in ("rebalance", "lost", "fenced"):  # the names of commands
            shared.send(Command(heard), generation)
        elif heard == "silent":
            self._silent_in = generation
        elif self._silent_in == generation and not (observation and observation.members):
            # A coordinator that has restarted knows of each member only the protocol that was in
            # use, and refuses members with another one until all have joined again.
            shared.send(Command.REBALANCE, generation)
            self._silent_in = None
