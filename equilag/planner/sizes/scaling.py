"""How many processes to run: the least number that keeps up, of those that help, and steady.

A number helps if the heaviest member reads less than under any smaller number; the sizes come from
`size`. Has no clock: whoever asks tells the time, in seconds of any clock that does not go back.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

from equilag.domain.columns import ROUNDING
from equilag.domain.errors import InputError
from equilag.domain.figures import form, number, partition_name, percent
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

    wanted: int | None
    """Processes, a number that helps; None where rates or speeds are not known."""
    helps: tuple[int, ...]
    """The numbers that help and that the settings allow, ascending."""
    need: int | None
    """The least number that keeps up with the headroom; None where none does, or nobody knows."""
    reason: str


def load_limit(sizing: Sizing, rate: float, room: float = 1.0, pace: float = 1.0) -> float:
    """The largest load of a row of this sizing that keeps up with `room` times this rate, where
    members read `pace` times what they read when they were sized."""
    share = rate / sizing.basis.total if sizing.basis.total else 1.0
    return (1 + ROUNDING) * pace / (share * room) if share else float("inf")


def scale_wish(
    sizing: Sizing, rate: float | None, settings: ScaleSettings, pace: float = 1.0
) -> ScaleWish:
    """The processes for a rate in records per second, None where it is not known; `pace` as for
    `load_limit`."""
    every = [row.size for row in sizing.rows if row.helps]
    most = settings.most or every[-1]
    # Where the topics need more processes than are allowed, all that are allowed help.
    helps = tuple(every[: bisect_right(every, most)]) or (most,)
    basis = sizing.basis
    if rate is None or basis.capacity is None:
        what = "how much is produced" if rate is None else "the speed of its members"
        return ScaleWish(None, helps, None, f"{what} is not known yet, so the number stays")
    limit = load_limit(sizing, rate, 1 + settings.headroom / 100, pace)
    need = next((row.size for row in sizing.rows if row.load <= limit), None)
    asked = max(every[-1] if need is None else need, settings.least)
    wanted = helps[min(bisect_left(helps, asked), len(helps) - 1)]
    return ScaleWish(wanted, helps, need, _reason(sizing, rate, need, wanted, settings))


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
    """The number of one group over time: the most that was wanted in a window.

    So it rises at once, and of two falls that are taken back the later one is more than a window
    after the earlier one. A wish holds until the next one; where nothing is known the number stays.
    """

    def __init__(self, settings: ScaleSettings) -> None:
        self._settings = settings
        self._wanted: deque[tuple[float, int]] = deque()
        """Until when, and how many; the numbers descend, since a smaller one before a larger one
        does not matter."""
        self._began: float | None = None
        self._last = self.number = settings.least

    def step(self, now: float, wanted: int | None, present: int = 0) -> int:
        """The number from `now` on. In the first window it is no less than those `present`, for
        nobody knows what was wanted before."""
        window, most = self._settings.window_s, self._settings.most
        wanted = self.number if wanted is None else wanted
        noted, self._last = max(wanted, self._last), wanted
        while self._wanted and self._wanted[-1][1] <= noted:
            self._wanted.pop()
        self._wanted.append((now, noted))
        while self._wanted[0][0] <= now - window and len(self._wanted) > 1:
            self._wanted.popleft()
        before, self.number = self.number, self._wanted[0][1]
        self._began = now if self._began is None else self._began
        if now <= self._began + window:
            here = present if most is None else min(present, most)
            self.number = max(self.number, before, here)
        return self.number
