"""Measured figures with their windows and their uncertainty."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equilag.domain.columns import Floats, Ints


class Estimates(NamedTuple):
    """One figure in records per second for each of N partitions or members."""

    value: Floats
    """[N] 0 or more; NaN where it is unknown."""
    error: Floats
    """[N] standard error, records per second; NaN where the value is unknown."""
    window: Floats
    """[N] seconds that the value rests on; 0 where it is unknown."""
    samples: Ints
    """[N] observations that the value rests on: steps between two samples for a rate, windows for
    a capacity; 0 where it is unknown."""

    @property
    def n_known(self) -> int:
        return int(np.count_nonzero(~np.isnan(self.value)))


def unknown_estimates(number: int) -> Estimates:
    """Return estimates none of which is known."""
    return Estimates(
        np.full(number, np.nan), np.full(number, np.nan), np.zeros(number), np.zeros(number, int)
    )


def estimates_of(records: Floats, window: Floats, error: Floats, samples: Ints) -> Estimates:
    """Return records / window; unknown where the window is 0. `error` is in records."""
    known = window > 0
    seconds = np.where(known, window, np.nan)
    return Estimates(
        records / seconds,
        error / seconds,
        np.where(known, window, 0.0),
        np.where(known, samples, 0),
    )
