"""What a run reports to those who watch it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from equilag.domain.budget import Budget
from equilag.domain.errors import InputError
from equilag.domain.plan.metrics import load_divisor
from equilag.domain.policy.objective import SPREAD

if TYPE_CHECKING:
    from equilag.planner.solving.state import SolveState


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
        best, mean = state.incumbent, state.problem.mean
        spread: float = best.spread
        bound: float | None = None
        if SPREAD in state.proofs:
            bound = state.bound_within(state.limit)
        divisor = load_divisor(state.problem.group)
        if divisor is not None:
            spread, mean = spread / divisor, mean / divisor
            bound = None if bound is None else bound / divisor
        self.watcher(Progress(self.stage, spread, best.moves, bound, mean, elapsed, limit))
