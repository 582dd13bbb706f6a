"""The search for prices of partitions that bound the spread by patterns.

Column generation after Gilmore and Gomory (1961): a linear program uses the patterns that are
known, in parts, and its prices tell which ones are missing, or that there is no plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
from ortools.linear_solver import pywraplp

from equilag.certificate.bounds.member_patterns import HeldPatterns, pattern_room
from equilag.domain.budget import ROUNDS
from equilag.domain.group.group import Ints
from equilag.domain.group.member_capacities import Load
from equilag.domain.plan.claim import Claim
from equilag.domain.policy.objective import SPREAD
from equilag.solver.packing.pattern_program import PRICE, TOLERANCE

AT_ONCE: Final = 8
"""Patterns of each sort of members that are added together."""


def pattern_claims(
    patterns: list[HeldPatterns],
    n_items: int,
    ends: tuple[Load, Load],
    spread: tuple[Load, Load],
    stop: Callable[[], bool],
) -> Iterator[Claim]:
    """Ever stronger bounds on the spread. `ends`: proved of the heaviest and the lightest load;
    `spread`: what is proved of it and what a plan has. `stop` is called before each program."""
    (high, low), (least, most) = ends, spread
    tried = most
    for _ in range(ROUNDS):
        inside = [sort.within(high - tried, low + tried) for sort in patterns]
        price = refuting_prices(inside, n_items, stop)
        if price is not None:
            yield Claim(SPREAD, tried, "patterns", {"prices": price.tolist()})
            least = tried
        else:
            most = tried
        tried = (least + most) // 2
        if tried <= least or stop():
            return


def refuting_prices(
    patterns: list[HeldPatterns], n_items: int, stop: Callable[[], bool]
) -> Ints | None:
    """Prices [I] that leave these patterns no plan; None if the program finds none."""
    solver: Any = pywraplp.Solver.CreateSolver("GLOP")
    infinity, goal = solver.infinity(), solver.Objective()
    rows = [solver.Constraint(1.0, 1.0) for _ in range(n_items)]
    members = [solver.Constraint(float(sort.members), float(sort.members)) for sort in patterns]

    def add(cost: float, *parts: tuple[Any, float]) -> None:
        column = solver.NumVar(0.0, infinity, "")
        goal.SetCoefficient(column, cost)
        for row, part in parts:
            row.SetCoefficient(column, part)

    for row in rows:
        add(1.0, (row, 1.0))
        add(1.0, (row, -1.0))
    for row in members:
        add(1.0 + max(items.shape[1] for sort in patterns for items, _ in sort.sets), (row, 1.0))
    known = set[tuple[int, bytes]]()
    while not stop():
        if solver.Solve() != pywraplp.Solver.OPTIMAL or goal.Value() < TOLERANCE:
            return None
        dual = np.array([row.DualValue() for row in rows])
        price: Ints = np.rint(dual * PRICE).astype(np.int64)
        if pattern_room(patterns, price) < 0:
            return price
        before, cost_of = len(known), [row.DualValue() for row in members]
        for number, (sort, row, cost) in enumerate(zip(patterns, members, cost_of, strict=True)):
            for worth, items in sort.best(dual, AT_ONCE):
                key = number, items.tobytes()
                if worth + cost > TOLERANCE and key not in known:
                    known.add(key)
                    add(0.0, (row, 1.0), *((rows[i], 1.0) for i in items.tolist()))
        if len(known) == before:
            return None
    return None
