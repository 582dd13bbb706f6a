"""A plan: its members and moves, how good it is, and what else there is to choose from."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from equilag.domain.group.group import NOBODY
from equilag.domain.plan.metrics import member_counts, member_loads
from equilag.domain.plan.move import Move
from equilag.domain.plan.plan import Choice, Plan
from equilag.domain.plan.plan_figures import LagFigures
from equilag.domain.policy.policy import Policy
from equilag.report.facts.extended_group import ExtendedFacts, extended_facts, whole
from equilag.report.facts.facts_json import NOT_IN_JSON
from equilag.report.facts.group import GainScale, GroupFacts, group_facts
from equilag.report.facts.plans.judged_plan import JudgedPlan, judged_plan
from equilag.report.facts.plans.proof import ProofFacts, proof_facts
from equilag.report.facts.plans.verdict import VerdictFacts, verdict_of
from equilag.report.facts.work import WorkFacts, work_facts
from equilag.report.wording.reason_words import reason_words
from equilag.report.wording.words import natural_key, printable


@dataclass(frozen=True, slots=True)
class MemberFacts:
    """A member that is not idle, under the current assignment and under the plan."""

    id: str
    partitions_before: int
    lag_before: int
    partitions: int
    lag: int
    capacity: float | None = None
    """None where loads are not per unit of capacity."""
    weight_before: float | None = None
    weight: float | None = None
    """What is spread; None where that is the lag."""
    used_before: float | None = None
    used: float | None = None
    """Rate over capacity; None where one of them is unknown."""

    @property
    def load_before(self) -> float:
        """Weight before; per unit of capacity where there is one."""
        weight = self.lag_before if self.weight_before is None else self.weight_before
        return weight / self.capacity if self.capacity else weight

    @property
    def load(self) -> float:
        """Weight; per unit of capacity where there is one."""
        weight = self.lag if self.weight is None else self.weight
        return weight / self.capacity if self.capacity else weight


@dataclass(frozen=True, slots=True)
class MovesFacts:
    moves: tuple[Move, ...]
    """The largest lag first."""
    lag: int
    """In all."""
    new: int
    """Partitions that are assigned and that nobody owned."""

    @property
    def reasons(self) -> tuple[str, ...]:
        """What each of the moves serves, in words; made when it is read."""
        return tuple(map(reason_words, self.moves))


@dataclass(frozen=True, slots=True)
class ChoiceFacts:
    """A point between the fewest moves and the most even lag."""

    label: str
    moves: int
    spread: float
    gain_percent: float
    """Part of the excess saved, of what is not proved to be impossible to save."""
    is_this_plan: bool
    settings: Mapping[str, Any]
    """The settings on top of this plan's that ask for the choice."""


