"""The linear program of patterns: the fewest members, in parts, that hold all partitions.

Column generation after Gilmore and Gomory (1961): the prices of a solution tell which patterns are
missing. They prove bounds, too: if no pattern within a capacity is worth more than v, the members
hold at most v each, so that so many are too few where all partitions together are worth more
(Farley 1990). Prices are rounded to integers, so that this is exact whatever the solver says.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from ortools.linear_solver import pywraplp

from equilag.domain.columns import Flags, Floats, Ints
from equilag.solver.packing.priced_patterns import Priced, filled_up

PRICE: Final = 1_000_000_000
"""What a member is worth in integers, or the dearest partition: prices have nine digits."""
TOLERANCE: Final = 1e-7
"""Relative error of the solver's values."""


class ProgramFailed(Exception):
    """The solver returned no optimum."""


class PatternProgram:
    """The program of one list of partitions, and the patterns that were found so far."""

    def __init__(self, lengths: Ints, demand: Ints, capacity: int) -> None:
        """`lengths` [K] descending, 1 to `capacity`; `demand` [K] partitions of each."""
        self.lengths, self.capacity = lengths, capacity
        self.demand = demand.copy()
        """[K] partitions that are still to be held."""
        self._solver = pywraplp.Solver.CreateSolver("GLOP")
        most = self._solver.infinity()
        self._rows = [self._solver.Constraint(float(n), most) for n in demand.tolist()]
        self._goal = self._solver.Objective()
        self._goal.SetMinimization()
        self._columns: list[pywraplp.Variable] = []
        self._known: set[bytes] = set()
        self._patterns: list[Ints] = []
        rest = demand.copy()
        while rest.any():
            pattern = filled_up(np.zeros_like(rest), lengths, rest, capacity)
            self.add([pattern])
            rest -= pattern

    def add(self, patterns: list[Ints]) -> bool:
        """False if none of them is new."""
        new = list[Ints]()
        for pattern in patterns:
            if pattern.tobytes() not in self._known:
                self._known.add(pattern.tobytes())
                new.append(pattern)
        for pattern in new:
            column = self._solver.NumVar(0.0, self._solver.infinity(), "")
            self._goal.SetCoefficient(column, 1.0)
            for kind in np.flatnonzero(pattern).tolist():
                self._rows[kind].SetCoefficient(column, float(pattern[kind]))
            self._columns.append(column)
        self._patterns += new
        return bool(new)

    def solve(self) -> float:
        """The fewest members of the patterns that are known. Raises ProgramFailed."""
        if self._solver.Solve() != pywraplp.Solver.OPTIMAL:
            # Some programs of perfect packings end without an optimum where they are preprocessed.
            self._solver.SetSolverSpecificParametersAsString("use_preprocessing: false")
            if self._solver.Solve() != pywraplp.Solver.OPTIMAL:
                raise ProgramFailed
        return float(self._goal.Value())

    def prices(self) -> Ints:
        """[K] what a partition of each kind is worth in the last solution."""
        dual = np.array([row.DualValue() for row in self._rows])
        prices: Ints = np.floor(np.maximum(dual, 0.0) * PRICE).astype(np.int64)
        return prices

    def parts(self) -> Floats:
        """[patterns] how often each is used in the last solution."""
        return np.array([column.solution_value() for column in self._columns])

    def too_small(self, price: Ints, priced: Priced, members: int) -> int:
        """The largest capacity that the prices prove to be too small; −1 for none."""
        worth = int(price @ self.demand)
        return int(np.searchsorted(priced.value * members, worth, side="left")) - 1

    def improve(self, price: Ints, priced: Priced) -> bool:
        """Add patterns that are worth more than a member, without a kind in common; False if there
        is none."""
        worthwhile = PRICE * (1 + TOLERANCE)
        if priced.value[self.capacity] <= worthwhile:
            return False
        found = [priced.pattern(self.capacity)]
        covered = found[0] > 0
        kinds = np.flatnonzero((price > 0) & (self.demand > 0) & (self.lengths <= self.capacity))
        value = price[kinds] + priced.value[self.capacity - self.lengths[kinds]]
        for at in np.argsort(-value, kind="stable").tolist():
            if value[at] <= worthwhile:
                break
            kind = int(kinds[at])
            if covered[kind]:
                continue
            pattern = priced.pattern(self.capacity - int(self.lengths[kind]))
            pattern[kind] += 1
            if (pattern <= self.demand).all():
                covered |= pattern > 0
                found.append(pattern)
        full = [filled_up(p, self.lengths, self.demand, self.capacity) for p in found]
        return self.add(full)

    def restrict(self) -> None:
        """Ask for the present demand, of patterns that hold no more than that."""
        for row, n in zip(self._rows, self.demand.tolist(), strict=True):
            row.SetLb(float(n))
        patterns = np.array(self._patterns)
        fits: Flags = np.logical_and.reduce(patterns <= self.demand, axis=1)
        most = self._solver.infinity()
        for column, fit in zip(self._columns, fits.tolist(), strict=True):
            column.SetUb(most if fit else 0.0)
        cut = np.minimum(patterns[~fits], self.demand)
        self.add([*cut[cut.any(axis=1)]])

    def pattern(self, number: int) -> Ints:
        """[K] of a column."""
        return self._patterns[number]
