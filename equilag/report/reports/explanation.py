"""The report on an explanation: why the group is uneven, what bounds the plan, what looser settings
would bring, and what the moves are for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final

from equilag.domain.document import to_document
from equilag.domain.figures import Change, number, partition_name, plural, printable
from equilag.domain.plan.plan import Plan
from equilag.planner.explain import Explanation, LooserPlan
from equilag.planner.explaining.unevenness import UnevennessFacts, unevenness_facts
from equilag.planner.facts.moves import ServedFacts, served_facts
from equilag.planner.facts.plan import is_per_capacity
from equilag.planner.facts.work import WEIGHT_UNITS, unit_words
from equilag.planner.worth.thresholds import VerdictLimits
from equilag.report import report_blocks as b
from equilag.report.reports.plan import PlanReport, verdict_blocks
from equilag.report.words.bounds import (
    LoadWords,
    cause_words,
    evidence_lines,
    looser_words,
    state_words,
)
from equilag.report.words.group import group_title
from equilag.report.words.proof import load_word
from equilag.report.words.unevenness import unevenness_heading, unevenness_words

FORMAT: Final = "equilag/explanation/1"
LOOSER_FIELDS: Final = ("name", "settings", "helps", "evidence", "refused")
MAX_SERVED: Final = 12
"""Members whose moves a screen shows."""
SERVED: Final = {
    "relief": "relieve {}",
    "makes-room": "{} makes room for what it takes",
    "counts": "even counts of {}",
    "room": "limit of partitions of {}",
    "restriction": "owners that may not keep them",
    "join": "brought together with the other partitions of their unit",
    "unit": "brought together with the other partitions of their unit",
    "racks": "end a read across racks",
    "exchange": "exchanges of equal weight",
    "other": "part of the plan as a whole",
    "fresh": "planned as if nobody owned anything",
    "assignor": "the assignor's own choice",
}
"""What moves serve, by kind, with the member."""


class ExplanationReport(b.Report):
    kind = "explanation"

    def __init__(self, explanation: Explanation, limits: VerdictLimits | None = None) -> None:
        self.explanation = explanation
        self.plan = PlanReport(explanation.plan, limits=limits)
        self.size, self.names = self.plan.size, self.plan.names
        self.interrupted = explanation.interrupted

    @cached_property
    def now(self) -> UnevennessFacts:
        """Why the group is uneven now."""
        return unevenness_facts(self.plan.judged)

    @cached_property
    def words(self) -> LoadWords:
        unit, plan = self.plan.group.load_unit, self.explanation.plan
        loads = unit_words(unit, is_per_capacity(plan))
        return LoadWords(loads, plan.loads.mean, WEIGHT_UNITS[unit.kind])

    @cached_property
    def why(self) -> tuple[str, ...]:
        """What bounds the plan, in words."""
        found, plan = self.explanation.causes, self.explanation.plan
        causes = (cause_words(cause, self.words) for cause in found)
        return (*causes, *state_words(plan, bool(found), self.words))

    def parts(self) -> Iterator[b.Block | None]:
        yield next(verdict_blocks(self.plan))
        yield group_title(self.plan.group)
        yield from self.why_sections()
        yield _moves(self.plan)

    def why_sections(self) -> Iterator[b.Section]:
        """Why it is uneven now, what bounds the plan, and what looser settings would bring."""
        now = b.Notes(tuple(unevenness_words(self.now)), "list")
        yield b.section(unevenness_heading(self.now), now, anchor="why-now")
        what = "What bounds the plan" if self.explanation.causes else "How even the plan is"
        yield b.section(what, b.Notes(self.why, "list"), anchor="why")
        yield _looser(self.explanation)

    def document(self) -> dict[str, Any]:
        plan = self.explanation.plan
        return {
            "format": FORMAT,
            "group": plan.group.name,
            "policy": plan.settings,
            "evidence": self.explanation.evidence,
            "status": plan.status,
            "verdict": self.plan.verdict.document(),
            "now": to_document(self.now),
            "why_now": list(unevenness_words(self.now)),
            "unit": self.words.unit,
            "fair": self.words.fair,
            "reached": _evenness(plan),
            "spread_lower_bound": plan.loads.spread_lower_bound,
            "why": list(self.why),
            "causes": to_document(self.explanation.causes),
            "looser": [
                {
                    **to_document({name: getattr(one, name) for name in LOOSER_FIELDS}),
                    "words": looser_words(one.name, one.settings),
                    "reached": one.plan and _evenness(one.plan),
                }
                for one in self.explanation.looser
            ],
            "moves": [move.to_dict() for move in plan.moves],
            **({"interrupted": True} if self.explanation.interrupted else {}),
        }


def explanation_document(explanation: Explanation) -> dict[str, Any]:
    """Return the JSON of an explanation, format ``equilag/explanation/1``.

    It is what ``equilag explain --json`` prints, as a dict of JSON values.
    """
    return ExplanationReport(explanation).document()


def _evenness(plan: Plan) -> dict[str, float]:
    """How even a plan is, and how much it moves; `excess` is what lies above a fair share."""
    loads = plan.loads
    figures = {"heaviest": loads.max, "spread": loads.spread, "excess": loads.excess}
    return {**to_document(figures), "moves": len(plan.moves)}


def _looser(explanation: Explanation) -> b.Section:
    helping = [one for one in explanation.looser if one.helps and one.plan is not None]
    columns = (
        b.Column("with", "text"), b.Column("heaviest"), b.Column("spread"),
        b.Column("excess", optional=True), b.Column("moves"), b.Column("evidence", "text"),
    )  # fmt: skip
    rows = [("this plan", *_reached(explanation.plan), "")]
    rows += [
        (looser_words(one.name, one.settings), *_reached(one.plan), one.evidence)
        for one in helping
        if one.plan is not None
    ]
    table = b.Table(columns, tuple(rows) if helping else (), "Looser settings")
    notes = (*evidence_lines({one.evidence for one in helping}), *_not_helping(explanation.looser))
    title = "What looser settings would bring"
    rest = ", one at a time" if explanation.looser else ""
    return b.section(title, table, b.Notes(notes), rest=rest, anchor="looser")


def _reached(plan: Plan) -> tuple[float, ...]:
    loads = plan.loads
    excess = round(loads.excess) if loads.excess >= 100 else loads.excess
    return loads.max, loads.spread, excess, len(plan.moves)


def _not_helping(looser: tuple[LooserPlan, ...]) -> Iterator[str]:
    others = [one for one in looser if not one.helps]
    for evidence, words in (
        ("proved", "would not help (proved)"),
        ("found", "did not help within the time limit"),
        ("not tried", "not tried for lack of time"),
    ):
        named = [
            looser_words(one.name, one.settings)
            for one in others
            if one.evidence == evidence and not one.refused
        ]
        if named:
            yield f"{words}: {', '.join(named)}"
    for one in others:
        if one.refused:
            what = looser_words(one.name, one.settings)
            yield f"not possible: {what} ({printable(one.refused)})"


def _moves(report: PlanReport) -> b.Section | None:
    """The moves by what they serve, a row for each member that is relieved."""
    total, owned = len(report.plan.moves), report.group.owned
    if not owned:
        return None
    if not total:
        return b.Section("No moves:", (), " every partition stays where it is.")
    columns = (
        b.Column("what for", "text"), b.Column(load_word(report.plan)),
        b.Column("partitions", optional=True), b.Column("moves"),
        b.Column("the largest", "text", optional=True),
    )  # fmt: skip
    table = b.Table(
        columns, tuple(map(_served, served_facts(report.plan))), "Moves by use", MAX_SERVED
    )
    of = f" ({number(total)} of {plural(owned, 'owned partition')}), by what they serve"
    return b.section("Moves", table, rest=of, anchor="served")


def _served(one: ServedFacts) -> tuple[b.Cell, ...]:
    first = one.moves[0]
    largest = f"{partition_name((first.topic, first.partition))} ({number(first.lag)})"
    what, reason = SERVED[one.kind].format(printable(one.member)), one.reason
    loads = counts = None
    if one.member:
        loads = Change(reason.before, reason.after)
        counts = Change(reason.partitions_before, reason.partitions_after)
    return what, loads, counts, len(one.moves), largest
