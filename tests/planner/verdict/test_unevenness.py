"""Why a group is uneven now, and members that may be slow: figures against plain computation."""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import Any

import numpy as np
import pytest
from support.groups import group_of

import equilag
from equilag.domain.group.group import Group
from equilag.domain.group.lag import UNKNOWN
from equilag.domain.plan.verdict import SuspectFacts
from equilag.planner.explaining.unevenness import UnevennessFacts, unevenness_facts
from equilag.planner.verdict.judged_plan import JudgedPlan
from equilag.planner.verdict.suspects import slow_suspects


def now_of(group: Group) -> UnevennessFacts:
    return unevenness_facts(JudgedPlan(equilag.solve(group, time_limit=0)))


def test_every_figure_is_what_a_plain_computation_says() -> None:
    rng = np.random.default_rng(3)
    seen = {"heavy": 0, "narrow": 0, "even": 0}
    for _ in range(150):
        sizes, n = rng.integers(1, 9, 3).tolist(), int(rng.integers(2, 6))
        reads = [sorted({0, *rng.choice(3, 2).tolist()} - set(rng.choice(3, 1).tolist()))
                 for _ in range(n)]  # fmt: skip
        topic = np.repeat(np.arange(3), sizes)
        owners = [
            int(rng.choice(may)) if (may := [m for m in range(n) if t in reads[m]]) else -1
            for t in topic.tolist()
        ]
        lags = (rng.pareto(1.0, len(topic)) * 200).astype(int) + 2
        group = group_of(sizes, reads, owners=owners, lags=lags)
        if any(reads):
            found = now_of(group)
            _check(found, topic.tolist(), reads, owners, lags.tolist())
            seen["heavy"] += found.heavy is not None
            seen["narrow"] += found.narrow is not None
            seen["even"] += found.evenness == "even"
    assert min(seen.values()) > 3


def _check(
    now: UnevennessFacts, topic: list[int], reads: list[list[int]], owners: list[int],
    lags: list[int],
) -> None:  # fmt: skip
    rows = [*zip(topic, owners, lags, strict=True)]
    busy = [m for m in range(len(reads)) if any(t in reads[m] for t in topic)]
    load = {m: sum(lag for _, owner, lag in rows if owner == m) for m in busy}
    count = {m: owners.count(m) for m in busy}
    read = [(t, lag) for t, owner, lag in rows if owner >= 0]
    fair = sum(lag for _, lag in read) / len(busy)
    assert now.fair == pytest.approx(fair)
    heaviest: Any = now.heaviest
    who = int(heaviest.id[1:])
    assert (heaviest.load, heaviest.partitions) == (max(load.values()), count[who])
    assert load[who] == heaviest.load
    assert heaviest.fair_shares == pytest.approx(load[who] / fair)
    assert now.lightest.load == min(load.values())
    even = all(0.9 * fair <= one <= 1.1 * fair for one in load.values()) or len(busy) == 1
    assert now.evenness == ("even" if even else "uneven")
    rest = [count[m] for m in busy if m != who]
    if rest:
        assert (now.others_fewest, now.others_most) == (min(rest), max(rest))
        assert now.others_usual == pytest.approx(sum(rest) / len(rest))
    assert now.without == tuple(f"m{m:02}" for m in busy if not count[m])
    own = sorted((lag for _, owner, lag in rows if owner == who), reverse=True)
    assert now.own_mean == pytest.approx(sum(own) / len(own))
    if now.heavy is not None:
        chosen = [*now.heavy.weights]
        assert chosen == own[: len(chosen)]
        assert now.heavy.percent == pytest.approx(100 * sum(chosen) / sum(own))
        assert now.heavy.percent >= 50 > 100 * sum(chosen[:-1]) / sum(own)
        assert now.heavy.mean == pytest.approx(sum(lag for _, lag in read) / len(read))
        assert chosen[-1] >= 2 * now.heavy.mean
    if now.narrow is not None:
        _check_narrow(now, rows, reads, who)


def _check_narrow(
    now: UnevennessFacts, rows: list[tuple[int, int, int]], reads: list[list[int]], who: int
) -> None:
    narrow = now.narrow
    named = {int(name[1:]) for name in narrow.topics}
    readers = {m for m in range(len(reads)) if named <= {*reads[m]}}
    for t in named:
        assert {m for m in range(len(reads)) if t in reads[m]} == readers
    assert (narrow.readers, narrow.readers < narrow.members) == (len(readers), True)
    alike = {t for t in range(3) if {m for m in range(len(reads)) if t in reads[m]} == readers}
    total = sum(lag for t, _, lag in rows if t in alike)
    assert narrow.load == pytest.approx(total / len(readers))
    assert narrow.load > 1.1 * now.fair
    own = [(t, lag) for t, owner, lag in rows if owner == who]
    part = sum(lag for t, lag in own if t in named) / sum(lag for _, lag in own)
    assert narrow.percent == pytest.approx(100 * part)
    assert part >= 0.5


def stuck(*members: int, size: int = 6, n: int = 10, usual: int = 20) -> Group:
    """A group of `n` members of `size` partitions; those of some members lag 30,000 and more."""
    owners = np.repeat(np.arange(n), size)
    lags = usual + np.arange(n * size) % 40
    late = np.isin(owners, members)
    lags[late] = 30_000 + 7 * np.arange(np.count_nonzero(late))
    return group_of([n * size], [[0]] * n, owners=owners, lags=lags)


def test_a_member_of_which_all_partitions_lag() -> None:
    group = stuck(3)
    (found,) = slow_suspects(group, group.owner)
    assert (found.member, found.partitions, found.lagging) == ("m03", 6, 6)
    assert (found.least, found.others, found.others_most) == (30_000, 54, 59)


def test_nine_tenths_of_the_partitions_do() -> None:
    group = stuck(0, size=10, n=6)
    lag = group.lag.copy()
    lag[4], lag[30] = 3, 40_000
    group = replace(group, lag=lag)
    (found,) = slow_suspects(group, group.owner)
    assert (found.partitions, found.lagging, found.others_most) == (10, 9, 40_000)
    lag[5] = 3
    assert slow_suspects(replace(group, lag=lag), group.owner) == ()


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
    quality[18] = UNKNOWN
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
        _check_suspects(found, owners.tolist(), lags.tolist(), n)
    assert seen > 50


def _check_suspects(
    found: tuple[SuspectFacts, ...], owners: list[int], lags: list[int], n: int
) -> None:
    held = [*zip(owners, lags, strict=True)]
    names = {one.member for one in found}
    rest = [lag for owner, lag in held if owner >= 0 and f"m{owner:02}" not in names]
    fair = sum(lag for owner, lag in held if owner >= 0) / n
    for one in found:
        own = [lag for owner, lag in held if f"m{owner:02}" == one.member]
        late: Any = [lag for lag in own if lag >= one.least]
        assert (len(own), len(late)) == (one.partitions, one.lagging)
        assert one.lagging >= 0.9 * len(own)
        assert sum(own) > 1.25 * fair
        assert len(own) <= 1.5 * max(1, len([0 for owner, _ in held if owner >= 0]) / n)
        assert one.least == min(late) > one.others_usual
        assert (one.others, one.others_most) == (len(rest), max(rest))
        assert one.others_within == sum(lag <= one.others_usual for lag in rest) >= 0.9 * len(rest)
        assert median(own) >= max(500, 2 * median(rest))
