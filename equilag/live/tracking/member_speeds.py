"""What is known of the speeds of members, and since when."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from equilag.adapters.measuring.offset_samples import MemberSamples, OffsetSamples, member_samples
from equilag.adapters.measuring.rates import rates_between_commits
from equilag.adapters.measuring.speeds import (
    BacklogWindows,
    Capacity,
    capacity_of,
    counted,
    joined_speeds,
    windows_of,
)
from equilag.live.tracking.tracked_state import MeasuredSpeed, TrackingSettings

ALIKE: Final = 1.15
"""Speeds up to this much apart count as one: measured ones are sure to some per cent, and counts in
proportion to them would move partitions for nothing."""
SAME: Final = 0.05
"""Levels stay as they are while no speed is off its level by more,"""
ERRORS: Final = 2.5
"""or by more than so many standard errors: where observations and commits have nearly the same
period, speeds are off to one side for a minute."""


def speed_levels(
    speeds: Mapping[str, MeasuredSpeed], before: Mapping[str, float]
) -> dict[str, float]:
    """Return a level for each speed: one number for all speeds that are alike. `before` holds
    levels by key, of these and other members."""
    if all(key in before and _fits(one, before[key]) for key, one in speeds.items()):
        return {key: before[key] for key in speeds}
    keys = sorted(speeds)
    values = np.array([speeds[key].value for key in keys], dtype=np.float64)
    return dict(zip(keys, joined_speeds(values, ALIKE).tolist(), strict=True))


def _fits(speed: MeasuredSpeed, level: float) -> bool:
    return abs(speed.value - level) <= max(SAME * level, ERRORS * speed.error)


STEADY_S: Final = 30.0
"""Seconds over which a member must have consumed so much that it counts as able to: six commits at
the default interval."""
USUAL_USE: Final = 0.8
"""Part of its capacity that a group is taken to use while members without a measured speed keep up.
The slow members are those with a measured speed; a larger part would leave them too much."""
UNSURE: Final = 0.05
"""Relative standard error of what follows from that: a change of rates is no news of speeds."""


SURELY_APART: Final = 4.0
"""Standard errors between two speeds from which on the member has changed. The time of a commit is
known up to the time between two samples; two speeds that share that time differ by up to 3.5."""


class MemberSpeeds:
    """Speeds in records per second by member key.

    A *speed* is what a member consumed while it had a backlog all along; a *steady consumption* is
    what it consumed at least over `STEADY_S` or more, whether it could have done more or not.
    """

    def __init__(self, settings: TrackingSettings) -> None:
        self._settings = settings
        self.speeds: dict[str, MeasuredSpeed] = {}
        self.steady: dict[str, MeasuredSpeed] = {}
        """The largest one of each member."""
        self.levels: dict[str, float] = {}
        """The capacities that were handed out last."""

    def learn(self, samples: OffsetSamples, keys: Sequence[str], commit_s: float = 0.0) -> None:
        """Learn from samples in order; `keys` are those of their members, `commit_s` is the longest
        time between two commits."""
        members = member_samples(samples, commit_s)
        self._learn_speeds(samples, members, keys)
        self._learn_steady(samples, members, keys)

    def capacities(self, keys: Iterable[str], now: float, rate: float = 0.0) -> dict[str, float]:
        """Return a capacity for each key; {} if no speed is known. `rate` is that of the group, in
        records per second.

        A member whose speed was never measured is as fast as the fastest that any member was seen
        to be, and so fast that the group has room: it never had a backlog. If that is wrong, it
        gets one, and is measured. The median of the known ones would be the speed of the slow,
        since it is they that have a backlog. Where all have consumed for a while, a rate above what
        they did makes nobody faster than before: a burst of records says nothing about them. A rate
        that they have not consumed for long makes nobody slower either.
        """
        self._forget(now)
        if not self.speeds:
            return {}
        every = list(keys)
        unmeasured = self._unmeasured(every, rate)
        if all(key in self.steady for key in every):
            before = [self.levels[key] for key in every if key in self.levels.keys() - self.speeds]
            usual = self._unmeasured(every, sum(self.steady[key].value for key in every))
            value = min(unmeasured.value, max([usual.value, *before]))
            unmeasured = unmeasured._replace(value=value)
        wanted = {key: self.speeds.get(key, unmeasured) for key in every}
        found = speed_levels(wanted, self.levels)
        self.levels = {
            **{key: level for key, level in self.levels.items() if key in self.speeds},
            **found,
        }
        return found

    def _unmeasured(self, keys: Sequence[str], rate: float) -> MeasuredSpeed:
        """The speed that members without a measured one count with."""
        seen = [*self.speeds.values(), *self.steady.values()]
        fastest = max(seen, key=lambda one: one.value)
        known = [self.speeds[key].value for key in keys if key in self.speeds]
        missing = (rate / USUAL_USE - sum(known)) / max(1, len(keys) - len(known))
        if missing <= fastest.value:
            return fastest
        return fastest._replace(value=missing, error=max(fastest.error, UNSURE * missing))

    def _forget(self, now: float) -> None:
        oldest = now - self._settings.keep
        for known in (self.speeds, self.steady):
            for key in [key for key, one in known.items() if one.until < oldest]:
                del known[key]

    def _learn_speeds(
        self, samples: OffsetSamples, members: MemberSamples, keys: Sequence[str]
    ) -> None:
        for member in np.flatnonzero(members.behind.any(axis=0)).tolist():
            windows = counted(windows_of(samples.times, members, member))
            found = _capacity_now(windows)
            if found is None:
                continue
            key, until = keys[member], float(windows.until[-1])
            known = self.speeds.get(key)
            if known is None or until > known.until:
                self.speeds[key] = MeasuredSpeed(found.value, found.error, until)

    def _learn_steady(
        self, samples: OffsetSamples, members: MemberSamples, keys: Sequence[str]
    ) -> None:
        """A member with a speed that consumes more, after it was measured, is faster."""
        steps = members.steps
        reads = np.cumsum(steps.growth, axis=0) > 0  # what was before the first commit is no sign
        seconds, valid = np.where(reads, steps.seconds, 0.0), steps.valid & reads
        steps = steps._replace(seconds=seconds, valid=valid)
        consumed = rates_between_commits(steps, members.lag.max(axis=0, initial=0.0))
        begin, end = float(samples.times[0]), float(samples.times[-1])
        for member in np.flatnonzero(consumed.window >= STEADY_S).tolist():
            value, error = float(consumed.value[member]), float(consumed.error[member])
            least, key = value - error, keys[member]
            most, speed = self.steady.get(key), self.speeds.get(key)
            if least > 0 and (most is None or least > most.value):
                self.steady[key] = MeasuredSpeed(least, error, end)
            if speed is not None and speed.until <= begin and least > speed.value:
                self.speeds[key] = MeasuredSpeed(value, error, end)


def _capacity_now(windows: BacklogWindows) -> Capacity | None:
    """The capacity by all windows; by the last one alone where it surely has another speed than
    the ones before."""
    last, before = capacity_of(windows.part(slice(-1, None))), windows.part(slice(-1))
    if last is None or not len(before.seconds):
        return last
    unsure = float(np.hypot(last.error, np.sqrt(np.mean(before.error**2))))
    is_apart = abs(last.value - float(np.median(before.speed))) > SURELY_APART * unsure
    return last if is_apart else capacity_of(windows)
