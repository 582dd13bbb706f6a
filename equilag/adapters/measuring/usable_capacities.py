"""Capacities to plan with: measured ones without their noise, and what is known of the others."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.adapters.measuring.estimates import Estimates
from equilag.adapters.measuring.offset_samples import OffsetSamples, member_samples
from equilag.adapters.measuring.rates import consume_rates, produce_rates, rates_between_commits
from equilag.adapters.measuring.speeds import Capacities, capacities_of
from equilag.domain.columns import Flags, Floats


class Measurements(NamedTuple):
    """What was measured of P partitions and M members."""

    produced: Estimates
    """[P]"""
    consumed: Estimates
    """[P] by whoever held the partition."""
    consumed_by: Estimates
    """[M] while the member held the same partitions."""
    capacities: Capacities
    """[M]"""


def measure(samples: OffsetSamples) -> Measurements:
    """Return rates and capacities from samples in any order; see the functions for definitions."""
    samples = samples.ordered()
    members = member_samples(samples)
    return Measurements(
        produce_rates(samples),
        consume_rates(samples),
        rates_between_commits(members.steps, members.lag.max(axis=0, initial=0.0)),
        capacities_of(samples.times, members),
    )


ALIKE: Final = 1.1
"""Speeds up to this much apart count as one: measured ones are sure to some per cent, and a plan
that balances counts by them would move partitions for nothing."""


def usable_capacities(measured: Measurements) -> Floats:
    """[M] records per second; NaN where nothing is known.

    A member of unknown speed gets what it consumes, where that surely exceeds the median of the
    known speeds, which a plan would take for it. Speeds within 10 % of each other become one, their
    median.
    """
    value = measured.capacities.estimates.value.copy()
    faster = surely_faster(measured)
    value[faster] = measured.consumed_by.value[faster]
    return joined_speeds(value)


def surely_faster(measured: Measurements) -> Flags:
    """[M] True for members of unknown speed that consume more than the median of the known ones."""
    speeds, consumed = measured.capacities.estimates, measured.consumed_by
    unknown = np.isnan(speeds.value)
    if unknown.all():
        return np.zeros(len(unknown), dtype=np.bool_)
    more: Flags = consumed.value - consumed.error > np.nanmedian(speeds.value)
    return unknown & more


def joined_speeds(value: Floats, alike: float = ALIKE) -> Floats:
    """[M] each speed as the median of those that are at most `alike` times the slowest of them,
    taken together from the slowest on; NaN stays."""
    joined = value.copy()
    order = np.argsort(value, kind="stable")[: np.count_nonzero(~np.isnan(value))]
    begin = 0
    while begin < len(order):
        end = int(np.searchsorted(value[order], alike * value[order[begin]], side="right"))
        joined[order[begin:end]] = np.median(value[order[begin:end]])
        begin = end
    return joined
