"""`fleet report` as a command, on the run that stands in samples/."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")
from support.commands import Result
from support.json_schemas import findings
from support.paths import SAMPLES

RUN = SAMPLES / "fleet-run"


def json_of(run: Callable[..., Result], *argv: object) -> dict[str, Any]:
    found = run(*argv)
    assert (found.status, found.err) == (0, "")
    document: dict[str, Any] = json.loads(found.out)
    assert findings(document) == []
    return document


def test_the_page(run: Callable[..., Result], tmp_path: Path) -> None:
    page = tmp_path / "fleet.html"
    found = run("fleet", "report", RUN, "--out", page)
    headline = found.out.splitlines()[0]
    assert found.out == f"{headline}\n\npage  {page}\n"
    assert headline.startswith("Rebalance 12 of 35 groups: ")
    assert headline in page.read_text("utf-8")


def test_the_json_has_all_groups(run: Callable[..., Result], tmp_path: Path) -> None:
    document = json_of(run, "fleet", "report", RUN, "--json")
    assert len(document["groups"]) == document["verdict"]["planned"] == 35
    assert document["worst"] == document["groups"][:20]
    shown = json_of(run, "fleet", "show", RUN, "--json")
    assert shown == {key: value for key, value in document.items() if key != "groups"}
    actions = [group["action"] for group in document["groups"]]
    verdict = document["verdict"]
    assert verdict["rebalance"] == actions.count("move") + actions.count("assign")
    assert verdict["overloaded"] == actions.count("add-members")
    assert verdict["hot"] == actions.count("repartition")


def test_a_command_of_the_page_makes_the_plan_again(
    run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = json_of(run, "fleet", "report", RUN, "--json")["groups"][0]
    monkeypatch.chdir(tmp_path)
    for command in group["commands"].values():
        assert run(*command.split()[1:]).status == 0
    plan = json_of(run, *group["commands"]["plan"].split()[1:], "--json")
    assert (plan["verdict"]["headline"], plan["moves"]["count"]) == (
        group["headline"],
        group["moves"],
    )


def test_what_is_refused(run: Callable[..., Result], tmp_path: Path) -> None:
    found = run("fleet", "report", RUN)
    assert (found.status, found.err) == (2, "equilag: --out is required, or --json\n")
    assert "no _SUCCESS" in run("fleet", "report", tmp_path, "--out", tmp_path / "x.html").err
    found = run("fleet", "report", RUN, "--out", tmp_path / "no" / "x.html")
    assert (found.status, "there is no directory" in found.err) == (2, True)
    assert list(tmp_path.iterdir()) == []
