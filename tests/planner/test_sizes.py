"""Which sizes are looked at, and what is known of the others: bounds, closed forms, plans."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.groups import group_of

from equilag import Policy
from equilag.domain.budget import Budget
from equilag.planner.sizes import size_curve
from equilag.planner.sizes.size_curve import SizeCurve
from equilag.planner.sizes.size_members import member_pool
from equilag.planner.sizes.size_search import SizeGoal, use_up, walk
from equilag.planner.sizes.sizing import MAX_NOTABLE, LeastSize, SizeRow, notable_sizes

RNG = np.random.default_rng(11)
LAGS = RNG.lognormal(3, 1, 60).astype(np.int64).tolist()

PLAIN = Policy()


def curve_of(
    lags: list[int], sizes: int, balance: str = "total", overrides: Policy = PLAIN
) -> SizeCurve:
    pool = member_pool(group_of([len(lags)], [[0]] * 3, lags=lags), overrides, sizes)
    return SizeCurve(pool, Policy(balance=balance), 0, "lag")


def uneven(sizes: int) -> SizeCurve:
    return curve_of(LAGS, sizes, overrides=Policy(capacity=["m00=1", "*1=2", "*2=3"]))


@pytest.mark.parametrize("alike", [True, False])
def test_the_least_size_is_the_same_as_by_looking_at_all(alike: bool) -> None:
    whole = curve_of(LAGS, 30) if alike else uneven(30)
    walk(whole, 1, 1, 30, Budget())
    for limit in (sum(LAGS) / 2.5, sum(LAGS) / 9, max(LAGS) * 1.05, max(LAGS) * 0.2):
        curve = curve_of(LAGS, 30) if alike else uneven(30)
        found = SizeGoal(curve, limit, (1, 30), Budget()).least
        fits = [k for k in range(1, 31) if whole.within(k, limit)]
        assert found.at_most == (min(fits) if fits else None)
        assert found.at_least <= (min(fits) if fits else 31)
        assert all(whole.at_least(k) > limit for k in range(1, found.at_least))


def test_no_time_leaves_the_bounds() -> None:
    curve, over = curve_of(LAGS, 30), Budget(seconds=0.0)
    dealt = SizeGoal(curve, sum(LAGS) / 9 + 1, (1, 30), over).least
    assert dealt.at_least == 9
    assert dealt.at_most is not None
    assert curve.within(dealt.at_most, sum(LAGS) / 9 + 1)
    assert SizeGoal(uneven(30), sum(LAGS) / 9, (1, 30), over).least.at_most is None
    curve = curve_of(LAGS, 30)
    use_up(curve, [2, 3], over)
    assert curve.all() == [None] * 30
    walk(curve, 8, 1, 30, over)
    assert all(curve.all())  # what is dealt takes no search
    other = uneven(30)
    walk(other, 8, 1, 30, over)
    assert [known is not None for known in other.all()] == [k == 8 for k in range(1, 31)]


def test_notable_sizes() -> None:
    rows = [SizeRow(size, size, 1.0, 1.0, size <= 60) for size in range(1, 101)]
    shown = notable_sizes(rows, 7, [LeastSize(20, 22), None, LeastSize(101, None)])
    assert {1, 7, 19, 20, 21, 22, 60, 100} <= set(shown)
    assert len(shown) <= MAX_NOTABLE + 8
    assert notable_sizes([rows[1], replace(rows[2], helps=False)], 9, []) == [2]


def test_rounded_weights_are_beyond_a_limit_only_by_more_than_their_rounding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert curve_of([3, 3, 4], 3).beyond(3, 3.9)
    monkeypatch.setattr(size_curve, "is_exact", lambda *_: False)
    rounded = curve_of([3, 3, 4], 3)
    assert not rounded.beyond(3, 3.9)  # 4 may have been 3.5, and so may another weight beside it
    assert rounded.beyond(3, 2.9)
    free = curve_of([3, 3, 4], 3, "none")
    assert not free.beyond(3, 2.6)
    assert free.beyond(3, 2.4)
