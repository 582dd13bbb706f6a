"""Which sizes are looked at, and what is known of the others: bounds, closed forms, plans."""

from __future__ import annotations

import numpy as np
import pytest
from support.groups import group_of
from support.oracle_optima import least_heaviest

from equilag import Policy
from equilag.domain.budget import Budget
from equilag.planner.sizes.size_bounds import AlikeLoads
from equilag.planner.sizes.size_curve import SizeCurve
from equilag.planner.sizes.size_members import member_pool
from equilag.planner.sizes.size_probe import probing_policy
from equilag.planner.sizes.size_search import least_size, use_up, walk
from equilag.planner.sizes.sizing import MAX_NOTABLE, LeastSize, notable_sizes

RNG = np.random.default_rng(11)
LAGS = RNG.lognormal(3, 1, 60).astype(np.int64).tolist()

PLAIN = Policy()


def curve_of(
    lags: list[int], sizes: int, balance: str = "total", overrides: Policy = PLAIN
) -> SizeCurve:
    pool = member_pool(group_of([len(lags)], [[0]] * 3, lags=lags), overrides, sizes)
    return SizeCurve(pool, probing_policy(Policy(balance=balance)))


def uneven(sizes: int) -> SizeCurve:
    return curve_of(LAGS, sizes, overrides=Policy(capacity=["m00=1", "*1=2", "*2=3"]))


@pytest.mark.parametrize("alike", [True, False])
def test_the_least_size_is_the_same_as_by_looking_at_all(alike: bool) -> None:
    whole = curve_of(LAGS, 30) if alike else uneven(30)
    walk(whole, 1, 1, 30, Budget())
    for limit in (sum(LAGS) / 2.5, sum(LAGS) / 9, max(LAGS) * 1.05, max(LAGS) * 0.2):
        curve = curve_of(LAGS, 30) if alike else uneven(30)
        found = least_size(curve, limit, 1, 30, Budget())
        fits = [k for k in range(1, 31) if whole.within(k, limit)]
        assert found.at_most == (min(fits) if fits else None)
        assert found.at_least <= (min(fits) if fits else 31)
        assert all(whole.at_least(k) > limit for k in range(1, found.at_least))


def test_no_time_leaves_the_bounds() -> None:
    curve, over = curve_of(LAGS, 30), Budget(seconds=0.0)
    assert least_size(curve, sum(LAGS) / 9 + 1, 1, 30, over) == LeastSize(9, None)
    assert least_size(uneven(30), sum(LAGS) / 9, 1, 30, over).at_most is None
    use_up(curve, [2, 3], over)
    assert curve.all() == [None] * 30
    walk(curve, 8, 1, 30, over)
    assert [known is not None for known in curve.all()] == [k >= 8 for k in range(1, 31)]


def test_sizes_that_are_open_share_what_is_left() -> None:
    curve = curve_of(LAGS, 12)
    use_up(curve, [7, 8, 12], Budget.of_run(60.0, 0.0, 0.3))
    assert all(curve.proved(size) or curve.spent(size) > 0.05 for size in (7, 8, 12))
    assert curve.spent(9) == 0
    known = curve.at(7)
    assert known.load - known.at_least <= 0.001 * known.load


def test_sizes_without_room_are_refused() -> None:
    curve = curve_of([1, 2, 3, 4], 4, overrides=Policy(max_partitions=1))
    walk(curve, 1, 1, 4, Budget())
    assert [known is not None for known in curve.all()] == [False, False, False, True]
    assert curve.refused is not None


def test_notable_sizes() -> None:
    rows = [*range(1, 101)]
    shown = notable_sizes(rows, rows[:60], 7, [LeastSize(20, 22), None, LeastSize(101, None)])
    assert {1, 7, 19, 20, 21, 22, 60, 100} <= set(shown)
    assert len(shown) <= MAX_NOTABLE + 8
    assert notable_sizes([2, 3], [2], 9, []) == [2]


def test_rounded_weights_are_beyond_a_limit_only_by_more_than_their_rounding() -> None:
    pool = curve_of([3, 3, 4], 3).pool
    policy = probing_policy(Policy())
    assert SizeCurve(pool, policy).beyond(3, 3.9)
    rounded = SizeCurve(pool, policy, exact=False)
    assert not rounded.beyond(3, 3.9)  # 4 may have been 3.5, and so may another weight beside it
    assert rounded.beyond(3, 2.9)
    free = SizeCurve(pool, probing_policy(Policy(balance="none")), exact=False)
    assert not free.beyond(3, 2.6)
    assert free.beyond(3, 2.4)


LISTS = 60
"""Random lists of each kind of balance: some 0.5 s."""


def some_weights(rng: np.random.Generator) -> list[int]:
    """Up to six weights: small, alike, wide, or with one that dominates."""
    top = int(rng.choice([2, 9, 1000]))
    weights = rng.integers(0, top, int(rng.integers(1, 7))).tolist()
    if rng.random() < 0.3:
        weights[0] = 10 * top
    return [int(weight) for weight in weights]


@pytest.mark.parametrize("even_counts", [True, False])
def test_bounds_hold_and_closed_forms_are_exact(even_counts: bool) -> None:
    rng = np.random.default_rng(5)
    tight = looked_at = 0
    for _ in range(LISTS):
        weights = some_weights(rng)
        loads = AlikeLoads(np.array(weights), even_counts)
        before = np.inf
        for members in range(1, 6):
            best = least_heaviest(weights, [1] * members, even_counts)
            assert loads.at_least(members) <= best
            assert loads.exact(members) in (None, best)
            assert best <= before  # more members never need a heavier one
            before = best
            looked_at += 1
            tight += loads.at_least(members) == best
    assert tight > 0.9 * looked_at


def test_no_partitions_weigh_nothing() -> None:
    loads = AlikeLoads(np.zeros(0, np.int64), True)
    assert loads.at_least(3) == 0
    assert loads.heaviest == 0
    assert loads.exact(3) == 0
