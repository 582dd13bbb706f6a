"""The report on a group: its plan, and what else there is to know before one uses it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from shlex import quote
from types import MappingProxyType
from typing import Any, ClassVar, Final, NamedTuple

from equilag.domain.policy.policy import SETTINGS, Policy
from equilag.report.facts.comparison import ComparisonFacts
from equilag.report.facts.explanation import ExplanationFacts
from equilag.report.facts.facts_json import facts_json
from equilag.report.facts.frontier import FrontierFacts, PointFacts
from equilag.report.facts.plans.partition_columns import (
    FlowsFacts,
    PartitionColumns,
    flows_of,
    partition_columns,
)
from equilag.report.facts.plans.plan import PlanFacts
from equilag.report.facts.plans.plan_on_front import PLAN, points_with_plan
from equilag.report.facts.simulation import SimulationFacts
from equilag.report.facts.size import SizeFacts
from equilag.report.text.tables.short_names import member_names
from equilag.report.wording.reason_words import reason_words

FORMAT: Final = "equilag/report/1"
LABEL_WIDTH: Final = 24
"""Characters of a member's name in charts and reasons: a third of a phone's screen."""


class ReportBasis(NamedTuple):
    """What a report was asked for with."""

    source: str
    """The snapshot's file, or the options in its place, as words of a shell."""
    policy: Policy
    """As it was given, before the group's fields decide what it leaves open."""
    run: Mapping[str, Any] = MappingProxyType({})
    """Other options of the plan that was made, such as its time limit, as `plan_command` takes
    them; empty for a plan that was given."""


@dataclass(frozen=True, slots=True)
class GroupReportFacts:
    """What a page about a group shows; parts that nothing is known of are None."""

    kind: ClassVar[str] = "group-report"

    plan: PlanFacts
    basis: ReportBasis
    explanation: ExplanationFacts | None = None
    comparison: ComparisonFacts | None = None
    frontier: FrontierFacts | None = None
    simulation: SimulationFacts | None = None
    """None unless rates or capacities are known."""
    sizing: SizeFacts | None = None
    """The same."""

    @property
    def size(self) -> int:
        return self.plan.size

    @property
    def partitions(self) -> PartitionColumns:
        return partition_columns(self.plan.plan)

    @property
    def flows(self) -> FlowsFacts:
        return flows_of(self.plan.plan.moves)

    @property
    def labels(self) -> dict[str, str]:
        """Member id -> a short name; the names differ."""
        return member_names((one.id for one in self.plan.plan.group.members), LABEL_WIDTH)

    def document(self) -> dict[str, Any]:
        """The report's JSON, format ``equilag/report/1``."""
        plan = self.plan
        return {
            "format": FORMAT,
            "verdict": plan.verdict.document(),
            "group": facts_json(plan.group),
            "source": self.basis.source,
            "settings": facts_json(plan.plan.settings),
            "evidence": plan.plan.evidence,
            "command": _command(self.basis, plan),
            "members": facts_json(plan.members),
            "idle": facts_json(plan.idle),
            "partitions": facts_json(self.partitions),
            "moves": _moves(plan, self.labels),
            "flows": facts_json(self.flows),
            "proof": facts_json(plan.proof),
            "real": facts_json(plan.extended),
            "work": facts_json(plan.work),
            "explanation": _explanation(self.explanation),
            "comparison": _comparison(self.comparison),
            "frontier": _frontier(self.frontier, self.basis, plan),
            "simulation": _simulation(self.simulation),
            "sizing": _sizing(self.sizing),
            "remarks": [*plan.plan.notes, *plan.group.remarks],
        }


def settings_of_point(point: PointFacts, policy: Policy) -> dict[str, Any]:
    """The settings on top of the policy that ask for a point of the front."""
    settings: dict[str, Any] = {"max_moves": point.moves}
    if policy.moves_first:  # such policies never trade moves for lag
        settings["policy"] = "lag-aware"
    if policy.tolerance:
        settings["tolerance"] = 0
    if policy.move_cost:
        settings["move_cost"] = 0
    return settings


def _command(basis: ReportBasis, plan: PlanFacts) -> str:
    """The command that makes the plan of the report."""
    if plan.plan.policy is None:
        return assign_command(basis.source, plan.plan.algorithm)
    return plan_command(*basis)


