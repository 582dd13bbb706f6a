"""`equilag simulate`: its sources, its outputs, and what it refuses."""

from __future__ import annotations

import inspect
import json
from xml.etree import ElementTree

import pytest
from support.orders_service import even_assignment, slow_snapshot

import equilag
from equilag.cli.parser import build_parser


@pytest.fixture
def snapshot(write):
    return write(**slow_snapshot())


@pytest.fixture
def plan(tmp_path):
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(even_assignment()), "utf-8")
    return path


def test_json(document, snapshot, plan) -> None:
    found = document("simulate", snapshot, plan, "--for", "2m", "--pause", 2)
    settings = {"duration_s": 120, "pause_s": 2, "protocol": "eager", "policy": None}
    assert found["settings"] == settings
    assert found["plan"]["caught_up_after_s"] == 40
    assert found["current"]["lag"][-1] == 900 + 20 * 120


def test_a_plan_that_plan_wrote(document, snapshot, tmp_path) -> None:
    made = tmp_path / "made.json"
    document("plan", snapshot, "--out", made, "--effort", 0.1)
    given = document("simulate", snapshot, made)
    itself = document("simulate", snapshot, "--effort", 0.1)
    assert given["plan"] == itself["plan"]


def test_the_plot(run, refused, snapshot, plan, tmp_path) -> None:
    drawn = tmp_path / "lag.svg"
    assert run("simulate", snapshot, plan, "--plot", drawn).status == 0
    found = ElementTree.parse(drawn)
    assert {e.attrib["id"] for e in found.iter() if "id" in e.attrib} >= {"now", "plan"}
    assert "would overwrite the input" in refused("simulate", snapshot, plan, "--plot", plan)


def test_capacities_are_asked_for(run, refused, write) -> None:
    members = [{k: v for k, v in m.items() if k != "capacity"} for m in slow_snapshot()["members"]]
    unknown = write("unknown.json", **slow_snapshot(members=members))
    said = refused("simulate", unknown, "--time-limit", 0.2)
    assert said.startswith("--capacity: no member's capacity is known: ")
    assert run("simulate", unknown, "--time-limit", 0.2, "--capacity", "*=50").status == 0


def test_a_plan_of_another_group_is_named(refused, write, plan) -> None:
    other = write("other.json", **slow_snapshot(group="other"))
    said = refused("simulate", other, plan)
    assert said.startswith(f"{plan}: does not fit the group: group: the plan is of group")
    assert "plan.json" in refused("simulate", other, plan, "--capacity", "z=1")


def test_options_that_shape_a_plan_do_not_go_with_one(refused, snapshot, plan) -> None:
    for option in (["--max-moves", 3], ["--weight", "lag"], ["--pin", "t-0=a"]):
        said = refused("simulate", snapshot, plan, *option, "--capacity", "*=70")
        assert said.startswith("with PLAN only --capacity of the options that make a plan")


def test_the_defaults_are_those_of_the_library() -> None:
    args = build_parser().parse_args(["simulate", "x"])
    given = inspect.signature(equilag.simulate).parameters
    assert (args.pause, args.protocol) == (given["pause"].default, given["protocol"].default)


def test_a_wrong_setting_does_not_name_the_plan(refused, snapshot, plan) -> None:
    said = refused("simulate", snapshot, plan, "--capacity", "z=1")
    assert said.startswith("--capacity: no member's id is")
