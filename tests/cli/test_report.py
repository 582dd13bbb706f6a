"""`equilag report` on the command line."""

from __future__ import annotations

import gzip
import json
import re
from base64 import b64decode

import pytest

from equilag.adapters.kafka.sample import MEMBERS, OFFSETS
from equilag.pipeline.results.record import Recorder

TOKENS = "samples/token-indexer.snapshot.json"
SLOW = "samples/slow-member.snapshot.json"


def embedded(page: str) -> dict:
    """The JSON that a page carries."""
    found = re.search(r'id="document">(.*?)</script>', page, re.S)
    return json.loads(gzip.decompress(b64decode(found[1])))


def test_the_page_carries_what_json_prints(document, write, tmp_path) -> None:
    page = tmp_path / "page.html"
    found = document("report", write(), "--effort", "0.1", "--out", page)
    assert found["format"] == "equilag/report/1"
    assert embedded(page.read_text("utf-8")) == found
    assert found["command"] == "equilag plan group.json --effort 0.1"
    assert found["simulation"] is None
    assert found["comparison"]["rows"][-1]["assignor"] == "equilag"


def test_figures_are_those_of_the_other_commands(document) -> None:
    def of(command: str, effort: str) -> dict:
        return document(command, SLOW, "--effort", effort, "--time-limit", "60")

    report = of("report", "0.1")
    plan = of("plan", "0.1")
    cut = {"timing": None, "policy": None}  # which say whether the clock ended it
    assert {**report["plan"], **cut} == {**plan, **cut}
    assert report["verdict"] == plan["verdict"]
    assert report["explanation"]["why"] == of("explain", "0.1")["why"]
    points = [(point["moves"], point["spread"]) for point in of("frontier", "0.05")["points"]]
    assert [(point["moves"], point["spread"]) for point in report["frontier"]["points"]] == points
    loads = [row["load"] for row in of("size", "0.05")["rows"]]
    assert [row["load"] for row in report["sizing"]["rows"]] == loads
    assert report["simulation"]["plan"]["caught_up_after_s"] < 600


def test_a_given_plan(run, tmp_path) -> None:
    plan, page = tmp_path / "plan.json", tmp_path / "page.html"
    assert run("plan", TOKENS, "--effort", "0.1", "--max-moves", "3", "--out", plan).status == 0
    status, _, err = run("report", TOKENS, plan, "--effort", "0.1", "--out", page)
    assert (status, err) == (0, "")
    document = embedded(page.read_text("utf-8"))
    assert document["plan"]["moves"]["count"] <= 3
    assert document["plan"]["policy"]["max_moves"] == 3
    assert "--max-moves 3" in document["command"]
    assert run("assign", TOKENS, "--assignor", "range", "--out", plan).status == 0
    assert run("report", TOKENS, plan, "--effort", "0.1", "--out", page).status == 0
    assert "plan of range" in page.read_text("utf-8")


class AllToOne:
    name = "all-to-one"

    def assign(self, group):
        return [0] * group.n_partitions


def test_a_plan_of_ones_own_assignor(run, document, tmp_path) -> None:
    plan, own = tmp_path / "plan.json", f"{__name__}:AllToOne"
    assert run("assign", TOKENS, "--assignor", own, "--out", plan).status == 0
    found = document("report", TOKENS, plan, "--effort", "0.1", "--time-limit", "60")
    rows = {row["assignor"]: row for row in found["comparison"]["rows"]}
    assert [*rows][-2:] == [own, "equilag"]
    assert rows[own]["lag_spread"] == found["plan"]["lag"]["spread"]
    assert rows["equilag"]["lag_spread"] < rows["lag-aware"]["lag_spread"]
    assert found["comparison"]["headline"].startswith("Lag spread: ")
    command = f"equilag assign token-indexer.snapshot.json --assignor {own}"
    assert found["command"] == command
    points = [point["command"] for point in found["frontier"]["points"]]
    assert points.count(command) == 1
    assert found["verdict"]["headline"].endswith(f"; plan of {own}")


