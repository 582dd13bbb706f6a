"""What the best assignments of a small group are worth, by trying all of them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from support.oracle_groups import OracleFigures, OracleGroup, OracleUnit
from support.oracles import Assignments


class OracleOptima(NamedTuple):
    """What the best assignments are worth."""

    figures: OracleFigures
    """Of the most even one that is best in counts, cross-rack reads and moves."""
    front: tuple[tuple[int, Fraction], ...]
    """Moves, ascending, and spread, descending, of those that are best in counts and cross-rack
    reads and that no other of these beats in both."""


def all_optima(
    group: OracleGroup,
    rack_aware: bool = False,
    counted: bool = True,
    most_across: int | None = None,
) -> OracleOptima | None:
    """None if no assignment keeps to the rooms, or no best one reads at most `most_across`
    partitions across racks; the goals as in `cheapest_assignment`."""
    found = Assignments.all(group).balanced("total" if counted else "none")
    if rack_aware and len(found):
        most_across = int(found.cross.min())
    if most_across is not None:
        found = found.where(found.cross <= most_across)
    if not len(found):
        return None
    points = [group.figures(found.rows[row].tolist()) for row in found.best_rows()]
    return OracleOptima(points[0], tuple((point.moves, point.spread) for point in points))


def least_heaviest(
    weights: Sequence[int], capacities: Sequence[float], even_counts: bool = True
) -> float:
    """The heaviest load per capacity under the best assignment of partitions that all members may
    take; with even counts, among those of the least sum of count² / capacity."""
    members = range(len(capacities))
    nothing = (0,) * len(capacities)
    units = [
        OracleUnit((("t", n),), tuple(members), Fraction(weight), nothing, nothing)
        for n, weight in enumerate(weights)
    ]
    capacity = tuple(map(Fraction, capacities))
    names = tuple(f"m{m}" for m in members)
    room = (len(weights),) * len(names)
    group = OracleGroup(names, capacity, capacity, tuple(members), room, tuple(units))
    found = Assignments.all(group).balanced("total" if even_counts else "none")
    return float(Fraction(int(found.highest.min()), group.load_scale))
