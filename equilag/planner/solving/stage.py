"""The two kinds of stages, and the prices they pay for their steps.

Counting stages make an assignment whose counts are exact; improving stages start from one. A new
method is a new stage, not another branch of an old one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, Protocol

from equilag.domain.budget import Budget
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import Index
from equilag.domain.plan.claim import Claims
from equilag.planner.solving.state import Contribution, SolveState
from equilag.planner.solving.task import Task

STEP: Final = 5e-5
"""Seconds that a step on small arrays takes, some ten calls of NumPy: the price where work counts.
"""


class Draft(NamedTuple):
    """A valid assignment [P], before anything is improved."""

    assigned: Index
    algorithm: str
    make_constraint: Callable[[], CountConstraint] | None = None
    """Makes the constraint that the counts meet; None where they are a heuristic's, not exact."""
    fewest_moves: int = 0
    """Proved minimum under the constraint; 0 where nothing is proved."""
    make_claims: Callable[[], Claims] = tuple
    """Makes what proves counts and moves. They are exact by the method; this is what shows it."""
    final: bool = False
    """True if counts and moves are proved, so that no counting stage has anything to add."""


class CountingStage(Protocol):
    """A step towards exact counts."""

    @property
    def name(self) -> str: ...

    @property
    def must_answer(self) -> bool:
        """True if nothing else makes a plan, so that its failure is an error."""
        ...

    def always(self, task: Task) -> bool:
        """True if the stage runs even when no time is left."""
        ...

    def applies(self, task: Task, draft: Draft | None, budget: Budget) -> bool: ...

    def run(self, task: Task, draft: Draft | None) -> Draft:
        """Raises InputError if the policy allows fewer moves than the counts force."""
        ...


class ImprovingStage(Protocol):
    """A step that lowers the spread or the moves, or proves a bound, under exact counts."""

    @property
    def name(self) -> str: ...

    def applies(self, state: SolveState, budget: Budget) -> bool: ...

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        """Yield what is found as it is found; the runner records it before the next step."""
        ...
