"""Groups too large for single exchanges: even loads and points of the front, in bulk."""

from __future__ import annotations

import numpy as np
import pytest

from equilag.certificate.verify import verify
from equilag.domain.building.group_input import ClaimColumns
from equilag.domain.group.group import Group, Ints
from equilag.planner.solve import solve
from equilag.planner.stages.improving_stages import GreedyDescent


def large_group() -> Group:
    """500 members, 105 topics of 200 partitions in two overlapping subscriptions."""
    rng = np.random.default_rng(6)
    names = [f"t{t:03}" for t in range(105)]
    reads = names[:70], names[35:]
    return Group.build(
        name="large",
        topics=dict.fromkeys(names, 200),
        members=[f"m{m:03}" for m in range(500)],
        subscriptions={f"m{m:03}": reads[m % 2] for m in range(500)},
        owned=ClaimColumns(_owners(rng), np.arange(21_000)),
        lags=rng.integers(1, 10_000, 21_000),
    )


def _owners(rng: np.random.Generator) -> Ints:
    topic = np.arange(21_000) // 200
    owner = rng.integers(0, 250, 21_000) * 2
    owner += np.where(topic < 35, 0, np.where(topic >= 70, 1, rng.integers(0, 2, 21_000)))
    return owner


@pytest.mark.parametrize(
    "balance",
    ["both", *(pytest.param(one, marks=pytest.mark.long) for one in ("total", "per-topic"))],
)
def test_loads_are_even_and_the_front_has_points_between(balance: str) -> None:
    group = large_group()
    assert group.n_partitions > GreedyDescent.LARGEST
    plan = solve(group, balance=balance, effort=1.6, time_limit=60, tolerance=0)
    assert plan.lag.spread <= 0.02 * plan.lag.mean
    assert verify(group, plan) == []
    assert len(plan.choices) == 3