def _moves(plan: PlanFacts, labels: Mapping[str, str]) -> dict[str, Any]:
    """Rows are lists, and members and topics numbers in the columns of the partitions, since a page
    has room for thousands of moves."""
    group = plan.plan.group
    members = {member.id: number for number, member in enumerate(group.members)}
    topics = {topic: number for number, topic in enumerate(group.topics)}
    rows = [
        [
            topics[move.topic],
            move.partition,
            members[move.source],
            members[move.target],
            move.lag,
            reason_words(move, labels.__getitem__),
        ]
        for move in plan.moves.moves
    ]
    columns = ["topic", "partition", "from", "to", "lag", "reason"]
    return {"columns": columns, "rows": rows, "lag": plan.moves.lag, "new": plan.moves.new}


def _explanation(facts: ExplanationFacts | None) -> dict[str, Any] | None:
    if facts is None:
        return None
    names = ("unit", "fair", "reached", "now", "why_now", "why", "looser")
    return {name: facts_json(getattr(facts, name)) for name in names}


def _comparison(facts: ComparisonFacts | None) -> dict[str, Any] | None:
    if facts is None:
        return None
    rows = []
    for row in facts.rows:
        found = facts_json(row)
        more = found.pop("extended")
        if facts.per_capacity:
            found["load_max"], found["load_spread"] = more.get("load_max"), more.get("load_spread")
        else:
            found["load_max"], found["load_spread"] = row.lag_max, row.lag_spread
        rows.append({**found, "busiest": more.get("busiest"), "cross_rack": more.get("cross_rack")})
    return {
        "rows": rows,
        "headline": facts.headline,
        "bound": facts.bound,
        "bound_by_solver": facts.bound_by_solver,
        "per_capacity": facts.per_capacity,
        "current_is_partial": facts.current_is_partial,
    }


def _frontier(
    facts: FrontierFacts | None, basis: ReportBasis, plan: PlanFacts
) -> dict[str, Any] | None:
    if facts is None:
        return None
    rows = []
    found = points_with_plan(facts, plan)
    for point, is_on_front, note in found:
        is_plan = PLAN in point.marks
        settings = {} if is_plan else settings_of_point(point, basis.policy)
        command = (
            _command(basis, plan) if is_plan else plan_command(basis.source, basis.policy, settings)
        )
        more = {"is_on_front": is_on_front, "note": note}
        rows.append({**facts_json(point), **more, "settings": settings, "command": command})
    return {
        "headline": facts.headline_of([row.point for row in found]),
        "points": rows,
        "per_capacity": facts.per_capacity,
        "unproved": facts.unproved,
        "interrupted": facts.interrupted,
    }


def _simulation(facts: SimulationFacts | None) -> dict[str, Any] | None:
    if facts is None:
        return None
    names = (
        "duration", "rebalance", "assumed", "changes", "produced", "capacity", "times",
        "curve_times", "current", "planned", "members_behind", "hot", "too_slow", "overloaded",
        "headlines",
    )  # fmt: skip
    return {name: facts_json(getattr(facts, name)) for name in names}


def _sizing(facts: SizeFacts | None) -> dict[str, Any] | None:
    if facts is None:
        return None
    rows: list[dict[str, Any]] = facts_json(facts.sizing.rows)
    basis, end = facts.sizing.basis, facts.sizing.helpful_end
    if basis.capacity is not None and basis.limit:
        for row in rows:
            row["load_percent"] = 100 * row["load"] / basis.limit
            row["at_least_percent"] = 100 * row["load_at_least"] / basis.limit
    return {
        "headlines": facts.headlines,
        "rows": rows,
        "basis": facts_json(basis),
        "least_keeping_up": facts_json(facts.sizing.least_keeping_up),
        "helpful_end": None if end is None else end.size,
    }


def plan_command(source: str, policy: Policy, more: Mapping[str, Any]) -> str:
    """The command that makes a plan of this policy, with some settings, of it or of the run, in
    place of its own.

    source: what names the group: a file or options, as words of a shell.
    """
    named = {"name" if name == "policy" else name: value for name, value in more.items()}
    if policy.fresh:  # where nobody owns anything, a limit on moves is refused
        named.pop("max_moves", None)
    asked = replace(policy, **{name: named.pop(name) for name in SETTINGS if name in named})
    words = [*asked.option_words()]
    for name, value in named.items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            words.append(option)
        elif value is not None and value is not False:
            words += [option, str(value)]
    return " ".join(["equilag", "plan", source, *map(quote, words)])


def assign_command(source: str, assignor: str) -> str:
    """The command that makes the plan of one assignor."""
    return f"equilag assign {source} --assignor {quote(assignor)}"
