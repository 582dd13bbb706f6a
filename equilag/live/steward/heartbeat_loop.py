"""The heartbeat loop: keeps the membership; tells the leader loop what the coordinator answers."""

from __future__ import annotations

import time
from typing import Final

from equilag.live.steward.group_membership import GroupMembership, HeartbeatResult
from equilag.live.steward.leader_loop import LeaderLoop
from equilag.live.steward.shared_state import Command, SharedState

_PER_SESSION: Final = 10
"""Heartbeats per session: Kafka advises at least three; ten survive several lost ones."""
_MAX_PAUSE_S: Final = 0.3
"""The longest pause between two heartbeats. They tell the steward of a rebalance, and the group, in
an eager group without reading, waits for it: members' heartbeats are in step after each rebalance,
so that the steward would often be the last. A heartbeat takes 1 ms of a core."""

_COMMANDS: Final = {
    HeartbeatResult.REBALANCE: Command.REBALANCE,
    HeartbeatResult.LOST: Command.LOST,
    HeartbeatResult.FENCED: Command.FENCED,
}


class HeartbeatLoop:
    """Sends heartbeats for `membership`, which `leader` joins with."""

    def __init__(
        self, shared: SharedState, membership: GroupMembership, leader: LeaderLoop
    ) -> None:
        self._shared = shared
        self._membership = membership
        self._leader = leader
        self._answered_at = time.monotonic()
        self._silent_in: int | None = None
        """The generation in which the coordinator was silent."""

    def run(self) -> None:
        """Run until the shared state says stop."""
        pause = min(_MAX_PAUSE_S, self._shared.options.session / _PER_SESSION)
        while not self._shared.stop.wait(pause):
            if self._leader.joining:
                self._while_joining()
            else:
                self._answered_at = time.monotonic()
                if self._membership.is_member:
                    self.send()

    def _while_joining(self) -> None:
        """The group waits for other members, which may take long; or the connection is dead."""
        if self._membership.heartbeat() is not HeartbeatResult.SILENT:
            self._answered_at = time.monotonic()
        elif time.monotonic() - self._answered_at > self._shared.options.session:
            self._membership.abort_join()
            self._answered_at = time.monotonic()

    def send(self) -> None:
        """Send one heartbeat."""
        shared, generation = self._shared, self._leader.generation
        result = self._membership.heartbeat()
        shared.state.count("heartbeats", result.value)
        if result in (HeartbeatResult.FINE, HeartbeatResult.REBALANCE):
            shared.state.heartbeat_answered()
        if result in _COMMANDS:
            shared.send(_COMMANDS[result], generation)
        elif result is HeartbeatResult.SILENT:
            self._silent_in = generation
        elif self._silent_in == generation and shared.is_alone:
            # A coordinator that has restarted knows of each member only the protocol that was in
            # use, and refuses members with another one until all have joined again.
            shared.send(Command.REBALANCE, generation)
            self._silent_in = None
