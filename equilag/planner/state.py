"""The state of a solve, and what stages contribute to it.

Stages read the state and yield contributions; only `SolveState.record` changes it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from equilag.claim import Claim
from equilag.group import Index
from equilag.objective import Proved
from equilag.planner.front import Candidate, ParetoFront, candidate_of, fewest_moves
from equilag.planner.problem import Problem
from equilag.planner.proofs import Proofs


class Proposal(NamedTuple):
    """An assignment [P] that may become the incumbent."""

    assigned: Index
    algorithm: str


class FrontPoint(NamedTuple):
    """An assignment [P] for the front of moves against spread alone."""

    assigned: Index
    algorithm: str


class MoveBound(NamedTuple):
    """No plan with so many moves has a smaller spread."""

    moves: int
    spread: int


class Searched(NamedTuple):
    """The whole group was searched exhaustively, with so much work allowed, in array elements."""

    work: int = 0
    complete: bool = False
    """True if the search proved all that it can prove."""


class Note(NamedTuple):
    """What went wrong or was left out, in words for the plan's reader."""

    text: str


Contribution: TypeAlias = Proposal | FrontPoint | MoveBound | Searched | Note | Claim


@dataclass(eq=False)
class SolveState:
    """The incumbent, the front and the proofs of one problem."""

    problem: Problem
    incumbent: Candidate
    proofs: Proofs = field(default_factory=Proofs)
    front: ParetoFront = field(default_factory=ParetoFront)
    move_bounds: dict[int, int] = field(default_factory=dict)
    """Proved spread for a number of moves."""
    searched: Searched = field(default_factory=Searched)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.front.record(self.incumbent)

    def record(self, contribution: Contribution) -> None:
        """Take what a stage found, if it is any better than what is known.

        Raises ContradictedBound if a plan is better than what was proved to be impossible.
        """
        match contribution:
            case Proposal(assigned, algorithm):
                self._propose(assigned, algorithm)
            case FrontPoint(assigned, algorithm):
                self.front.record(candidate_of(self.problem.group, assigned, algorithm))
            case Claim():
                if self.proofs.record(contribution):
                    self._hold_against_bounds(self.incumbent)
            case MoveBound(moves, spread):
                self.move_bounds[moves] = spread
            case Searched():
                self.searched = contribution
            case Note(text):
                self.notes.append(text)

    def _propose(self, assigned: Index, algorithm: str) -> None:
        if not self.problem.constraint.admits(assigned):
            self.notes.append(f"{algorithm}: a plan that broke the count balance was thrown away")
            return
        candidate = candidate_of(self.problem.group, assigned, algorithm)
        self.front.record(candidate)
        self._hold_against_bounds(candidate)
        if self.key(candidate) < self.key(self.incumbent):
            self.incumbent = candidate

    def _hold_against_bounds(self, candidate: Candidate) -> None:
        if self.within_move_limit(candidate):
            objective = self.problem.objective
            self.notes += self.proofs.hold_against(
                objective, candidate.figures, candidate.algorithm
            )

    # What stages ask.

    @cached_property
    def rng(self) -> np.random.Generator:
        """The run's random numbers, from its seed; made when a stage first needs them."""
        return np.random.default_rng(self.problem.task.seed)

    def key(self, candidate: Candidate) -> tuple[float, ...]:
        """The order of candidates; smaller is better."""
        return self.problem.objective.key(candidate.figures, self.problem.fewest_moves)

    def value(self, candidate: Candidate) -> int:
        """The last goal of the policy, in records."""
        return self.problem.objective.value(candidate.figures)

    def within_move_limit(self, candidate: Candidate) -> bool:
        """True if the candidate moves no more than is allowed."""
        return self.problem.objective.allowed(candidate.figures, self.problem.fewest_moves)

    @property
    def bounds(self) -> Proved:
        """The bounds as the objective takes them."""
        return self.proofs.proved(self.problem.fewest_moves)

    @property
    def bound(self) -> int:
        """Of the last goal, in records."""
        return self.proofs.value(self.problem.objective.bound_claim) or 0

    @property
    def proved(self) -> bool:
        """True if every goal is proved for the incumbent, without any tolerance used."""
        return self.problem.objective.is_proved(self.incumbent.figures, self.bounds)

    @property
    def optimal(self) -> bool:
        """True if every goal is proved, within the tolerance."""
        if "counts" not in self.proofs:
            return False
        objective, figures = self.problem.objective, self.incumbent.figures
        return self.proved or objective.is_proved(figures, self.bounds, self.problem.mean)

    @property
    def done(self) -> bool:
        """True if nothing is left to find: every goal is proved, and no plan moves less."""
        if "spread_at_least" not in self.proofs or len(self.front.by_moves) > 1:
            return False
        best = self.incumbent
        return best.spread == 0 and best.moves <= self.problem.fewest_moves and self.proved

    def use_tolerance(self) -> None:
        """Take the plan of the fewest moves among those as good as the best by the tolerance."""
        problem = self.problem
        if problem.objective.policy.moves_first or not problem.allowance:
            return
        limit = self.value(self.incumbent) + problem.allowance
        near = [c for c in self.front.by_moves.values() if self.value(c) <= limit]
        self.incumbent = fewest_moves([self.incumbent, *near])
