"""The CP-SAT model: against brute force, with large lags, at its limits, one family alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pytest
from ortools.sat.python import cp_model
from support.constraints import balanced_assignment
from support.groups import LAG_KINDS, group_of, problem_of, small_groups
from support.oracles import Assignments
from support.small_problems import extended_problem, loads_of, meets_limits, moves_of, solutions

from equilag.certificate.exhaustive.small_problem import ReadsAcross, SearchTarget, SmallProblem
from equilag.certificate.exhaustive.whole_group import whole_problem
from equilag.domain.constraint import constraint_of
from equilag.domain.group.group import Group
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import BALANCES
from equilag.solver.cpsat import constraint_families as families
from equilag.solver.cpsat import model
from equilag.solver.cpsat.constraint_families import Variables
from equilag.solver.cpsat.model import CpSatLimits, SolverFailed, parameters, solve_model
from equilag.solver.cpsat.scaled_loads import scaled

LIMITS: Final = CpSatLimits(wall=20.0, deterministic=5.0)


def cases(seed: int, n: int, **shape: Any) -> list[tuple[Group, Policy]]:
    policies = [
        Policy(name, balance) for balance in BALANCES for name in ("lag-aware", "sticky-yet-fair")
    ]
    return [(group, policies[i % 6]) for i, group in enumerate(small_groups(seed, n, **shape))]


@pytest.mark.parametrize("kind", LAG_KINDS)
def test_whole_model_against_brute_force(kind: str) -> None:
    rng = np.random.default_rng(61)
    infeasible = 0
    for group, policy in cases(61, 18, kind=kind, owned=1.0):
        constraint = constraint_of(group, policy, balanced_assignment(group, policy))
        whole = whole_problem(group, constraint)
        truth = Assignments.all(group, policy.name == "sticky-yet-fair").balanced(policy.balance)
        for max_moves in (None, int(rng.integers(0, 3))):
            for move_cost in (0, int(rng.integers(1, 200))):
                answer = solve_model(
                    whole.problem, LIMITS, max_moves=max_moves, move_cost=move_cost
                )
                fits = truth if max_moves is None else truth.where(truth.moves <= max_moves)
                if not len(fits):
                    assert answer.outcome == "infeasible"
                    assert answer.assigned is None
                    infeasible += 1
                    continue
                assert answer.outcome == "optimal"
                assert answer.assigned is not None
                found = Assignments(group, whole.assignment(answer.assigned)[None, :])
                assert found.rows[0] in fits
                best = int((fits.spread + move_cost * fits.moves).min())
                assert answer.bound <= best
                if group.lag.sum() < 2**26:
                    assert found.spread[0] + move_cost * found.moves[0] == answer.bound == best
    assert infeasible > 0


WRONG: Final = [97179093413, 35724273580, 23368295253, 446288, 5360, 4935, 5]
"""The presolve of the release in use certified a wrong optimum of these."""


def large_lags() -> list[list[int]]:
    rng = np.random.default_rng(10)
    tops = [power + 0.99 for power in (10, 11, 12) for _ in range(16)]
    return [WRONG, *((10 ** rng.uniform(0, top, 7)).astype(np.int64).tolist() for top in tops)]


def test_large_lags_never_claim_too_much() -> None:
    for lag in large_lags():
        truth = best_spread(lag, 3, 2, 3)
        answer = solve_model(problem_of(lag, 3, 2, 3), LIMITS)
        assert answer.outcome == "optimal"
        assert 0.999 * truth - rounding(np.array(lag)) < answer.bound <= truth
        loads = np.bincount(answer.assigned, weights=lag, minlength=3)
        assert 0 <= loads.max() - loads.min() - truth <= rounding(np.array(lag))


def rounding(lag: np.ndarray) -> float:
    """What rounding may cost the plan: less than a unit for each item and each of two members."""
    return float(2 * (len(lag) + 2) * (lag.sum() / 2**26 + 1))


def best_spread(lag: list[int], members: int, lo: int, hi: int) -> int:
    group = group_of([len(lag)], [[0]] * members, lags=lag)
    truth = Assignments.all(group)
    counts = truth.counts()
    return int(truth.where(((counts >= lo) & (counts <= hi)).all(axis=1)).spread.min())


@pytest.mark.parametrize("hint", [[0, 1, 0, 1], [1, 1, 0, 0]])
def test_a_hint_changes_nothing_about_the_answer(hint: list[int]) -> None:
    problem = problem_of([9, 7, 5, 3], 2, 2, 2)
    answer = solve_model(problem, LIMITS, hint=np.array(hint))
    assert (answer.outcome, answer.bound) == ("optimal", 0)


def test_no_time_is_no_answer_but_no_error() -> None:
    lag = [int(x) for x in np.random.default_rng(63).integers(1, 10**6, 60)]
    answer = solve_model(problem_of(lag, 6, 10, 10), CpSatLimits(wall=0.0, deterministic=1e-9))
    assert answer.outcome in ("unknown", "feasible")
    assert answer.bound >= 0


def test_an_invalid_model_is_not_called_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    build: Callable[..., Variables] = model.build

    def broken(*args: Any) -> Variables:
        v = build(*args)
        wide = v.model.new_int_var(-(2**62), 2**62, "wide")
        v.model.add(8 * wide <= v.highest)  # may overflow, which the solver refuses
        return v

    monkeypatch.setattr(model, "build", broken)
    with pytest.raises(SolverFailed, match="INVALID"):
        solve_model(problem_of([1, 2], 2, 1, 1), LIMITS)


def test_extended_groups_against_brute_force() -> None:
    rng = np.random.default_rng(8)
    outcomes = set()
    for number in range(14):
        problem = extended_problem(rng, number)
        shape = problem.allowed.shape
        if number % 3 == 1:
            problem = replace(problem, reads=ReadsAcross(rng.integers(0, 2, shape), 2))
        limit = None if number % 4 else int(rng.integers(2, 6))
        cost = int(rng.integers(0, 30)) if number % 5 == 0 else 0
        answer = solve_model(problem, LIMITS, max_moves=limit, move_cost=cost)
        values = [
            np.ptp(loads_of(problem, found)) + cost * moves_of(problem, found)
            for found in solutions(problem, SearchTarget(10**9, max_moves=limit))
        ]
        outcomes.add(answer.outcome)
        assert answer.outcome == ("optimal" if values else "infeasible")
        if values:
            assert meets_limits(problem, answer.assigned)
            found = np.ptp(loads_of(problem, answer.assigned))
            found += cost * moves_of(problem, answer.assigned)
            assert answer.bound <= min(values)
            assert answer.rounded or found == answer.bound
            assert found - answer.bound <= 1e-3 * max(found, 1)
    assert outcomes == {"optimal", "infeasible"}


def variables_of(problem: SmallProblem) -> Variables:
    return Variables.of(problem, scaled(problem.lag, problem.base, problem.capacities))


def solvable(v: Variables, *fixed: tuple[int, int]) -> bool:
    """Has the model a solution with item i at member j, for each (i, j) of `fixed`."""
    for i, j in fixed:
        v.model.add(v.gets[i][j] == 1)
    solver = cp_model.CpSolver()
    for name, value in parameters(LIMITS).items():
        setattr(solver.parameters, name, value)
    return solver.solve(v.model) in (cp_model.OPTIMAL, cp_model.FEASIBLE)


@pytest.mark.parametrize(
    ("fixed", "possible"),
    [([(2, 0)], True), ([(2, 1)], False), ([(1, 1)], True), ([(1, 2)], False), ([(0, 2)], True)],
)
def test_alike_members_take_the_heaviest_in_order(
    fixed: list[tuple[int, int]], possible: bool
) -> None:
    v = variables_of(problem_of([1, 5, 9], 3, 1, 1))
    families.alike_members(v, moves_matter=True)
    assert solvable(v, *fixed) == possible


@pytest.mark.parametrize(
    "difference",
    [
        {"base": np.array([0, 1])},
        {"lo": np.array([0, 1])},
        {"hi": np.array([2, 1])},
        {"saved": np.array([[0, 1], [0, 0]])},
        {"allowed": np.array([[True, True], [True, False]])},
    ],
    ids=lambda d: next(iter(d)),
)
def test_members_that_differ_are_not_alike(difference: dict[str, Any]) -> None:
    v = variables_of(problem_of([9, 1], 2, 0, 2, **difference))
    families.alike_members(v, moves_matter=True)
    assert solvable(v, (0, 1))


def test_what_others_may_take_too_is_not_ordered() -> None:
    # m2 may take only item 0, so that m0 and m1 are alike but share it with him.
    allowed = np.array([[True, True, True], [True, True, False]])
    v = variables_of(problem_of([9, 5], 3, 0, 2, allowed=allowed))
    families.alike_members(v, moves_matter=True)
    assert solvable(v, (0, 1))
