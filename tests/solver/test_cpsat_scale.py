"""How numbers are kept small in the model, what that costs, and the parameters of every call."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equilag
from equilag.solver.cpsat.model import Limits, parameters
from equilag.solver.cpsat.scale import MAX_TOTAL, Scaled, scaled

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
    np.add.at(modelled, holder, small.lag)
    most = int(np.bincount(holder).max())
    spread = int(true.max() - true.min())
    bound = small.floor(int(modelled.max() - modelled.min()), most)
    assert 0 <= bound <= spread
    assert spread - bound <= 2 * small.unit * (most + 2)


@given(LAGS, st.lists(st.integers(0, 2**56), min_size=1, max_size=3))
def test_the_numbers_are_small(lags: list[int], bases: list[int]) -> None:
    small = scaled(np.array(lags, np.int64), np.array(bases, np.int64))
    assert small.lag.sum() + small.base.max() <= MAX_TOTAL
    assert small.unit >= 1


def test_small_numbers_stay_as_they_are() -> None:
    small = scaled(np.array([3, 0, MAX_TOTAL - 10]), np.array([5, 12]))
    assert small.unit == 1
    assert small.lag.tolist() == [3, 0, MAX_TOTAL - 10]
    assert small.base.tolist() == [0, 7]
    assert small.floor(123, 4) == 123


def test_the_first_total_that_is_scaled() -> None:
    assert scaled(np.array([MAX_TOTAL]), np.array([0])).unit == 1
    assert scaled(np.array([MAX_TOTAL + 1]), np.array([0])).unit == 2


def test_the_floor_is_never_below_zero() -> None:
    small = Scaled(np.array([1]), np.array([0]), 1000)
    assert small.floor(0, 5) == 0
    assert small.floor(100, 5) == 100_000 - 999 * 6


@pytest.mark.parametrize("seed", [0, 1, 2**31, 2**40 + 3])
@pytest.mark.parametrize("wall", [0.0, 0.5, 100.0])
def test_every_call_avoids_the_presolve_that_goes_wrong(seed: int, wall: float) -> None:
    chosen = parameters(Limits(wall, 1.0, seed))
    assert chosen["presolve_inclusion_work_limit"] == 0
    assert chosen["num_workers"] == 1
    assert 0 <= chosen["random_seed"] < 2**31
    assert chosen["max_time_in_seconds"] > 0


def test_the_solver_is_made_in_one_place_only() -> None:
    """So that no call can forget the parameters."""
    package = Path(equilag.__file__).parent
    made = [
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("CpSolver")
    ]
    assert made == ["solver/cpsat/model.py"]
