"""`frontier`: all trade-offs between moves and lag spread under the count constraint."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Unpack, cast

from equilag.budget import Budget
from equilag.group import Group
from equilag.objective import Objective
from equilag.planner.bounding_stages import CountingBounds
from equilag.planner.exhaustive_stage import ExhaustiveSearch
from equilag.planner.front_stages import ExhaustiveFront, ModelledFront, PolishedFront
from equilag.planner.improving_stages import (
    FewerMoves,
    GreedyDescent,
    LargeNeighbourhoods,
    PairwiseSwaps,
)
from equilag.planner.progress import ProgressObserver
from equilag.planner.run import DEEP_WORK, count, improve, state_of
from equilag.planner.settings import (
    PolicySettings,
    SolveSettings,
    budget_of,
    checked_group,
    policy_from,
    task_of,
)
from equilag.planner.stage import Draft, ImprovingStage
from equilag.planner.state import SolveState
from equilag.planner.task import Task
from equilag.policy import Policy
from equilag.solver.lower_bounds.move_limited import spread_bounds

ENDS: Final[tuple[ImprovingStage, ...]] = (
    CountingBounds(),
    GreedyDescent(),
    ExhaustiveSearch("exhaustive search", DEEP_WORK),
    PairwiseSwaps(),
    LargeNeighbourhoods(),
    FewerMoves(),
)
"""From the fewest moves to the most even plan: both ends, and the points on the way."""
BETWEEN: Final[tuple[ImprovingStage, ...]] = (
    ExhaustiveFront(),
    PolishedFront(),
    ModelledFront(),
)
"""Every point of the front that there is."""
SMALL: Final = 40
"""Partitions up to which the ends take next to no time, so that they need no share of it."""


@dataclass(frozen=True, slots=True)
class Point:
    """A plan with this many moves reaches `spread`; none with as many gets below the bound."""

    moves: int
    spread: int
    spread_lower_bound: int

    def to_dict(self) -> dict[str, Any]:
        return {
            "moves": self.moves,
            "spread": self.spread,
            "spread_lower_bound": self.spread_lower_bound,
        }


def frontier(
    group: Group, policy: str | Policy = "lag-aware", **settings: Unpack[SolveSettings]
) -> list[Point]:
    """Return the front of moves against lag spread: moves ascending, spread strictly descending.

    Exact where every `spread_lower_bound` equals its spread: small groups within the time limit (5
    seconds by default). `policy` and the other settings are those of `solve`: its count balance
    and what it pins decide which plans are on the front, and no point has more than `max_moves`.
    Its move cost and tolerance choose one point, and so change nothing here. Raises InputError for
    settings that make no sense.
    """
    time_limit = settings.pop("time_limit", 5.0)
    effort, deterministic = settings.pop("effort", None), settings.pop("deterministic", False)
    stop = settings.pop("stop", None)
    budget = budget_of(checked_group(group), time_limit, effort, deterministic, stop)
    seed, watcher = settings.pop("seed", 0), settings.pop("progress", None)
    task = front_task(task_of(group, policy_from(policy, **cast(PolicySettings, settings)), seed))
    observer = ProgressObserver(watcher, budget)
    draft = count(task, budget, observer, [])
    if not draft.final:  # no time for the fewest moves, where the front starts, nor for the others
        unlimited = Budget()
        state = exact_state(task, count(task, unlimited, observer, []))
        improve(state, unlimited, observer, ENDS[:1])
        return points_of(state)
    state = exact_state(task, draft)
    improve(state, budget.share(0.5 if group.n_partitions > SMALL else None), observer, ENDS)
    improve(state, budget, observer, BETWEEN)
    return points_of(state)


def exact_state(task: Task, draft: Draft) -> SolveState:
    """The state of a draft with exact counts."""
    state = state_of(task, draft, [])
    if state is None:
        raise ValueError("the counts of the draft are not exact")
    return state


def front_task(task: Task) -> Task:
    """The task whose last goal is the spread alone, as moves are the other axis."""
    name = task.policy.name if task.policy.pins_owned else "lag-aware"
    policy = replace(task.policy, name=name, move_cost=0, tolerance=0.0)
    return Task.of(task.original, Objective(policy), task.seed)


def points_of(state: SolveState) -> list[Point]:
    """The front with what is proved for each number of moves."""
    problem, front = state.problem, state.front.points()
    if problem.objective.policy.max_moves is not None:
        front = [c for c in front if c.moves <= problem.objective.policy.max_moves]
    most = max((candidate.moves for candidate in front), default=0)
    forced = spread_bounds(problem.group, problem.constraint, most)
    points = []
    for found in front:
        known = state.move_bounds.get(found.moves, 0)
        bound = max(state.proofs.spread, known, int(forced[found.moves]))
        points.append(Point(found.moves, found.spread, min(bound, found.spread)))
    return points
