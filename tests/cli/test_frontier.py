"""`equilag frontier`: the points, the table and the plot."""

from __future__ import annotations

from xml.etree import ElementTree

from equilag.report import plot as report_plot

SVG = "{http://www.w3.org/2000/svg}"


def test_json(document, write) -> None:
    points = document("frontier", write(), "--time-limit", 1)["points"]
    assert len(points) > 1
    fields = ["moves", "spread", "spread_lower_bound", "excess", "excess_lower_bound", "evidence"]
    assert all(list(p) == [*fields, "marks"] for p in points)
    moves, spreads = [p["moves"] for p in points], [p["spread"] for p in points]
    assert moves == sorted(set(moves))
    assert spreads == sorted(set(spreads), reverse=True)


def test_each_point_can_be_had_by_plan(document, write) -> None:
    """A group so small that both are exact."""
    snapshot = write()
    for point in document("frontier", snapshot, "--time-limit", 5)["points"]:
        plan = document("plan", snapshot, "--max-moves", point["moves"], "--tolerance", 0)
        assert plan["lag"]["spread"] == point["spread"]


def test_the_front_follows_the_policy_and_the_limits(document, refused, write) -> None:
    snapshot = write()
    every = document("frontier", snapshot)["points"]
    most = every[1]["moves"]
    points = document("frontier", snapshot, "--max-moves", most)["points"]
    assert points == [point for point in every if point["moves"] <= most]
    said = refused("frontier", snapshot, "--max-moves", 0)
    assert said.startswith("--max-moves: 0 is fewer than the 1 ")


def test_the_plot_is_written(document, write, tmp_path) -> None:
    plot = tmp_path / "f.svg"
    points = document("frontier", write(), "--time-limit", 1, "--plot", plot)["points"]
    drawing = ElementTree.parse(plot).getroot()
    dots = drawing.findall(f".//{SVG}g[@id='smallest spread found']//{SVG}use")
    assert len(dots) == len(points)


def test_a_plot_without_matplotlib(refused, monkeypatch, tmp_path) -> None:
    """Said before the snapshot is read, which would take its time."""
    monkeypatch.setattr(report_plot, "find_spec", lambda name: None)
    said = refused("frontier", tmp_path / "none.json", "--plot", tmp_path / "f.svg")
    assert said == "a plot needs matplotlib: pip install 'equilag[plot]'"
