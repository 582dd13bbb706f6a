"""How many processes to run: the least number that keeps up, of those that help, and steady.

A number helps if the heaviest member reads less than under any smaller number; the sizes come from
`size`. Has no clock: whoever asks tells the time, in seconds of any clock that does not go back.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from equilag.domain.errors import InputError
from equilag.domain.figures import form, number, partition_name, percent
from equilag.domain.plan.plan_figures import RATE_ROUNDING
from equilag.planner.sizes.sizing import Sizing


@dataclass(frozen=True, slots=True)
class ScaleSettings:
    """Raises InputError for numbers that make no sense."""

    headroom: float = 20.0
    """Percent by which production may grow with every member still keeping up: what a group with
    consumers at five sixths of their speed has."""
    least: int = 1
    most: int | None = None
    window_s: float = 300.0
    """Seconds without need for as many before a number falls: that of Kubernetes' autoscaler."""

    def __post_init__(self) -> None:
        if self.most is not None and self.most < self.least:
            raise InputError(f"{self.most} is below the minimum, {self.least}", "max_replicas")


class ScaleWish(NamedTuple):
    """What a group would run at this moment."""

    wanted: int
    """Processes, a number that helps."""
    helps: tuple[int, ...]
    """The numbers that help and that the settings allow, ascending."""
    need: int | None
    """The least number that keeps up with the headroom; None where none does, or nobody knows."""
    reason: str


def fit(helps: Sequence[int], most: int) -> int:
    """The largest number that helps of those up to `most`; the least one where none is."""
    return helps[max(0, bisect_right(helps, most) - 1)]


def scale_wish(
    sizing: Sizing, rate: float | None, present: int, settings: ScaleSettings
) -> ScaleWish:
    """The processes for a rate in records per second, of a group that had other ones of the same
    proportions when it was sized; with None that of then."""
    every = [row.size for row in sizing.rows if row.helps] or [max(1, present)]
    most = settings.most or every[-1]
    # Where the topics need more processes than are allowed, all that are allowed help.
    helps = tuple(every[: bisect_right(every, most)]) or (most,)
    basis = sizing.basis
    if basis.kind != "rate" or basis.capacity is None:
        what = "the speed of its members" if basis.kind == "rate" else "how much is produced"
        held = fit(helps, max(present, settings.least))
        return ScaleWish(held, helps, None, f"{what} is not known yet, so the number stays")
    now = basis.total if rate is None else rate
    share = now / basis.total if basis.total else 1.0
    room = 1 + settings.headroom / 100
    limit = (1 + RATE_ROUNDING) / (share * room) if share else float("inf")
    need = next((row.size for row in sizing.rows if row.load <= limit), None)
    asked = max(every[-1] if need is None else need, settings.least)
    wanted = helps[min(bisect_left(helps, asked), len(helps) - 1)]
    return ScaleWish(wanted, helps, need, _reason(sizing, now, need, wanted, settings))


def _reason(
    sizing: Sizing, rate: float, need: int | None, wanted: int, settings: ScaleSettings
) -> str:
    """Why so many, in one sentence."""
    spare = f" and {percent(settings.headroom)} more" if settings.headroom else ""
    load = f"{number(round(rate, 1))} records/s{spare}"
    if need is None:
        hot = sizing.hot or (() if sizing.heaviest is None else (sizing.heaviest,))
        where = f", for {partition_name(hot[0][:2])} alone is too much" if hot else ""
        return f"no number keeps up with {load}{where}; more than {wanted} help no further"
    keeps = f"{need} {form(need, 'keeps', 'keep')} up with {load}"
    if settings.most is not None and need > settings.most:
        return f"{keeps}, but at most {settings.most} are allowed"
    if settings.least > need:
        return f"{keeps}, and at least {settings.least} are asked for"
    if wanted == need:
        return keeps
    further = "no larger number helps much" if wanted < need else f"{wanted} is the next that helps"
    return f"{keeps}; {further}"


class SteadyScale:
    """The number of one group over time.

    It rises at once, and falls when nothing in a window asked for as many. So in any window at most
    one fall is taken back: a second rise after a fall waits until a window after the first one.
    """

    def __init__(self, window_s: float) -> None:
        self._window_s = window_s
        self._wanted: deque[tuple[float, int]] = deque()
        """When, and how many; the numbers descend, since a smaller one before a larger one does not
        matter."""
        self._fell = False
        self._turned_at = float("-inf")
        self.number: int | None = None

    def step(self, now: float, wanted: int, helps: Sequence[int], present: int = 0) -> int:
        """The number from `now` on; `wanted` is one of `helps`. What is `present` at the first step
        stays for a window, as a restart is no reason to end processes."""
        if self.number is None:
            self.number = max(wanted, fit(helps, present))
            self._note(now, self.number)
        self._note(now, wanted)
        while self._wanted[0][0] <= now - self._window_s and len(self._wanted) > 1:
            self._wanted.popleft()
        before = self.number
        self.number = max(wanted, fit(helps, min(before, self._wanted[0][1])))
        if self.number > before and self._fell:
            if now - self._turned_at < self._window_s:
                self.number = fit(helps, before)
            else:
                self._fell, self._turned_at = False, now
        self._fell |= self.number < before
        return self.number

    def _note(self, now: float, wanted: int) -> None:
        while self._wanted and self._wanted[-1][1] <= wanted:
            self._wanted.pop()
        self._wanted.append((now, wanted))
