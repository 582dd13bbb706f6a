"""The variables of the model: which member gets which item, and the extremes of the loads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from ortools.sat.python import cp_model

from equilag.certificate.exhaustive.small_problem import SmallProblem
from equilag.domain.group.group import Ints

MAX_TOTAL: Final = 2**26
"""Largest sum of loads in a model. The release in use certifies wrong optima of small models of
this shape from sums of 2^30 on (5 of 134 checked against an exhaustive search), and calls feasible
ones infeasible from about 10^10 on, whatever the parameters; none of 2,103 was wrong at this size.
A bound loses at most some 10^-7 of the total by it."""


class Scaled(NamedTuple):
    """Lags and base loads, as loads are compared, in units of `unit`, rounded down."""

    lag: Ints
    """[I, J] of each item with each member."""
    base: Ints
    """[J]"""
    unit: int

    def floor(self, bound: int, most_items: int) -> int:
        """A lower bound on the true spread, from one on the scaled spread.

        A member with n items loses less than unit × (n + 1) by the rounding.
        """
        if self.unit == 1:
            return bound
        return max(0, bound * self.unit - (self.unit - 1) * (most_items + 1))


def scaled(lag: Ints, base: Ints, factor: Ints | None = None) -> Scaled:
    """Lags [I] and base loads [J], times the factors [J] of members, in units small enough for
    `MAX_TOTAL`.

    The smallest base load is subtracted from all of them, which changes no difference.
    """
    factor = np.ones_like(base) if factor is None else factor
    base = base * factor
    base = base - (int(base.min()) if len(base) else 0)
    total = int(lag.sum()) * int(factor.max(initial=1)) + int(base.max(initial=0))
    unit = max(1, -(-total // MAX_TOTAL))
    return Scaled(lag[:, None] * factor // unit, base // unit, unit)


@dataclass(eq=False)
class Variables:
    """The model being built; `gets[i][j]` exists where item i may go to member j."""

    model: cp_model.CpModel
    problem: SmallProblem
    scaled: Scaled
    gets: list[dict[int, cp_model.IntVar]]
    load: list[cp_model.LinearExprT]
    highest: cp_model.IntVar
    lowest: cp_model.IntVar

    @staticmethod
    def of(problem: SmallProblem, scaled: Scaled) -> Variables:
        model = cp_model.CpModel()
        gets = [
            {int(j): model.new_bool_var(f"x{i}_{j}") for j in np.flatnonzero(row)}
            for i, row in enumerate(problem.allowed)
        ]
        total = int(scaled.lag.max(axis=1, initial=0).sum() + scaled.base.max(initial=0))
        return Variables(
            model,
            problem,
            scaled,
            gets,
            [_load(gets, j, scaled) for j in range(len(problem.base))],
            model.new_int_var(0, total, "highest"),
            model.new_int_var(0, total, "lowest"),
        )

    def members(self) -> range:
        return range(len(self.problem.base))

    def items_of(self, member: int) -> list[cp_model.IntVar]:
        """The variables of all items that may go to the member."""
        return [row[member] for row in self.gets if member in row]

    @property
    def most_moves(self) -> int:
        """No assignment has more moves."""
        stakes = self.problem.stakes
        return self.problem.forced_moves + (len(self.gets) if stakes is None else int(stakes.sum()))

    def owns_anything(self, member: int) -> bool:
        """True if the member owns any of the items, or a part of one."""
        stakes = self.problem.stakes
        owned = self.problem.owner == member if stakes is None else stakes[:, member] > 0
        return bool(owned.any())

    def hint(self, assigned: Ints) -> None:
        """[I] a known plan to start from."""
        for i, row in enumerate(self.gets):
            for j, variable in row.items():
                self.model.add_hint(variable, int(assigned[i] == j))

    def read(self, solver: cp_model.CpSolver | cp_model.CpSolverSolutionCallback) -> Ints:
        """[I] member per item of the solution."""
        chosen = [
            next((j for j, variable in row.items() if solver.boolean_value(variable)), -1)
            for row in self.gets
        ]
        return np.array(chosen, dtype=np.int64)


def _load(
    gets: list[dict[int, cp_model.IntVar]], member: int, scaled: Scaled
) -> cp_model.LinearExprT:
    weights = scaled.lag[:, member].tolist()
    mine = [(row[member], w) for row, w in zip(gets, weights, strict=True) if member in row]
    terms = cp_model.LinearExpr.weighted_sum([v for v, _ in mine], [w for _, w in mine])
    return terms + int(scaled.base[member])
