"""Outputs: the built-in ones, and those that users add from outside."""

from __future__ import annotations

import json
import sys
from types import ModuleType

import pytest
from support.orders_service import orders_group

from equilag.domain import plugins
from equilag.domain.errors import InputError
from equilag.planner.assign import assign
from equilag.report.outputs import check_output, get_output, output_names, to_json, write_report
from equilag.report.reports.plan import PlanReport


def markdown(report: PlanReport) -> str:
    rows = "".join(f"| {member.id} | {member.lag} |\n" for member in report.members)
    return f"# {report.group.name}\n{rows}"


def picture(report: PlanReport) -> bytes:
    return b"\x00" * len(report.members)


def fails(report: PlanReport) -> str:
    raise ValueError("no idea")


class Counting:
    """An output may also be an instance of a class."""

    def __call__(self, report: PlanReport) -> str:
        return str(len(report.members))


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user's module, and the entry point `markdown` of their package."""

    class Point:
        value = "own_outputs:markdown"

    module = ModuleType("own_outputs")
    vars(module).update(
        markdown=markdown, picture=picture, fails=fails, Counting=Counting,
        nothing=lambda report: None, number=7,
    )  # fmt: skip
    monkeypatch.setitem(sys.modules, "own_outputs", module)
    points = {"markdown": Point(), "json": Point()}
    monkeypatch.setattr(plugins, "installed", lambda group: points)


@pytest.fixture
def report() -> PlanReport:
    return PlanReport(assign(orders_group(), "range"))


def test_the_names(own: None) -> None:
    assert output_names() == ("text", "json", "markdown")


def test_json_is_the_plan_s_document(own: None, report: PlanReport) -> None:
    """An installed package does not replace it."""
    text = write_report("json", report)
    assert json.loads(text) == json.loads(json.dumps(report.document()))


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("markdown", "# orders-service\n| a | 1069 |\n| b | 1203 |\n| c | 14 |\n"),
        ("own_outputs:markdown", "# orders-service\n| a | 1069 |\n| b | 1203 |\n| c | 14 |\n"),
        ("own_outputs:picture", b"\x00\x00\x00"),
        ("own_outputs:Counting", "3"),
    ],
)
def test_an_output_from_outside(own: None, report: PlanReport, name: str, found: object) -> None:
    check_output(name)
    assert write_report(name, report) == found


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("html", "unknown output 'html'; one of text, json, markdown, or MODULE:FUNCTION"),
        ("own_outputs:gone", "'own_outputs:gone' cannot be loaded .AttributeError"),
        ("not_there:at_all", "cannot be loaded .ModuleNotFoundError"),
        ("own_outputs:number", "'own_outputs:number' is no function of a report"),
    ],
)
def test_an_output_that_is_not_there(own: None, name: str, problem: str) -> None:
    for ask in (get_output, check_output):
        with pytest.raises(InputError, match=problem) as raised:
            ask(name)
        assert raised.value.place == "output"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("own_outputs:fails", "'own_outputs:fails' failed .ValueError: no idea."),
        ("own_outputs:nothing", "'own_outputs:nothing' returned NoneType, not str or bytes"),
    ],
)
def test_an_output_that_is_wrong(own: None, report: PlanReport, name: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        write_report(name, report)


@pytest.mark.parametrize("size", [0, 10_000])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_json_has_no_figure_that_json_does_not_have(value: float, size: int) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        to_json({"spread": value}, size)
