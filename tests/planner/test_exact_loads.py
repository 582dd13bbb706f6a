"""Plans of members whose capacities are decimals: figures, bounds and `optimal` are of these."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import pytest

import equilag
from benchmarks.ablation.kinds import unequal
from equilag.domain.group.group import Group, Member
from equilag.domain.plan.plan import Plan

CAPACITIES = ("0.1", "2.35", "0.001", "12345.678", "1", "1.0004", "3", "1e6")


def loads_of(group: Group, plan: Plan, capacity: dict[str, float]) -> dict[str, Fraction]:
    """The load of each member by what the plan's JSON assigns to it."""
    start = dict(zip(group.topics, group.topic_start.tolist(), strict=False))
    return {
        member: sum(int(group.lag[start[t] + p]) for t, row in topics.items() for p in row)
        / Fraction(repr(capacity[member]))
        for member, topics in plan.to_dict()["assignment"].items()
    }


@pytest.mark.parametrize("moved", [None, 0.02])
def test_figures_are_those_of_the_capacities_as_given(moved: float | None) -> None:
    for seed in range(3):
        group, settings = unequal(12, 90, moved, seed)
        plan = equilag.solve(group, effort=0.05, time_limit=60, **settings)
        assert not plan.notes  # of a stage that failed
        loads = loads_of(group, plan, settings["capacity"])
        load = plan.to_dict()["load"]
        spread, total = max(loads.values()) - min(loads.values()), int(group.lag.sum())
        mean = total / sum(Fraction(repr(c)) for c in settings["capacity"].values())
        assert load["by_member"] == {m: float(one) for m, one in loads.items()}
        assert (load["max"], load["min"]) == (
            float(max(loads.values())), float(min(loads.values())),
        )  # fmt: skip
        assert (load["spread"], load["mean"]) == (float(spread), float(mean))
        assert load["excess"] == pytest.approx(
            float(sum(max(Fraction(0), one - mean) for one in loads.values()))
        )
        assert equilag.verify(plan.group, plan.to_dict()) == []


def random_group(rng: np.random.Generator) -> Group:
    """Three members that differ, and up to six partitions that each of them may take."""
    size, large = int(rng.integers(2, 7)), rng.random() < 0.3
    names = rng.choice(CAPACITIES, 3, replace=rng.random() < 0.5).tolist()
    members = [Member(f"m{n}", capacity=float(one)) for n, one in enumerate(names)]
    lags = rng.integers(0, 2**53 if large else 50, size).tolist()
    return Group.build(
        name="g",
        topics={"t": size},
        members=members,
        subscriptions={member.id: ["t"] for member in members},
        owned={"m0": {"t": list(range(int(rng.integers(0, size + 1))))}},
        lags={"t": lags},
    )


def least_spread(group: Group, max_moves: int | None) -> Fraction:
    """Per unit of capacity, by trying all assignments."""
    exact = [Fraction(repr(member.capacity)) for member in group.members]
    lags, owner, best = group.lag.tolist(), group.owner.tolist(), None
    for row in product(range(3), repeat=group.n_partitions):
        moves = sum(o not in (-1, m) for o, m in zip(owner, row, strict=True))
        if max_moves is not None and moves > max_moves:
            continue
        loads = [Fraction(0)] * 3
        for member, lag in zip(row, lags, strict=True):
            loads[member] += lag / exact[member]
        spread = max(loads) - min(loads)
        best = spread if best is None else min(best, spread)
    assert best is not None
    return best


@pytest.mark.parametrize("number", [40, pytest.param(800, marks=pytest.mark.long)])
def test_bounds_and_optimal_are_true(number: int) -> None:
    rng, solve = np.random.default_rng(3), partial(equilag.solve, balance="none", tolerance=0)
    proved = 0
    for _ in range(number):
        group, limit = random_group(rng), int(rng.integers(0, 4))
        max_moves = None if limit == 3 else limit
        plan = solve(group, effort=0.2, time_limit=60, max_moves=max_moves)
        best = least_spread(group, max_moves)
        unit = max(Fraction(repr(member.capacity)) for member in group.members)
        assert plan.spread_lower_bound <= best * unit <= plan.compared.spread
        optimal = plan.compared.spread == plan.spread_lower_bound
        assert (plan.status == "optimal") == optimal
        assert equilag.verify(group, plan.to_dict()) == []
        proved += optimal
    assert proved > 0.9 * number


def test_the_excess_of_a_plan_is_no_less_than_a_bound_that_is_a_fraction() -> None:
    capacity = {"idle": 1.1, "slow": 0.2, "middle": 0.3, "other": 0.2}
    group = Group.build(
        name="g",
        topics={"gone": 0, "read": 1},
        members=[Member(member, capacity=one) for member, one in capacity.items()],
        subscriptions={"idle": ["gone"], "slow": ["read"], "middle": ["read"], "other": ["read"]},
        owned={},
        lags={"read": [7]},
    )
    plan = equilag.solve(group, effort=0.1, time_limit=60)
    assert any(claim.claim == "excess_at_least" for claim in plan.claims)
    assert equilag.verify(group, plan.to_dict()) == []


def test_capacities_may_be_too_far_apart_for_a_float() -> None:
    group = Group.build(
        name="g",
        topics={"t": 2},
        members=[Member("slow", capacity=1.0), Member("fast", capacity=1e18)],
        subscriptions={"slow": ["t"], "fast": ["t"]},
        owned={},
        lags={"t": [5, 9]},
    )
    plan = equilag.solve(group, effort=0.1, time_limit=60)
    assert not plan.notes  # of a stage that failed
    assert equilag.verify(group, plan.to_dict()) == []
