"""Exact transfers and splits among three rows: they keep the places and find the best there is."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from support.groups import group_of
from support.local_search import never, start

from equilag.domain.budget import limit_steps
from equilag.domain.group.group import Ints
from equilag.domain.plan.metrics import member_loads
from equilag.domain.policy.policy import Policy
from equilag.solver.exchange.exact_transfers import (
    TABLE,
    SubsetPlaces,
    TargetRows,
    subsets_with_sum,
)
from equilag.solver.exchange.paired_exchange import exchange_in_pairs
from equilag.solver.local_search.three_way_splits import bring_close, split_three_ways


def test_a_sample_where_there_are_too_many() -> None:
    listed, rng = SubsetPlaces(), np.random.default_rng(1)
    assert comb(60, 5) > TABLE
    found = listed.drawn(60, 5, 1_000, rng)
    assert 700 < len(found) <= 1_000
    assert (np.diff(found, axis=1) > 0).all()
    assert found.min() >= 0
    assert found.max() < 60
    assert len(listed.drawn(6, 3, 1_000, rng)) == 20


@pytest.mark.parametrize("seed", range(6))
def test_a_subset_of_each_sum_that_exists(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 30, rng.integers(2, 10))
    size = int(rng.integers(1, len(values) + 1))
    sums = {sum(subset) for subset in combinations(values.tolist(), size)}
    for total in range(-1, max(sums) + 2):
        found = [
            chosen.tolist()
            for chosen in subsets_with_sum(values, size, (total, total), SubsetPlaces(), rng)
        ]
        assert bool(found) == (total in sums)
        assert len({frozenset(chosen) for chosen in found}) == len(found)
        for chosen in found:
            assert len(set(chosen)) == size
            assert values[chosen].sum() == total


def rows_of(rng: np.random.Generator, n_rows: int, width: int, n_empty: int = 0) -> TargetRows:
    lags = rng.integers(0, 1_000, n_rows * width)
    lags[len(lags) - n_empty :] = 0
    order = rng.permutation(len(lags) - n_empty)
    table = np.zeros((n_rows, width), np.int64)
    table[:n_empty, -1] = len(order) + np.arange(n_empty)
    table[table == 0] = order if not n_empty else order[: int((table == 0).sum())]
    target = int(lags.sum()) // n_rows
    return TargetRows(table, lags, len(order), np.full(n_rows, target))


def check(rows: TargetRows, before: Ints) -> None:
    """Each place is in one row, no row has two empty ones, the excess is that of the places."""
    assert sorted(rows.table.ravel().tolist()) == sorted(before.ravel().tolist())
    assert ((rows.table >= rows.n_partitions).sum(axis=1) <= 1).all()
    assert np.array_equal(rows.excess, rows.lag[rows.table].sum(axis=1) - rows.targets)


def best_of_three(rows: TargetRows) -> float:
    """The least sum of fourth powers of all ways to deal the places of three rows."""
    places = rows.table.ravel().tolist()
    width, least = rows.table.shape[1], float("inf")
    for one in combinations(places, width):
        left = [place for place in places if place not in one]
        for two in combinations(left, width):
            three = [place for place in left if place not in two]
            held = np.array([one, two, three])
            empty = (held >= rows.n_partitions).sum(axis=1)
            if (empty <= 1).all():
                off = rows.lag[held].sum(axis=1) - rows.targets
                least = min(least, float((off.astype(float) ** 4).sum()))
    return least


@pytest.mark.parametrize("n_empty", [0, 2])
def test_three_rows_are_split_as_well_as_can_be(n_empty: int) -> None:
    rng = np.random.default_rng(20 + n_empty)
    for _ in range(4):
        rows = rows_of(rng, 3, 3, n_empty)
        least = best_of_three(rows)
        split_three_ways(rows, rng, limit_steps(2_000, never), lenient=False)
        # Its steps lower the sum; it keeps the rows with the least excess among their ends.
        assert np.abs(rows.excess).max() ** 4.0 <= least * (1 + 1e-9)


@pytest.mark.parametrize("kind", ["even", "heavy"])
def test_alike_members_come_close(kind: str) -> None:
    rng = np.random.default_rng(5)
    lags = rng.integers(1_000, 10_000, 47)
    if kind == "heavy":
        lags[:3] = 10**6
    group = group_of([47], [[0]] * 12, lags=lags)
    constraint, assigned = start(group, Policy(), keep=False)
    assigned = exchange_in_pairs(group, assigned, rng, limit_steps(20, never))
    before = member_loads(assigned, group.lag, 12)
    found = bring_close(group, assigned, rng, limit_steps(300, never))
    after = member_loads(found, group.lag, 12)
    assert constraint.admits(found)
    assert after.max() - after.min() < before.max() - before.min()
    assert after.min() >= before.min()


def test_nothing_for_two_rows_wide_rows_and_no_time() -> None:
    rng = np.random.default_rng(4)
    for rows, stop in (
        (rows_of(rng, 2, 4), never),
        (rows_of(rng, 5, 6), never),
        (rows_of(rng, 5, 1), never),
        (rows_of(rng, 5, 4), lambda: True),
    ):
        table = rows.table.copy()
        split_three_ways(rows, rng, stop, lenient=False)
        assert np.array_equal(rows.table, table)
        check(rows, table)


def test_a_surplus_stays_where_only_shortages_count() -> None:
    rng = np.random.default_rng(3)
    rows = rows_of(rng, 5, 3)
    rows.lag[rows.table[0, 0]] += 10**6
    for row, places in enumerate(rows.table.copy()):
        rows.refill(row, places)
    assert rows.excess.max() > 10**6 // 2
    before = int(rows.excess.min())
    split_three_ways(rows, rng, limit_steps(500, never), lenient=True)
    assert int(rows.excess.min()) > before
