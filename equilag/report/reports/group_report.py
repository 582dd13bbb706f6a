"""The report on a group: its plan, and what else there is to know before one uses it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from shlex import quote
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np

from equilag.domain.document import to_document
from equilag.domain.figures import number, plural, printable
from equilag.domain.group.group import NOBODY, Group
from equilag.domain.plan.broken_rules import broken_by_assignor
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.planner.all_answers import Answers
from equilag.planner.facts.commands import plan_command
from equilag.planner.facts.front import PointFacts, front_facts, front_with_plan
from equilag.planner.facts.moves import flows_by_pair, partition_columns
from equilag.planner.facts.plan import idle_members, settings_of
from equilag.planner.worth.thresholds import VerdictLimits
from equilag.report import report_blocks as b
from equilag.report.reports.comparison import ComparisonReport
from equilag.report.reports.explanation import ExplanationReport
from equilag.report.reports.frontier import FrontierReport
from equilag.report.reports.history import (
    CoursePoint,
    change_facts,
    course_of,
    history_section,
    moment_facts,
)
from equilag.report.reports.plan import (
    PlanReport,
    members_section,
    moves_table,
    next_section,
    verdict_blocks,
)
from equilag.report.reports.simulation import SimulationReport
from equilag.report.reports.size import SizeReport
from equilag.report.words.group import group_title, not_worth_it, reading_notes
from equilag.report.words.proof import status_sentence

FORMAT: Final = "equilag/report/1"


class ReportBasis(NamedTuple):
    """What a report was asked for with."""

    source: str
    """The snapshot's file, or the options in its place, as words of a shell."""
    policy: Policy
    """As it was given, before the group's fields decide what it leaves open."""
    run: Mapping[str, Any] = MappingProxyType({})
    """Other options of the plan that was made, such as its time limit, as `plan_command` takes
    them; empty for a plan that was given."""

    def command(self, plan: Plan, point: PointFacts | None = None) -> str:
        """The command that makes the plan of the report, or that of a point of the front."""
        if point is not None and not point.is_plan:
            settings = settings_of(point.point, self.policy)
            return plan_command(self.source, self.policy, settings)
        if plan.policy is None:
            return f"equilag assign {self.source} --assignor {quote(plan.algorithm)}"
        return plan_command(*self)


class GroupReport(b.Report):
    kind = "group-report"

    def __init__(
        self,
        answers: Answers,
        basis: ReportBasis,
        earlier: Sequence[Group] = (),
        course: Sequence[CoursePoint] = (),
        limits: VerdictLimits | None = None,
    ) -> None:
        """`earlier` is the same group as it was before, the oldest first; `course` its lag since
        then, where more of it is known than at these moments."""
        self.answers, self.basis = answers, basis
        self.moments = (*earlier, answers.plan.group) if earlier else ()
        self.course = tuple(course) or course_of(self.moments)
        self.plan = PlanReport(answers.plan, limits=limits)
        self.size, self.names = self.plan.size, self.plan.names
        self.interrupted = answers.is_stopped
        self.explanation = ExplanationReport(answers.explanation) if answers.explanation else None
        self.comparison = ComparisonReport(answers.comparison) if answers.comparison else None
        self.simulation = SimulationReport(answers.simulation) if answers.simulation else None
        self.sizing = SizeReport(answers.sizing) if answers.sizing else None
        self.front = self._front()

    def _front(self) -> FrontierReport | None:
        """The front, with the plan of the report as a point."""
        answers, policy = self.answers, self.basis.policy
        if answers.points is None:
            return None
        stopped = answers.is_stopped
        front = front_facts(answers.group, answers.points, policy, interrupted=stopped)
        return FrontierReport(front_with_plan(front, answers.plan), self._command)

    def document(self) -> dict[str, Any]:
        """The report's JSON, format ``equilag/report/1``. Each part has the JSON of its command."""
        plan, front = self.answers.plan, self.front
        broken = None if plan.policy else broken_by_assignor(plan.planned.given, plan.assigned)
        others = {
            "explanation": self.explanation, "comparison": self.comparison,
            "simulation": self.simulation, "sizing": self.sizing,
        }  # fmt: skip
        return {
            "format": FORMAT,
            "source": self.basis.source,
            "command": self.basis.command(plan),
            "group": to_document(self.plan.group),
            "verdict": self.plan.verdict.document(),
            "plan": self.plan.document(),
            "work": self.plan.judged.work and to_document(self.plan.judged.work),
            "breaks": broken.to_dict() if broken else None,
            "members": to_document(self.plan.members),
            "idle": list(idle_members(plan)),
            "partitions": to_document(partition_columns(plan)),
            "flows": to_document(flows_by_pair(plan.moves)),
            "moments": [to_document(moment_facts(group)) for group in self.moments],
            "course": to_document(self.course),
            "changes": [to_document(change_facts(*pair)) for pair in pairwise(self.moments)],
            "frontier": front and {**front.document(), "points": self._points(front)},
            **{name: one and one.document() for name, one in others.items()},
        }

    def _command(self, point: PointFacts) -> str:
        return self.basis.command(self.answers.plan, point)

    def _points(self, report: FrontierReport) -> list[dict[str, Any]]:
        """The points of the front, with the plan of the report and the command of each."""
        return [
            {**one.point.to_dict(), "is_plan": one.is_plan, "command": self._command(one)}
            for one in report.front.points
        ]

    def parts(self) -> Iterator[b.Block | None]:
        plan = self.plan
        yield from verdict_blocks(plan)
        title, unknown = group_title(plan.group), "time of the figures: unknown"
        yield title if plan.group.taken_at else replace(title, facts=(*title.facts, unknown))
        yield history_section(self.moments, self.course)
        yield next_section(plan, "How to make the group do it")
        yield b.section("How the figures were read", *reading_notes(plan.group), anchor="reading")
        if plan.members:
            yield members_section(plan, member_strips(plan))
            yield self._moves()
            yield from self.explanation.why_sections() if self.explanation else ()
            if self.front is not None and len(self.front.front.points) > 1:
                yield _part("Trade-offs between moves and spread", "front", self.front)
        yield _part("Lag over time", "over-time", self.simulation)
        yield _part("How many members", "sizes", self.sizing)
        if plan.members:
            yield _part("Assignors side by side", "assignors", self.comparison)
        status = b.Notes((f"{status_sentence(plan.plan)}.",), "text")
        yield b.section("How good the plan is proved to be", status, plan.proof, anchor="proof")
        yield self._settings()

    def _moves(self) -> b.Section | None:
        """What changes hands: between whom, and each partition."""
        cost, moves = self.plan.verdict.cost, self.answers.plan.moves
        flows = b.Flows(flows_by_pair(moves))
        of = f"{number(cost.moves)} of {plural(cost.owned, 'owned partition')}"
        words = b.Notes((f"{of}, with {plural(cost.lag_moved, 'waiting record')}.",), "text")
        table, which = moves_table(self.plan), not_worth_it(self.plan.judged, self.plan.verdict)
        rest = f" of {which}" if which else ""
        return b.section("Moves", words, flows, table, rest=rest, anchor="moves") if moves else None

    def _settings(self) -> b.Section:
        """The command that makes the plan, and every setting in force."""
        plan = self.answers.plan
        rows = tuple((name.replace("_", " "), _setting(one)) for name, one in plan.settings.items())
        columns = b.Column("setting", "text"), b.Column("value", "text")
        made = b.Commands((("", self.basis.command(plan)),))
        table = b.Table(columns, rows, "Every setting in force", is_folded=True)
        return b.section("Settings", made, table, anchor="settings")


