"""The page about a group, with sentences as the other outputs write them."""

from __future__ import annotations

from typing import Any, Final

from equilag.planner.explain import LooserEvidence
from equilag.report.facts.comparison import ComparisonFacts
from equilag.report.facts.explanation import ExplanationFacts
from equilag.report.facts.group_report import GroupReportFacts
from equilag.report.facts.size import SizeFacts
from equilag.report.page.render_page import render_page
from equilag.report.page.verdict_box import verdict_box
from equilag.report.text.group import NAMELESS, doubt_lines
from equilag.report.text.proof import proof_rows, status_sentence
from equilag.report.text.simulation import assumed_lines
from equilag.report.text.size_notes import note_lines
from equilag.report.text.tables.short_names import member_names
from equilag.report.text.work import load_words
from equilag.report.wording.beyond_words import beyond_lines
from equilag.report.wording.explanation_words import evidence_lines
from equilag.report.wording.size_answer import Wording, answer_lines
from equilag.report.wording.unevenness_words import unevenness_heading
from equilag.report.wording.words import printable

SCRIPTS: Final = tuple(
    f"static/{name}.js" for name in ("members", "flows", "front", "over-time", "sizes")
)
ASSUMED: Final = "assumed: "
NARROW_WIDTH: Final = 13
"""Characters of a member's name beside a chart on a phone: a quarter of its screen."""


def group_page(facts: GroupReportFacts, *, made_at: str | None = None) -> str:
    """The page as HTML; `made_at` is the time that it names as that of its making."""
    document: dict[str, Any] = facts.document()
    return render_page(
        "group.html",
        document,
        words=report_words(facts, made_at),
        scripts=SCRIPTS,
    )


def report_words(facts: GroupReportFacts, made_at: str | None = None) -> dict[str, Any]:
    """What the template says in sentences; `made_at` is when the page was made."""
    plan, explained, labels = facts.plan, facts.explanation, facts.labels
    return {
        "name": printable(plan.group.name) or NAMELESS,
        "status": status_sentence(plan),
        "proof": [(label, words) for label, words in proof_rows(plan) if words],
        "load": load_words(plan.group.load_unit) if plan.proof.per_capacity else "lag in records",
        "labels": labels,
        "now_heading": "" if explained is None else unevenness_heading(explained.now),
        "why_now": [] if explained is None else list(explained.why_now_with(labels.__getitem__)),
        "why": [] if explained is None else list(explained.why_with(labels.__getitem__)),
        "evidence": [] if explained is None else evidence_lines(_evidence(explained)),
        "narrow_labels": member_names(labels, NARROW_WIDTH),
        "reading": _reading(facts),
        "made_at": made_at,
        "next_steps": [
            {"words": line, "is_command": line.startswith("equilag ")} for line in plan.next_steps
        ],
        "verdict": verdict_box(plan),
        "beyond": [] if facts.comparison is None else _beyond(facts.comparison),
        "assumed": [] if facts.simulation is None else list(assumed_lines(facts.simulation)),
        "sizing": None if facts.sizing is None else _sizing(facts.sizing),
    }


def _reading(facts: GroupReportFacts) -> list[dict[str, Any]]:
    """How the figures were read, warnings first."""
    group = facts.plan.group
    lines = [*doubt_lines(group), *map(printable, group.remarks)]
    found = [_remark(line) for line in dict.fromkeys(lines)]
    return sorted(found, key=lambda line: not line["warns"])


def _remark(line: str) -> dict[str, Any]:
    """A remark without the words that say that it is a warning."""
    before, warning, after = line.partition("WARNING: ")
    if not warning:
        return {"words": line, "warns": False}
    return {"words": before.removeprefix(ASSUMED) + after, "warns": True}


def _evidence(facts: ExplanationFacts) -> set[LooserEvidence]:
    """Of the looser settings that the page has a row of."""
    return {row.evidence for row in facts.looser if row.helps}


def _beyond(facts: ComparisonFacts) -> list[str]:
    """For which assignors the bound does not hold."""
    return beyond_lines((printable(row.name), row.beyond_reasons) for row in facts.rows)


def _sizing(facts: SizeFacts) -> dict[str, Any]:
    wording = Wording.of(facts.sizing)
    return {
        "answer": list(answer_lines(facts.sizing, wording)),
        "notes": list(note_lines(facts, wording)),
        "many": wording.many,
    }
