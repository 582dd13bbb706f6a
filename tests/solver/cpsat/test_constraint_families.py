"""Each constraint family of the CP-SAT model alone, with something it allows and something not."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from ortools.sat.python import cp_model
from support.groups import problem_of

from equilag.certificate.exhaustive.small_problem import SmallProblem
from equilag.solver.cpsat import constraint_families as families
from equilag.solver.cpsat.constraint_families import Variables, scaled
from equilag.solver.cpsat.model import CpSatLimits, parameters

LIMITS: Final = CpSatLimits(wall=20.0, deterministic=5.0)


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
        {"owner": np.array([1, -1])},
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