def _part(title: str, anchor: str, report: b.Report | None) -> b.Section | None:
    """What a command says, as a part of the page; None where nothing is known."""
    if report is None:
        return None
    blocks = (
        b.Notes((f"{one.words.rstrip('.')}.", *one.lines), "text")
        if isinstance(one, b.Headline)
        else one
        for one in report.blocks()
        if not isinstance(one, b.Title)
    )
    return b.section(title, *blocks, anchor=anchor)


def _setting(value: Any) -> str:
    """The value of a setting."""
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_setting, value)) or "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{printable(str(key))}={_setting(one)}" for key, one in value.items())
    known = {True: "yes", False: "no", None: "none"}
    if value is None or isinstance(value, bool):
        return known[value]
    return number(value) if isinstance(value, float) else printable(str(value))


def member_strips(report: PlanReport) -> tuple[b.Strip, ...]:
    """A strip per member, in the order of the members; partitions that stay come first, so that
    they stand in line in both bars of a member."""
    plan = report.plan
    group, planned = plan.group, plan.planned
    owner, assigned, lag = group.owner, plan.assigned, group.lag
    weight = lag if planned.weights is None else planned.partition_weight / planned.weight_scale
    hot = {(one.topic, one.partition) for one in report.verdict.hot}
    place = {member.id: number for number, member in enumerate(group.members)}
    changes = owner != assigned

    def named(member: int) -> str:
        return "nobody" if member == NOBODY else printable(group.members[member].id)

    def parts(member: int, capacity: float, *, is_plan: bool) -> Iterator[b.Part]:
        own = np.flatnonzero((assigned if is_plan else owner) == member)
        for p in own[np.lexsort((own, -weight[own], changes[own]))].tolist():
            partition = group.partition_name(p)
            lines = [f"{printable(partition[0])}-{partition[1]}", f"lag {number(int(lag[p]))}"]
            if changes[p]:
                lines += [f"from {named(owner[p])}", f"to {named(assigned[p])}"]
                state = "arrives" if is_plan else "leaves"
            else:
                lines.append(f"stays with {named(owner[p])}")
                state = "stays"
            if partition in hot:
                lines.append("more than a fair share alone")
                state += " hot"
            yield b.Part(float(weight[p]) / capacity, state, "\n".join(lines))

    return tuple(
        b.Strip(
            one.id,
            tuple(parts(place[one.id], one.capacity or 1.0, is_plan=False)),
            tuple(parts(place[one.id], one.capacity or 1.0, is_plan=True)),
        )
        for one in report.members
    )
