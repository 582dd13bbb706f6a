"""The state that the threads of the steward share: newest observation, target, commands."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from equilag.domain.group.co_partitioning import CoPartitionedTopics
from equilag.live.rebalance.assignments import TargetAssignment, topics_by_member
from equilag.live.rebalance.controller import Controller
from equilag.live.rebalance.joined_members import Partitions
from equilag.live.rebalance.kept_together import KeptTogether
from equilag.live.status.event_log import log_event
from equilag.live.status.status import StewardStatus
from equilag.live.steward.observer import Observation
from equilag.live.steward.steward_options import StewardOptions
from equilag.live.steward.take_over import TakeOver


class Command(Enum):
    """What one thread asks of the one that has the membership."""

    REBALANCE = "rebalance"
    """The coordinator asks all members to join again."""
    TRIGGER = "trigger"
    """The shared state has a target that is worth a rebalance."""
    LOST = "lost"
    """The coordinator has expelled the steward."""
    FENCED = "fenced"
    """Another process has joined with the steward's instance id."""
    TAKE_OVER = "take-over"
    """Remove the other members, so that the steward becomes the leader."""
    RECONSIDER = "reconsider"
    """The group has changed to KIP-848, or exists no more."""
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class CommandMessage:
    """A command and the generation that it is for (-1: any)."""

    command: Command
    generation: int = -1
    reason: str = ""


PENDING_S: Final = 30.0
"""A rebalance that takes longer no longer protects its target from new observations. Members rejoin
within seconds; 30 s is far more, and short enough for a rebalance that never happened."""


class SharedState:
    """One instance for all threads. `stop` ends them."""

    def __init__(self, options: StewardOptions, state: StewardStatus) -> None:
        self.options = options
        self.state = state
        self.together = None if options.co_partition == "none" else KeptTogether(_report_topics)
        """Finds the topics that plans keep together."""
        self.take_over: TakeOver | None = None
        """A take-over that waits for removed members. The leader loop alone changes it."""
        self.stop = threading.Event()
        self.messages: queue.SimpleQueue[CommandMessage] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._observation: Observation | None = None
        self._target: TargetAssignment | None = None
        self._held: Mapping[str, Partitions] = {}
        self._unfinished: TargetAssignment | None = None
        self._pending_until = 0.0
        self._triggered_at: float | None = None
        """When a rebalance was started here that has had no assignment yet."""
        self._rebalances = 0
        self._capacities: Mapping[str, float] = {}
        self.controller = Controller(options.thresholds)
        """Used by the monitor loop; the leader loop only records and reads how long a rebalance
        takes."""

    @property
    def observation(self) -> Observation | None:
        with self._lock:
            return self._observation

    @property
    def is_alone(self) -> bool:
        """True if the last observation found nobody in the group but stewards."""
        observation = self.observation
        return observation is None or not observation.members

    @property
    def target(self) -> TargetAssignment | None:
        """The assignment that the next rebalance of an unchanged group leads to."""
        with self._lock:
            return self._target

    @property
    def held(self) -> Mapping[str, Partitions]:
        """Member key -> partitions that the member held when they were last known."""
        with self._lock:
            return self._held

    @property
    def unfinished(self) -> Mapping[str, Partitions] | None:
        """Member key -> partitions of the change that the last assignment began: some were
        withheld. None if it was complete, or if another member leads since."""
        with self._lock:
            return None if self._unfinished is None else self._unfinished.assignment

    @property
    def rebalances(self) -> int:
        """Rebalances since the start."""
        with self._lock:
            return self._rebalances

    def count_rebalance(self, leads: bool = True) -> None:
        """Count a rebalance: observations that began before it are out of date. `leads` tells
        whether the steward leads now; another leader assigns as it wants."""
        with self._lock:
            self._rebalances += 1
            if not leads:
                self._unfinished = self._triggered_at = None

    def record_no_group(self) -> None:
        """The group does not exist now."""
        with self._lock:
            self._observation = None

    def record_observation(self, observation: Observation, rebalances: int) -> bool:
        """Record an observation that began after `rebalances` rebalances.

        Return False if another rebalance came since: the observation is out of date. A complete
        assignment that keeps the policy's rules becomes the target, unless a rebalance to another
        target is pending.
        """
        with self._lock:
            if rebalances != self._rebalances:
                return False
            self._observation = observation
            pending = time.monotonic() < self._pending_until
            if observation.members and observation.complete and not pending:
                self._held = observation.held
                if not observation.broken:
                    self._target = TargetAssignment(
                        observation.held, topics_by_member(observation.members), observation.sizes
                    )
            return True

    @property
    def capacities(self) -> Mapping[str, float]:
        """Member key -> capacity that the assignment in force was planned with; empty if all
        members counted as equal."""
        with self._lock:
            return self._capacities

    def set_target(
        self, target: TargetAssignment, capacities: Mapping[str, float] | None = None
    ) -> None:
        """Set the target of the next rebalance; observations do not change it for PENDING_S
        seconds. `capacities` are those that it was planned with, None for those in force."""
        with self._lock:
            self._target = target
            self._unfinished = None
            if capacities is not None:
                self._capacities = dict(capacities)
            self._triggered_at = time.monotonic()
            self._pending_until = self._triggered_at + PENDING_S

    def record_assignment(
        self,
        target: TargetAssignment,
        complete: bool,
        capacities: Mapping[str, float] | None = None,
    ) -> None:
        """Record what was handed out on the way to `target`; `complete` if nothing was withheld.
        `capacities` are those that it was planned with, None for those in force."""
        with self._lock:
            if capacities is not None:
                self._capacities = dict(capacities)
            if self._triggered_at is not None:
                self.controller.record_pause(time.monotonic() - self._triggered_at)
                self._triggered_at = None
            self._target = target
            self._held = target.assignment
            self._unfinished = None if complete else target
            self._pending_until = 0.0 if complete else time.monotonic() + PENDING_S

    def record_partial(self, held: Mapping[str, Partitions]) -> None:
        """Record what was handed out while removed members are away; it leads to no target."""
        with self._lock:
            self._target = self._unfinished = None
            self._held = held

    @property
    def rebalance_pending(self) -> bool:
        """True while a rebalance is pending: one of ours, the second one of a cooperative group, or
        one for members that a take-over waits for."""
        with self._lock:
            return self.take_over is not None or time.monotonic() < self._pending_until

    def send(self, command: Command, generation: int = -1, reason: str = "") -> None:
        """Send a command to the leader loop."""
        self.messages.put(CommandMessage(command, generation, reason))

    def stop_all(self) -> None:
        """Stop all threads."""
        self.stop.set()
        self.send(Command.STOP)


def _report_topics(found: tuple[CoPartitionedTopics, ...]) -> None:
    topics = "; ".join(", ".join(one.topics) for one in found)
    log_event(logging.INFO, "keeps-together", topics=topics or "none")
