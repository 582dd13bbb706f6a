"""Plots: what is drawn, its words, and that the same chart gives the same file."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import matplotlib as mpl
import pytest
from support.orders_service import even_assignment, orders_group, slow_group

from equilag.domain.errors import InputError
from equilag.domain.policy.policy import Policy
from equilag.planner.facts.front import front_facts
from equilag.planner.frontier import Point
from equilag.planner.simulate import simulate
from equilag.report.plot import check_plot, plot_of
from equilag.report.report_blocks import Chart
from equilag.report.reports.frontier import front_chart
from equilag.report.reports.simulation import SimulationReport

SVG = "{http://www.w3.org/2000/svg}"
POINTS = [Point(2, 1000, 1000), Point(5, 400, 300), Point(9, 10, 10)]
FOUND, BOUND = "smallest spread found", "no spread can be below"


def front(points: list[Point], policy: Policy = Policy()) -> Chart:  # noqa: B008
    return front_chart(front_facts(orders_group(), points, policy))


def drawing(chart: Chart, name: str = "orders") -> ElementTree.Element:
    return ElementTree.fromstring(plot_of(chart, name, "svg"))


def line(found: ElementTree.Element, gid: str) -> list[tuple[float, float]]:
    """The corners of a line in the drawing; none if it is not there."""
    path = found.find(f".//{SVG}g[@id='{gid}']/{SVG}path")
    words = "" if path is None else path.attrib["d"]
    numbers = [float(word) for word in words.replace("M", " ").replace("L", " ").split()]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def test_the_line_of_a_front_goes_in_steps_down_and_to_the_right() -> None:
    corners = line(drawing(front(POINTS)), FOUND)
    assert len(corners) == 5
    assert corners == sorted(corners)
    for (x1, y1), (x2, y2) in pairwise(corners):
        assert x1 == x2 or y1 == y2
        assert y2 >= y1  # down, in a drawing


def test_the_bound_is_drawn_only_where_it_is_below() -> None:
    assert line(drawing(front(POINTS)), BOUND)
    proved = drawing(front([POINTS[0], POINTS[2]]))
    assert line(proved, FOUND)
    assert not line(proved, BOUND)
    assert not line(drawing(front([])), FOUND)


def test_words_are_words_whatever_they_hold() -> None:
    found = drawing(front(POINTS), "orders <&> $x$ [red] \x00 \u6f22")
    words = {e.text for e in found.iter(f"{SVG}text")}
    assert "Lag spread by number of moves: orders <&> $x$ [red] \\x00 \u6f22" in words
    assert {"moves", "lag spread (records)", FOUND, "0"} <= words
    per_capacity = drawing(front([Point(2, 7.5, 7.5)], Policy(capacity=["a=2", "b=1"])))
    assert "load spread (records per unit of capacity)" in {*per_capacity.itertext()}


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_the_same_chart_gives_the_same_file(ending: str) -> None:
    chart = front(POINTS)
    first = plot_of(chart, "g", ending)
    with mpl.rc_context({"lines.linewidth": 9, "font.size": 30, "savefig.facecolor": "red"}):
        assert plot_of(chart, "g", ending) == first


def test_a_simulation_has_a_line_for_each_assignment() -> None:
    chart = SimulationReport(simulate(slow_group(), even_assignment(), duration=600)).chart
    words = {*drawing(chart).itertext()}
    assert {f"{chart.title}: orders", "now", "plan", "records", "2 min"} <= words
    stays = {"a": {"t": [0, 1]}, "b": {"t": [2, 3]}, "slow": {"t": [4, 5]}}
    plan = {**even_assignment(), "assignment": stays}
    assert len(SimulationReport(simulate(slow_group(), plan)).chart.series) == 1


def test_the_ending_says_the_format() -> None:
    assert [check_plot(name) for name in ("a.svg", "b.PNG", "c.d/e.png")] == ["svg", "png", "png"]
    assert [check_plot(name) for name in ("plot", "/dev/stdout", "a.png/b")] == ["svg"] * 3
    for wrong in ("a.jpg", "a.svg.gz", "a.svg "):
        with pytest.raises(InputError, match=r"must end in \.svg or \.png"):
            check_plot(wrong)
