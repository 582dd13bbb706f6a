"""What a computation may spend: time on the clock, and counted work. Budgets compose.

Time makes a hard limit, and another plan on a busy machine. Counted work is the same everywhere:
each step of a loop has a price, and each array element of a search counts as one. A part of a
budget never outlives the whole, and what it costs is charged to the whole.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event
from typing import Final

ELEMENT: Final = 8e-9
"""Seconds for an array element of a search, measured on one 2.8 GHz core."""
OVERHEAD: Final = 4_000
"""What any step of a search costs besides its elements: Python, and NumPy's calls (some 30 us)."""
NODE: Final = 12_000
"""What a node of a search costs besides its steps, where work is counted: about 20 NumPy calls."""
PATIENCE: Final = 30
"""Steps in a row without progress, after which a search ends."""
ROUNDS: Final = 10
"""Steps of a search for a number, which mostly settles after three to five."""
LONG_STEP: Final = 100_000
"""Elements of a step from which on it takes milliseconds, so that it needs time of its own."""
SLOWEST: Final = 5.0
"""Times as long as `ELEMENT` that an element of a step may take where sets are listed."""
TABLE: Final = 200_000
"""Array elements of one table of a search: some milliseconds, and up to 20 MB with what goes with
it. Larger ones are sampled, or another method takes over."""
MEMORY: Final = 20_000_000
"""Array elements that are kept together, or filled without a look at the clock: 80 to 160 MB."""


class OutOfBudget(Exception):
    """The computation was cut short: it found nothing so far, and proved nothing."""


def limit_steps(steps: int, stop: Callable[[], bool]) -> Callable[[], bool]:
    """A stop condition that is also met after so many steps."""
    left = steps

    def over() -> bool:
        nonlocal left
        left -= 1
        return left < 0 or stop()

    return over


@dataclass(slots=True, eq=False)
class _Work:
    """Work in array elements."""

    limit: float
    spent: float = 0.0

    def left(self, upto: float = 1.0) -> float:
        """What is left of the first part `upto`."""
        return max(0.0, self.limit * upto - self.spent)


