"""What is taken of samples that are faulty, missing, doubled or cut by a rebalance, and how
capacities of it are used."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from equilag.adapters.measuring.offset_samples import OffsetSamples
from equilag.adapters.measuring.rates import Estimates
from equilag.adapters.measuring.speeds import (
    FEW_COMMITS,
    KNOWN,
    NO_BACKLOG,
    NO_PARTITIONS,
    Capacities,
    Measurements,
    joined_speeds,
    measure,
    surely_faster,
    usable_capacities,
)

PERIOD = 5
SECONDS = 61


def samples(**changed: Any) -> OffsetSamples:
    """One partition and one member for a minute, a sample each second.

    100 records per second arrive, 40 are consumed, 200 committed every 5 s; the lag is 1,000 at
    first.
    """
    at = np.arange(SECONDS)
    given: dict[str, Any] = {
        "times": at.astype(np.float64),
        "log_end": (5_000 + 100 * at)[:, None],
        "committed": (4_000 + 200 * (at // PERIOD))[:, None],
        "holder": np.zeros((SECONDS, 1), np.int32),
        "n_members": 1,
    }
    return OffsetSamples(**{**given, **changed})


def rate(found: Measurements) -> tuple[float, float, float]:
    """Produced, consumed, capacity."""
    values = (found.produced.value, found.consumed_by.value, found.capacities.estimates.value)
    return tuple(round(float(value[0]), 6) for value in values)  # type: ignore[return-value]


def test_all_of_it() -> None:
    found = measure(samples())
    assert rate(found) == (100.0, 40.0, 40.0)
    assert float(found.produced.window[0]) == 60
    # From the first commit seen, at 5 s, to the last one, at 60 s: windows of 30 and 25 s.
    assert float(found.capacities.estimates.window[0]) == 55
    assert float(found.consumed_by.window[0]) == 55
    assert rate(found)[1] == round(float(found.consumed_by.value[0]), 6)


def test_samples_in_step_with_commits_prove_no_backlog() -> None:
    """Every record is read 0.2 s after it came, and committed each second, just after a sample."""
    at = np.arange(SECONDS)
    committed = np.maximum(4_000, 5_000 + 100 * at - 115)[:, None]
    found = measure(samples(committed=committed)).capacities
    assert found.reason.tolist() != [KNOWN]
    assert np.isnan(found.estimates.value[0])
    # A lag of some seconds is one.
    found = measure(samples(committed=committed - 500)).capacities
    assert found.reason.tolist() == [KNOWN]
    assert found.estimates.value[0] == pytest.approx(100)


def test_order_and_duplicates_do_not_matter() -> None:
    ordered = samples()
    order = np.random.default_rng(1).permutation(SECONDS)
    order = np.concatenate([order, order[:20]])
    mixed = OffsetSamples(*(column[order] for column in ordered[:4]), 1)
    assert rate(measure(mixed)) == rate(measure(ordered))


def test_the_last_of_several_samples_of_one_time_counts() -> None:
    doubled = samples(times=np.repeat(np.arange(31.0), 2)[:SECONDS])
    assert doubled.ordered().log_end[:, 0].tolist()[:3] == [5_100, 5_300, 5_500]


@pytest.mark.parametrize(
    ("column", "part", "change", "produced_s", "capacity_s"),
    [
        # No window spans the gap: 5 to 30 s and 35 to 60 s are left.
        ("log_end", slice(31, 33), -(10**9), 60, 50),
        ("committed", slice(31, 33), -(10**9), 60, 50),
        # A log that was truncated or made anew, and a commit that goes back.
        ("log_end", slice(31, None), -700, 59, 50),
        ("committed", slice(31, None), -3_000, 60, 50),
    ],
)
def test_offsets_that_are_unknown_or_go_back(
    column: str, part: slice, change: int, produced_s: int, capacity_s: int
) -> None:
    given = samples()
    offsets = getattr(given, column).copy()
    offsets[part] = np.maximum(offsets[part] + change, -1)
    found = measure(given._replace(**{column: offsets}))
    assert rate(found) == (100.0, 40.0, 40.0)
    assert float(found.produced.window[0]) == produced_s
    assert float(found.capacities.estimates.window[0]) == capacity_s


@pytest.mark.parametrize("read_log_start", [True, False])
def test_records_that_are_deleted_unread(read_log_start: bool) -> None:
    """The member goes on at the start of the log; only log starts tell that from consuming."""
    given = samples()
    commits, starts = given.committed.copy(), np.zeros_like(given.committed)
    commits[32:] += 900
    starts[32:] = commits[32]
    given = given._replace(committed=commits, log_start=starts if read_log_start else None)
    assert (rate(measure(given))[1] == 40.0) is read_log_start


def test_a_partition_that_changes_hands() -> None:
    holder = np.zeros((SECONDS, 1), np.int32)
    holder[32:] = 1
    found = measure(samples(holder=holder, n_members=3))
    assert found.capacities.estimates.value[:2].tolist() == [40.0, 40.0]
    # 5 to 30 s at the first member, 35 to 60 s at the second.
    assert found.capacities.estimates.window.tolist() == [25, 25, 0]
    assert found.capacities.reason.tolist() == [KNOWN, KNOWN, NO_PARTITIONS]
    assert found.consumed_by.value[:2].tolist() == [40.0, 40.0]
    assert np.isnan(found.consumed_by.value[2])


def test_hands_that_change_all_the_time_leave_no_window() -> None:
    holder = (np.arange(SECONDS) // 4 % 2).astype(np.int32)[:, None]
    found = measure(samples(holder=holder, n_members=2))
    assert np.isnan(found.capacities.estimates.value).all()
    assert rate(found)[0] == 100.0


def test_a_backlog_of_one_commit_interval_is_no_proof() -> None:
    """With 100 per second consumed too, the lag is what was consumed since the last commit."""
    at = np.arange(SECONDS)
    commits = (5_000 + 500 * (at // PERIOD))[:, None]
    found = measure(samples(committed=commits))
    assert rate(found)[:2] == (100.0, 100.0)
    assert found.capacities.reason.tolist() == [NO_BACKLOG]


def test_a_backlog_that_ends() -> None:
    """The backlog is consumed at 400 per second for 25 s; then only what arrives."""
    at = np.arange(SECONDS)
    position = np.minimum(400 * (at // PERIOD * PERIOD), 7_500 + 100 * (at // PERIOD * PERIOD))
    found = measure(samples(log_end=(7_500 + 100 * at)[:, None], committed=position[:, None]))
    assert rate(found)[2] == 400.0


def test_one_commit_is_too_few_for_a_capacity_and_says_so() -> None:
    given = OffsetSamples(*(column[:8] for column in samples()[:4]), 1)
    found = measure(given)
    assert found.capacities.reason.tolist() == [FEW_COMMITS]
    # 200 records in 7 s, and as uncertain as one commit.
    assert rate(found)[1] == round(200 / 7, 6)
    assert float(found.consumed_by.error[0]) == pytest.approx(1500 / 7)


@pytest.mark.parametrize("number", [0, 1])
def test_too_few_samples(number: int) -> None:
    found = measure(OffsetSamples(*(column[:number] for column in samples()[:4]), 1))
    assert np.isnan([*found.produced.value, *found.consumed_by.value]).all()
    assert found.produced.n_known == 0


def test_a_new_speed_shows_within_two_minutes() -> None:
    """The median of the five most recent windows, of some 30 s each."""
    at = np.arange(420)
    position = np.where(at < 300, 40 * at, 12_000 + 10 * (at - 300)) // 1
    commits = position[at // PERIOD * PERIOD][:, None]
    ends, holder = (50_000 + 100 * at)[:, None], np.zeros((420, 1), np.int32)
    found = measure(OffsetSamples(at.astype(np.float64), ends, commits, holder, 1))
    assert rate(found)[2] == 10.0


NAN = float("nan")


def measured(speeds: list[float], consumed: list[float], error: float = 1.0) -> Measurements:
    def estimates(values: list[float]) -> Estimates:
        value = np.array(values)
        known = ~np.isnan(value)
        return Estimates(value, np.where(known, error, NAN), known * 30.0)

    capacities = Capacities(estimates(speeds), np.zeros(len(speeds), dtype=np.int8))
    return Measurements(estimates([]), estimates(consumed), capacities)


@pytest.mark.parametrize(
    ("speeds", "joined"),
    [
        ([], []),
        ([NAN], [NAN]),
        ([100, 104, 109], [104, 104, 104]),
        ([100, 111, 50, NAN], [100, 111, 50, NAN]),
        ([120, 100, 109, 111, 125], [115.5, 104.5, 104.5, 115.5, 125]),
    ],
)
def test_speeds_close_to_each_other_are_one(speeds: list[float], joined: list[float]) -> None:
    assert joined_speeds(np.array(speeds, dtype=float)).tolist() == pytest.approx(
        joined, nan_ok=True
    )


def test_a_member_that_consumes_more_than_the_others_can_is_as_fast_as_that() -> None:
    found = measured([100, NAN, NAN, NAN], [90, 150, 101, NAN], error=2.0)
    assert surely_faster(found).tolist() == [False, True, False, False]
    assert usable_capacities(found).tolist() == pytest.approx([100, 150, NAN, NAN], nan_ok=True)


def test_without_any_known_speed_none_is_made_up() -> None:
    found = measured([NAN, NAN], [50, 60])
    assert np.isnan(usable_capacities(found)).all()
    assert not surely_faster(found).any()
