"""Members that may be slow: figures against plain computation."""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import Any

import numpy as np
import pytest
from support.groups import group_of

from equilag.domain.group.group import Group
from equilag.domain.group.lag import UNKNOWN
from equilag.domain.plan.verdict import SuspectFacts
from equilag.planner.facts.suspects import slow_suspects


def stuck(*members: int, size: int = 6, n: int = 10, usual: int = 20) -> Group:
    """A group of `n` members of `size` partitions; those of some members lag 30,000 and more."""
    owners = np.repeat(np.arange(n), size)
    lags = usual + np.arange(n * size) % 40
    late = np.isin(owners, members)
    lags[late] = 30_000 + 7 * np.arange(np.count_nonzero(late))
    return group_of([n * size], [[0]] * n, owners=owners, lags=lags)


@pytest.mark.parametrize(
    "group",
    [
        stuck(),
        stuck(3, usual=16_000),
        stuck(*range(8)),  # they have 1.25 fair shares each
        group_of([5], [[0]] * 3, owners=[0, 0, 0, 1, 2], lags=[9_000, 9_000, 9_000, 10, 10]),
        group_of([3], [[0]]),
    ],
    ids=["even", "not twice", "most of them", "more partitions", "no owners"],
)
def test_nobody_is_suspected_without_need(group: Group) -> None:
    assert slow_suspects(group, group.owner) == ()


def test_what_is_known_says_more_than_a_suspicion() -> None:
    group = stuck(3)
    first = replace(group.members[0], capacity=5.0)
    fast = replace(group, members=(first, *group.members[1:]))
    assert slow_suspects(fast, fast.owner) == ()
    rates = replace(group, rates=np.full(60, 2.0))
    assert slow_suspects(rates, rates.owner) == ()
    none = replace(group, rates=np.full(60, np.nan))
    assert len(slow_suspects(none, none.owner)) == 1
    quality = group.quality.copy()
    quality[18:20] = UNKNOWN
    assert slow_suspects(replace(group, quality=quality), group.owner) == ()


def test_a_heavy_topic_is_no_slow_member() -> None:
    owners = [0] * 4 + [*np.repeat(np.arange(1, 9), 4)]
    lags = [50_000] * 4 + [10] * 32
    group = group_of([4, 32], [[0, 1]] * 9, owners=owners, lags=lags)
    assert slow_suspects(group, group.owner) == ()
    # The heavy topic has partitions elsewhere, and those lag as much.
    owners = [0, 0, 0, 1, *owners[4:]]
    shared = group_of([4, 32], [[0, 1]] * 9, owners=owners, lags=lags)
    assert slow_suspects(shared, shared.owner) == ()


def test_random_suspects_have_the_figures_that_they_are_given() -> None:
    rng = np.random.default_rng(7)
    seen = 0
    for _ in range(150):
        n, sizes = int(rng.integers(2, 9)), rng.integers(3, 25, 2).tolist()
        total = sum(sizes)
        owners = rng.integers(-1, n, total)
        lags = rng.integers(0, 200, total) * rng.choice([1, 1, 40], total)
        slow = rng.choice(n, int(rng.integers(0, 3)), replace=False)
        lags = np.where(np.isin(owners, slow), lags * 10 + 25_000, lags)
        group = group_of(sizes, [[0, 1]] * n, owners=owners, lags=lags)
        found = slow_suspects(group, group.owner)
        seen += len(found)
        _check_suspects(found, group)
    assert seen > 50


def _check_suspects(found: tuple[SuspectFacts, ...], group: Group) -> None:
    columns = group.owner.tolist(), group.lag.tolist(), group.topic_of.tolist()
    held = [row for row in zip(*columns, strict=True) if row[0] >= 0]
    names, n = {one.member for one in found}, group.n_members
    others = [row for row in held if group.members[row[0]].id not in names]
    rest, shared = [lag for _, lag, _ in others], {topic for *_, topic in others}
    fair = sum(lag for _, lag, _ in held) / n
    for one in found:
        own = [row for row in held if group.members[row[0]].id == one.member]
        lags = [lag for _, lag, _ in own]
        late: Any = [lag for lag in lags if lag >= one.least]
        assert (len(own), len(late)) == (one.partitions, one.lagging)
        alike = [(lag, topic) for _, lag, topic in own if topic in shared]
        topics = {topic for lag, topic in alike if 20 * lag >= max(alike)[0]}
        matter = [lag for lag, topic in alike if topic in topics]
        matter = matter if len(matter) > 1 else lags
        far = median(matter) >= max(1_000, 20 * median(rest))
        assert sum(lag >= one.least for lag in matter) >= (0.75 if far else 0.9) * len(matter)
        assert sum(lags) > 1.25 * fair
        assert len(own) * (n - 1) <= 2 * (len(held) - len(own))
        assert one.least == min(late) > one.others_usual
        assert (one.others, one.others_most) == (len(rest), max(rest))
        assert one.others_within == sum(lag <= one.others_usual for lag in rest) >= 0.9 * len(rest)
        times = 2 if len(matter) == len(own) else 20
        assert median(matter) >= max(1_000, times * median(rest))