@dataclass(frozen=True, slots=True)
class ChoicesFacts:
    rows: tuple[ChoiceFacts, ...]
    from_current: bool
    """True if the gain counts from the current assignment, not from the first choice."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    algorithm: str
    wall_s: float
    time_limit_s: float | None
    repeatable: bool
    """False if the clock cut the run short."""


@dataclass(frozen=True, slots=True)
class PlanFacts:
    kind: ClassVar[str] = "plan"

    plan: Plan = field(metadata=NOT_IN_JSON)
    judged: JudgedPlan = field(metadata=NOT_IN_JSON)
    verdict: VerdictFacts
    group: GroupFacts
    members: tuple[MemberFacts, ...]
    """In the natural order of their ids."""
    idle: tuple[str, ...]
    """Members whose subscription holds no partition, in the same order."""
    moves: MovesFacts
    proof: ProofFacts
    extended: ExtendedFacts | None
    """None for a plain group."""
    work: WorkFacts | None
    """None where lag is spread."""
    choices: ChoicesFacts | None
    """None where there is nothing to choose from."""
    run: RunFacts | None
    """None unless the reader asked for how the plan was found."""
    next_steps: tuple[str, ...]
    """How to make the group do it: sentences, and a command, which begins with ``equilag``; none
    where the plan does not help."""

    @property
    def size(self) -> int:
        return self.group.partitions

    def document(self) -> dict[str, Any]:
        """The plan's JSON, format ``equilag/plan/1``, with the verdict and what was said about
        the group when it was read."""
        remarks = {"remarks": list(self.group.remarks)} if self.group.remarks else {}
        return {**self.plan.to_dict(), **remarks, "verdict": self.verdict.document()}


def plan_facts(plan: Plan, *, verbose: bool = False) -> PlanFacts:
    """The facts of a plan; with `verbose` also how it was found."""
    group = plan.group
    figures = group_facts(group, plan.planned, not isinstance(plan.loads, LagFigures))
    work = work_facts(plan)
    run = RunFacts(plan.algorithm, plan.wall_s, plan.time_limit, plan.repeatable)
    judged = judged_plan(plan, work, figures.load_unit)
    verdict = verdict_of(judged)
    return PlanFacts(
        plan=plan,
        judged=judged,
        verdict=verdict,
        group=figures,
        members=_members(plan, work),
        idle=_idle(plan),
        moves=_moves(plan),
        proof=proof_facts(plan),
        extended=extended_facts(plan),
        work=work,
        choices=_choices(plan, figures),
        run=run if verbose else None,
        next_steps=_next_steps(plan.group.name) if plan.policy and verdict.plan_helps else (),
    )


def _members(plan: Plan, work: WorkFacts | None) -> tuple[MemberFacts, ...]:
    group, planned = plan.group, plan.planned
    columns: list[list[Any]] = [
        values.tolist()
        for assigned in (group.owner, plan.assigned)
        for values in (
            member_counts(assigned, group.n_members),
            member_loads(assigned, group.lag, group.n_members),
        )
    ]
    columns += [[None] * group.n_members] * 5
    if not isinstance(plan.loads, LagFigures) and (work is None or work.unit.knows_speeds):
        columns[4] = list(map(whole, planned.capacities.values.tolist()))
    if planned.weights is not None:
        for place, assigned in ((5, group.owner), (6, plan.assigned)):
            weights = member_loads(assigned, planned.partition_weight, group.n_members)
            columns[place] = list(map(whole, (weights / planned.weight_scale).tolist()))
    if work is not None and work.before is not None and work.after is not None:
        columns[7] = [*work.before.by_member.values()]
        columns[8] = [*work.after.by_member.values()]
    rows = zip(group.members, planned.group.idle.tolist(), *columns, strict=True)
    found = (MemberFacts(member.id, *row) for member, idle, *row in rows if not idle)
    return tuple(sorted(found, key=lambda member: natural_key(member.id)))


def _idle(plan: Plan) -> tuple[str, ...]:
    members = zip(plan.group.members, plan.planned.group.idle.tolist(), strict=True)
    return tuple(sorted((one.id for one, idle in members if idle), key=natural_key))


def _moves(plan: Plan) -> MovesFacts:
    group = plan.group
    return MovesFacts(
        moves=tuple(sorted(plan.moves, key=lambda m: (-m.lag, natural_key(m.topic), m.partition))),
        lag=sum(move.lag for move in plan.moves),
        new=int(np.count_nonzero((group.owner == NOBODY) & (plan.assigned != NOBODY))),
    )


def _choices(plan: Plan, group: GroupFacts) -> ChoicesFacts | None:
    choices = plan.choices
    if len(choices) < 2:
        return None
    loads = plan.loads
    gain = GainScale.of(group, choices[0].excess, loads.excess_lower_bound)
    rows = tuple(
        ChoiceFacts(
            label=choice.label,
            moves=choice.moves,
            spread=choice.spread,
            gain_percent=gain.percent(choice.excess),
            is_this_plan=choice.moves == len(plan.moves) and choice.spread == loads.spread,
            settings=_settings(plan, choice, choice is choices[-1]),
        )
        for choice in choices
    )
    return ChoicesFacts(rows, gain.from_current)


def _settings(plan: Plan, choice: Choice, is_last: bool) -> dict[str, Any]:
    """The settings that ask for a choice, and get a plan that is no worse."""
    policy = plan.policy or Policy()
    settings: dict[str, Any] = {}
    if policy.moves_first:  # such policies never trade moves for lag
        settings["policy"] = "lag-aware"
    if policy.move_cost:
        settings["move_cost"] = 0
    beyond = is_last and choice.moves >= len(plan.moves) and not policy.moves_first
    if not beyond or policy.max_moves is not None:
        settings["max_moves"] = choice.moves
    # Up to the moves of this plan a limit alone does: it asks for as even a plan as it allows.
    if policy.tolerance and (policy.moves_first or choice.moves >= len(plan.moves)):
        settings["tolerance"] = 0
    return settings


def _next_steps(group: str) -> tuple[str, ...]:
    """What a reader does with a plan that helps: sentences, and a command, which begins with
    ``equilag``."""
    name = shlex.quote(printable(group)) if group else "GROUP"
    return (
        (
            "Kafka has no command that loads a plan into a group: its leading member assigns."
            " equilag's steward joins as that member. What it would do:"
        ),
        f"equilag steward --bootstrap-server HOST:PORT --group {name} --dry-run",
        (
            "Without --dry-run it assigns; consumers in any language stay as they are. Consumers in"
            " Python can have equilag's assignor instead. docs/live.md says what it takes."
        ),
    )
