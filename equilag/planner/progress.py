"""What a run reports to those who watch it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from equilag.budget import Budget

if TYPE_CHECKING:
    from equilag.planner.state import SolveState


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands, for people who watch it."""

    stage: str
    spread: int | None
    """Of the incumbent, in records; None before there is one."""
    bound: int | None
    """Proved lower bound on the spread; None before there is one."""
    elapsed: float
    limit: float


Watcher = Callable[[Progress], None]


@dataclass(slots=True)
class ProgressObserver:
    """Calls a watcher, if there is one, with the state of the run."""

    watcher: Watcher | None
    budget: Budget
    stage: str = ""

    def enter(self, stage: str, state: SolveState | None = None) -> None:
        """Report the start of a stage."""
        self.stage = stage
        self.report(state)

    def report(self, state: SolveState | None = None) -> None:
        """Report what the stage has changed so far."""
        if self.watcher is None:
            return
        spread = state.incumbent.spread if state is not None else None
        bound = state.proofs.value("spread_at_least") if state is not None else None
        budget = self.budget
        self.watcher(Progress(self.stage, spread, bound, budget.elapsed, budget.limit))
