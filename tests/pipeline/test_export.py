"""Export of one group: its snapshot and plan are those of the run, and the plan verifies."""

from __future__ import annotations

import json
import shlex
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")
import pyarrow as pa
import pyarrow.parquet as pq
from support.fleet_runs import SETTINGS, UNEVEN, problem, refusal, write_run

import equilag
from equilag.cli.arguments.policy_options import policy_of
from equilag.cli.parser import build_parser
from equilag.domain.policy.policy import Policy
from equilag.pipeline.results.export import export_group, group_commands, plan_command, planned_with
from equilag.pipeline.results.run_dir import SUCCESS
from equilag.report.reports.plan import PlanReport

READ = problem("g", {"t": [5, 6], "audit": [1, 2]}, {"a": {"t": [0]}, "b": {}})
ODD = 'λ/"x" \n-'
PROBLEMS = {
    "uneven": UNEVEN,
    "odd names": problem(ODD, {"t.λ": [9, 8, 1]}, {"m\t1": {"t.λ": [0, 1]}, "ü": {}}),
    "no owners": problem("free", {"t": [5, 6, 7]}, {"a": {}, "b": {}}),
    "no lag": problem("zero", {"t": [0, 0, 0]}, {"a": {"t": [0, 1, 2]}, "b": {}}),
    "one member": problem("one", {"t": [1, 2]}, {"a": {"t": [0]}}),
    "topics that nobody reads": {
        **READ,
        "members": [{**one, "subscription": ["t"]} for one in READ["members"]],
    },
    "a dropped claim": problem("claim", {"t": [1, 2]}, {"a": {"t": [0, 9]}, "b": {"gone": [0]}}),
}


def as_json(document: dict[str, Any]) -> dict[str, Any]:
    """The JSON of a plan, without timings."""
    copy: dict[str, Any] = json.loads(json.dumps(document))
    del copy["timing"]["wall_s"]
    return copy


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_plan_is_what_the_run_found_and_holds(tmp_path: Path, name: str) -> None:
    row = PROBLEMS[name]
    others = [other for other in PROBLEMS.values() if other is not row]
    path = write_run(tmp_path / "run", [*others[:2], row, *others[2:]])
    snapshot, plan = export_group(path, row["group"])
    group = equilag.load_snapshot(json_file(tmp_path / "s.json", snapshot))
    again = equilag.solve(
        group, SETTINGS.policy, time_limit=SETTINGS.time_limit, effort=SETTINGS.effort, seed=3
    )
    assert as_json(plan.to_dict()) == as_json(again.to_dict())
    assert plan.choices == again.choices
    assert equilag.verify(group, json.loads(json.dumps(plan.to_dict()))) == []


def json_file(path: Path, document: dict[str, Any]) -> Path:
    path.write_text(json.dumps(document), "utf-8")
    return path


