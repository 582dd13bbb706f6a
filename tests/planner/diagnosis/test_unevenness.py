"""Why a group is uneven now: figures against plain computation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.groups import group_of

import equilag
from equilag.domain.group.group import Group
from equilag.planner.diagnosis.judged_plan import judged_plan
from equilag.planner.diagnosis.unevenness import UnevennessFacts, unevenness_facts
from equilag.planner.facts.work import load_unit, work_facts


def now_of(group: Group) -> UnevennessFacts:
    plan = equilag.solve(group, time_limit=0)
    return unevenness_facts(judged_plan(plan, work_facts(plan), load_unit(plan.planned)))


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
