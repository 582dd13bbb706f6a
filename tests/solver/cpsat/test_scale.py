"""How numbers are kept small in the model, what that costs, and the parameters of every call."""

from __future__ import annotations

import ast
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.groups import problem_of

import equilag
from equilag.domain.group.member_capacities import MemberCapacities, decimal
from equilag.solver.cpsat.model import CpSatLimits, all_below, parameters
from equilag.solver.cpsat.scaled_loads import MAX_TOTAL, scaled

CAPACITIES = st.sampled_from([1, 3, 60, 0.1, 2.35, 1e-3, 12345.678, 1e6])
LAGS = st.lists(st.integers(0, 2**53 - 1), min_size=1, max_size=8)


@given(LAGS, st.lists(st.integers(0, 2**56), min_size=2, max_size=3), st.data())
def test_the_floor_is_a_valid_bound(lags: list[int], bases: list[int], data: st.DataObject) -> None:
    """Any assignment: its spread in the model, taken back, is never above its true spread."""
    lag, base = np.array(lags, np.int64), np.array(bases, np.int64)
    small = scaled(lag, base)
    holder = data.draw(
        st.lists(st.integers(0, len(bases) - 1), min_size=len(lags), max_size=len(lags))
    )
    true, modelled = base - base.min(), small.base.copy()
    np.add.at(true, holder, lag)
    np.add.at(modelled, holder, small.lag[:, 0])
    most = int(np.bincount(holder).max())
    spread = int(true.max() - true.min())
    bound = small.floor(int(modelled.max() - modelled.min()), most)
    assert 0 <= bound <= spread
    assert spread - bound <= 2 * small.unit * (most + 2)


@given(LAGS, st.lists(CAPACITIES, min_size=3, max_size=3), st.data())
def test_the_floor_is_a_valid_bound_by_capacity(
    lags: list[int], capacities: list[float], data: st.DataObject
) -> None:
    lag, base = np.array(lags, np.int64), np.array([7, 0, 2**40])
    exact = MemberCapacities.of([decimal(capacity) for capacity in capacities])
    small = scaled(lag, base, exact)
    holder = np.array(
        data.draw(st.lists(st.integers(0, 2), min_size=len(lags), max_size=len(lags)))
    )
    true, modelled = base.copy(), small.base.copy()
    np.add.at(true, holder, lag)
    np.add.at(modelled, holder, small.lag[np.arange(len(lag)), holder])
    loads = [exact.load(int(true[m]), int(exact.kind_of[m])) for m in range(3)]
    spread, reached = max(loads) - min(loads), int(modelled.max() - modelled.min())
    most = int(np.bincount(holder).max())
    assert 0 <= small.floor(reached, most) <= spread
    assert reached <= small.ceiling(spread + Fraction(1, 10**20), most)
    assert small.lag.max(axis=1).sum() + small.base.max() <= MAX_TOTAL


@pytest.mark.parametrize("seed", [0, 1, 2**31, 2**40 + 3])
@pytest.mark.parametrize("wall", [0.0, 0.5, 100.0])
def test_every_call_avoids_the_presolve_that_goes_wrong(seed: int, wall: float) -> None:
    chosen = parameters(CpSatLimits(wall, 1.0, seed))
    assert chosen["presolve_inclusion_work_limit"] == 0
    assert chosen["num_workers"] == 1
    assert 0 <= chosen["random_seed"] < 2**31
    assert chosen["max_time_in_seconds"] > 0


def test_too_many_to_be_listed() -> None:
    problem = problem_of([10**9] * 12, 3, 4, 4)
    assert all_below(problem, CpSatLimits(60.0, 10.0), 10) is None


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("capacities", [None, MemberCapacities.of([1, 3, decimal(2.35)])])
def test_the_best_is_among_those_listed(seed: int, capacities: MemberCapacities | None) -> None:
    """However many plans the rounded model takes for as good."""
    lag = np.random.default_rng(seed).integers(1, 2**40, 6)
    problem = problem_of(lag.tolist(), 3, 1, 3, capacities=capacities)
    rate = capacities or MemberCapacities.of([1, 1, 1])

    def spread(holder: tuple[int, ...]) -> Fraction | int:
        load = [int(lag[np.array(holder) == m].sum()) for m in range(3)]
        loads = [rate.load(load[m], int(rate.kind_of[m])) for m in range(3)]
        return max(loads) - min(loads)

    holders = product(range(3), repeat=6)
    counted = [h for h in holders if all(1 <= h.count(m) <= 3 for m in range(3))]
    best = min(map(spread, counted))
    found = all_below(problem, CpSatLimits(60.0, 10.0), best + 1)
    assert found is not None
    assert min(spread(tuple(one.tolist())) for one in found) == best


def test_the_solver_is_made_in_one_place_only() -> None:
    """So that no call can forget the parameters."""
    package = Path(equilag.__file__).parent
    made = [
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if "CpSolver" in (source := path.read_text("utf-8"))
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("CpSolver")
    ]
    assert made == ["solver/cpsat/model.py"]
