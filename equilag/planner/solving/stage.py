"""The two kinds of stages, and the prices they pay for their steps.

Counting stages make an assignment whose counts are exact; improving stages start from one. A new
method is a new stage, not another branch of an old one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from equilag.domain.budget import Budget
from equilag.domain.constraint import CountConstraint
from equilag.domain.errors import InputError
from equilag.domain.group.group import Index
from equilag.domain.group.loads import in_unit
from equilag.domain.plan.claim import Claims
from equilag.domain.policy.objective import SPREAD
from equilag.planner.solving.problem import Task
from equilag.planner.solving.state import Contribution, SolveState

if TYPE_CHECKING:
    from equilag.planner.solving.state import SolveState


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
    others: tuple[Index, ...] = ()
    """Further assignments with such counts, for the front."""


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


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands, for people who watch it."""

    stage: str
    spread: float | None
    """Of the incumbent, in records, or per unit of capacity where capacities differ, as the other
    loads; None before there is one."""
    moves: int | None
    """Of the incumbent."""
    bound: float | None
    """Proved lower bound on the spread; None before there is one."""
    mean: float
    """Assigned load per member that is not idle; 0 before there is an incumbent."""
    elapsed: float
    limit: float


Watcher = Callable[[Progress], None]


@dataclass(slots=True)
class ProgressObserver:
    """Calls a watcher, if there is one, with the state of the run."""

    watcher: Watcher | None
    budget: Budget
    stage: str = ""

    def __post_init__(self) -> None:
        """Raises InputError."""
        if self.watcher is not None and not callable(self.watcher):
            raise InputError(f"{type(self.watcher).__name__} is not a function", "progress")

    def enter(self, stage: str, state: SolveState | None = None) -> None:
        """Report the start of a stage."""
        self.stage = stage
        self.report(state)

    def report(self, state: SolveState | None = None) -> None:
        """Report what the stage has changed so far."""
        if self.watcher is None:
            return
        elapsed, limit = self.budget.elapsed, self.budget.limit
        if state is None:
            self.watcher(Progress(self.stage, None, None, None, 0.0, elapsed, limit))
            return
        best, divisor = state.incumbent, state.problem.group.extended.load_divisor
        bound = None
        if SPREAD in state.proofs:
            bound = in_unit(state.bound_within(state.limit), divisor)
        spread, mean = in_unit(best.spread, divisor), in_unit(state.problem.mean, divisor)
        moves = state.problem.group.extended.moved_partitions(best.moves)
        self.watcher(Progress(self.stage, spread, moves, bound, mean, elapsed, limit))


def failure(stage: str, error: Exception) -> str:
    """The note on a stage that failed."""
    return f"{stage} failed ({type(error).__name__}: {str(error)[:200]})"
