"""Sums of the lightest and of the heaviest of some lags."""

from __future__ import annotations

import numpy as np

from equilag.domain.group.group import Ints


def lightest_of(lags: Ints, number: int) -> int:
    if number <= 0:
        return 0
    if number >= len(lags):
        return int(lags.sum())
    return int(np.partition(lags, number - 1)[:number].sum())


def heaviest_of(lags: Ints, number: int) -> int:
    if number <= 0:
        return 0
    if number >= len(lags):
        return int(lags.sum())
    return int(np.partition(lags, len(lags) - number)[len(lags) - number :].sum())


def sums_of_lightest(lags: Ints) -> Ints:
    """[n + 1] sums of the lightest 0, 1, ... n of n lags."""
    return np.concatenate(([0], np.cumsum(np.sort(lags))))
