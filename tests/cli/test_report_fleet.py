"""`fleet report` as a command, on the run that stands in samples/."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")
from support.json_schemas import findings
from support.paths import SAMPLES

RUN = SAMPLES / "fleet-run"


@pytest.fixture
def valid(document) -> Callable[..., dict[str, Any]]:
    """The JSON that a command prints, held against its schema."""

    def call(*argv: object) -> dict[str, Any]:
        found = document(*argv)
        assert findings(found) == []
        return found

    return call


def test_the_page(run, tmp_path: Path) -> None:
    page = tmp_path / "fleet.html"
    found = run("fleet", "report", RUN, "--out", page)
    headline = found.out.splitlines()[0]
    assert found.out == f"{headline}\n\npage  {page}\n"
    assert headline.startswith("Rebalance 12 of 35 groups: ")
    assert headline in page.read_text("utf-8")


def test_the_json_has_all_groups(valid) -> None:
    document = valid("fleet", "report", RUN)
    assert len(document["groups"]) == document["verdict"]["planned"] == 35
    assert document["worst"] == document["groups"][:20]
    shown = valid("fleet", "show", RUN)
    assert shown == {key: value for key, value in document.items() if key != "groups"}
    actions = [group["action"] for group in document["groups"]]
    verdict = document["verdict"]
    assert verdict["rebalance"] == actions.count("move") + actions.count("assign")
    assert verdict["overloaded"] == actions.count("add-members")
    assert verdict["hot"] == actions.count("repartition")


def test_a_command_of_the_page_makes_the_plan_again(
    run, valid, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = valid("fleet", "report", RUN)["groups"][0]
    monkeypatch.chdir(tmp_path)
    for command in group["commands"].values():
        assert run(*command.split()[1:]).status == 0
    plan = valid(*group["commands"]["plan"].split()[1:])
    assert plan["verdict"]["headline"] == group["headline"]
    assert plan["moves"]["count"] == group["moves"]


def test_what_is_refused(refused, tmp_path: Path) -> None:
    argv = "fleet", "report"
    assert "no _SUCCESS" in refused(*argv, tmp_path, "--out", tmp_path / "x.html")
    assert "there is no directory" in refused(*argv, RUN, "--out", tmp_path / "no" / "x.html")
    assert list(tmp_path.iterdir()) == []
