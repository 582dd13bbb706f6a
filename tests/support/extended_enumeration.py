"""The optima of a tiny extended group, by trying every assignment of its units."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import prod

import numpy as np
import numpy.typing as npt
from support.extended_oracle import OracleFigures, OracleGroup

Rows = npt.NDArray[np.int64]

MAX_ASSIGNMENTS = 2_000_000
"""Rows of a table that are tried, 8 bytes for each unit of each: some 200 MB."""


@dataclass(frozen=True)
class OracleOptima:
    """What the best assignments are worth."""

    figures: OracleFigures
    """Of the most even one that is best in counts, cross-rack reads and moves."""
    front: tuple[tuple[int, Fraction], ...]
    """Moves, ascending, and spread, descending, of those that are best in counts and cross-rack
    reads and that no other of these beats in both."""


def n_assignments(group: OracleGroup) -> int:
    return prod(len(unit.takers) for unit in group.units)


def all_optima(
    group: OracleGroup,
    rack_aware: bool = False,
    counted: bool = True,
    most_across: int | None = None,
) -> OracleOptima | None:
    """None if no assignment keeps to the rooms, or no best one reads at most `most_across`
    partitions across racks; the goals as in `extended_flow`."""
    rows = _assignments(group)
    counts = np.stack([(rows == m).sum(axis=1) for m in range(len(group.members))], axis=1)
    fits = (counts <= np.array(group.room, dtype=np.int64)).all(axis=1)
    rows, counts = rows[fits], counts[fits]
    if not len(rows):
        return None
    if counted:
        instances = np.array(group.instance)[:, None] == np.arange(len(group.instance_factor))
        best = _fewest_squares(counts @ instances, group.instance_factor)
        rows, counts = rows[best], counts[best]
        rows = rows[_fewest_squares(counts, group.member_factor)]
    cross = _sums(rows, [unit.cross for unit in group.units])
    if rack_aware:
        most_across = int(cross.min())
    if most_across is not None:
        rows = rows[cross <= most_across]
    if not len(rows):
        return None
    spreads = _spreads(group, rows)
    moves = _sums(rows, [unit.moves for unit in group.units])
    front: list[int] = []
    for row in np.lexsort((spreads, moves)).tolist():
        if not front or spreads[row] < spreads[front[-1]]:
            front.append(row)
    points = [group.figures(rows[row].tolist()) for row in front]
    return OracleOptima(points[0], tuple((point.moves, point.spread) for point in points))


def _assignments(group: OracleGroup) -> Rows:
    """[assignments, units] every choice of a member for each unit."""
    total = n_assignments(group)
    assert total <= MAX_ASSIGNMENTS, f"{total} assignments are too many to try"
    columns, repeat = [], 1
    for unit in group.units:
        each = np.repeat(np.array(unit.takers, dtype=np.int64), repeat)
        columns.append(np.resize(each, total))
        repeat *= len(unit.takers)
    return np.stack(columns, axis=1) if columns else np.zeros((1, 0), dtype=np.int64)


def _fewest_squares(counts: Rows, factors: list[int]) -> npt.NDArray[np.bool_]:
    """[assignments] True where the sum of factor × count² is the smallest."""
    squares = (counts.astype(object) ** 2) @ np.array(factors, dtype=object)
    smallest: npt.NDArray[np.bool_] = squares == squares.min()
    return smallest


def _sums(rows: Rows, values: list[tuple[int, ...]]) -> Rows:
    """[assignments] the sum of each unit's value at its member."""
    total = np.zeros(len(rows), dtype=np.int64)
    for column, value in zip(rows.T, values, strict=True):
        total += np.array(value, dtype=np.int64)[column]
    return total


def _spreads(group: OracleGroup, rows: Rows) -> npt.NDArray[np.object_]:
    """[assignments] the spread times the scales of weights and of load factors; exact."""
    loads = np.zeros((len(rows), len(group.members)), dtype=object)
    everywhere = np.arange(len(rows))
    for column, unit in zip(rows.T, group.units, strict=True):
        loads[everywhere, column] += int(unit.weight * group.weight_scale)
    active = group.active
    if not active:
        return np.zeros(len(rows), dtype=object)
    scaled = loads[:, active] * np.array(group.load_factor, dtype=object)[active]
    found: npt.NDArray[np.object_] = scaled.max(axis=1) - scaled.min(axis=1)
    return found
