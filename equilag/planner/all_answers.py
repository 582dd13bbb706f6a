"""Every answer about one group: its plan, made here or given, and what goes with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import Event
from typing import Any, Final, Literal

from equilag.domain.errors import InputError
from equilag.domain.group.group import Group
from equilag.domain.group.weight import knows_rates
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.heuristics import assignor_names
from equilag.planner.compare import (
    Baseline,
    Comparison,
    comparison_of,
    run_assignors,
)
from equilag.planner.explain import DEFAULT_TIME_LIMIT, Explanation, explain
from equilag.planner.frontier import Point, frontier
from equilag.planner.simulate import simulate
from equilag.planner.simulation_result import Simulation
from equilag.planner.size import size
from equilag.planner.sizes.sizing import Sizing
from equilag.planner.solve import solve
from equilag.planner.solving.run_settings import RunSettings

Part = Literal["plan", "explanation", "frontier", "size"]

SHARES: Final[dict[Part, float]] = {
    "plan": 1.0, "explanation": 1 / 3, "frontier": 0.5, "size": 0.5,
}  # fmt: skip
"""Of the plan's time and work: the plan is that of `equilag plan`, and the others come on top. An
explanation takes 1.5 times its share. What one part does not use is not given to another."""


def share_of(run: RunSettings, part: Part) -> RunSettings:
    """The settings of a run for one part of the answers; `run` are those for the plan."""
    share, effort = SHARES[part], run.get("effort")
    limit = share * run.get("time_limit", DEFAULT_TIME_LIMIT)
    return {**run, "time_limit": limit, "effort": None if effort is None else share * effort}


def run_options(run: RunSettings) -> dict[str, Any]:
    """What `equilag plan` has to be told to make the plan of such a run."""
    limit, effort = run.get("time_limit", DEFAULT_TIME_LIMIT), run.get("effort")
    return {
        "time_limit": None if limit == DEFAULT_TIME_LIMIT else f"{limit:g}",
        "effort": None if effort is None else f"{effort:g}",
        "deterministic": run.get("deterministic", False),
        "seed": run.get("seed") or None,
    }


@dataclass(frozen=True, slots=True)
class Answers:
    """A plan, and what is known besides; None for what there was no time or no figures for."""

    group: Group
    """As it was read."""
    plan: Plan
    explanation: Explanation | None = None
    comparison: Comparison | None = None
    points: Sequence[Point] | None = None
    """The front."""
    simulation: Simulation | None = None
    """None unless rates or capacities are known."""
    sizing: Sizing | None = None
    """The same."""
    is_stopped: bool = False
    """True if the run was told to end before all was there."""


def all_answers(
    group: Group,
    policy: Policy,
    run: RunSettings,
    *,
    plan: Plan | None = None,
    assignors: Sequence[str] = (),
) -> Answers:
    """Answer everything, with a plan that is made here unless it is given; then `policy` is its.

    `run` is how long the plan may take and who watches it. `assignors` are compared as well, as by
    `compare`. A run that is told to end leaves out what it has not begun. Raises InputError as
    `solve` does, and as `compare` does for `assignors`.
    """
    stop = run.get("stop") or Event()
    answers = Answers(group, plan or solve(group, policy, **share_of(run, "plan")))
    if not stop.is_set():
        explanation = explain(group, answers.plan, **share_of(run, "explanation"))
        answers = replace(answers, explanation=explanation)
    if not stop.is_set():
        comparison = _comparison(answers.plan, policy, run, assignors)
        points = frontier(group, policy, **share_of(run, "frontier"))
        answers = replace(answers, comparison=comparison, points=points)
    if not stop.is_set():
        made = answers.plan
        simulation = simulate(group, made) if made.group.knows_capacities else None
        answers = replace(answers, simulation=simulation, sizing=_sizing(group, policy, run))
    return replace(answers, is_stopped=stop.is_set())


def _comparison(
    made: Plan, policy: Policy, run: RunSettings, assignors: Sequence[str]
) -> Comparison:
    """The assignors beside equilag's plan: the report's, or one made here if the report's is an
    assignor's, which then has a row under that name."""
    names = dict.fromkeys((*assignor_names(), *assignors))
    own = []
    optimum = made
    if made.policy is None:
        names.pop(made.algorithm, None)  # not run again: its code may be elsewhere, or have changed
        own.append(Baseline(made.algorithm, made.assigned, made.wall_s))
        optimum = solve(made.group, replace(policy, tolerance=0.0), **share_of(run, "plan"))
    others = run_assignors(made.group, tuple(names), required=assignors, stop=run.get("stop"))
    return comparison_of(optimum, optimum.wall_s, [*others, *own])


def _sizing(group: Group, policy: Policy, run: RunSettings) -> Sizing | None:
    """None where neither rates nor capacities are known, and where no size can be told, such as of
    a group without active members."""
    if not (group.knows_capacities or knows_rates(group) or policy.capacity):
        return None
    weight = None if policy.weight == "work" else policy.weight  # by rate tells who keeps up
    for_sizes = replace(policy.fit_for("size"), weight=weight)
    try:
        return size(group, for_sizes, **share_of(run, "size"))
    except InputError:
        return None
