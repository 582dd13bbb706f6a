"""What the steward's threads share: settings, the newest outlook, the target, and messages."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

from equilag.group import Group
from equilag.live.rebalance.gain import Thresholds
from equilag.live.rebalance.joined_group import Decision, Partitions, Settings, decide
from equilag.live.steward.assignments import BUILT_IN, Target, topics_by_key
from equilag.live.steward.observer import Outlook
from equilag.live.steward.status import State
from equilag.policy import Policy

LOG: Final = logging.getLogger("equilag.steward")
ON_THE_WAY_S: Final = 30.0
"""How long a rebalance may take before looks count again."""
_LATE_S: Final = 0.5
"""How long after its limit a plan is still waited for."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a user can choose; times in seconds."""

    group: str
    instance: str = "equilag-steward"
    protocols: tuple[str, ...] = BUILT_IN
    policy: Policy = field(default_factory=lambda: Policy.of("lag-aware", tolerance=5.0))
    thresholds: Thresholds = field(default_factory=Thresholds)
    session: float = 10.0
    look_every: float = 10.0
    plan_limit: float = 5.0
    """For a plan made ahead of time."""
    rebalance_limit: float = 1.0
    """For a plan that the whole group waits for."""
    seed: int = 0
    reset: str = "latest"
    isolation: str = "read_uncommitted"
    dry_run: bool = False
    take_over: bool = False
    keep_seat: bool = False
    """Told to end, stay a member: whoever comes back within the session still leads."""

    @property
    def ahead(self) -> Settings:
        return Settings(self.policy, self.plan_limit, self.seed)

    @property
    def at_once(self) -> Settings:
        return Settings(self.policy, min(self.rebalance_limit, self.session / 4), self.seed)

    @property
    def lag_age(self) -> float:
        """How old a lag may be to plan with."""
        return max(30.0, 3 * self.look_every)


class Call(Enum):
    """What one thread asks of the one that has the seat."""

    REBALANCE = "rebalance"
    """The coordinator wants everybody to join again."""
    TRIGGER = "trigger"
    """There is a target that is worth a rebalance."""
    LOST = "lost"
    FENCED = "fenced"
    TAKE_OVER = "take-over"
    RECONSIDER = "reconsider"
    """The group became one of KIP-848, or is no more."""
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class Message:
    """A call, for the generation it is about (-1: any)."""

    call: Call
    generation: int = -1
    reason: str = ""


class Desk:
    """One for all threads. `stop` ends them."""

    def __init__(self, options: Options, state: State) -> None:
        self.options = options
        self.state = state
        self.stop = threading.Event()
        self.messages: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._outlook: Outlook | None = None
        self._target: Target | None = None
        self._held: Mapping[str, Partitions] = {}
        self._pending_until = 0.0
        self._rebalances = 0

    @property
    def outlook(self) -> Outlook | None:
        with self._lock:
            return self._outlook

    @property
    def target(self) -> Target | None:
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

    def rebalanced(self) -> None:
        """There was another rebalance: looks that began before it are of no use any more."""
        with self._lock:
            self._rebalances += 1

    def gone(self) -> None:
        """There is no such group now."""
        with self._lock:
            self._outlook = None

    def seen(self, outlook: Outlook, rebalances: int) -> bool:
        """A look at the group that began after so many rebalances; False if that is over by now.

        An assignment that is complete becomes the target, unless a rebalance towards another one
        is on its way.
        """
        with self._lock:
            if rebalances != self._rebalances:
                return False
            self._outlook = outlook
            on_the_way = time.monotonic() < self._pending_until
            if outlook.members and not outlook.incomplete and not on_the_way:
                self._held = outlook.held
                self._target = Target(outlook.held, topics_by_key(outlook.members), outlook.sizes)
            return True

    def aim(self, target: Target) -> None:
        """Go for another target; for a while no look changes it."""
        with self._lock:
            self._target = target
            self._pending_until = time.monotonic() + ON_THE_WAY_S

    def handed(self, target: Target, complete: bool) -> None:
        """The group was told to go there; complete if nothing was withheld."""
        with self._lock:
            self._target = target
            self._held = target.assignment
            self._pending_until = 0.0 if complete else time.monotonic() + ON_THE_WAY_S

    @property
    def on_the_way(self) -> bool:
        """Is a rebalance under way, ours or the second of two that a cooperative group needs?"""
        with self._lock:
            return time.monotonic() < self._pending_until

    def call(self, call: Call, generation: int = -1, reason: str = "") -> None:
        self.messages.put(Message(call, generation, reason))

    def end(self) -> None:
        """Stop all threads."""
        self.stop.set()
        self.call(Call.STOP)


def decide_within(group: Group, settings: Settings, doubt: str | None) -> Decision:
    """`decide`, whatever happens within the time limit and a moment: a heuristic's plan then."""
    if doubt is not None:
        return decide(group, settings, doubt)
    answers: queue.SimpleQueue[Decision | Exception] = queue.SimpleQueue()

    def work() -> None:
        try:
            answers.put(decide(group, settings))
        except Exception as error:  # noqa: BLE001  handed over below
            answers.put(error)

    threading.Thread(target=work, name="plan", daemon=True).start()
    try:
        answer = answers.get(timeout=settings.time_limit + _LATE_S)
    except queue.Empty:
        return decide(group, settings, f"no plan within {settings.time_limit + _LATE_S:g} s")
    if isinstance(answer, Exception):
        raise answer
    return answer


def say(level: int, event: str, **fields: Any) -> None:
    """One line of the log: an event and its fields."""
    LOG.log(level, event, extra={"fields": fields})
