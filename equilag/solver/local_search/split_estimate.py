"""How much work an exact split is likely to be. No result rests on this estimate.

Splits exist where choices of partitions are more numerous than the loads among which their sums
scatter.
"""

from __future__ import annotations

from math import exp, inf, lgamma, log, pi
from typing import Final, NamedTuple

import numpy as np

from equilag.solver.exchange.exact_transfers import TargetRows

MAX_SUBSETS: Final = 100_000
"""Subsets of half of the places of a split, about 10 ms of sorting and looking up."""
MAX_ROWS: Final = 12
"""Rows of one split; a split of more would take thousands of nodes."""
ENOUGH: Final = 30.0
"""Splits expected to exist among the rows taken, so that most attempts can succeed."""


class SplitEstimate(NamedTuple):
    """Rows and nodes of splits."""

    rows_for_all: int
    """How many rows a split should have that puts all of them on target."""
    rows_for_one: int
    """The same for one that puts a single row on target."""
    nodes: float
    """Expected nodes until a split of all rows succeeds; infinite if there are too few rows."""


def estimate_split(rows: TargetRows, within: int | None = None) -> SplitEstimate:
    """Of rows that are on target up to a distance `within`, by default that of the rows."""
    n_rows, width = rows.table.shape
    reach = rows.within if within is None else within
    short = len(rows.lag) - rows.n_partitions
    mean_count = width - short / n_rows
    most = width if n_rows - short >= MAX_ROWS else mean_count
    found = _expected_subsets(rows, most, reach)
    if width < 2 or not found:
        return SplitEstimate(2, 2, inf)
    needed = _rows_for_all(found)
    enough = _rows_for_one(_expected_subsets(rows, mean_count, reach))
    return SplitEstimate(needed, enough, _expected_nodes(found, needed))


def _rows_for_all(found: list[float]) -> int:
    """How many rows a split should have that puts all of them on target.

    `found` [n] are the `_expected_subsets` of 2, 3, ... rows.
    """
    splits = np.cumprod([n / rows for rows, n in enumerate(found, 2)])
    return 2 + min(int(np.count_nonzero(splits < ENOUGH)), len(found) - 1)


def _rows_for_one(found: list[float]) -> int:
    """How many rows a split should have that puts one of them on target."""
    return 2 + min(int(np.searchsorted(found, 1.0)), len(found) - 1)


def _expected_nodes(found: list[float], rows: int) -> float:
    """How many nodes splits of so many rows are expected to take until one succeeds.

    The subsets of the first row lead to as many nodes for the other rows, and so on; those of the
    last pair are successes. Divided by the number of rows left, as a split counts once however its
    rows are ordered.
    """
    nodes = width = 1.0
    for left in range(rows, 2, -1):
        width *= found[left - 2] / left
        nodes += width
    return nodes / (width * found[0] / 2) if found else inf


def _expected_subsets(rows: TargetRows, each: float, within: int) -> list[float]:
    """[n] for 2, 3, ... rows with `each` partitions, how many choices of one row's partitions are
    expected to be on target: the number of choices, times the loads on target, over √(2π) standard
    deviations of their sums. As many as `MAX_SUBSETS` allows.
    """
    found = []
    for taken in range(2, min(len(rows.table), MAX_ROWS) + 1):
        if _log_choices(taken * each / 2, each / 2) > log(MAX_SUBSETS):
            break
        scatter = 2 * pi * max(1.0, rows.variance * each * (taken - 1) / taken)
        loads = log(2 * within + 1) - log(scatter) / 2
        found.append(exp(_log_choices(taken * each, each) + loads))
    return found


def _log_choices(of: float, size: float) -> float:
    """The logarithm of a binomial coefficient, for numbers that need not be whole."""
    return lgamma(of + 1) - lgamma(size + 1) - lgamma(of - size + 1)
