"""Runs of the planner, stage by stage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest

from equilag.domain.budget import Budget
from equilag.domain.group.group import Group
from equilag.domain.policy.objective import Objective
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import Reduction
from equilag.planner.solving import make_plan, run
from equilag.planner.solving.problem import Task
from equilag.planner.solving.run import COUNTING, PROVING, SEARCHING, count, improve, state_of
from equilag.planner.solving.stage import CountingStage, ProgressObserver, Stage
from equilag.planner.solving.state import SolveState

STAGES = tuple(stage for phase in (*SEARCHING, *PROVING) for stage in phase.stages)
"""The improving stages of a run, in their order."""


def task_on(group: Group, objective: Objective) -> Task:
    """A task on an ordinary group."""
    return Task.of(Reduction(group, group), objective)


def begin(
    task: Task, limit: float = 60.0, stages: Sequence[CountingStage] = COUNTING
) -> tuple[SolveState, Budget]:
    """A run up to the fewest moves, and its budget."""
    budget, notes = Budget(seconds=limit), list[str]()
    state = state_of(
        task, count(task, budget, ProgressObserver(None, budget), notes, stages), notes
    )
    assert state is not None
    return state, budget


def start(
    group: Group, policy: Policy | None = None, limit: float = 60.0
) -> tuple[SolveState, Budget]:
    """The same for a group and a policy."""
    return begin(task_on(group, Objective(policy or Policy())), limit)


def carry_out(state: SolveState, budget: Budget, *stages: Stage) -> None:
    """Run the stages on the state."""
    improve(state, budget, ProgressObserver(None, budget), stages)


def put_in_place(monkeypatch: pytest.MonkeyPatch, name: str, method: Callable[..., object]) -> None:
    """Let the stages of this name, in every run of `solve`, do something else."""
    phases_for = run.phases_for

    def changed(*given: object) -> list[run.Phase]:
        return [
            phase._replace(stages=tuple(_with(stage, name, method) for stage in phase.stages))
            for phase in phases_for(*given)
        ]

    monkeypatch.setattr(run, "phases_for", changed)
    counting = [_with(stage, name, method) for stage in COUNTING]
    monkeypatch.setattr(make_plan, "count", partial(count, stages=counting))


def _with(stage: Any, name: str, method: Callable[..., object]) -> Any:
    return stage._replace(run=method) if stage.name == name else stage
