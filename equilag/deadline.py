"""One end-to-end budget of time, from the call to the returned plan."""

from __future__ import annotations

import time
from dataclasses import dataclass, field


@dataclass(slots=True)
class Deadline:
    """Seconds from now on, on the monotonic clock.

    `reserve` is what writing the plan back will need; `expired` counts it as spent. `cut` stays
    true once any stage was stopped by the clock: such a run need not be repeatable.
    """

    limit: float
    reserve: float = 0.0
    start: float = field(default_factory=time.monotonic)
    cut: bool = False
    whole: Deadline | None = None
    """The budget that this one is a share of."""

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.start

    @property
    def left(self) -> float:
        """Seconds that may still be worked, 0 or more."""
        return max(0.0, self.limit - self.reserve - self.elapsed)

    def expired(self) -> bool:
        """Is there nothing left; remembers that somebody was told so."""
        if self.left > 0.0:
            return False
        self.cut = True
        if self.whole is not None:
            self.whole.cut = True
        return True

    def share(self, seconds: float) -> Deadline:
        """A part of this budget that ends after `seconds` or with the whole, what comes first."""
        return Deadline(min(seconds, self.left), whole=self)
