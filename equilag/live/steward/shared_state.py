"""What the steward's threads share: the newest observation, the target, and commands."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Mapping
from typing import Final

from equilag.live.rebalance.joined_members import Partitions
from equilag.live.steward.assignments import TargetAssignment, topics_by_member
from equilag.live.steward.commands import Command, CommandMessage
from equilag.live.steward.observer import Observation
from equilag.live.steward.status import StewardStatus
from equilag.live.steward.steward_options import StewardOptions

PENDING_S: Final = 30.0
"""How long a rebalance may take before observations count again."""


class SharedState:
    """One for all threads. `stop` ends them."""

    def __init__(self, options: StewardOptions, state: StewardStatus) -> None:
        self.options = options
        self.state = state
        self.stop = threading.Event()
        self.messages: queue.SimpleQueue[CommandMessage] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._observation: Observation | None = None
        self._target: TargetAssignment | None = None
        self._held: Mapping[str, Partitions] = {}
        self._pending_until = 0.0
        self._rebalances = 0

    @property
    def observation(self) -> Observation | None:
        with self._lock:
            return self._observation

    @property
    def target(self) -> TargetAssignment | None:
        """What the next rebalance of an unchanged group is to lead to."""
        with self._lock:
            return self._target

    @property
    def held(self) -> Mapping[str, Partitions]:
        """By key: what everybody had when we last knew."""
        with self._lock:
            return self._held

    @property
    def rebalances(self) -> int:
        """How many there were since we came."""
        with self._lock:
            return self._rebalances

    def count_rebalance(self) -> None:
        """There was another rebalance: looks that began before it are of no use any more."""
        with self._lock:
            self._rebalances += 1

    def record_no_group(self) -> None:
        """There is no such group now."""
        with self._lock:
            self._observation = None

    def record_observation(self, observation: Observation, rebalances: int) -> bool:
        """A look at the group that began after so many rebalances; False if that is over by now.

        An assignment that is complete becomes the target, unless a rebalance towards another one
        is on its way.
        """
        with self._lock:
            if rebalances != self._rebalances:
                return False
            self._observation = observation
            pending = time.monotonic() < self._pending_until
            if observation.members and not observation.incomplete and not pending:
                self._held = observation.held
                self._target = TargetAssignment(
                    observation.held, topics_by_member(observation.members), observation.sizes
                )
            return True

    def set_target(self, target: TargetAssignment) -> None:
        """Go for another target; for a while no look changes it."""
        with self._lock:
            self._target = target
            self._pending_until = time.monotonic() + PENDING_S

    def record_assignment(self, target: TargetAssignment, complete: bool) -> None:
        """The group was told to go there; complete if nothing was withheld."""
        with self._lock:
            self._target = target
            self._held = target.assignment
            self._pending_until = 0.0 if complete else time.monotonic() + PENDING_S

    @property
    def rebalance_pending(self) -> bool:
        """Is a rebalance under way, ours or the second of two that a cooperative group needs?"""
        with self._lock:
            return time.monotonic() < self._pending_until

    def send(self, call: Command, generation: int = -1, reason: str = "") -> None:
        self.messages.put(CommandMessage(call, generation, reason))

    def stop_all(self) -> None:
        """Stop all threads."""
        self.stop.set()
        self.send(Command.STOP)
