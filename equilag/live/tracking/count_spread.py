"""How much the records of a second vary, whatever the rate: bursty producers vary most."""

from __future__ import annotations

from typing import Final

import numpy as np

from equilag.domain.columns import Flags, Floats, Ints
from equilag.live.tracking.topic_columns import renumbered

MEMORY_S: Final = 240.0
"""Seconds that the mean goes back: eight bursts of a producer that writes every 30 s."""
WITHHELD: Final = 3
"""Newest differences that do not count yet: those are what a change is looked for in."""


class CountSpread:
    """The variance of the count in a second, of P partitions.

    It is half the mean square of the differences between the rates of consecutive steps (von
    Neumann), scaled by the lengths of the steps: a change of rate shows in one difference only. The
    mean is exponentially weighted; at the beginning all differences have the same weight.
    """

    def __init__(self, number: int) -> None:
        self.variance: Floats = np.zeros(number)
        """[P] 0 where nothing is known yet."""
        self._differences: Ints = np.zeros(number, dtype=np.int64)
        """[P] that the variance is a mean of."""
        self._waiting: Floats = np.full((WITHHELD, number), np.nan)
        """[WITHHELD, P] newest last; NaN for none."""
        self._rate: Floats = np.full(number, np.nan)
        """[P] of the last step; NaN if it is not known."""
        self._seconds: Floats = np.ones(number)
        """[P] of the last step."""

    def renumber(self, numbers: Ints) -> None:
        """Take over new columns, see `TopicColumns.columns_in`."""
        self.variance = renumbered(self.variance, numbers, 0.0)
        self._differences = renumbered(self._differences, numbers, 0)
        self._waiting = renumbered(self._waiting, numbers, np.nan)
        self._rate = renumbered(self._rate, numbers, np.nan)
        self._seconds = renumbered(self._seconds, numbers, 1.0)

    def add(self, growth: Floats, seconds: float, valid: Flags) -> None:
        """Add a step of all partitions; where it is not `valid` [P], the next one has none
        before it."""
        rate = np.where(valid, growth / seconds, np.nan)
        square = (rate - self._rate) ** 2 / (1.0 / seconds + 1.0 / self._seconds)
        oldest = self._waiting[0]
        counts = ~np.isnan(oldest)
        self._differences += counts
        weight = np.maximum(1.0 / np.maximum(self._differences, 1), seconds / MEMORY_S)
        step = np.where(counts, np.minimum(weight, 1.0) * (oldest - self.variance), 0.0)
        self.variance = self.variance + step
        self._waiting = np.vstack([self._waiting[1:], square[np.newaxis]])
        self._rate = rate
        self._seconds = np.full(len(rate), seconds)

    def forget(self, where: Flags) -> None:
        """Start anew where a partition was made anew."""
        self.variance[where] = 0.0
        self._differences[where] = 0
        self._waiting[:, where] = np.nan
        self._rate[where] = np.nan