def test_assignors_to_compare_as_well(document, refused) -> None:
    own = f"{__name__}:AllToOne"
    argv = ("report", TOKENS, "--effort", "0.1", "--assignor")
    rows = document(*argv, own, "--assignor", "range")["comparison"]["rows"]
    assert [row["assignor"] for row in rows][-2:] == [own, "equilag"]
    said = refused(*argv, "rnage", "--json")
    assert said.startswith("--assignor: unknown assignor 'rnage'")


def test_a_text_of_kafkas_tools(run, tmp_path) -> None:
    page = tmp_path / "page.html"
    args = ("--from-describe", "samples/stats.describe.txt", "--effort", "0.1", "--out", page)
    status, _, err = run("report", *args)
    assert status == 0
    document = embedded(page.read_text("utf-8"))
    assert document["source"] == "--from-describe stats.describe.txt"
    assert document["command"] == "equilag plan --from-describe stats.describe.txt --effort 0.1"
    assert [f"equilag: {remark}" for remark in document["group"]["remarks"]] == err.splitlines()
    assert "assumed: log starts are not in the text and count as 0" in document["group"]["remarks"]
    text = page.read_text("utf-8")
    assert "time of the figures: unknown" in text
    assert re.search(r"page made \d{4}-\d\d-\d\d \d\d:\d\d UTC", text)
    shown = text.partition('id="reading"')[2].partition("</section>")[0]
    assert shown.index("Warning:</strong> members own partitions") < shown.index("log starts are")


def test_several_snapshots_of_a_group(document, refused, run, write, tmp_path) -> None:
    """The newest is planned, wherever it stands; a plan is told from them."""
    times = [f"2026-11-20T0{hour}:00:00Z" for hour in range(3)]
    old, new, mid = (
        write(f"{n}.json", taken_at=times[n], lags={"orders": [n] * 5}) for n in (0, 2, 1)
    )
    plan, page = tmp_path / "plan.json", tmp_path / "page.html"
    assert run("plan", new, "--effort", "0.01", "--out", plan).status == 0
    found = document("report", old, new, plan, mid, "--effort", "0.01", "--out", page)
    assert [one["taken_at"] for one in found["moments"]] == times
    assert [one["lag"] for one in found["changes"]] == [5, 5]
    assert found["group"]["total_lag"] == 10
    assert found["plan"]["assignment"] == json.loads(plan.read_text("utf-8"))["assignment"]
    assert "What changed" in page.read_text("utf-8")
    other = write("other.json", group="other")
    assert "is of the group" in refused("report", new, other, "--json")
    assert "give one plan at most" in refused("report", new, plan, plan, "--json")
    text = ("--from-describe", "samples/stats.describe.txt")
    beside = json.loads(run("report", "samples/stats.snapshot.json", *text, "--as-owned", "--json",
                            "--effort", "0.01").out)  # fmt: skip
    assert len(beside["moments"]) == 2


def test_the_lag_over_a_recording(document, refused, write, tmp_path) -> None:
    pytest.importorskip("pyarrow")
    recorder = Recorder(str(tmp_path / "history"))
    for n in range(4):
        rows = [[n * 30_000] * 3, ["orders-service", "orders-service", "other"], ["orders"] * 3,
                [0, 1, 0], [0, 5, 0], [9 + n, 9, 99], [3, 1, None], [None] * 3]  # fmt: skip
        recorder.add(n * 30_000, dict(zip(OFFSETS, rows, strict=True)), {m: [] for m in MEMBERS})
    recorder.close()
    page = tmp_path / "page.html"
    argv = ("report", write(), "--effort", "0.01", "--history", tmp_path / "history")
    course = document(*argv, "--out", page)["course"]
    assert [(one["after_s"], one["lag"]) for one in course] == [
        (0.0, 10), (30.0, 11), (60.0, 12), (90.0, 13),
    ]  # fmt: skip
    assert "What was recorded" in page.read_text("utf-8")
    other = write("b.json", group="b")
    said = refused("report", other, *argv[2:], "--json")
    assert said.endswith("offsets: has no parquet rows of the group 'b'")


def test_a_page_that_would_overwrite_the_snapshot(refused) -> None:
    assert refused("report", TOKENS, "--out", TOKENS).startswith("--out: would overwrite the input")
