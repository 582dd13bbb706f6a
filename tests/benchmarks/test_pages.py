"""Pages and pictures of figures are what the reports make of the results that are kept."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from support.paths import CHECKOUT

import equilag
from benchmarks.assignors import report as assignors
from benchmarks.live import faults_report, load_report
from benchmarks.live.faults_table import faults_lines
from benchmarks.pictures.draw import EFFORT, SAMPLE, TIME_LIMIT, main
from benchmarks.pictures.group_picture import DARK, LIGHT
from benchmarks.simulation import report as simulation

PAGES = CHECKOUT / "docs" / "benchmark"
HOUR = "faults-range-cooperative-sticky.json"
Main = Callable[[Sequence[str]], int]


def test_the_page_of_assignors(tmp_path: Path) -> None:
    results = CHECKOUT / "benchmarks" / "assignors" / "results.json"
    assert assignors.main([str(results), "--out", str(tmp_path)]) == 0
    assert (tmp_path / "report.md").read_text("utf-8") == (PAGES / "report.md").read_text("utf-8")
    for name in ("quality.svg", "front.svg"):
        assert (tmp_path / name).read_text("utf-8").count('<g id="dot">') > 1


def test_the_page_of_the_simulation(tmp_path: Path) -> None:
    results, page = CHECKOUT / "benchmarks" / "simulation" / "results.json", tmp_path / "page.md"
    assert simulation.main([str(results), "--out", str(page)]) == 0
    assert page.read_text("utf-8") == (PAGES / "simulation.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("main", "begin", "end", "partial"),
    [
        (load_report.main, load_report.BEGIN, load_report.END, "load-peak"),
        (faults_report.main, faults_report.BEGIN, faults_report.END, "faults-outages"),
    ],
    ids=["load", "faults"],
)
def test_the_page_of_live_groups(
    main: Main, begin: str, end: str, partial: str, tmp_path: Path
) -> None:
    """A section made anew of full runs; of shortened ones nothing is taken."""
    whole = (PAGES / "live.md").read_text("utf-8")
    before, _, rest = whole.partition(begin)
    page, source = tmp_path / "live.md", tmp_path / "source"
    page.write_text(f"{before}{begin}\nold\n{end}{rest.partition(end)[2]}", "utf-8")
    shutil.copytree(load_report.RESULTS, tmp_path / "kept")
    shutil.copytree(load_report.RESULTS, source)
    kept = json.loads((source / "load-peak.json").read_text("utf-8"))
    (source / f"{partial}.json").write_text(json.dumps({**kept, "full": False, "sides": []}))
    for path in (tmp_path / "kept").iterdir():
        if path.name not in ("load-peak.json", HOUR):
            path.unlink()  # and is taken from the source
    words = ["--take", str(source), "--results", str(tmp_path / "kept"), "--page", str(page)]
    for _ in range(2):
        assert main(words) == 0
        assert page.read_text("utf-8") == whole
    logs = {path.name for path in (tmp_path / "kept").glob("*.log")}
    assert ("load-steady-by-work.log" in logs) == (main is load_report.main)
    assert "load-peak-by-work.log" not in logs


def test_a_fault_whose_end_was_not_seen_is_late() -> None:
    results = json.loads((load_report.RESULTS / HOUR).read_text("utf-8"))
    names = [*results["groups"]]
    never = {name: {"role_s": None, "read_s": None} for name in names}
    lines = faults_lines({**results, "steps": [{"kind": "hang", "groups": never}]})
    assert all(line.endswith("; leads late; read late, late.") for line in lines[-2:])


def test_the_pictures_of_the_readme_are_those_of_a_run_now(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--out", str(tmp_path)]) == 0
    text = capsys.readouterr().out.strip()
    assert f'alt="{text}"' in (CHECKOUT / "README.md").read_text("utf-8")
    for name in ("token-indexer-light.svg", "token-indexer-dark.svg"):
        kept = (CHECKOUT / "docs/pictures" / name).read_text("utf-8")
        assert (tmp_path / name).read_text("utf-8") == kept, "make pictures draws it anew"
    plan = equilag.solve(equilag.load_snapshot(SAMPLE), effort=EFFORT, time_limit=TIME_LIMIT)
    for lag in plan.lag.by_member.values():
        assert f">{lag:,}<" in kept
    assert f"{plan.lag.min:,} to {plan.lag.max:,} records" in text
    assert "of 48 partitions moved" in kept
    assert (LIGHT.paper in kept, DARK.paper in kept) == (False, True)