class Budget:
    """Time and counted work, each unlimited unless given.

    `counted` says that work is what limits the run, so that the run can be repeated: then shares of
    the time are not taken, and nodes of a search have a price too.
    """

    __slots__ = (
        "_reserve", "_start", "_whole", "_work", "counted", "cut", "effort", "limit", "stop",
    )  # fmt: skip

    def __init__(
        self,
        work: float = math.inf,
        seconds: float = math.inf,
        reserve: float = 0.0,
        counted: bool = False,
    ) -> None:
        """`work` in array elements, `seconds` from now on, of which `reserve` is kept back."""
        self.limit = seconds
        """Seconds from start to end."""
        self.cut = False
        """True once the clock stopped anything: such a run need not be repeatable."""
        self.stop: Event | None = None
        """What tells the run to end: once it is set, no time is left."""
        self.counted = counted
        self.effort: float | None = None
        """Seconds' worth of work that a run is limited to, as it was asked for."""
        self._start, self._reserve = time.monotonic(), reserve
        self._whole: Budget | None = None
        self._work = _Work(work)

    @staticmethod
    def of_run(
        seconds: float, reserve: float, effort: float | None, stop: Event | None = None
    ) -> Budget:
        """For a whole run: `effort` is in seconds' worth of work, None for no such limit.

        Once `stop` is set, by another thread or a signal handler, the budget and every part of it
        have no time left.
        """
        budget = Budget(math.inf, seconds, reserve, counted=effort is not None)
        budget.stop = stop
        budget._work = _Work(math.inf if effort is None else effort / ELEMENT)
        budget.effort = effort
        return budget

    # Time.

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._start

    @property
    def interrupted(self) -> bool:
        """True once the run was told to end."""
        return self.stop is not None and self.stop.is_set()

    @property
    def time_left(self) -> float:
        """Seconds that may still be worked, 0 or more; the reserve counts as spent."""
        if self.stop is not None and self.stop.is_set():
            return 0.0
        if self.limit == math.inf:
            return math.inf
        return max(0.0, self.limit - self._reserve - self.elapsed)

    def mark_cut(self) -> None:
        """Note that something was left out for lack of time."""
        budget: Budget | None = self
        while budget is not None:
            budget.cut = True
            budget = budget._whole

    def expired(self) -> bool:
        """True if no time is left; this marks the budget as cut."""
        # Searches ask after every step, `verify` without a limit on time.
        if (self.limit == math.inf and self.stop is None) or self.time_left > 0.0:
            return False
        self.mark_cut()
        return True

    def has_time(self, seconds: float) -> bool:
        """True if so much time is left; if not, this marks the budget as cut."""
        if seconds < self.time_left:
            return True
        self.mark_cut()
        return False

    # Work.

    @property
    def work(self) -> float:
        """Array elements left; negative after the last step went beyond the limit."""
        return self._work.limit - self._work.spent

    def seconds_of_work(self, upto: float = 1.0) -> float:
        """Seconds' worth of work left of the first part `upto` of the budget."""
        return self._work.left(upto) * ELEMENT

    def pay(self, seconds: float) -> None:
        """Charge seconds' worth of work; never raises."""
        self._work.spent += seconds / ELEMENT

    def spend(self, elements: int) -> None:
        """Charge a step of a search. Raises OutOfBudget if work or time is used up."""
        work = self._work
        work.spent += elements + OVERHEAD
        if work.spent > work.limit or self.expired():
            raise OutOfBudget
        if elements > LONG_STEP and not self.has_time(elements * SLOWEST * ELEMENT):
            raise OutOfBudget  # nothing stops the step once it has begun

    def enter(self) -> None:
        """Charge a node of a search. Raises OutOfBudget, also where no time is left: many nodes may
        be left out one after the other without a step."""
        if self.counted:
            self.spend(NODE)
        elif self.expired():
            raise OutOfBudget

    # Composition.

    def share(self, fraction: float | None) -> Budget:
        """The same work with a fraction of the time left; all of it where work is counted."""
        if fraction is None or self.counted:
            return self
        return self._part(self._work, self.time_left * fraction)

    def steps(
        self, price: float, upto: float = 1.0, share: float | None = None
    ) -> Callable[[], bool]:
        """A stop condition for a loop, to be asked before each step of `price` seconds.

        True once the time (or a share of what is left of it), or the first part `upto` of the work,
        is used up. A step that is refused costs nothing.
        """
        expired, work = self.share(share).expired, self._work
        if not self.counted:
            return expired
        cost, limit = price / ELEMENT, work.limit * upto

        def stop() -> bool:
            if work.spent + cost > limit or expired():
                return True
            work.spent += cost
            return False

        return stop

    @contextmanager
    def part(
        self, elements: float, upto: float = 1.0, share: float | None = None
    ) -> Iterator[Budget]:
        """A budget for searches: at most so many elements, charged to the whole at the end."""
        whole = self._work
        part = self.share(share)._part(_Work(float(int(min(elements, whole.left(upto))))))
        try:
            yield part
        finally:
            whole.spent += min(part._work.spent, part._work.limit)

    @contextmanager
    def portion(self, fraction: float) -> Iterator[Budget]:
        """A budget for a run within the run: a fraction of the time left, or of the work left where
        work is counted; charged to the whole at the end."""
        if not self.counted:
            yield self.share(fraction)
            return
        part = self._part(_Work(self._work.left() * fraction))
        try:
            yield part
        finally:
            self._work.spent += part._work.spent

    def _part(self, work: _Work, seconds: float | None = None) -> Budget:
        """A budget with this work, from now on or with the time of the whole."""
        made = Budget(seconds=self.limit if seconds is None else seconds, counted=self.counted)
        if seconds is None:
            made._start, made._reserve = self._start, self._reserve
        made._whole, made._work, made.stop = self, work, self.stop
        return made
