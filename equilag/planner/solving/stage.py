"""The two kinds of stages, what they may spend, and who watches them.

Counting stages make an assignment whose counts are exact; improving stages start from one. A new
method is a new stage, not another branch of an old one. The tables of stages stand in
`planner.solving.run` and `planner.stages.counting_stages`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from equilag.domain.budget import Budget
from equilag.domain.constraint import CountConstraint
from equilag.domain.errors import InputError
from equilag.domain.group.group import Index
from equilag.domain.group.loads import in_unit
from equilag.domain.plan.claim import Claims
from equilag.domain.policy.objective import SPREAD
from equilag.planner.solving.problem import Task
from equilag.planner.solving.state import Contribution, SolveState

STEP: Final = 5e-5
"""Seconds that a step on small arrays takes, some ten calls of NumPy: the price where work counts.
"""
SINGLE: Final = 20_000
"""Partitions up to which single exchanges are made one after the other; one takes some 20 ms there.
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


class CountingStage(NamedTuple):
    """A step towards exact counts."""

    name: str
    run: Callable[[Task, Draft | None, Budget], Draft | None]
    """From the draft so far to a better one; None where it does not apply. Raises InputError if the
    policy allows fewer moves than the counts force."""
    must_answer: bool = False
    """True if nothing else makes a plan, so that its failure is an error."""


class Turn(NamedTuple):
    """What an improving stage may spend."""

    budget: Budget
    share: float = 1.0
    """Of the time left."""
    upto: float = 1.0
    """Part of the run's work that may be spent when it ends."""

    def steps(self, price: float, part: float = 1.0) -> Callable[[], bool]:
        """A stop condition for steps of `price` seconds, within a part of the share."""
        return self.budget.steps(price, self.upto, self.share * part)


class Stage(NamedTuple):
    """A step that lowers the spread or the moves, or proves a bound, under exact counts."""

    name: str
    run: Callable[[SolveState, Turn], Iterator[Contribution]]
    """Yields what is found as it is found, nothing where it does not apply; the runner records it
    before the next step."""
    share: float = 1.0
    upto: float = 1.0


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
