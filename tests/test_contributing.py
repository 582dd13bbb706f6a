"""CONTRIBUTING.md is true: the code of each recipe works as it stands.

`test_docs.py` looks for the files and targets that it names.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np
import pytest
from support.groups import group_of, small_groups
from support.oracles import Assignments
from support.paths import CHECKOUT, SAMPLES
from support.planner_runs import STAGES, begin, carry_out, task_on

import equilag
from equilag.cli import main
from equilag.domain.group.group import Group
from equilag.domain.plan.metrics import member_counts
from equilag.domain.policy.objective import Objective
from equilag.domain.policy.policy import Policy
from equilag.planner.compare import compare
from equilag.planner.solving.result import plan_of
from equilag.planner.solving.stage import CountingStage
from equilag.report.outputs import write_report
from equilag.report.page.write_page import page_of

TEXT: Final = (CHECKOUT / "CONTRIBUTING.md").read_text("utf-8")
RECIPES: Final = dict(re.findall(r"^```python (\w+)\n(.*?)^```$", TEXT, re.M | re.S))
MODULE: Final = "my_module"


@pytest.fixture
def recipe(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import the code of a recipe as a user's own module."""

    def load(name: str) -> ModuleType:
        module = ModuleType(MODULE)
        monkeypatch.setitem(sys.modules, MODULE, module)
        exec(compile(RECIPES[name], f"CONTRIBUTING.md: {name}", "exec"), vars(module))
        return module

    return load


def test_every_recipe_is_there() -> None:
    assert set(RECIPES) == {"heuristic", "constraint", "objective", "setting", "fact", "output"}
    without_code = ["a page of the documents"]
    assert all(f"## Recipe: {name}\n" in TEXT for name in without_code)
    assert TEXT.count("## Recipe: ") == len(RECIPES) + len(without_code)


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("equilag/domain/constraint/count_constraint.py",
         ("def may", "def counts_of", "def may_gain_one", "face: Flags", "def admits")),
        ("equilag/domain/policy/objective.py", ("class Figures", "def value", "def key")),
        ("equilag/planner/solving/front.py", ("def candidate_of",)),
        ("equilag/report/outputs.py", ("BUILT_IN",)),
        ("equilag/report/report_blocks.py", ("class Report", "def parts")),
        ("tests/test_docs.py", ("runnable",)),
        ("equilag/domain/group/group.py", ("partition_classes",)),
    ],
)  # fmt: skip
def test_the_names_it_mentions_are_in_those_files(file: str, names: tuple[str, ...]) -> None:
    source = (CHECKOUT / file).read_text("utf-8")
    assert [name for name in names if name not in source] == []


# A heuristic.


def test_the_heuristic_is_used_from_outside(recipe: Any) -> None:
    recipe("heuristic")
    group = group_of([3, 2, 1], [[1], [0, 1], []])
    plan = equilag.assign(group, f"{MODULE}:FirstSubscriber")
    assert plan.assigned.tolist() == [1, 1, 1, 0, 0, -1]
    assert equilag.verify(group, plan) == []
    rows = compare(group, assignors=[f"{MODULE}:FirstSubscriber"], time_limit=5.0).rows
    assert any(row.assignor.endswith("FirstSubscriber") for row in rows)


# A constraint.


def best_spread(group: Group) -> int:
    """The least spread where member 0 has one partition, and the others differ by one at most."""
    every = Assignments.all(group)
    counts = every.counts()
    kept = (counts[:, 0] == 1) & (np.ptp(counts[:, 1:], axis=1) <= 1)
    return int(every.where(kept).spread.min())


def test_the_constraint_is_kept_by_every_improving_stage(recipe: Any) -> None:
    stage = CountingStage("mine", recipe("constraint").one_for_the_first)
    lags = np.random.default_rng(3).integers(1, 1000, (5, 7))
    for lag in lags.tolist():
        group = group_of([7], [[0]] * 3, lags=lag)
        task = task_on(group, Objective(Policy(tolerance=0)))
        state, budget = begin(task, stages=[stage])
        carry_out(state, budget, *STAGES)
        assert state.notes == []
        assert state.incumbent.spread == state.proofs.spread == best_spread(group)
        assert member_counts(state.incumbent.assigned, 3)[0] == 1


def test_cp_sat_keeps_the_constraint_too(recipe: Any) -> None:
    group = group_of([6], [[0]] * 3, lags=[90, 41, 38, 20, 9, 3])
    task = task_on(group, Objective(Policy(tolerance=0)))
    stage = CountingStage("mine", recipe("constraint").one_for_the_first)
    state, budget = begin(task, stages=[stage])
    carry_out(state, budget, *(s for s in STAGES if s.name == "cp-sat"))
    assert state.incumbent.spread == best_spread(group)
    assert state.notes == []


# An objective term.


def test_the_objective_is_asked_by_everybody(recipe: Any) -> None:
    objective = recipe("objective").ThreePerMove(Policy(tolerance=0))
    for group in small_groups(seed=151, n=6, owned=0.9):
        state, budget = begin(task_on(group, objective))
        carry_out(state, budget, *STAGES)
        plan = plan_of(state, budget)
        expected = equilag.solve(group, move_cost=3, time_limit=60.0, tolerance=0)
        assert plan.claims == expected.claims
        assert np.array_equal(plan.assigned, expected.assigned)
        assert plan.status == expected.status == "optimal"


# A fact, and an output.


def test_the_fact_is_in_every_output(recipe: Any) -> None:
    plan = equilag.assign(group_of([3], [[0], [0]], lags=[5, 9, 2]), "sticky")
    nothing = recipe("fact").HeaviestMoveReport(plan)
    assert nothing.document() == {"heaviest": None}
    assert write_report("text", nothing) == "Nothing moves\n"
    owned = group_of([3], [[0], [0]], lags=[5, 9, 2], owners=[0, 0, 0])
    moved = recipe("fact").HeaviestMoveReport(equilag.solve(owned, effort=0.1, time_limit=60.0))
    document = {"heaviest": {"topic": "t00", "partition": 1, "lag": 9}}
    assert json.loads(write_report("json", moved)) == document
    assert (
        write_report("text", moved) == "Move t00-1\n\ntopic  lag\nt00      9\n  lag: in records\n"
    )
    assert ">Move t00-1</p>" in page_of(moved)


def test_the_output_is_used_from_outside(
    recipe: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    recipe("output")
    sample = str(SAMPLES / "audit.snapshot.json")
    assert main(["plan", sample, "--time-limit", "0.2", "--output", f"{MODULE}:one_line"]) == 0
    out = capsys.readouterr().out
    assert re.fullmatch(r"plan: Move .*\n", out)
