"""`compare`: the current assignment, every heuristic and the optimum side by side."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Unpack

from equilag.group import NOBODY, Group, Index
from equilag.heuristics import assignor_names, get_assignor
from equilag.heuristics.registry import run_assignor
from equilag.metrics import count_figures, count_moves, load_figures, mean_load
from equilag.plan import Plan
from equilag.planner.settings import SolveSettings, checked_group
from equilag.planner.solve import solve
from equilag.policy import Policy

CURRENT = "current"
"""The row of the current assignment."""


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """Figures of one assignment; spreads over the members that are not idle.

    `gap_percent_of_mean` is the distance of the lag spread from the proved bound in percent of the
    mean load. The bound holds for exactly balanced counts; an assignment without them can beat it.
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
    rows: tuple[ComparisonRow, ...]
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
    policy: str | Policy = "lag-aware",
    *,
    assignors: Sequence[str] = (),
    **settings: Unpack[SolveSettings],
) -> Comparison:
    """Run every assignor on the same group, and those in `assignors`: names or `module:attribute`.

    `policy` and the other settings are those of `solve`, for the optimum alone. The row
    ``current`` is there if anybody owns anything; it counts only what is owned. Raises InputError
    for an unknown assignor, for one whose answer is not valid, and for settings as `solve` does.
    """
    checked_group(group)
    baselines = run_assignors(group, tuple(dict.fromkeys((*assignor_names(), *assignors))))
    start = time.perf_counter()
    plan = solve(group, policy, **settings)
    return comparison_of(plan, time.perf_counter() - start, baselines)


class Baseline(NamedTuple):
    """The assignment of one assignor, and how long it took."""

    assignor: str
    assigned: Index
    """[P] member, or NOBODY."""
    wall: float
    """Seconds."""


def run_assignors(group: Group, names: Sequence[str] | None = None) -> list[Baseline]:
    """Return the current assignment, if anybody owns anything, and that of every assignor.

    `names` are the assignors to run, None for all.
    """
    found: list[Baseline] = []
    if (group.owner != NOBODY).any():
        found.append(Baseline(CURRENT, group.owner, 0.0))
    wanted = assignor_names() if names is None else names
    for name, assignor in [(name, get_assignor(name)) for name in wanted]:
        start = time.perf_counter()
        assigned = run_assignor(assignor, group)
        found.append(Baseline(name, assigned, time.perf_counter() - start))
    return found


def comparison_of(plan: Plan, wall: float, baselines: list[Baseline]) -> Comparison:
    """A plan that took `wall` seconds, beside the assignments of others for its group."""
    bound = plan.spread_lower_bound if plan.status != "fallback" else 0
    optimum = Baseline("equilag", plan.assigned, wall)
    rows = tuple(_row(plan.group, found, bound) for found in [*baselines, optimum])
    return Comparison(rows, bound, plan)


def _row(group: Group, found: Baseline, bound: int) -> ComparisonRow:
    assigned = found.assigned
    loads, mean = load_figures(group, assigned), mean_load(group)
    return ComparisonRow(
        found.assignor,
        count_figures(group, assigned).spread,
        count_moves(group.owner, assigned) if found.assignor != CURRENT else 0,
        int(loads.by_member.max(initial=0)),
        loads.spread,
        100.0 * (loads.spread - bound) / mean if mean else 0.0,
        round(1000 * found.wall, 3),
    )
