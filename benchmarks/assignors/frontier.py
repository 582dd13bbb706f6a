"""The Pareto front of moves and lag on a large group.

100 members, 200 topics of 500 partitions, lognormal lags. One member has left, so its 1,000
partitions get new owners in any case. A point is a plan of `solve` with a limit on moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from benchmarks.assignors.case import Case
from benchmarks.assignors.evaluate import evaluate
from benchmarks.assignors.inputs import FRONT, named
from equilag.domain.group.group import NOBODY
from equilag.planner.solve import solve

SHORT: Final = (0, 20, 100, 500)
FULL: Final = (0, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000)
"""Limits above the fewest moves; a plan without a limit comes last."""
LIMIT: Final = 3.0
"""Seconds per point."""


def front(extra: Sequence[int], name: str = FRONT, limit: float = LIMIT) -> dict[str, Any]:
    """Return the points in ascending order of moves.

    ``changed`` counts the partitions with a new owner: moves, and the partitions of the member that
    has left.
    """
    case = named(name)
    group = case.group()
    unlimited = solve(group, time_limit=limit, tolerance=0)
    fewest = unlimited.moves_lower_bound
    plans = [solve(group, max_moves=fewest + more, time_limit=limit, tolerance=0) for more in extra]
    free = int(np.count_nonzero(case.owner == NOBODY))
    points = [_point(case, plan.assignment, free) for plan in [*plans, unlimited]]
    return {
        "case": name,
        "limit_s": limit,
        "fewest_moves": fewest,
        "free": free,
        "points": sorted(points, key=lambda point: (point["moves"], -point["max_over_mean"])),
    }


def _point(case: Case, assignment: dict[str, dict[str, list[int]]], free: int) -> dict[str, Any]:
    figures = evaluate(case, assignment)
    return {
        "moves": figures.moves,
        "changed": figures.moves + free,
        "max_over_mean": figures.max_over_mean,
        "spread": figures.spread,
    }
