"""Reports on results of the library: as text, as a page, and in a notebook."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any, Final, Unpack

from equilag.domain.errors import InputError
from equilag.domain.figures import shorten
from equilag.domain.group.group import Group
from equilag.domain.plan.plan import Plan
from equilag.planner.all_answers import all_answers, run_options
from equilag.planner.compare import Comparison
from equilag.planner.explain import Explanation
from equilag.planner.facts.fleet_run import FleetRun
from equilag.planner.facts.front import front_facts
from equilag.planner.frontier import Front
from equilag.planner.simulation_result import Simulation
from equilag.planner.sizes.sizing import Sizing
from equilag.planner.solving.run_settings import RunSettings, SolveSettings, policy_from
from equilag.report.outputs import TEXT, write_report
from equilag.report.page.write_page import page_of
from equilag.report.report_blocks import (
    Chart,
    Facts,
    Headline,
    Report,
    Section,
    Strip,
    Table,
    Title,
)
from equilag.report.reports.comparison import ComparisonReport
from equilag.report.reports.explanation import ExplanationReport
from equilag.report.reports.fleet import FleetReport
from equilag.report.reports.frontier import FrontierReport
from equilag.report.reports.group_report import GroupReport, ReportBasis, member_strips
from equilag.report.reports.plan import PlanReport
from equilag.report.reports.simulation import SimulationReport
from equilag.report.reports.size import SizeReport
from equilag.report.terminal import DEFAULT_WIDTH, Screen

WORST: Final = 20
"""Groups of a fleet that a text lists: what a screen holds."""
PROMPT_LINES: Final = 5
NOTEBOOK_PIXELS: Final = 800
"""Height of a page in a notebook at most; what is longer scrolls."""
FRAME: Final = (
    '<iframe srcdoc="{page}" style="width: 100%; height: 480px; border: 0"'
    ' onload="this.style.height = Math.min({most},'
    " this.contentDocument.documentElement.scrollHeight + 2) + 'px'\"></iframe>"
)
"""A frame keeps the page's styles and scripts from those of the notebook."""


class _DrawnPlan(PlanReport):
    """With a picture of each member's partitions."""

    def strips(self) -> Sequence[Strip]:
        return member_strips(self)


_REPORTS: Final[Mapping[type, Callable[[Any], Report]]] = {
    Plan: _DrawnPlan,
    Comparison: ComparisonReport,
    Explanation: ExplanationReport,
    Simulation: SimulationReport,
    Sizing: SizeReport,
    Front: lambda front: FrontierReport(front_facts(front.group, front, front.policy)),
    FleetRun: lambda run: FleetReport(run, WORST, every_group=True),
}


def report_text(result: object, *, width: int = DEFAULT_WIDTH) -> str:
    """Return the report on a result as the text that its command prints, without colours.

    result: what `solve`, `assign`, `compare`, `frontier`, `explain`, `simulate`, `size` or
        `load_fleet` returned.
    width: columns, 50 or more.

    Raises InputError for anything else.
    """
    text = write_report(TEXT, _report_of(result), Screen.of(None, width, "never"))
    assert isinstance(text, str)
    return text


def report_page(
    result: object, policy: str = "lag-aware", **settings: Unpack[SolveSettings]
) -> str:
    """Return a page of HTML that loads nothing.

    result: a result as for `report_text`, or a group: then the page is that of ``equilag report``,
        with a plan that is made with `policy` and the other settings, which are those of `solve`.

    Raises InputError for anything else.
    """
    if not isinstance(result, Group):
        return page_of(_report_of(result))
    names = RunSettings.__annotations__
    run: Any = {name: settings.pop(name) for name in names if name in settings}  # type: ignore[misc]
    wanted = policy_from(policy, **settings)  # type: ignore[misc]
    basis = ReportBasis("SNAPSHOT", wanted, run_options(run))
    return page_of(GroupReport(all_answers(result, wanted, run), basis))


def prompt_text(result: object) -> str:
    """What the report says before its first table or picture, in five lines at most."""
    lines: list[str] = []
    for block in _report_of(result).parts():
        match block:
            case Headline(words):
                lines.append(words)
            case Title(name, facts):
                lines.append(f"{name}: {', '.join(facts)}")
            case Facts(rows):
                lines += [f"{row.label}: {row.line}" for row in rows]
            case Table() | Section() | Chart():
                break
    lines[0] = f"{type(result).__name__}: {lines[0]}"
    return "\n  ".join(shorten(line, DEFAULT_WIDTH - 2) for line in lines[:PROMPT_LINES])


def notebook_html(result: object) -> str:
    """The page in a frame, for a cell of a notebook."""
    page = escape(page_of(_report_of(result), is_embedded=True))
    return FRAME.format(page=page, most=NOTEBOOK_PIXELS)


def _report_of(result: object) -> Report:
    report = _REPORTS.get(type(result))
    if report is None:
        kinds = ", ".join(kind.__name__ for kind in _REPORTS)
        raise InputError(f"a {type(result).__name__} is none of {kinds}", "result")
    return report(result)
