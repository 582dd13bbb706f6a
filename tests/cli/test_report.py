"""`equilag report` on the command line."""

from __future__ import annotations

import json
import re

import pytest

TOKENS = "samples/token-indexer.snapshot.json"
SLOW = "samples/slow-member.snapshot.json"


def embedded(page: str) -> dict:
    """The JSON that a page carries."""
    found = re.search(r'<script type="application/json" id="document">(.*?)</script>', page, re.S)
    assert found is not None
    return json.loads(found[1])


def test_the_page_carries_what_json_prints(run, write, tmp_path) -> None:
    page = tmp_path / "page.html"
    status, out, err = run("report", write(), "--effort", "0.1", "--out", page, "--json")
    assert (status, err) == (0, "")
    document = json.loads(out)
    assert document["format"] == "equilag/report/1"
    assert embedded(page.read_text("utf-8")) == document
    assert document["command"] == "equilag plan group.json --effort 0.1"
    assert document["simulation"] is None
    assert [row["name"] for row in document["comparison"]["rows"]][-1] == "equilag"


def test_figures_are_those_of_the_other_commands(run) -> None:
    report = json.loads(run("report", SLOW, "--effort", "0.2", "--json").out)
    plan = json.loads(run("plan", SLOW, "--effort", "0.2", "--json").out)
    assert report["verdict"] == plan["verdict"]
    assert len(report["moves"]["rows"]) == plan["moves"]["count"]
    assert report["proof"]["spread"] == plan["load"]["spread"]
    explained = json.loads(run("explain", SLOW, "--effort", "0.2", "--json").out)
    assert report["explanation"]["why"] == explained["why"]
    front = json.loads(run("frontier", SLOW, "--effort", "0.1", "--json").out)
    points = [(point["moves"], point["spread"]) for point in front["points"]]
    assert [(point["moves"], point["spread"]) for point in report["frontier"]["points"]] == points
    sizes = json.loads(run("size", SLOW, "--effort", "0.1", "--json").out)
    assert [row["load"] for row in report["sizing"]["rows"]] == [r["load"] for r in sizes["rows"]]
    assert report["sizing"]["rows"][5]["load_percent"] < 100
    assert report["simulation"]["planned"]["read_after"] < report["simulation"]["duration"]


def test_a_given_plan(run, tmp_path) -> None:
    plan, page = tmp_path / "plan.json", tmp_path / "page.html"
    assert run("plan", TOKENS, "--effort", "0.1", "--max-moves", "3", "--out", plan).status == 0
    status, _, err = run("report", TOKENS, plan, "--effort", "0.1", "--out", page)
    assert (status, err) == (0, "")
    document = embedded(page.read_text("utf-8"))
    assert len(document["moves"]["rows"]) <= 3
    assert document["settings"]["max_moves"] == 3
    assert "--max-moves 3" in document["command"]
    assert run("assign", TOKENS, "--assignor", "range", "--out", plan).status == 0
    assert run("report", TOKENS, plan, "--effort", "0.1", "--out", page).status == 0
    assert "range: this assignor" in page.read_text("utf-8")


class AllToOne:
    name = "all-to-one"

    def assign(self, group):
        return [0] * group.n_partitions


def test_a_plan_of_ones_own_assignor(run, tmp_path) -> None:
    plan, own = tmp_path / "plan.json", f"{__name__}:AllToOne"
    assert run("assign", TOKENS, "--assignor", own, "--out", plan).status == 0
    out = run("report", TOKENS, plan, "--effort", "0.1", "--json").out
    document = json.loads(out)
    rows = {row["name"]: row for row in document["comparison"]["rows"]}
    assert [*rows][-2:] == [own, "equilag"]
    assert rows[own]["load_spread"] == document["proof"]["spread"]
    assert rows["equilag"]["load_spread"] < rows["lag-aware"]["load_spread"]
    assert document["comparison"]["headline"].startswith("From the proved bound: equilag 0")
    command = f"equilag assign token-indexer.snapshot.json --assignor {own}"
    assert document["command"] == command
    points = [point["command"] for point in document["frontier"]["points"]]
    assert points.count(command) == 1
    assert document["verdict"]["headline"].endswith(f"; plan of {own}")


def test_assignors_to_compare_as_well(run) -> None:
    own = f"{__name__}:AllToOne"
    argv = ("report", TOKENS, "--effort", "0.1", "--json", "--assignor")
    rows = json.loads(run(*argv, own, "--assignor", "range").out)["comparison"]["rows"]
    assert [row["name"] for row in rows][-2:] == [own, "equilag"]
    status, out, err = run(*argv, "rnage")
    assert (status, out) == (2, "")
    assert err.startswith("equilag: --assignor: unknown assignor 'rnage'")


def test_a_plan_that_does_not_hold(run, tmp_path) -> None:
    plan, page = tmp_path / "plan.json", tmp_path / "page.html"
    assert run("plan", TOKENS, "--effort", "0.1", "--out", plan).status == 0
    document = json.loads(plan.read_text("utf-8"))
    document["lag"]["max"] += 1
    plan.write_text(json.dumps(document), "utf-8")
    status, out, err = run("report", TOKENS, plan, "--out", page)
    assert (status, out) == (2, "")
    assert err.startswith(f"equilag: {plan}: the plan does not hold: lag.max: ")
    assert not page.exists()


def test_a_text_of_kafkas_tools(run, tmp_path) -> None:
    page = tmp_path / "page.html"
    args = ("--from-describe", "samples/stats.describe.txt", "--effort", "0.1", "--out", page)
    status, _, err = run("report", *args)
    assert status == 0
    document = embedded(page.read_text("utf-8"))
    assert document["source"] == "--from-describe stats.describe.txt"
    assert document["command"] == "equilag plan --from-describe stats.describe.txt --effort 0.1"
    assert [f"equilag: {remark}" for remark in document["group"]["remarks"]] == err.splitlines()
    assert set(document["group"]["remarks"]) <= set(document["remarks"])
    assert "assumed: log starts are not in the text and count as 0" in document["remarks"]
    text = page.read_text("utf-8")
    assert "time of the figures: unknown" in text
    assert re.search(r"page made \d{4}-\d\d-\d\d \d\d:\d\d UTC", text)
    shown = text.partition('id="reading"')[2].partition("</section>")[0]
    assert shown.index("Warning:</strong> members own partitions") < shown.index("log starts are")


@pytest.mark.parametrize(
    ("argv", "problem"),
    [
        ([TOKENS], "--out is required, or --json"),
        ([TOKENS, "plan.json", "--out", "x", "--fresh"], "with PLAN the options that make a plan"),
        ([TOKENS, "--out", TOKENS], "--out: would overwrite the input"),
        (["-", "-", "--out", "x.html"], "only one of the inputs can be standard input"),
    ],
)
def test_wrong_options(run, argv, problem) -> None:
    status, out, err = run("report", *argv)
    assert (status, out) == (2, "")
    assert err.startswith(f"equilag: {problem}")
