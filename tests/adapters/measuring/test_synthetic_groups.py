"""Rates and capacities against made-up consumers of known speed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.synthetic_consumers import Traffic, samples_of

from equilag.adapters.measuring.offset_samples import OffsetSamples
from equilag.adapters.measuring.speeds import KNOWN, Capacities, Measurements, measure
from equilag.domain.columns import Floats

MEMBERS = 4
PARTITIONS = 12


def group(utilisation: list[float], seed: int = 0, **how: Any) -> Traffic:
    """Members that get so much of what they can consume; those above 1 begin with a backlog."""
    rng = np.random.default_rng(seed)
    holder = [p % MEMBERS for p in range(PARTITIONS)]
    rates = rng.uniform(20, 80, PARTITIONS)
    speeds = np.bincount(holder, rates, MEMBERS) / utilisation
    lag = [120 * int(speeds[m]) if utilisation[m] > 1 else 0 for m in holder]
    return Traffic(rates.tolist(), speeds.tolist(), holder, lag, seed=seed, **how)


def off(found: Floats, truth: list[float] | Floats) -> float:
    return float(np.abs(found / np.array(truth) - 1).max())


WAYS: list[dict[str, Any]] = [
    {},
    {"poisson": False, "batch": 500},
    {"commit_every": 0.5},
    {"commit_alone": True},
    {"sample_every": 2.0, "jitter": 0.8},
    {"sample_every": 10.0},
]


@pytest.mark.parametrize("how", WAYS)
def test_after_a_minute_capacities_are_within_10_percent_and_rates_within_5(
    how: dict[str, Any],
) -> None:
    traffic = group([1.2, 0.5, 2.5, 0.9], seed=7, **how)
    samples = samples_of(traffic, 60.0)
    found = measure(samples)
    grown = (samples.log_end[-1] - samples.log_end[0]) / (samples.times[-1] - samples.times[0])
    assert off(found.produced.value, grown) < 1e-9
    assert found.capacities.reason[[0, 2]].tolist() == [KNOWN] * 2
    assert np.isnan(found.capacities.estimates.value[[1, 3]]).all()
    capacities = found.capacities.estimates
    assert off(capacities.value[[0, 2]], [traffic.speeds[0], traffic.speeds[2]]) < 0.1
    assert (capacities.window[[0, 2]] >= 15).all()
    # Those without a backlog consume what arrives, the others what they can.
    arrived = np.bincount(traffic.holder, grown, MEMBERS)
    truth = np.minimum(arrived, traffic.speeds)
    assert off(found.consumed_by.value, truth) < 0.1


@pytest.mark.parametrize("between_polls", [True, False])
@pytest.mark.parametrize("speed", [20.0, 100.0, 1000.0])
def test_consumers_that_poll_batches(speed: float, between_polls: bool) -> None:
    """A slow one of 20 records per second commits a batch of 500 every 25 s."""

    def found(used: float, lag_s: int, seed: int) -> Capacities:
        """Of one member with four partitions, which get so much of what it can process."""
        rates, lag = [used * speed / 4] * 4, [int(lag_s * speed)] * 4
        traffic = Traffic(
            rates, [speed], [0] * 4, lag, poll=500, commit_between_polls=between_polls, seed=seed
        )
        return measure(samples_of(traffic, 80.0)).capacities

    for seed in range(2):
        behind = found(1.5, 10, seed)
        assert behind.estimates.value[0] == pytest.approx(speed, rel=0.1)
        assert found(0.6, 0, seed).reason[0] != KNOWN


def test_the_errors_are_as_large_as_the_deviations() -> None:
    of_speeds, of_rates = [], []
    for seed in range(8):
        traffic = group([1.5, 2.0, 3.0, 1.1], seed)
        found = measure(samples_of(traffic, 40.0))
        speeds, rates = found.capacities.estimates, found.produced
        of_speeds.append((speeds.value - traffic.speeds) / speeds.error)
        of_rates.append((rates.value - traffic.rates) / rates.error)
    assert np.abs(of_speeds).max() < 3
    assert 0.7 < np.std(of_rates) < 1.3


def check(found: Measurements) -> None:
    """What holds for any samples."""
    capacities = found.capacities.estimates
    for estimates in (found.produced, found.consumed_by, capacities):
        known = ~np.isnan(estimates.value)
        assert np.isfinite(estimates.value[known]).all()
        assert (estimates.value[known] >= 0).all()
        assert (estimates.error[known] > 0).all()
        assert np.isfinite(estimates.error[known]).all()
        assert (estimates.window[known] > 0).all()
        assert np.isnan(estimates.error[~known]).all()
        assert not estimates.window[~known].any()
    assert ((found.capacities.reason == KNOWN) == ~np.isnan(capacities.value)).all()
    assert (capacities.value[found.capacities.reason == KNOWN] > 0).all()


@given(seed=st.integers(0, 10**6), faults=st.integers(0, 12))
def test_faults_leave_nothing_negative_or_undefined(seed: int, faults: int) -> None:
    rng = np.random.default_rng(seed)
    n_samples, n, members = int(rng.integers(0, 14)), int(rng.integers(0, 6)), 3
    lengths = np.cumsum(rng.integers(0, 40, (n_samples, n)), axis=0)
    commits = lengths - np.minimum(lengths, rng.integers(0, 90, n))
    commits = np.where(rng.random((n_samples, n)) < 0.5, np.maximum.accumulate(commits), commits)
    holder = np.tile(rng.integers(-1, members, n), (n_samples, 1)).astype(np.int32)
    starts = np.zeros_like(lengths)
    for _ in range(faults if n_samples and n else 0):
        at, p = rng.integers(n_samples), rng.integers(n)
        lengths[at:, p] -= rng.integers(0, 50)
        commits[at, p] = -1 if rng.random() < 0.5 else commits[at, p] // 2
        holder[at:, p] = rng.integers(-1, members)
        starts[at:, p] = rng.integers(0, 100)
    samples = OffsetSamples(
        rng.integers(0, 60, n_samples).astype(np.float64),
        np.maximum(lengths, -1),
        np.maximum(commits, -1),
        holder,
        members,
        starts if rng.random() < 0.5 else None,
    )
    check(measure(samples))
