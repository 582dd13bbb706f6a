"""Rates of synthetic producers, and how soon a change shows."""

from __future__ import annotations

import numpy as np
import pytest
from support.tracked_loads import followed

from equilag.domain.columns import Floats
from equilag.live.tracking.produce_rates import CountWindow, change_score

EVERY = 5.0
PARTITIONS = 40


def times(until: float, rng: np.random.Generator) -> Floats:
    regular = np.arange(0.0, until + 1.0, EVERY)
    return regular + rng.uniform(0.0, 0.1, len(regular))


def steady(seconds: float, rate: float, after: float, change_at: float) -> tuple[Floats, Floats]:
    """Times, and records expected until each, with a change at some time."""
    at = times(seconds, np.random.default_rng(5))
    return at, np.minimum(at, change_at) * rate + np.maximum(at - change_at, 0.0) * after


def poisson(expected: Floats, seed: int = 1) -> Floats:
    """[S, PARTITIONS]"""
    rng = np.random.default_rng(seed)
    steps = np.diff(expected, prepend=0.0)[:, None]
    counts: Floats = np.cumsum(rng.poisson(steps, (len(expected), PARTITIONS)), axis=0)
    return counts


def regular(expected: Floats) -> Floats:
    """[S, PARTITIONS] a record at fixed intervals, of every partition at another moment."""
    counts: Floats = np.floor(expected[:, None] + np.linspace(0.0, 0.99, PARTITIONS))
    return counts


def off(found: Floats, truth: float) -> Floats:
    return np.abs(found / truth - 1.0)


@pytest.mark.parametrize("factor", [1.5, 0.5, 3.0])
def test_a_new_rate_is_there_20_seconds_after_a_change(factor: float) -> None:
    at, expected = steady(120, 30, 30 * factor, 92.0)
    *_, within_20, _ = followed(at[at < 118], poisson(expected[at < 118]))
    assert np.mean(off(within_20, 30 * factor) < 0.1) >= 0.8
    *_, later = followed(at[at < 113], regular(expected[at < 113]))
    assert off(later, 30 * factor).max() < 0.01


def test_producers_that_begin_after_the_steward_have_their_rate_at_once() -> None:
    """It has looked at the group three times by then: there is no rate before."""
    at, expected = steady(45, 0, 20, 12.0)
    found = [off(one, 20) for one in followed(at, poisson(expected))]
    assert all(np.median(one) < 0.1 for one in found[5:])


@pytest.mark.parametrize(("before", "after"), [(2, 5), (5, 20), (20, 2), (20, 5)])
def test_intervals_of_50_200_and_500_ms(before: float, after: float) -> None:
    """The peer's published scenario; 40 s after the change all is within 2 %."""
    at, expected = steady(115, before, after, 73.0)
    *_, found = followed(at[at < 113], regular(expected[at < 113]))
    assert off(found, after).max() < 0.02


def test_without_a_change_the_window_grows_and_the_rate_is_exact() -> None:
    at, expected = steady(900, 30, 30, 900)
    late = list(followed(at, poisson(expected)))[60:]
    spread = np.sqrt(np.mean(off(np.array(late), 30) ** 2))
    assert spread == pytest.approx(1 / np.sqrt(30 * 120), rel=0.15)


@pytest.mark.parametrize("every", [10.0, 20.0, 30.0])
def test_bursts_are_no_changes(every: float) -> None:
    """Batches of 500 records; one that begins is a change until two have been seen."""
    at = times(900, np.random.default_rng(3))
    begin = np.linspace(0.0, every, PARTITIONS, endpoint=False)
    bursts = 500 * np.floor((at[:, None] + begin) / every)
    late = list(followed(at, bursts))[60:]
    assert np.max(off(np.array(late), 500 / every)) < every / 100


def counted(records: float, seconds: float) -> CountWindow:
    return CountWindow(np.array([records]), np.array([seconds]))


NOTHING = np.zeros(1)


def test_equal_rates_score_nothing_and_nor_do_two_silent_windows() -> None:
    assert abs(change_score(counted(300, 30), counted(100, 10), NOTHING)[0]) < 1e-6
    assert change_score(counted(0, 30), counted(0, 10), NOTHING)[0] == 0


def test_large_counts_score_as_a_normal_test_does() -> None:
    score = change_score(counted(30_000, 100), counted(3_300, 10), NOTHING)[0]
    assert score == pytest.approx(300 / np.sqrt(3_300 + 300), rel=0.08)
