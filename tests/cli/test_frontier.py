"""`equilag frontier`: the points, the table and the plot."""

from __future__ import annotations

import json
from xml.etree import ElementTree

from equilag.report import plot as report_plot

SVG = "{http://www.w3.org/2000/svg}"


def test_json(run, write) -> None:
    status, out, err = run("frontier", write(), "--time-limit", 1, "--json")
    assert (status, err) == (0, "")
    points = json.loads(out)["points"]
    assert len(points) > 1
    fields = ["moves", "spread", "spread_lower_bound", "excess", "excess_lower_bound", "evidence"]
    assert all(list(p) == [*fields, "marks"] for p in points)
    moves, spreads = [p["moves"] for p in points], [p["spread"] for p in points]
    assert moves == sorted(set(moves))
    assert spreads == sorted(set(spreads), reverse=True)


def test_each_point_can_be_had_by_plan(run, write) -> None:
    """A group so small that both are exact."""
    snapshot = write()
    points = json.loads(run("frontier", snapshot, "--time-limit", 5, "--json").out)["points"]
    for point in points:
        argv = ["plan", snapshot, "--max-moves", point["moves"], "--tolerance", 0, "--json"]
        assert json.loads(run(*argv).out)["lag"]["spread"] == point["spread"]


def test_the_front_follows_the_policy_and_the_limits(run, write) -> None:
    snapshot = write()
    every = json.loads(run("frontier", snapshot, "--json").out)["points"]
    most = every[1]["moves"]
    argv = ["frontier", snapshot, "--max-moves", most, "--json"]
    points = json.loads(run(*argv).out)["points"]
    assert points == [point for point in every if point["moves"] <= most]
    status, out, err = run("frontier", snapshot, "--max-moves", 0)
    assert (status, out) == (2, "")
    assert err.startswith("equilag: --max-moves: 0 is fewer than the 1 ")


def test_the_plot_is_written(run, write, tmp_path) -> None:
    plot = tmp_path / "f.svg"
    status, out, _ = run("frontier", write(), "--time-limit", 1, "--plot", plot, "--json")
    assert status == 0
    points = json.loads(out)["points"]
    drawing = ElementTree.parse(plot).getroot()
    dots = drawing.findall(f".//{SVG}g[@id='smallest spread found']//{SVG}use")
    assert len(dots) == len(points)


def test_a_plot_without_matplotlib(run, monkeypatch, tmp_path) -> None:
    """Said before the snapshot is read, which would take its time."""
    monkeypatch.setattr(report_plot, "find_spec", lambda name: None)
    status, out, err = run("frontier", tmp_path / "none.json", "--plot", tmp_path / "f.svg")
    assert (status, out) == (2, "")
    assert err == "equilag: a plot needs matplotlib: pip install 'equilag[plot]'\n"
