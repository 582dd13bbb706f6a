"""`fleet show`, `report` and `export` as commands: what they print, write and refuse."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
from prometheus_client.parser import text_string_to_metric_families
from support.commands import Result
from support.fleet_runs import UNEVEN, problem, write_run
from support.paths import SAMPLES

import equilag
from equilag.adapters.files import OutputFile, write_both
from equilag.domain.errors import InputError
from equilag.pipeline.results.export import file_stem

pytestmark = pytest.mark.xdist_group("fleet files")  # the run is made once

RUN = SAMPLES / "fleet-run"
ODD = "λ/$x \x1b"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    odd = problem(ODD, {"t": [5, 6, 7]}, {"a": {}, "b": {"t": [0, 1]}})
    failures = [("gone", "stale", "last sampled 60 s before")]
    return write_run(
        tmp_path_factory.mktemp("runs") / "run 1",
        [UNEVEN, odd, {**odd, "group": "-dash"}],
        failures,
    )


@pytest.fixture
def call(run: Callable[..., Result]) -> Callable[..., str]:
    """Run a command of `fleet`; what it printed."""

    def printed(*words: object) -> str:
        status, out, err = run("fleet", *words)
        assert (status, err) == (0, "")
        return out

    return printed


def test_show(call, path: str) -> None:
    text = call("show", path)
    assert "\n\nFleet of 4 groups by " in text
    assert text.startswith("Nobody reads 2 partitions of 2 of 3 groups; rebalance 1: ")
    lines = text.splitlines()
    assert sum(line.startswith("  orders ") for line in lines) == 1
    assert "last sampled 60 s before" in text
    assert text.endswith(f"equilag fleet export '{path}' GROUP\n")


def test_export(call, run, document, path: str, tmp_path: Path) -> None:
    text = call("export", path, "orders", "--out", tmp_path)
    plan, snapshot = sorted(tmp_path.iterdir())
    assert (plan.name, snapshot.name) == ("orders.plan.json", "orders.snapshot.json")
    lines = text.splitlines()
    assert lines[:2] == [f"snapshot  {snapshot}", f"plan      {plan}"]
    verify, again = (shlex.split(line) for line in lines[-2:])
    assert verify == ["equilag", "verify", str(snapshot), str(plan)]
    assert run(*verify[1:]).status == 0
    found, due = document(*again[1:]), json.loads(plan.read_text("utf-8"))
    assert found["assignment"] == due["assignment"]
    assert found["certificate"] == due["certificate"]


def test_an_export_as_json(document, run, path: str, tmp_path: Path) -> None:
    found = document("fleet", "export", path, "orders", "--out", tmp_path)
    plan = json.loads(Path(found["plan_file"]).read_text("utf-8"))
    assert (found["format"], found["group"]) == ("equilag/fleet-export/1", "orders")
    assert (found["policy"], found["evidence"]) == (plan["policy"], plan["evidence"])
    assert run(*shlex.split(found["commands"]["verify"])[1:]).status == 0


@pytest.mark.parametrize("name", [ODD, "-dash"])
def test_export_of_odd_names_to_the_current_directory(
    call, run, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    text = call("export", path, "--", name)
    snapshot, plan = (f"{file_stem(name)}.{kind}.json" for kind in ("snapshot", "plan"))
    assert {p.name for p in tmp_path.iterdir()} == {snapshot, plan}
    assert text.replace("\n", "").isprintable()
    group = equilag.load_snapshot(snapshot)
    assert group.name == name
    assert equilag.verify(group, json.loads(Path(plan).read_text("utf-8"))) == []
    assert run(*shlex.split(text.splitlines()[4])[1:]).status == 0


@pytest.mark.parametrize("name", ["gone", "orderz", ""])
def test_nothing_is_written_for_a_group_without_a_plan(
    refused, path: str, tmp_path: Path, name: str
) -> None:
    refused("fleet", "export", path, name, "--out", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_refused(refused, path: str, tmp_path: Path) -> None:
    argv = "fleet", "export", path, "orders", "--out"
    assert "there is no directory" in refused(*argv, tmp_path / "not" / "there")
    (tmp_path / "orders.plan.json").mkdir()
    said = refused(*argv, tmp_path)
    assert said.endswith("orders.plan.json: cannot be written: it is a directory")
    assert [p.name for p in tmp_path.iterdir()] == ["orders.plan.json"]


def test_a_search_that_the_clock_cut_is_said_so(call, path: str, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    assert "cut the run short" not in call("export", path, "orders", "--out", tmp_path)
    copy = tmp_path / "copy"
    shutil.copytree(path, copy)
    for part in (copy / "plans").glob("*.parquet"):
        table = pq.read_table(part)
        rows = table.to_pylist()
        for row in rows:
            row["policy"] = row["policy"].replace("repeatable", "cut by the clock")
        pq.write_table(table.from_pylist(rows, table.schema), part)
    text = call("export", copy, "orders", "--out", tmp_path)
    assert "the time limit cut the run short" in text


@pytest.mark.parametrize("before", [None, b"what was \xff there"])
def test_both_files_or_none(tmp_path: Path, before: bytes | None) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    if before is not None:
        first.write_bytes(before)
    targets = OutputFile(str(first), "--out"), OutputFile(str(second), "--out")
    second.mkdir()  # after it was looked at
    with pytest.raises(InputError):
        write_both(*targets, "one", "two")
    assert (first.read_bytes() if first.exists() else None) == before
    second.rmdir()
    write_both(*targets, "one", "two")
    assert (first.read_text("utf-8"), second.read_text("utf-8")) == ("one", "two")


def test_a_page_of_a_run(run, tmp_path: Path) -> None:
    page = tmp_path / "fleet.html"
    found = run("fleet", "report", RUN, "--out", page)
    headline = found.out.splitlines()[0]
    assert found.out == f"{headline}\n\npage  {page}\n"
    assert re.match(r"Nobody reads \d+ partitions of \d+ of 35 groups; rebalance ", headline)
    assert headline in page.read_text("utf-8")


def test_the_json_has_all_groups(document) -> None:
    found = document("fleet", "report", RUN)
    assert len(found["groups"]) == found["verdict"]["planned"] == 35
    assert found["worst"] == found["groups"][:20]
    shown = document("fleet", "show", RUN)
    assert shown == {key: value for key, value in found.items() if key != "groups"}
    actions = [group["action"] for group in found["groups"]]
    verdict = found["verdict"]
    assert verdict["rebalance"] == actions.count("move") > 0
    assert verdict["unread"] == actions.count("assign") > 0
    assert verdict["overloaded"] == actions.count("add-members")
    assert verdict["hot"] == actions.count("repartition")


def test_a_command_of_the_page_makes_the_plan_again(
    run, document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = document("fleet", "report", RUN)["groups"][0]
    monkeypatch.chdir(tmp_path)
    for command in group["commands"].values():
        assert run(*command.split()[1:]).status == 0
    plan = document(*group["commands"]["plan"].split()[1:])
    assert plan["verdict"]["headline"] == group["headline"]
    assert plan["moves"]["count"] == group["moves"]


NAMES = [
    "", ".", "..", ".hidden", "-x", "a/b", "a\\b", "a:b", "a b", "a_b", "../../etc/passwd", "λ",
    "μ", "\x00", "\n", "x" * 101, "x" * 102, "x" * 100 + "λ", "*", "\udc80", "_x", "con\t",
]  # fmt: skip


def test_odd_names_are_made_safe_and_stay_apart() -> None:
    stems = [file_stem(name) for name in NAMES]
    assert len(set(stems)) == len(NAMES)
    for stem in stems:
        assert stem.isascii()
        assert stem[0] not in ".-" or len(stem) == 9
        assert not set(stem) & set('/\\:*?"<>| \x00\n\t')
        assert len(stem) <= 109
    assert file_stem("a/b") == file_stem("a/b")
    assert file_stem("a/b").startswith("a_b-")


def test_the_groups_as_a_textfile(call, path: str, tmp_path: Path) -> None:
    file = tmp_path / "equilag.prom"
    call("show", path, "--textfile", file)
    found = {
        (one.name, one.labels["group"]): one.value
        for family in text_string_to_metric_families(file.read_text())
        for one in family.samples
    }
    rows = json.loads(call("report", path, "--json"))["groups"]
    assert rows
    for row in rows:
        assert found["equilag_group_members", row["group"]] == row["members"]
        assert found["equilag_group_lag_total", row["group"]] == row["lag"]
    assert ("equilag_group_age_seconds", rows[0]["group"]) not in found


def test_a_textfile_that_cannot_be_written(refused, path: str, tmp_path: Path) -> None:
    file = tmp_path / "none" / "equilag.prom"
    assert "--textfile" in refused("fleet", "show", path, "--textfile", file)
