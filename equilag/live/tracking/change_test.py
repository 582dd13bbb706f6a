"""A test for a change of rate between two neighbouring windows of counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equilag.domain.columns import Floats


class CountWindow(NamedTuple):
    """Records [N] that came in some seconds [N], which are above 0."""

    records: Floats
    seconds: Floats

    @property
    def rate(self) -> Floats:
        """[N] records per second."""
        rate: Floats = self.records / self.seconds
        return rate


def change_score(earlier: CountWindow, newer: CountWindow, spread: Floats) -> Floats:
    """[N] how surely two windows have different rates, in standard deviations.

    It is the root of the likelihood ratio of two Poisson counts, which also holds for a few
    records, divided by the dispersion (quasi-Poisson): `spread` [N] is the variance of the count in
    a second, and counts as the rate if it is below.
    """
    records = earlier.records + newer.records
    rate = records / (earlier.seconds + newer.seconds)
    ratio = 2.0 * (_surprise(earlier, rate) + _surprise(newer, rate))
    dispersion = np.maximum(spread / np.where(rate > 0, rate, 1.0), 1.0)
    score: Floats = np.sqrt(np.maximum(ratio, 0.0) / dispersion)
    return score


def _surprise(window: CountWindow, rate: Floats) -> Floats:
    """[N] records times the logarithm of how many times the expected number they are."""
    expected = rate * window.seconds
    some = window.records > 0
    times = np.divide(window.records, expected, out=np.ones_like(expected), where=some)
    surprise: Floats = window.records * np.log(times)
    return surprise
