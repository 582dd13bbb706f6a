"""The report on an explanation: why the group is uneven, what bounds the plan, what looser settings
would bring, and what the moves are for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final

from equilag.domain.document import to_document
from equilag.domain.figures import form, number, partition_name, plural, printable
from equilag.domain.plan.move import Move
from equilag.domain.plan.plan import Plan
from equilag.planner.diagnosis.move_chains import ChainFacts, ServedFacts, served_facts
from equilag.planner.diagnosis.unevenness import UnevennessFacts, unevenness_facts
from equilag.planner.explain import Explanation, LooserPlan
from equilag.planner.facts.plan import is_per_capacity
from equilag.planner.facts.work import unit_words, weight_words
from equilag.report import report_blocks as b
from equilag.report.reports.plan import PlanReport, verdict_blocks
from equilag.report.words.bounds import (
    LoadWords,
    cause_words,
    evidence_lines,
    looser_words,
    state_words,
)
from equilag.report.words.group import doubt_notes, group_title
from equilag.report.words.unevenness import unevenness_heading, unevenness_words

FORMAT: Final = "equilag/explanation/1"
LOOSER_FIELDS: Final = ("name", "settings", "helps", "evidence", "refused")
MAX_SERVED: Final = 12
"""Members whose moves are listed: with a few moves each they fill one screen."""
MAX_CHAINS: Final = 4
"""Chains that are listed for a member, those that relieve it most."""
SERVED: Final = {
    "restriction": "owners that may not keep them",
    "join": "brought together with the other partitions of their unit",
    "racks": "end a read across racks",
    "exchange": "exchanges of equal weight",
    "other": "part of the plan as a whole",
    "fresh": "planned as if nobody owned anything",
    "assignor": "the assignor's own choice",
}
"""What moves serve that relieve no member."""


class ExplanationReport(b.Report):
    kind = "explanation"

    def __init__(self, explanation: Explanation) -> None:
        self.explanation = explanation
        self.plan = PlanReport(explanation.plan)
        self.size, self.names = self.plan.size, self.plan.names

    @cached_property
    def now(self) -> UnevennessFacts:
        """Why the group is uneven now."""
        return unevenness_facts(self.plan.judged)

    @cached_property
    def words(self) -> LoadWords:
        unit, plan = self.plan.group.load_unit, self.explanation.plan
        loads = unit_words(unit, is_per_capacity(plan))
        return LoadWords(loads, plan.loads.mean, weight_words(unit))

    @cached_property
    def why(self) -> tuple[str, ...]:
        """What bounds the plan, in words."""
        found, plan = self.explanation.causes, self.explanation.plan
        causes = (cause_words(cause, self.words) for cause in found)
        return (*causes, *state_words(plan, bool(found), self.words))

    def parts(self) -> Iterator[b.Block | None]:
        yield next(verdict_blocks(self.plan))
        yield group_title(self.plan.group)
        yield doubt_notes(self.plan.group)
        yield from self.why_sections()
        yield _moves(self.plan)

    def why_sections(self) -> Iterator[b.Section]:
        """Why it is uneven now, what bounds the plan, and what looser settings would bring."""
        now = b.Notes(unevenness_words(self.now), "list")
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
    """The moves by what they serve."""
    total, owned = len(report.plan.moves), report.group.owned
    if not owned:
        return None
    if not total:
        return b.Section("No moves:", (), " every partition stays where it is.")
    served = served_facts(report.plan)
    lines = [line for one in served[:MAX_SERVED] for line in _served(one)]
    if rest := served[MAX_SERVED:]:
        members = sum(1 for one in rest if one.member)
        whom = plural(members, "more member") if members else "other reasons"
        moves = plural(sum(one.moves for one in rest), "more move")
        lines.append(f"… and {moves} for {whom} (--json lists all)")
    of = f" ({number(total)} of {plural(owned, 'owned partition')}), by what they serve"
    return b.section("Moves", b.Notes(tuple(lines), "list"), rest=of)


def _served(served: ServedFacts) -> Iterator[str]:
    """What a member's chains bring, and the first of them."""
    yield _heading(served)
    for chain in served.chains[:MAX_CHAINS]:
        yield f"  {_chain(chain)}"
    if rest := served.chains[MAX_CHAINS:]:
        moves = sum(len(chain.moves) + chain.along for chain in rest)
        yield f"  … and {plural(moves, 'more move')}"


def _heading(served: ServedFacts) -> str:
    if not served.member:
        what = SERVED.get(served.kind, served.kind)
        return f"{plural(served.moves, 'partition')}: {what}"
    name = printable(served.member)
    loads = f"{number(served.before)} → {number(served.after)}"
    counts = f"{number(served.partitions_before)} → {number(served.partitions_after)} partitions"
    match served.kind:
        case "counts":
            return f"even counts: {name} {counts}"
        case "room":
            return f"limit of partitions: {name} {counts}"
        case "makes-room":
            return f"{name} makes room for what it takes ({loads})"
    changed = served.partitions_before != served.partitions_after
    return f"relieve {name}: {loads}{f', {counts}' if changed else ''}"


def _chain(chain: ChainFacts) -> str:
    first, *others = chain.moves
    text = f"{_named(first)} to {printable(first.target)}"
    if first.reason.kind == "restriction" or not first.reason.member:
        text += f" from {printable(first.source)}"
    if chain.along:
        text += f" with {plural(chain.along, 'partition')} of its unit"
    if not others:
        return text
    last, between = others[-1], len(others) - 1
    if last.target != first.source:
        passing = form(len(others), "passes", "pass")
        return f"{text}, and {plural(len(others), 'move')} that {passing} a partition on"
    text += f" for {_named(last)}"
    if not between:
        return text
    return f"{text} from {printable(last.source)}, with {plural(between, 'move')} in between"


def _named(move: Move) -> str:
    return f"{partition_name((move.topic, move.partition))} ({number(move.lag)})"
