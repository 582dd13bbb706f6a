"""What a controller knows of a group: samples of log ends, commits and holders, and from them rates
and speeds, by `equilag.adapters.measuring`."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.adapters.measuring.offset_samples import OffsetSamples
from equilag.adapters.measuring.rates import produce_rates
from equilag.adapters.measuring.speeds import measure
from equilag.domain.columns import Flags, Floats, Index, Ints

SPEED_WINDOW_S: Final = 90
"""Seconds of samples that speeds are measured from: three windows of 30 s, so that a member that
has changed its speed is seen after one to two of them."""


READ_WINDOW_S: Final = 30
"""Seconds over which a member must have read so much that it counts as able to."""
ALIKE: Final = 0.15
"""Speeds that differ by less than this part are one: measured ones have errors of some percent,
and counts in proportion to them would move partitions for nothing."""


class GroupSample(NamedTuple):
    at: float
    log_end: Ints
    """[P]"""
    committed: Ints
    """[P]"""
    holder: Index
    """[P] or NOBODY."""
    present: Flags
    """[M]"""

    @property
    def lag(self) -> Ints:
        return self.log_end - self.committed


class Observed:
    """Samples of one group, the recent ones; what was learnt of speeds is kept."""

    def __init__(self, members: int, rate_window_s: float, with_speeds: bool) -> None:
        self._with_speeds = with_speeds
        self._rate_window_s = rate_window_s
        self._samples: list[GroupSample] = []
        self._measured = np.full(members, np.nan)
        self._most = 0.0
        """Records per second that a member was seen to read at most."""

    def add(self, sample: GroupSample) -> None:
        self._samples = [s for s in self._samples if s.at >= sample.at - SPEED_WINDOW_S] + [sample]
        if self._with_speeds:
            self._measure_speeds()

    def _measure_speeds(self) -> None:
        found = measure(self._columns(SPEED_WINDOW_S))
        speeds = found.capacities.estimates.value
        self._measured = np.where(np.isnan(speeds), self._measured, speeds)
        read = found.consumed_by
        steady = read.value[read.window >= READ_WINDOW_S]
        self._most = max(self._most, float(steady.max(initial=0.0)))

    def rates(self) -> Floats:
        """[P] records per second, NaN for unknown."""
        return produce_rates(self._columns(self._rate_window_s)).value

    def speeds(self) -> Floats:
        """[M] records per second, NaN where none was measured.

        A member counts as measured last. One that never had a backlog to be measured by is as fast
        as the fastest that any member was seen to be: if that is wrong, it gets a backlog, and is
        measured. The median of the known ones would be the speed of the slow, since it is they
        that have a backlog.
        """
        known = np.isfinite(self._measured)
        if not known.any():
            return self._measured
        fastest = max(float(self._measured[known].max()), self._most)
        return one_speed(np.where(known, self._measured, fastest))

    def _columns(self, seconds: float) -> OffsetSamples:
        now = self._samples[-1].at
        samples = [s for s in self._samples if s.at >= now - seconds]
        return OffsetSamples(
            np.array([s.at for s in samples]),
            np.array([s.log_end for s in samples]),
            np.array([s.committed for s in samples]),
            np.array([s.holder for s in samples]),
            len(self._measured),
        )


def one_speed(speeds: Floats) -> Floats:
    """Speeds that are ALIKE, neighbours in ascending order, as their median."""
    order = np.argsort(speeds, kind="stable")
    ascending = speeds[order]
    cuts = np.flatnonzero(ascending[1:] > ascending[:-1] * (1.0 + ALIKE)) + 1
    merged = np.empty_like(speeds)
    for members in np.split(order, cuts):
        merged[members] = np.median(speeds[members])
    return merged
