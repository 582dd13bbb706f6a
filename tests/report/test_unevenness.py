"""Why a group is uneven now: figures against plain computation, and the words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from equilag.report.facts.plans.plan import plan_facts
from equilag.report.wording.unevenness_words import unevenness_heading, unevenness_words
from support.groups import group_of

import equilag
from equilag.domain.group.group import Group
from equilag.planner.diagnosis.judged_plan import judged_plan
from equilag.planner.diagnosis.unevenness import UnevennessFacts, unevenness_facts


def now_of(group: Group) -> UnevennessFacts:
    plan = equilag.solve(group, time_limit=0)
    facts = plan_facts(plan)
    return unevenness_facts(judged_plan(plan, facts.work, facts.group.load_unit))


def why(group: Group) -> str:
    return "\n".join(unevenness_words(now_of(group)))


def test_few_heavy_partitions() -> None:
    lags = [100] * 15
    lags[2] = lags[4] = 900
    group = group_of([15], [[0]] * 3, owners=np.repeat([0, 1, 2], 5), lags=lags)
    text = why(group)
    assert "The number of its partitions is not the reason: it has 5, the others 5." in text
    assert (
        "2 of its 5 partitions are 85.7 % of its load: t00-2 (900), t00-4 (900); a partition"
        " of the group has 206.7 records on average." in text
    )


@pytest.mark.parametrize(
    ("readers", "words"),
    [
        (1, "Only it may read these partitions of t00: 100 % of its load."),
        (2, "which only 2 of the 4 members may read: spread equally over these, it is 2,000"),
    ],
)  # fmt: skip
def test_what_few_members_may_read(readers: int, words: str) -> None:
    subscriptions = [[0]] * readers + [[1]] * (4 - readers)
    owners = [0, 0, 0, readers - 1, *[readers, 3] * 2]
    group = group_of([4, 4], subscriptions, owners=owners, lags=[1000] * 4 + [100] * 4)
    assert words in why(group)


def test_a_member_that_may_be_stuck() -> None:
    lags = [20_000] * 6 + [5] * 30
    group = group_of([36], [[0]] * 6, owners=np.repeat(np.arange(6), 6), lags=lags)
    text = why(group)
    assert "m00 may be slow or stuck: all 6 of its partitions lag at least 20,000 records" in text
    assert "heavier" not in text


def test_slow_members() -> None:
    group = group_of([12], [[0]] * 4, owners=np.repeat(np.arange(4), 3), lags=[1000] * 12)
    speeds = (2.0, 10.0, 10.0, 5.0)
    members = [replace(m, capacity=c) for m, c in zip(group.members, speeds, strict=True)]
    text = why(replace(group, members=tuple(members), alike=None))
    assert "It is slow: its capacity is 2, the median 7.50" in text
    assert "m03 (5) is slow too; the median capacity is 7.50" in text


def test_owners_that_are_missing() -> None:
    group = group_of([6], [[0]] * 3, owners=[0, 0, 1, 1, 1, -1], lags=[100] * 6)
    assert "m02 owns no partition.\n1 partition has no owner." in why(group)
    nobody = group_of([6], [[0]] * 3)
    assert why(nobody) == "Nobody owns a partition: 6 partitions to assign."
    assert why(group_of([2], [[]])) == "No member reads a partition."


def test_an_even_group_says_so() -> None:
    lags = [100, 101, 99, 100]
    group = group_of([4], [[0]] * 2, owners=[0, 0, 1, 1], lags=lags)
    assert why(group) == "It is even: the members have 199 to 201 records, a fair share is 200."
    assert unevenness_heading(now_of(group)) == "How even it is now"
    alone = group_of([2], [[0]], owners=[0, -1], lags=[5, 900])
    assert "It is even" in why(alone)


def test_a_group_without_lag_is_counted() -> None:
    group = group_of([5], [[0]] * 3, owners=[0, 0, 1, 1, 2])
    assert why(group).startswith("The group has caught up, so loads are numbers of partitions.\nIt")
    assert now_of(group).evenness == "even"
    uneven = group_of([5], [[0]] * 3, owners=[0, 0, 0, 0, 2])
    assert "m00 is the heaviest member: 4 partitions, 2.4 × a fair share" in why(uneven)
    assert "The others have 0 to 1." in why(uneven)
    weightless = Group.build(
        name="g", topics={"t": 2}, members=["a"], subscriptions={"a": ["t"]},
        owned={"a": {"t": [0, 1]}}, weights={"t": [0, 0]},
    )  # fmt: skip
    plan = equilag.solve(weightless, weight="given", time_limit=0)
    facts = plan_facts(plan)
    now = unevenness_facts(judged_plan(plan, facts.work, facts.group.load_unit))
    assert unevenness_words(now) == ("There is no lag: all members have 0 weight.",)


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
            unevenness_words(found)
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
    assert now.lightest is not None
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
    assert narrow is not None
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
