"""What a run reports to those who watch it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from equilag.budget import Budget
from equilag.errors import InputError
from equilag.objective import SPREAD

if TYPE_CHECKING:
    from equilag.planner.state import SolveState


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands, for people who watch it."""

    stage: str
    spread: int | None
    """Of the incumbent, in records; None before there is one."""
    moves: int | None
    """Of the incumbent."""
    bound: int | None
    """Proved lower bound on the spread; None before there is one."""
    mean: float
    """Assigned lag per member that is not idle; 0 before there is an incumbent."""
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
        best, mean = state.incumbent, state.problem.mean
        bound = state.bound_within(state.limit) if SPREAD in state.proofs else None
        self.watcher(Progress(self.stage, best.spread, best.moves, bound, mean, elapsed, limit))
