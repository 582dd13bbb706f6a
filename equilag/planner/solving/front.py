"""Candidates, and the Pareto front of moves, lag spread and excess."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from equilag.domain.budget import MEMORY
from equilag.domain.group.group import Group, Index
from equilag.domain.group.member_capacities import Load
from equilag.domain.group.throughput import Shortage
from equilag.domain.plan.metrics import count_moves, loads_of
from equilag.domain.policy.objective import Figures

MOST_POINTS: Final = 1_000
"""Candidates that a front keeps at most, as each new one is compared with all."""


@dataclass(frozen=True, eq=False, slots=True)
class Candidate:
    """An assignment [P] with the figures it is compared by, and what found it."""

    assigned: Index
    algorithm: str
    figures: Figures

    @property
    def moves(self) -> int:
        return self.figures.moves

    @property
    def spread(self) -> Load:
        return self.figures.spread

    @property
    def excess(self) -> float:
        return self.figures.excess


def candidate_of(
    group: Group, assigned: Index, algorithm: str, shortage: Shortage | None = None
) -> Candidate:
    """A candidate with its figures. O(P)."""
    moves, unit = count_moves(group, assigned), group.extended.move_unit
    number = 0 if unit is None else unit.count(moves)
    if not group.lag.any():
        return Candidate(assigned, algorithm, Figures(0, moves, number=number))
    short = 0 if shortage is None else shortage.short(assigned)
    loads = loads_of(group, assigned)
    uneven = loads.column[loads.active].astype(np.float64)
    unevenness = float(((uneven - uneven.mean()) ** 2).sum()) if len(uneven) else 0.0
    figures = Figures(loads.spread, moves, loads.excess, unevenness, number, short)
    return Candidate(assigned, algorithm, figures)


@dataclass(eq=False, slots=True)
class ParetoFront:
    """The candidates with exact counts that none beats on moves, spread, excess and shortage at
    once; where moves have a weight, on that and on their number."""

    candidates: list[Candidate] = field(default_factory=list)
    """Moves ascending."""
    changes: int = 0
    """How often the front has changed."""

    def record(self, candidate: Candidate) -> bool:
        """Keep the candidate if none is as good; true if it was kept."""
        if any(_is_as_good(known, candidate) for known in self.candidates):
            return False
        kept = [known for known in self.candidates if not _is_as_good(candidate, known)]
        self.candidates = sorted([*kept, candidate], key=lambda c: (c.moves, c.spread, c.excess))
        limit = MEMORY // max(1, len(candidate.assigned))
        if len(self.candidates) > min(MOST_POINTS, max(4, limit)):  # more than its ends
            self._thin_out()
        self.changes += 1
        return True

    def _thin_out(self) -> None:
        """Drop the candidate whose neighbours are closest; never an end of the front."""
        rows = self.candidates
        ends = {id(rows[0]), id(self.most_even()), id(min(rows, key=lambda c: c.excess))}

        def closeness(place: int) -> float:
            before, after = rows[place - 1], rows[place + 1]
            apart = abs(math.log(float((before.spread + 1) / (after.spread + 1))))
            return math.log((after.moves + 1) / (before.moves + 1)) + apart

        inner = [n for n in range(1, len(rows) - 1) if id(rows[n]) not in ends]
        del rows[min(inner, key=closeness)]

    def points(self) -> list[Candidate]:
        """The front of moves and spread: moves ascending, spread strictly descending."""
        front: list[Candidate] = []
        for candidate in self.candidates:
            if not front or candidate.spread < front[-1].spread:
                front.append(candidate)
        return front

    def fewest_moves(self) -> Candidate:
        """The candidate of the fewest moves; the most even one of several."""
        return self.candidates[0]

    def most_even(self, moves: int | None = None) -> Candidate:
        """The candidate of the least spread, then of the least excess, with at most `moves`."""
        rows = [c for c in self.candidates if moves is None or c.moves <= moves]
        return min(rows or self.candidates[:1], key=_by_spread)

    def fewest_moves_within(self, spread: Load) -> Candidate | None:
        """The candidate of the fewest moves with no more than this spread, if there is any."""
        return next((c for c in self.candidates if c.spread <= spread), None)

    def least_spread(self, moves: int) -> Load:
        """The smallest spread seen with no more than so many moves; 2^62 if there is none."""
        return min((c.spread for c in self.candidates if c.moves <= moves), default=2**62)


def knee(points: list[Candidate]) -> Candidate:
    """The point furthest from the line between the ends, both axes scaled to 0 … 1.

    `points` is a front of at least two points, as `ParetoFront.points` gives it.
    """
    first, last = points[0], points[-1]
    width, height = last.moves - first.moves, first.spread - last.spread

    def distance(c: Candidate) -> float:
        return float((first.spread - c.spread) / height) - (c.moves - first.moves) / width

    return max(points, key=distance)


def _is_as_good(one: Candidate, other: Candidate) -> bool:
    a, b = one.figures, other.figures
    if a.short > b.short:
        return False
    if (a.moves, a.spread, a.excess, a.short) == (b.moves, b.spread, b.excess, b.short):
        return a.unevenness <= b.unevenness
    fewer = a.moves <= b.moves and a.number <= b.number
    return fewer and a.spread <= b.spread and a.excess <= b.excess


def _by_spread(candidate: Candidate) -> tuple[Load | float, ...]:
    figures = candidate.figures
    return figures.spread, figures.excess, figures.moves, figures.unevenness
