"""The variables of the model: which member gets which item, and the extremes of the loads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from ortools.sat.python import cp_model

from equilag.certificate.exhaustive.small_problem import SmallProblem
from equilag.domain.group.group import Ints
from equilag.solver.cpsat.scale import Scaled


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
