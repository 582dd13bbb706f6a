"""Every cause has its section in the documents and its trouble in the table; reports link it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

import pytest
from support.paths import CHECKOUT, SAMPLES
from support.reports import text_of

import equilag
from equilag.domain.plan.verdict import CAUSES, Cause, VerdictFacts
from equilag.planner.facts.front import front_facts
from equilag.planner.verdict.causes import TROUBLES
from equilag.report.page.write_page import page_of
from equilag.report.report_blocks import Report
from equilag.report.reports.explanation import ExplanationReport
from equilag.report.reports.frontier import FrontierReport
from equilag.report.reports.plan import PlanReport, VerdictReport
from equilag.report.reports.simulation import SimulationReport
from equilag.report.reports.size import SizeReport
from equilag.report.words.group import DOCS, causes_section

pytestmark = pytest.mark.xdist_group("causes")  # the reports are made once

SECTIONS: Final = dict(
    re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", (CHECKOUT / DOCS).read_text("utf-8"), re.M | re.S)
)
EFFORT: Final[dict[str, Any]] = {"effort": 0.01, "time_limit": 60.0}


def test_sections_and_troubles_are_in_the_order_of_causes() -> None:
    assert [*SECTIONS] == [*CAUSES]
    assert [*dict.fromkeys(one.cause for one in TROUBLES.values())] == [*CAUSES]


@pytest.mark.parametrize("cause", CAUSES)
def test_a_section_says_how_to_be_sure_and_what_to_do(cause: Cause) -> None:
    what, _, rest = SECTIONS[cause].partition("*Sure:*")
    sure, _, do = rest.partition("*Do:*")
    assert all(part.strip() for part in (what, sure, do))


@pytest.fixture(scope="module")
def reports() -> list[Any]:
    """What makes a report with a verdict."""
    group = equilag.load_snapshot(SAMPLES / "overloaded.snapshot.json")
    plan = equilag.solve(group, **EFFORT)
    front = front_facts(group, equilag.frontier(group, **EFFORT), equilag.Policy())
    size = equilag.size(group, members=(6, 6), **EFFORT)
    simulated, explained = equilag.simulate(group, plan), equilag.explain(group, plan, **EFFORT)

    def judged(kind: type[PlanReport], verdict: VerdictFacts) -> PlanReport:
        report = kind(plan)
        report.__dict__["verdict"] = verdict
        return report

    def explanation(verdict: VerdictFacts) -> Report:
        report = ExplanationReport(explained)
        report.plan.__dict__["verdict"] = verdict
        return report

    assert plan.verdict is not None
    return [
        plan.verdict,
        lambda verdict: judged(PlanReport, verdict),
        lambda verdict: judged(VerdictReport, verdict),
        explanation,
        lambda verdict: FrontierReport(front, verdict=lambda: verdict),
        lambda verdict: SizeReport(size, verdict),
        lambda verdict: SimulationReport(simulated, verdict),
    ]


@pytest.mark.parametrize(("turn", "cause"), [*enumerate(CAUSES)])
def test_each_report_links_the_section(turn: int, cause: Cause, reports: list[Any]) -> None:
    """Reports take turns, as they have the link from one place."""
    verdict, *makers = reports
    assert len(makers) < len(CAUSES)
    verdict = replace(verdict, cause=cause, action="look")
    report = makers[turn % len(makers)](verdict)
    assert f"See {DOCS}#{cause}" in text_of(report)
    assert f"See {DOCS}#{cause}" in page_of(report)
    (of_cause,) = causes_section([replace(verdict.causes[0], cause=cause)]).blocks
    assert f"See {DOCS}#{cause}" in str(of_cause)
