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


def test_json(run, snapshot, plan) -> None:
    status, out, err = run("simulate", snapshot, plan, "--for", "2m", "--pause", 2, "--json")
    assert (status, err) == (0, "")
    document = json.loads(out)
    settings = {"duration_s": 120, "pause_s": 2, "protocol": "eager", "policy": None}
    assert document["settings"] == settings
    assert document["plan"]["caught_up_after_s"] == 40
    assert document["current"]["lag"][-1] == 900 + 20 * 120


def test_a_plan_that_plan_wrote(run, snapshot, tmp_path) -> None:
    made = tmp_path / "made.json"
    assert run("plan", snapshot, "--out", made, "--effort", 0.1).status == 0
    given = run("simulate", snapshot, made, "--json")
    itself = run("simulate", snapshot, "--effort", 0.1, "--json")
    assert given.status == itself.status == 0
    assert json.loads(given.out)["plan"] == json.loads(itself.out)["plan"]


def test_the_plot(run, snapshot, plan, tmp_path) -> None:
    drawn = tmp_path / "lag.svg"
    assert run("simulate", snapshot, plan, "--plot", drawn).status == 0
    found = ElementTree.parse(drawn)
    assert {e.attrib["id"] for e in found.iter() if "id" in e.attrib} >= {"now", "plan"}
    status, _, err = run("simulate", snapshot, plan, "--plot", plan)
    assert (status, "would overwrite the input" in err) == (2, True)


def test_capacities_are_asked_for(run, write, snapshot) -> None:
    members = [{k: v for k, v in m.items() if k != "capacity"} for m in slow_snapshot()["members"]]
    unknown = write("unknown.json", **slow_snapshot(members=members))
    status, out, err = run("simulate", unknown, "--time-limit", 0.2)
    assert (status, out) == (2, "")
    assert err.startswith("equilag: --capacity: no member's capacity is known: ")
    assert run("simulate", unknown, "--time-limit", 0.2, "--capacity", "*=50").status == 0


def test_a_plan_of_another_group_is_named(run, write, plan) -> None:
    other = write("other.json", **slow_snapshot(group="other"))
    status, _, err = run("simulate", other, plan)
    assert status == 2
    assert err.startswith(f"equilag: {plan}: does not fit the group: group: the plan is of group")
    status, _, err = run("simulate", other, plan, "--capacity", "z=1")
    assert "plan.json" in err


def test_options_that_shape_a_plan_do_not_go_with_one(run, snapshot, plan) -> None:
    for option in (["--max-moves", 3], ["--weight", "lag"], ["--pin", "t-0=a"]):
        status, _, err = run("simulate", snapshot, plan, *option, "--capacity", "*=70")
        assert status == 2
        assert err.startswith("equilag: with PLAN only --capacity of the options that make a plan")


def test_one_file_beside_a_live_group_is_the_plan(run, plan) -> None:
    status, _, err = run("simulate", "--bootstrap-server", "127.0.0.1:1", plan)
    assert (status, err) == (
        2,
        "equilag: --bootstrap-server needs --group (see equilag simulate --help)\n",
    )
    status, _, err = run("simulate", "-", "-")
    assert "only one of the inputs can be standard input" in err


def test_the_defaults_are_those_of_the_library() -> None:
    args = build_parser().parse_args(["simulate", "x"])
    given = inspect.signature(equilag.simulate).parameters
    assert (args.pause, args.protocol) == (given["pause"].default, given["protocol"].default)


def test_a_wrong_setting_does_not_name_the_plan(run, snapshot, plan) -> None:
    _, _, err = run("simulate", snapshot, plan, "--capacity", "z=1")
    assert err.startswith("equilag: --capacity: no member's id is")
