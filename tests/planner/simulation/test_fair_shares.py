from __future__ import annotations

import numpy as np
import pytest
from support.fluid_groups import random_runs

from equilag.domain.columns import Floats, Index
from equilag.planner.simulation.fluid_state import fair_shares


def by_sorting(demand: Floats, owner: Index, budget: Floats) -> list[float]:
    """The smallest demands first: each gets what it asks for, or an equal part of what is left."""
    shares = [0.0] * len(demand)
    for member, left in enumerate(budget.tolist()):
        held = sorted(np.flatnonzero(owner == member).tolist(), key=lambda p: demand[p])
        for place, p in enumerate(held):
            shares[p] = min(float(demand[p]), left / (len(held) - place))
            left -= shares[p]
    return shares


def test_random_shares_are_those_by_sorting() -> None:
    for lag, ((_, conditions), *_) in random_runs(1, 300):
        shares = fair_shares(lag, conditions.owner, conditions.capacity)
        assert shares == pytest.approx(by_sorting(lag, conditions.owner, conditions.capacity))


def test_demands_over_many_orders_of_magnitude() -> None:
    demand = np.array([2.0**k for k in range(60)])
    owner = np.zeros(60, dtype=np.int32)
    for budget in (1.0, 1000.0, 2.0**40, 2.0**59, 2.0**61):
        shares = fair_shares(demand, owner, np.array([budget]))
        assert shares == pytest.approx(by_sorting(demand, owner, np.array([budget])))
