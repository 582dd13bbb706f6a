"""Plots: what is drawn, its words, and that the same facts give the same file."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import matplotlib as mpl
import pytest
from equilag.report.facts.frontier import FrontierFacts, frontier_facts
from support.orders_service import orders_group

from equilag.domain.errors import InputError, MissingExtra
from equilag.domain.policy.policy import Policy
from equilag.planner.frontier import Point
from equilag.report import plot
from equilag.report.plot import check_plot, frontier_plot

SVG = "{http://www.w3.org/2000/svg}"
POINTS = [Point(2, 1000, 1000), Point(5, 400, 300), Point(9, 10, 10)]


def facts_of(points: list[Point], **fields: str) -> FrontierFacts:
    return frontier_facts(orders_group(**fields), points, Policy())


def drawing(facts: FrontierFacts) -> ElementTree.Element:
    return ElementTree.fromstring(frontier_plot(facts, "svg"))


def line(found: ElementTree.Element, gid: str) -> list[tuple[float, float]]:
    """The corners of a line in the drawing; none if it is not there."""
    path = found.find(f".//{SVG}g[@id='{gid}']/{SVG}path")
    words = "" if path is None else path.attrib["d"]
    numbers = [float(word) for word in words.replace("M", " ").replace("L", " ").split()]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def test_the_line_goes_in_steps_down_and_to_the_right() -> None:
    corners = line(drawing(facts_of(POINTS)), "spread")
    assert len(corners) == 5
    assert corners == sorted(corners)
    for (x1, y1), (x2, y2) in pairwise(corners):
        assert x1 == x2 or y1 == y2
        assert y2 >= y1  # down, in a drawing


def test_the_bound_is_drawn_only_where_it_is_below() -> None:
    assert line(drawing(facts_of(POINTS)), "bound")
    proved = drawing(facts_of([POINTS[0], POINTS[2]]))
    assert line(proved, "spread")
    assert not line(proved, "bound")
    nothing = drawing(facts_of([]))
    assert not line(nothing, "spread")
    assert not line(nothing, "bound")


def test_words_are_words_whatever_they_hold() -> None:
    found = drawing(facts_of(POINTS, group="orders <&> $x$ [red] \x00 \u6f22"))
    words = {e.text for e in found.iter(f"{SVG}text")}
    assert "Lag spread by number of moves: orders <&> $x$ [red] \\x00 \u6f22" in words
    assert {"moves", "lag spread (records)", "smallest spread found"} <= words
    assert "0" in words


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_the_same_facts_give_the_same_file(ending: str) -> None:
    facts = facts_of(POINTS)
    first = frontier_plot(facts, ending)
    with mpl.rc_context({"lines.linewidth": 9, "font.size": 30, "savefig.facecolor": "red"}):
        assert frontier_plot(facts, ending) == first


def test_the_ending_says_the_format(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [check_plot(name) for name in ("a.svg", "b.PNG", "c.d/e.png")] == ["svg", "png", "png"]
    assert [check_plot(name) for name in ("plot", "/dev/stdout", "a.png/b")] == ["svg"] * 3
    for wrong in ("a.jpg", "a.svg.gz", "a.svg "):
        with pytest.raises(InputError, match=r"must end in \.svg or \.png"):
            check_plot(wrong)
    monkeypatch.setattr(plot, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'equilag\[plot\]'"):
        check_plot("a.svg")


def test_loads_of_members_that_differ_are_per_unit_of_capacity() -> None:
    facts = frontier_facts(orders_group(), [Point(2, 7.5, 7.5)], Policy(capacity=["a=2", "b=1"]))
    assert facts.per_capacity
    words = " ".join(drawing(facts).itertext())
    assert "Load spread by number of moves" in words
    assert "load spread (lag per unit of capacity)" in words
    assert "lag spread (records)" in " ".join(drawing(facts_of(POINTS)).itertext())
