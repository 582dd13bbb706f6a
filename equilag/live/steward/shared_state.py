"""The state that the threads of the steward share: newest observation, target, commands."""

from __future__ import annotations

import logging
import queue
import threading
import time
from contextlib import suppress
from enum import Enum
from typing import Any, NamedTuple

from equilag.domain.errors import EquilagError
from equilag.domain.group.co_partitioning import CoPartitionedTopics
from equilag.live.rebalance.group_control import GroupControl
from equilag.live.rebalance.handouts import TargetAssignment, counts_of, topics_by_member
from equilag.live.rebalance.kept_together import KeptTogether
from equilag.live.status.status import StewardStatus, log_event
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


class CommandMessage(NamedTuple):
    """A command and the generation that it is for (-1: any)."""

    command: Command
    generation: int = -1
    reason: str = ""


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
        self.control = GroupControl(options.limits.thresholds, options.policy)
        """The monitor loop considers with it, the leader loop records what it hands out."""
        self.observation: Observation | None = None
        """The newest one that is not out of date."""
        self.failure: EquilagError | None = None
        """Why the steward has to end and leave the group."""
        self.unread = ""
        """Why the group could not be observed last time; empty if it could."""

    def record_observation(self, observation: Observation) -> bool:
        """Record an observation; return False if it is out of date, since a rebalance came.

        A complete assignment that keeps the policy's rules becomes the target, unless members still
        change partitions, or a rebalance to another target is pending.
        """
        known = self.control.handouts.known
        if observation.rebalances != known.rebalances:
            return False
        if observation.members and observation.complete:
            target = TargetAssignment(
                observation.held,
                topics_by_member(observation.members),
                observation.sizes,
                known.shares or _found_shares(observation),
            )
            is_kept = observation.settled and not observation.broken
            held, kept = observation.held, target if is_kept else None
            now = time.monotonic()
            if not self.control.handouts.observe(held, kept, observation.rebalances, now):
                return False  # another rebalance began just now
        self.observation = observation
        return True

    @property
    def rebalance_pending(self) -> bool:
        """True while a rebalance is pending: one of ours, the second one of a cooperative group, or
        one for members that a take-over waits for."""
        return self.take_over is not None or self.control.handouts.known.pending(time.monotonic())

    def end_take_over(self, reason: str) -> None:
        """The take-over no longer waits, if one does."""
        take_over, self.take_over = self.take_over, None
        if take_over is not None:
            self.state.set(take_over_waits_for=0)
            missing = take_over.waits_for
            level = logging.WARNING if missing else logging.INFO
            log_event(level, "take-over-done", missing=missing, reason=reason)

    def become(self, role: str, reason: str, level: int = logging.WARNING, **known: Any) -> None:
        """Show the steward's role and why; log it if it is another one than before."""
        if self.state.role != role:
            log_event(level, role, **known, reason=reason)
        self.state.set(role=role, role_reason=reason, **known)

    def send(self, command: Command, generation: int = -1, reason: str = "") -> None:
        """Send a command to the leader loop."""
        self.messages.put(CommandMessage(command, generation, reason))

    def next_message(self, seconds: float) -> CommandMessage | None:
        """Return the next command to the leader loop, or None if none comes in this time."""
        with suppress(queue.Empty):
            return self.messages.get(timeout=seconds)
        return None

    def fail(self, event: str, error: EquilagError) -> None:
        """The steward cannot go on: log why, and stop all threads."""
        self.failure = error
        log_event(logging.ERROR, event, problem=str(error))
        self.stop_all()

    def stop_all(self) -> None:
        """Stop all threads."""
        self.stop.set()
        self.send(Command.STOP)


def _found_shares(observation: Observation) -> dict[str, float]:
    """The numbers of partitions of members that read the same, if those are not even."""
    counts = counts_of(observation.held)
    alike = len({member.topics for member in observation.members}) == 1
    uneven = max(counts.values()) > min(counts.values()) + 1
    return counts if alike and uneven else {}


def _report_topics(found: tuple[CoPartitionedTopics, ...]) -> None:
    topics = "; ".join(", ".join(one.topics) for one in found)
    log_event(logging.INFO, "keeps-together", topics=topics or "none")
