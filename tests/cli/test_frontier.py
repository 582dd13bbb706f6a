"""`equilag frontier`: the points, the table and the drawing."""

from __future__ import annotations

import json
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from equilag.cli.render_svg import frontier_svg, short_number, ticks
from equilag.planner.frontier import Point

SVG = "{http://www.w3.org/2000/svg}"


def test_json(run, write) -> None:
    status, out, err = run("frontier", write(), "--time-limit", 1, "--json")
    assert (status, err) == (0, "")
    points = json.loads(out)["points"]
    assert len(points) > 1
    assert all(list(p) == ["moves", "spread", "spread_lower_bound"] for p in points)
    moves, spreads = [p["moves"] for p in points], [p["spread"] for p in points]
    assert moves == sorted(set(moves))
    assert spreads == sorted(set(spreads), reverse=True)


def test_each_point_can_be_had_by_plan(run, write) -> None:
    """A group so small that both are exact."""
    snapshot = write()
    points = json.loads(run("frontier", snapshot, "--time-limit", 5, "--json").out)["points"]
    for point in points:
        argv = ["plan", snapshot, "--max-moves", point["moves"], "--time-limit", 5, "--json"]
        assert json.loads(run(*argv).out)["lag"]["spread"] == point["spread"]


def test_the_table_lists_every_point(run, write) -> None:
    snapshot = write()
    points = json.loads(run("frontier", snapshot, "--time-limit", 2, "--json").out)["points"]
    out = run("frontier", snapshot, "--time-limit", 2).out
    for point in points:
        assert any(
            line.split()[:2] == [str(point["moves"]), f"{point['spread']:,}"]
            for line in out.splitlines()
        )
    assert "--max-moves N" in out


@pytest.mark.parametrize("fields", [{"members": []}, {"topics": {}, "lags": {}, "members": []}])
def test_nothing_to_trade(run, write, tmp_path, fields) -> None:
    plot = tmp_path / "f.svg"
    argv = ["frontier", write(**fields), "--time-limit", 0.2, "--plot", plot]
    status, out, err = run(*argv)
    assert (status, err) == (0, "")
    assert out
    ElementTree.parse(plot)


def test_the_plot_is_written(run, write, tmp_path) -> None:
    plot = tmp_path / "f.svg"
    status, out, _ = run("frontier", write(), "--time-limit", 1, "--plot", plot, "--json")
    assert status == 0
    points = json.loads(out)["points"]
    drawing = ElementTree.parse(plot).getroot()
    assert len(drawing.findall(f"{SVG}circle")) == len(points)


POINTS = [Point(2, 1000, 1000), Point(5, 400, 300), Point(9, 10, 10)]


def lines_of(points: list[Point]) -> dict[str, list[tuple[float, float]]]:
    drawing = ElementTree.fromstring(frontier_svg("g", points))
    return {
        line.attrib["class"]: [
            (float(x), float(y))
            for x, y in (corner.split(",") for corner in line.attrib["points"].split())
        ]
        for line in drawing.findall(f"{SVG}polyline")
    }


def test_the_line_goes_in_steps_down_and_to_the_right() -> None:
    line = lines_of(POINTS)["spread"]
    assert line == sorted(line)
    for (x1, y1), (x2, y2) in pairwise(line):
        assert x1 == x2 or y1 == y2
        assert y2 >= y1  # down, in a drawing
    assert len(line) == 6


def test_the_bound_is_drawn_only_where_it_is_below() -> None:
    assert set(lines_of(POINTS)) == {"spread", "bound"}
    assert set(lines_of([POINTS[0], POINTS[2]])) == {"spread"}
    assert lines_of([]) == {}


def test_the_drawing_has_words() -> None:
    text = frontier_svg("orders <&> \x00", POINTS)
    words = [e.text for e in ElementTree.fromstring(text).iter(f"{SVG}text")]
    assert "Lag spread by number of moves: orders <&> \\x00" in words
    assert {"moves", "lag spread (records)", "smallest spread found"} <= set(words)
    assert {"0", "10", "1,000"} <= set(words)


@pytest.mark.parametrize("largest", [0, 1, 2, 7, 44, 999, 12_345, 10**6, 3 * 10**9, 2**62])
def test_ticks_are_few_even_and_reach_the_largest(largest) -> None:
    found = ticks(largest)
    assert found[0] == 0
    assert found[-1] >= largest
    assert 2 <= len(found) <= 7
    assert len({b - a for a, b in pairwise(found)}) == 1


def test_short_numbers() -> None:
    values = (0, 250, 9_999, 20_000, 1_500_000, 2 * 10**9, 5 * 10**18)
    assert [short_number(value) for value in values] == [
        "0", "250", "9,999", "20 k", "1.5 M", "2 G", "5000 P",
    ]  # fmt: skip
