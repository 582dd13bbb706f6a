"""The report on a group: its plan is made here, or given, and then what goes with it."""

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
    load_assignor_libraries,
    run_assignors,
)
from equilag.planner.explain import DEFAULT_TIME_LIMIT, explain
from equilag.planner.frontier import frontier
from equilag.planner.simulate import simulate
from equilag.planner.size import size
from equilag.planner.solve import solve
from equilag.planner.solving.run_settings import SolveSettings
from equilag.planner.solving.stage import Watcher
from equilag.report.facts.comparison import comparison_facts
from equilag.report.facts.explanation import explanation_facts
from equilag.report.facts.frontier import frontier_facts
from equilag.report.facts.group_report import GroupReportFacts, ReportBasis
from equilag.report.facts.plans.plan import plan_facts
from equilag.report.facts.simulation import SimulationFacts, simulation_facts
from equilag.report.facts.size import SizeFacts, size_facts

Part = Literal["plan", "explanation", "frontier", "size"]

SHARES: Final[dict[Part, float]] = {
    "plan": 1.0, "explanation": 1 / 3, "frontier": 0.5, "size": 0.5,
}  # fmt: skip
"""Of the plan's time and work: the plan is that of `equilag plan`, and the others come on top. An
explanation takes 1.5 times its share. What one part does not use is not given to another."""


@dataclass(frozen=True, slots=True)
class ReportRun:
    """How long the making of a report may take, and who watches it."""

    time_limit: float
    """Seconds for the plan."""
    effort: float | None = None
    """Seconds' worth of counted work for the plan."""
    deterministic: bool = False
    seed: int = 0
    progress: Watcher | None = None
    stop: Event | None = None

    def of(self, part: Part) -> SolveSettings:
        """The settings of a run for one part."""
        share = SHARES[part]
        return {
            "time_limit": share * self.time_limit,
            "seed": self.seed,
            "effort": None if self.effort is None else share * self.effort,
            "deterministic": self.deterministic,
            "progress": self.progress,
            "stop": self.stop,
        }

    def options(self) -> dict[str, Any]:
        """What `equilag plan` has to be told to make the same plan."""
        limit = None if self.time_limit == DEFAULT_TIME_LIMIT else f"{self.time_limit:g}"
        effort = None if self.effort is None else f"{self.effort:g}"
        found = {"time_limit": limit, "effort": effort, "deterministic": self.deterministic}
        return {**found, "seed": self.seed or None}

    @property
    def is_stopped(self) -> bool:
        return self.stop is not None and self.stop.is_set()


def make_group_report(
    group: Group,
    policy: Policy,
    source: str,
    run: ReportRun,
    *,
    plan: Plan | None = None,
    assignors: Sequence[str] = (),
) -> GroupReportFacts:
    """Make the report, and the plan unless it is given; then `policy` is the plan's.

    `assignors` are compared as well, as by `compare`. A run that is told to end leaves out what it
    has not begun. Raises InputError as `solve` does, and as `compare` does for `assignors`.
    """
    made = plan or solve(group, policy, **run.of("plan"))
    facts = plan_facts(made)
    explanation = comparison = front = simulation = sizing = None
    if not run.is_stopped:
        explanation = explanation_facts(explain(group, made, **run.of("explanation")), facts)
    if not run.is_stopped:
        comparison = comparison_facts(group, _comparison(made, policy, run, assignors))
        points = frontier(group, policy, **run.of("frontier"))
        front = frontier_facts(group, points, policy, interrupted=run.is_stopped)
    if not run.is_stopped:
        simulation = _simulation(group, made)
        sizing = _sizing(group, policy, run)
    return GroupReportFacts(
        facts,
        ReportBasis(source, policy, run.options() if plan is None else {}),
        explanation=explanation,
        comparison=comparison,
        frontier=front,
        simulation=simulation,
        sizing=sizing,
    )


def _comparison(made: Plan, policy: Policy, run: ReportRun, assignors: Sequence[str]) -> Comparison:
    """The assignors beside equilag's plan: the report's, or one made here if the report's is an
    assignor's, which then has a row under that name."""
    names = dict.fromkeys((*assignor_names(), *assignors))
    own = []
    optimum = made
    if made.policy is None:
        names.pop(made.algorithm, None)  # not run again: its code may be elsewhere, or have changed
        own.append(Baseline(made.algorithm, made.assigned, made.wall_s))
        optimum = solve(made.group, replace(policy, tolerance=0.0), **run.of("plan"))
    load_assignor_libraries(made.group)
    others = run_assignors(made.group, tuple(names), required=assignors, stop=run.stop)
    return comparison_of(optimum, optimum.wall_s, [*others, *own])


def _simulation(group: Group, plan: Plan) -> SimulationFacts | None:
    """None where no capacity is known."""
    if all(member.capacity is None for member in plan.group.members):
        return None
    return simulation_facts(simulate(group, plan))


def _sizing(group: Group, policy: Policy, run: ReportRun) -> SizeFacts | None:
    """None where neither rates nor capacities are known, and where no size can be told, such as of
    a group without active members."""
    known = any(member.capacity is not None for member in group.members)
    if not (known or knows_rates(group) or policy.capacity):
        return None
    settings = run.of("size")
    effort, limit = settings["effort"], settings["time_limit"]
    if effort is None and run.deterministic:
        effort = limit / 2
    try:
        sizing = size(
            group,
            _for_sizes(policy),
            time_limit=limit,
            effort=effort,
            seed=run.seed,
            stop=run.stop,
        )
    except InputError:
        return None
    return size_facts(group, sizing)


def _for_sizes(policy: Policy) -> Policy:
    """The policy without what speaks of owners and racks, of which other sizes know nothing."""
    weight = None if policy.weight == "work" else policy.weight  # by rate tells who keeps up
    return replace(policy.fit_for("size"), weight=weight)