def test_the_snapshot_has_the_offsets_and_the_reset(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run", [UNEVEN], reset="earliest")
    snapshot, plan = export_group(path, "orders")
    assert snapshot["auto_offset_reset"] == "earliest"
    assert snapshot["offsets"]["u"]["committed"][1] is None
    assert plan.lag.max >= 1_000_000  # what has no commit counts from the start of its log


@pytest.mark.parametrize("weight", ["rate", "forecast", "bytes"])
def test_other_weights_are_given_as_lags(tmp_path: Path, weight: str) -> None:
    given = {"t": [3, 1, 4, 1, 5, 9], "u": [2, 6, 5, 3]}
    row = problem("orders", {"t": [0] * 6, "u": [0] * 4}, {"a": {"t": [0]}, "b": {}}, given)
    path = write_run(tmp_path / "run", [row], weight=weight)
    snapshot, plan = export_group(path, "orders")
    assert snapshot["lags"] == given
    assert "offsets" not in snapshot
    assert plan.lag.total == 39
    assert equilag.verify(equilag.load_snapshot(snapshot), plan) == []


POLICIES = {
    "plain": Policy(),
    "per topic": Policy("kip-169"),
    "own balance": Policy("kip-169", "both"),
    "priced": Policy("lag-aware", "per-topic", move_cost=7, tolerance=12.5),
    "bounded": Policy("lag-aware", max_moves=5),
    "fresh": Policy("fair-yet-sticky", fresh=True),
    "sticky": Policy("sticky-yet-fair"),
    "real": Policy(pin={("t", 0): "a"}, keep=["u"], capacity={"*": 2}, max_partitions=9),
}


@pytest.mark.parametrize("name", POLICIES)
def test_the_command_finds_the_same_plan_again(tmp_path: Path, name: str) -> None:
    settings = replace(SETTINGS, policy=POLICIES[name], effort=0.0312, time_limit=45.5, seed=11)
    path = write_run(tmp_path / "run", [UNEVEN], settings=settings)
    snapshot, plan = export_group(path, "orders")
    file, out = json_file(tmp_path / "it's.json", snapshot), tmp_path / "again.json"
    words = shlex.split(plan_command(plan, str(file)))
    assert words[:3] == ["equilag", "plan", str(file)]
    args = build_parser().parse_args([*words[1:], "--out", str(out)])
    assert args.run(args) == 0
    assert as_json(json.loads(out.read_text("utf-8"))) == as_json(PlanReport(plan).document())


def test_each_setting_of_an_extended_group_is_an_option() -> None:
    policy = Policy(
        capacity={"c-*": 2.5, "-d": 1}, instances="none", co_partition=["a,b"], rack_aware=True,
        pin={("t-x", 1): "c"}, keep=["t", "u"], max_cross_rack=0, max_partitions=4,
        weight="work", horizon=90.5,
    )  # fmt: skip
    plan = equilag.solve(equilag.Group.build(name="g", topics={}, members=[], subscriptions={}))
    words = shlex.split(plan_command(replace(plan, policy=policy), "f"))
    assert policy_of(build_parser().parse_args(words[1:]), "plan") == policy


PLANNED = {**Policy().to_dict(), "seed": 3, "effort": 0.02, "run": "repeatable"}


def test_how_a_group_was_planned_is_read_back() -> None:
    found = planned_with(json.dumps(PLANNED))
    assert found == (Policy(), 3, 0.02, True)
    assert planned_with(json.dumps({**PLANNED, "run": "cut short"})).repeatable is False
    with pytest.raises(KeyError):
        planned_with("{}")


@pytest.mark.parametrize(
    ("path", "group"),
    [("runs/1", "orders"), ("my run", "a b'c"), ("-r", "x"), ("r", "-x"), ("r", "")],
)
def test_the_commands_are_ones_that_equilag_takes(path: str, group: str) -> None:
    commands = group_commands(path, group, planned_with(json.dumps(PLANNED)), 60.0)
    program, *words = shlex.split(commands.export)
    args = build_parser().parse_args(words)
    assert (program, args.directory, args.group) == ("equilag", path, group)
    _, *words = shlex.split(commands.plan)
    args = build_parser().parse_args(words)
    assert (args.seed, args.effort, args.time_limit) == (3, 0.02, 60.0)
    assert not args.snapshot.startswith("-")


@pytest.fixture
def uneven(tmp_path: Path) -> str:
    return write_run(tmp_path / "run", [UNEVEN])


def refused(path: str, group: str = "orders") -> str:
    return refusal(lambda run: export_group(run, group), path)


def test_a_group_without_a_plan(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run", [UNEVEN], [("lost", "crash", "killed by signal 11")])
    assert refused(path, "lost") == 'group "lost" was not planned: crash: killed by signal 11'
    assert refused(path, "orderz") == 'there is no group "orderz", did you mean "orders"?'


@pytest.mark.parametrize("table", ["plans", "problems", "assignment"])
def test_a_run_that_is_not_whole(uneven: str, table: str) -> None:
    shutil.rmtree(Path(uneven) / table)
    assert refused(uneven) == f"{table}: has no parquet files: is it complete?"
    (Path(uneven) / SUCCESS).unlink()
    assert "no _SUCCESS" in refused(uneven)


def rewrite(path: str, table: str, change) -> None:
    """Rewrite a table with `change` applied to its list of rows."""
    parts = sorted((Path(path) / table).glob("*.parquet"))
    whole = pa.concat_tables([pq.read_table(part) for part in parts])
    rows = whole.to_pylist()
    change(rows)
    pq.write_table(pa.Table.from_pylist(rows, whole.schema), parts[0])
    for part in parts[1:]:
        part.unlink()


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("assignment", lambda rows: rows.pop()),
        ("assignment", lambda rows: rows.append(rows[0])),
        ("assignment", lambda rows: rows[0].update(to="stranger")),
        ("assignment", lambda rows: rows[0].update(topic="elsewhere")),
        ("assignment", lambda rows: rows[0].update(partition=99)),
        ("assignment", lambda rows: [row.update(to="a") for row in rows]),
        ("problems", lambda rows: rows[0]["members"].pop()),
        ("problems", lambda rows: rows[0]["topics"][0]["committed"].__setitem__(0, 12)),
        ("problems", lambda rows: rows[0]["members"][0].update(member="b")),
        ("plans", lambda rows: rows[0].update(certificate="[")),
        ("plans", lambda rows: rows[0].update(choices='[{"odd": 1}]')),
        ("plans", lambda rows: rows[0].update(status="splendid")),
    ],
)
def test_tables_of_different_runs(uneven: str, table: str, change) -> None:
    assert export_group(uneven, "orders")[0]["group"] == "orders"
    rewrite(uneven, table, change)
    assert "contradict the other tables" in refused(uneven)


def test_a_group_that_has_no_problem(uneven: str) -> None:
    rewrite(uneven, "problems", lambda rows: rows.clear())
    assert refused(uneven) == 'problems: there is no group "orders"'
