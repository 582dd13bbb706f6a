"""Everything that samples of a group tell of its rates and capacities."""

from __future__ import annotations

from typing import NamedTuple

from equilag.adapters.measuring.estimates import Estimates
from equilag.adapters.measuring.member_samples import member_samples
from equilag.adapters.measuring.offset_samples import OffsetSamples
from equilag.adapters.measuring.rates import consume_rates, produce_rates, rates_between_commits
from equilag.adapters.measuring.speeds import Capacities, capacities_of


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
