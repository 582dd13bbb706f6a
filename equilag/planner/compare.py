"""`compare`: the assignment in force, every heuristic and the optimum side by side."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from equilag.group import NOBODY, Group, Index
from equilag.heuristics import assignor_names, get_assignor
from equilag.heuristics.registry import run_assignor
from equilag.metrics import count_moves, member_counts, member_loads, spread
from equilag.plan import Plan
from equilag.planner.progress import Watcher
from equilag.planner.solve import check_group, solve


@dataclass(frozen=True, slots=True)
class Row:
    """Figures of one assignment; spreads over the members that are not idle.

    `gap_percent_of_mean` is the distance of the lag spread from the proved bound in percent of the
    mean load. The bound holds for exactly balanced counts: who gives those up can get below it.
    """

    assignor: str
    count_spread: int
    moves: int
    lag_max: int
    lag_spread: int
    gap_percent_of_mean: float
    wall_ms: float


@dataclass(frozen=True, slots=True)
class Comparison:
    rows: tuple[Row, ...]
    spread_lower_bound: int
    plan: Plan
    """The optimum's."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "rows": [asdict(row) for row in self.rows],
            "spread_lower_bound": self.spread_lower_bound,
        }


def compare(
    group: Group,
    *,
    assignors: Sequence[str] = (),
    time_limit: float = 2.0,
    seed: int = 0,
    progress: Watcher | None = None,
) -> Comparison:
    """Every assignor on the same group, and those in `assignors` (names, or ``module:attribute``).

    `time_limit` (seconds) is for the optimum alone. The row ``current`` is there if anybody owns
    anything, and counts only what is owned. Raises InputError for an unknown assignor and for one
    whose answer is not valid.
    """
    check_group(group)
    answers = baselines(group, tuple(dict.fromkeys((*assignor_names(), *assignors))))
    start = time.perf_counter()
    plan = solve(group, time_limit=time_limit, seed=seed, progress=progress)
    wall = time.perf_counter() - start
    return beside(plan, wall, answers)


class Answer(NamedTuple):
    """What one assignor says, and how long it took."""

    assignor: str
    assigned: Index
    """[P] member, or NOBODY."""
    wall: float
    """Seconds."""


def baselines(group: Group, names: tuple[str, ...] | None = None) -> list[Answer]:
    """The assignment in force, if anybody owns anything, and that of every assignor (or of those
    in `names`)."""
    answers: list[Answer] = []
    if (group.owner != NOBODY).any():
        answers.append(Answer("current", group.owner, 0.0))
    wanted = assignor_names() if names is None else names
    for name, assignor in [(name, get_assignor(name)) for name in wanted]:
        start = time.perf_counter()
        assigned = run_assignor(assignor, group)
        answers.append(Answer(name, assigned, time.perf_counter() - start))
    return answers


def beside(plan: Plan, wall: float, answers: list[Answer]) -> Comparison:
    """A plan that took `wall` seconds beside other answers for its group."""
    bound = plan.spread_lower_bound if plan.status != "fallback" else 0
    own = Answer("equilag", plan.assigned, wall)
    rows = tuple(_row(plan.group, *answer, bound) for answer in [*answers, own])
    return Comparison(rows, bound, plan)


def _row(group: Group, name: str, assigned: Index, wall: float, bound: int) -> Row:
    counts = member_counts(assigned, group.n_members)
    loads = member_loads(assigned, group.lag, group.n_members)
    active = int(np.count_nonzero(~group.idle))
    mean = int(group.lag[group.assignable].sum()) / active if active else 0.0
    apart = spread(loads, group.idle)
    return Row(
        name,
        spread(counts, group.idle),
        count_moves(group.owner, assigned) if name != "current" else 0,
        int(loads.max(initial=0)),
        apart,
        100.0 * (apart - bound) / mean if mean else 0.0,
        round(1000 * wall, 3),
    )
