"""Groups in bins: each in exactly one, within 4/3 of the optimum, and always the same."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from equilag.pipeline.solving import bins_of, estimated_seconds

WORK = st.lists(st.integers(0, 30) | st.floats(0, 100), max_size=6)


def fullest(work: list[float], bins: list[int] | tuple[int, ...]) -> float:
    filled: dict[int, float] = {}
    for amount, number in zip(work, bins, strict=True):
        filled[number] = filled.get(number, 0.0) + amount
    return max(filled.values(), default=0.0)


@given(WORK, st.integers(1, 4))
def test_within_four_thirds_of_the_best(work: list[float], n_bins: int) -> None:
    bins = bins_of(work, n_bins)
    best = min(fullest(work, b) for b in itertools.product(range(n_bins), repeat=len(work)))
    # Graham's bound for this number of bins.
    assert fullest(work, bins) <= best * (4 / 3 - 1 / (3 * n_bins)) * (1 + 1e-9)


@given(st.lists(st.floats(0, 1e6), max_size=200), st.integers(0, 300))
def test_each_item_is_in_one_bin_that_exists(work: list[float], n_bins: int) -> None:
    bins = bins_of(work, n_bins)
    assert len(bins) == len(work)
    assert all(type(number) is int and 0 <= number < max(1, n_bins) for number in bins)
    assert bins == bins_of(tuple(work), n_bins)


def test_largest_first_and_ties_by_position() -> None:
    assert bins_of([1.0, 3.0, 2.0, 3.0], 2) == [1, 0, 0, 1]
    assert bins_of([1.0, 1.0, 1.0], 3) == [0, 1, 2]
    assert bins_of([1.0, 9.0, 5.0], 3) == [2, 0, 1]


def test_work_grows_with_partitions_and_effort() -> None:
    assert (
        0
        < estimated_seconds(0, 0.0)
        < estimated_seconds(1, 1.0)
        < estimated_seconds(100, 1.0)
        < estimated_seconds(10_000, 1.0)
    )
    assert estimated_seconds(10_000, 0.1) < estimated_seconds(10_000, 5.0)
    # What a group cannot use up counts for nothing.
    assert estimated_seconds(10, 1.0) == estimated_seconds(10, 1_000.0)
