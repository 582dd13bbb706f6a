"""The report on a plan: what to do, its members, its moves, how good it is, what else there is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

from equilag.domain.figures import Change, form, listed, number, plural, printable, surplus, unit_of
from equilag.domain.plan.plan import Plan
from equilag.domain.plan.verdict import VerdictFacts
from equilag.domain.show import MAX_IN_LINE
from equilag.planner.facts.commands import live_command, option_words
from equilag.planner.facts.group import GroupFacts, group_facts
from equilag.planner.facts.moves import flows_that_say_most, sorted_moves
from equilag.planner.facts.plan import (
    MemberFacts,
    choice_facts,
    idle_members,
    instance_loads,
    is_per_capacity,
    member_facts,
)
from equilag.planner.facts.work import unit_words
from equilag.planner.verdict.plan_verdict import verdict_of
from equilag.planner.worth.judged_plan import JudgedPlan
from equilag.planner.worth.thresholds import VerdictLimits
from equilag.report import report_blocks as b
from equilag.report.words.extended import SHORT_NOTE, capacity_words, keeps_up_words
from equilag.report.words.group import docs_of, group_title, not_worth_it, sign_of
from equilag.report.words.proof import (
    load_word,
    proof_rows,
    reason_words,
    rebalances_words,
    status_sentence,
)

MANY: Final = 40
"""Members from which on the heaviest come first: what a large terminal holds."""
MAX_MOVES: Final = 20
"""Moves up to which a screen shows each; with the members they fill one."""
LARGEST: Final = 10
"""Moves that it shows of more, beside what members give to one another."""


class PlanReport(b.Report):
    """A plan with what its report says besides, which is made when it is read."""

    kind = "plan"

    def __init__(
        self, plan: Plan, *, verbose: bool = False, limits: VerdictLimits | None = None
    ) -> None:
        """With `verbose` it has also how the plan was found; `limits` say what is wrong."""
        self.plan = replace(plan, judge=lambda _: self.verdict)
        self._limits = limits
        self.size = plan.group.n_partitions
        self.names = tuple(member.id for member in plan.group.members)
        self._verbose = verbose
        self.interrupted = plan.interrupted

    @cached_property
    def group(self) -> GroupFacts:
        return group_facts(self.plan.current)

    @cached_property
    def judged(self) -> JudgedPlan:
        return JudgedPlan(self.plan, self._limits)

    @cached_property
    def verdict(self) -> VerdictFacts:
        return verdict_of(self.judged)

    @cached_property
    def members(self) -> tuple[MemberFacts, ...]:
        """In the natural order of their ids; without idle ones."""
        return member_facts(self.plan, self.judged.work)

    @property
    def proof(self) -> b.Facts:
        rows = proof_rows(self.plan, self.group, self.judged.work, verbose=self._verbose)
        return b.facts(rows)

    def strips(self) -> Sequence[b.Strip]:
        return ()

    def asks(self) -> bool:
        return self.verdict.worth_it

    def document(self) -> dict[str, Any]:
        """The plan's JSON, format ``equilag/plan/1``, with what was said about the group when it
        was read."""
        remarks = {"remarks": list(self.group.remarks)} if self.group.remarks else {}
        return {**self.plan.to_dict(), **remarks}

    def parts(self) -> Iterator[b.Block | None]:
        yield from verdict_blocks(self)
        if self.verdict.action == "cannot-tell":
            return  # who reads what is not known, so there is nothing to show
        yield group_title(self.group)
        yield members_section(self, self.strips())
        yield _instances(self)
        yield _moves(self)
        yield b.section("Plan", self.proof, rest=f"  {status_sentence(self.plan)}")
        yield _choices(self)
        yield next_section(self, "Next")


class VerdictReport(PlanReport):
    """What ``equilag plan --check`` prints."""

    kind = "verdict"

    def parts(self) -> Iterator[b.Block]:
        yield from verdict_blocks(self)


def verdict_blocks(report: PlanReport) -> Iterator[b.Block]:
    """What to do, what it brings, and what it takes."""
    verdict = report.verdict
    sign = sign_of(verdict.action, worth_it=verdict.worth_it)
    lines = verdict.details + docs_of(verdict)
    yield b.Headline(verdict.headline, sign.tone, sign.words, lines)
    if verdict.action != "cannot-tell":
        yield b.Facts(tuple(_tiles(report)), tiles=True)


def _tiles(report: PlanReport) -> Iterator[b.Fact]:
    plan, verdict, group = report.plan, report.verdict, report.group
    cost, heaviest, helps = verdict.cost, verdict.heaviest, verdict.plan_helps
    if heaviest is not None:
        before, then = printable(heaviest.before), printable(heaviest.after)
        now, planned = number(heaviest.load_before), number(heaviest.load)
        above = f"{before}, {surplus(heaviest.above_before_percent)} above the mean"
        who = above if not helps else before if before == then else f"now {before}, then {then}"
        loads = (planned, now) if helps else (now, "")
        yield b.Fact("heaviest member", *loads, f"{unit_of(loads[0], verdict.unit)}; {who}")
    if group.spread is not None and report.members:
        spread, now = number(plan.loads.spread), number(group.spread)
        yield b.Fact(f"{load_word(plan)} spread", *((spread, now) if helps else (now, "")))
    if not helps:
        return
    if cost.owned:
        waiting = f", with {plural(cost.lag_moved, 'waiting record')}" if cost.moves else ""
        of = f"of {plural(cost.owned, 'owned partition')}{waiting}"
        yield b.Fact("moves", number(cost.moves), note=of)
    if cost.new:
        noun = form(cost.new, "partition", "partitions")
        yield b.Fact("new", number(cost.new), note=f"{noun} that nobody owned")
    figure, words = rebalances_words(cost)
    yield b.Fact("rebalances", figure, note=words)


def members_section(report: PlanReport, strips: Sequence[b.Strip] = ()) -> b.Section:
    """A row per member, before and after."""
    plan, group, members = report.plan, report.group, report.members
    if not group.members:
        return b.Section("No members:", (), " there is nobody to assign a partition to.")
    idle = idle_members(plan)
    empty = [member.id for member in members if not member.partitions]
    whose = form(len(idle), "its subscription", "their subscriptions")
    nothing = f"{plural(len(idle), 'idle member')} (no partition in {whose})"
    without = f"{plural(len(empty), 'member')} {form(len(empty), 'gets', 'get')} no partition"
    lines = (
        capacity_words(plan),
        f"{nothing}: {listed(idle, MAX_IN_LINE)}" if idle else "",
        f"{without}: {listed(empty, MAX_IN_LINE)}" if empty else "",
    )
    unit = unit_words(group.load_unit, True) if is_per_capacity(plan) else "lag in records"
    rest = f" (load: {unit})" if is_per_capacity(plan) else ""
    if which := not_worth_it(report.judged, report.verdict):
        rest += f" (planned: {which})"
    if len(members) > MANY:
        members = tuple(sorted(members, key=lambda one: -max(one.load, one.load_before)))
        rest += ", the heaviest first"
    bars = b.Bars(_members_table(report, members), tuple(strips), group.mean_lag, unit)
    notes = b.Notes(tuple(filter(None, lines)))
    return b.section("Members", bars, notes, rest=rest, anchor="members")


def _members_table(report: PlanReport, members: Sequence[MemberFacts]) -> b.Table:
    what, owned = load_word(report.plan), bool(report.group.owned)
    bar = b.Column("", "bar", optional=True)
    note = "records produced for it, of what it reads per second"
    columns = (
        b.Column("member", "member"), b.Column("capacity", optional=True), b.Column("partitions"),
        b.Column(f"{what} now"), bar, b.Column(f"{what} planned" if owned else what), bar,
        b.Column("speed used", "share", note, optional=True),
    )  # fmt: skip

    def change(now: float | None, planned: float | None) -> b.Cell:
        return Change(now, planned) if owned and planned is not None else planned

    rows = tuple(
        (
            one.id, one.capacity, change(one.partitions_before, one.partitions),
            *((one.load_before, (one.load_before,)) if owned else (None, None)),
            one.load, (one.load,), change(one.used_before, one.used),
        )
        for one in members
    )  # fmt: skip
    few = MAX_MOVES if len(members) > MANY else MANY
    return b.Table(columns, rows, "Members now and planned", few, is_folded=True).known()


def _instances(report: PlanReport) -> b.Section:
    """A row per instance; nothing where each member is a process of its own."""
    what = load_word(report.plan)
    columns = (
        b.Column("instance", "name"), b.Column("threads", optional=True), b.Column("partitions"),
        b.Column(f"{what} now"), b.Column(f"{what} planned"),
    )  # fmt: skip
    rows = sorted(
        (
            (now.instance or now.members[0], len(now.members),
             Change(was.partitions, now.partitions), was.load, now.load)
            for was, now in instance_loads(report.plan)
        ),
        key=lambda row: (-row[-1], row[0]),
    )  # fmt: skip
    return b.section("Instances", b.Table(columns, tuple(rows), "Instances", MAX_MOVES))


def _moves(report: PlanReport) -> b.Section | None:
    """The moves by lag, and how many partitions are assigned that nobody owned."""
    owned, cost = report.group.owned, report.verdict.cost
    assigned = f"{plural(cost.new, 'partition')} {form(cost.new, 'is', 'are')} assigned"
    if not owned:
        nobody = f" nobody owned a partition; {assigned}."
        return b.Section("No moves:", (), nobody) if cost.new else None
    extra = f"; {assigned} that nobody owned" if cost.new else ""
    if not cost.moves:
        return b.Section("No moves:", (), f" every partition stays where it is{extra}.")
    of = f"{number(cost.moves)} of {plural(owned, 'owned partition')}"
    if weight := report.plan.moves_weight:
        extra = f" and a weight of {number(weight)}{extra}"
    which = not_worth_it(report.judged, report.verdict)
    rest = f"{which and f' of {which}'} ({of}, with a lag of {number(cost.lag_moved)}{extra})"
    if cost.moves <= MAX_MOVES:
        return b.section("Moves", moves_table(report), rest=rest)
    flows = b.Flows(flows_that_say_most(report.plan.moves))
    return b.section("Moves", moves_table(report, LARGEST), flows, rest=rest)


def moves_table(report: PlanReport, few: int = MAX_MOVES) -> b.Table:
    columns = (
        b.Column("partition", "name"), b.Column("from", "member"), b.Column("to", "member"),
        b.Column("lag"), b.Column("weight"), b.Column("reason", "text", optional=True),
    )  # fmt: skip
    rows = tuple(
        (f"{move.topic}-{move.partition}", move.source, move.target, move.lag, move.weight,
         reason_words(move))
        for move in sorted_moves(report.plan)
    )  # fmt: skip
    return b.Table(columns, rows, "Moves, the largest lag first", few).known()


def _choices(report: PlanReport) -> b.Section:
    """Two or three points between the fewest moves and the most even lag, and how to get them."""
    choices, from_current = choice_facts(report.plan, report.group)
    columns = (
        b.Column("choice", "text"), b.Column("moves"), b.Column("moved weight"),
        b.Column(f"{load_word(report.plan)} spread"),
        b.Column("keeps up", "text", SHORT_NOTE),
        b.Column("gain", "percent", optional=True), b.Column("", "command"),
    )  # fmt: skip
    rows = tuple(
        (
            one.choice.label, one.choice.moves, one.choice.move_weight, one.choice.spread,
            keeps_up_words(one.choice.short), one.gain_percent,
            "this plan" if one.is_this_plan else " ".join(option_words(one.settings)),
        )
        for one in choices
    )  # fmt: skip
    start = "the current assignment" if from_current or not rows else rows[0][0]
    gain = f" of this run (gain: part of the excess saved, from {start} to the proved bound)"
    table = b.Table(columns, rows, "Choices").known()
    return b.section("Choices", table, rest=gain if rows else "")


def next_section(report: PlanReport, title: str) -> b.Section | None:
    """How to make the group do what the plan says; None where it does not help."""
    plan = report.plan
    if plan.policy is None or not report.verdict.plan_helps:
        return None
    leads = (
        "Kafka has no command that loads a plan into a group: its leading member assigns. equilag's"
        " steward joins as that member. What it would do:"
    )
    assigns = (
        "Without --dry-run it assigns; consumers in any language stay as they are. Consumers in"
        " Python can have equilag's assignor instead. docs/live.md says what it takes."
    )
    dry_run = live_command(plan.group, "--dry-run", "steward")
    return b.section(title, b.Commands(((leads, dry_run), (assigns, ""))), anchor="next")
