"""Candidates, and the Pareto front of moves against lag spread."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from equilag.group import Group, Index
from equilag.metrics import count_moves, member_loads, spread
from equilag.objective import Figures


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
    def spread(self) -> int:
        return self.figures.spread


def candidate_of(group: Group, assigned: Index, algorithm: str) -> Candidate:
    """A candidate with its figures. O(P)."""
    moves = count_moves(group.owner, assigned)
    if not group.lag.any():
        return Candidate(assigned, algorithm, Figures(0, moves))
    loads = member_loads(assigned, group.lag, group.n_members)
    active = loads[~group.idle].astype(np.float64)
    unevenness = float(((active - active.mean()) ** 2).sum()) if len(active) else 0.0
    return Candidate(assigned, algorithm, Figures(spread(loads, group.idle), moves, unevenness))


@dataclass(eq=False, slots=True)
class ParetoFront:
    """The most even candidate seen for each number of moves, of those with exact counts."""

    by_moves: dict[int, Candidate] = field(default_factory=dict)

    def record(self, candidate: Candidate) -> None:
        """Keep the candidate if none with as many moves is as even."""
        known = self.by_moves.get(candidate.moves)
        if known is None or candidate.spread < known.spread:
            self.by_moves[candidate.moves] = candidate

    def points(self) -> list[Candidate]:
        """The front: moves ascending, spread strictly descending."""
        front: list[Candidate] = []
        for candidate in sorted(self.by_moves.values(), key=_by_moves):
            if not front or candidate.spread < front[-1].spread:
                front.append(candidate)
        return front

    def fewest_moves_within(self, spread: int) -> Candidate | None:
        """The candidate of the fewest moves with no more than this spread, if there is any."""
        fitting = [c for c in self.by_moves.values() if c.spread <= spread]
        return min(fitting, key=_by_moves, default=None)

    def least_spread(self, moves: int) -> int:
        """The smallest spread seen with no more than so many moves; 2^62 if there is none."""
        return min((c.spread for m, c in self.by_moves.items() if m <= moves), default=2**62)


def fewest_moves(candidates: Iterable[Candidate]) -> Candidate:
    """The candidate of the fewest moves; the most even one of several."""
    return min(candidates, key=_by_moves)


def knee(points: list[Candidate]) -> Candidate:
    """The point furthest from the line between the ends, both axes scaled to 0 … 1.

    `points` is a front of at least two points, as `ParetoFront.points` gives it.
    """
    first, last = points[0], points[-1]
    width, height = last.moves - first.moves, first.spread - last.spread

    def distance(c: Candidate) -> float:
        return (first.spread - c.spread) / height - (c.moves - first.moves) / width

    return max(points, key=distance)


def _by_moves(candidate: Candidate) -> tuple[int, int]:
    return candidate.moves, candidate.spread
