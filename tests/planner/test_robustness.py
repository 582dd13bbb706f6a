"""What goes wrong on the way costs no plan: stages that fail, solvers that fail or lie, seeds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pytest
from support.groups import group_of, random_group
from support.oracles import Assignments
from support.planner_runs import STAGES, carry_out, put_in_place, start

import equilag
from equilag.domain.budget import Budget
from equilag.domain.errors import ContradictedBound
from equilag.domain.group.group import Group
from equilag.domain.plan.claim import Claim
from equilag.domain.plan.metrics import is_valid
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import POLICIES
from equilag.planner.solving import result
from equilag.planner.solving.run import COUNTING
from equilag.planner.solving.stage import Progress, Stage, Turn
from equilag.planner.solving.state import Contribution, Proposal, SolveState
from equilag.planner.stages import counting_stages, cpsat_stages
from equilag.planner.stages.cpsat_stages import full_model
from equilag.solver.cpsat import model

SMALL: Final = group_of(
    [4, 3], [[0, 1], [0], [0, 1]], [0, 0, 0, 0, 2, 2, -1], [9, 8, 7, 1, 30, 2, 2]
)
WIDE: Final = group_of(
    [12, 9, 9, 14, 1],
    [[0, 1, 2, 3, 4], [0, 1, 2, 3], [0, 2, 3], [1, 2, 3], [0, 1, 2], [1, 3]] * 2,
    owners=[3 * n % 12 if 3 * n % 12 in (0, 6) else -1 for n in range(45)],
    lags=[n * n * 37 % 1009 for n in range(45)],
)
"""Too wide for the search, so that every stage has its turn."""


def document(plan: equilag.Plan) -> dict[str, Any]:
    return {key: value for key, value in plan.to_dict().items() if key not in ("timing", "verdict")}


def repeated(group: Group, policy: str, **settings: Any) -> equilag.Plan:
    """The plan of two runs with a seed, which are the same."""
    first, second = (
        equilag.solve(group, policy, seed=3, time_limit=60.0, **settings) for _ in range(2)
    )
    assert first.settings["run"] == second.settings["run"] == "repeatable"
    assert document(first) == document(second)
    return first


COUNTING_NAMES: Final = [stage.name for stage in COUNTING if not stage.must_answer]
NAMES: Final = [*dict.fromkeys([*COUNTING_NAMES, *(stage.name for stage in STAGES)])]


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """CP-SAT gives up soon, by its own clock, so that every run ends by itself."""
    monkeypatch.setattr(cpsat_stages, "DETERMINISTIC", 0.0005)


@pytest.mark.usefixtures("brief")
@pytest.mark.parametrize(
    ("name", "error"),
    [*((name, RuntimeError) for name in NAMES), (NAMES[0], MemoryError), (NAMES[-1], MemoryError)],
)
def test_a_stage_that_raises_leaves_the_best_plan_and_a_note(
    name: str, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise error("out of order")

    put_in_place(monkeypatch, name, broken)
    turn = POLICIES[NAMES.index(name) % len(POLICIES)]  # every policy has its turn
    for group, policy in ((SMALL, turn), (WIDE, "fair-yet-sticky")):
        plan = equilag.solve(group, policy, time_limit=60.0, effort=0.03, tolerance=0)
        assert is_valid(group, plan.assigned)
        assert equilag.verify(group, plan) == []
        failed = f"failed ({error.__name__}: out of order)"
        # Where everything owned is pinned, there is no move to be counted.
        never_run = name == "fewest moves" and policy == "sticky-yet-fair"
        assert any(note.endswith(failed) for note in plan.notes) is not never_run


def test_a_stage_that_raises_half_way_keeps_what_it_found() -> None:
    def half(state: SolveState, turn: Turn) -> Iterator[Contribution]:
        yield Proposal(best.assigned, "half")
        raise RuntimeError("and then it broke")

    best = equilag.solve(SMALL, time_limit=20.0, tolerance=0)
    state, budget = start(SMALL)
    carry_out(state, budget, Stage("half", half))
    plan = result.plan_of(state, budget)
    assert np.array_equal(plan.assigned, best.assigned)
    assert plan.algorithm == "half"
    assert plan.status == "feasible"
    assert len(plan.notes) == 1


def test_without_any_plan_the_error_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("out of order")

    monkeypatch.setattr(counting_stages, "fallback", broken)
    with pytest.raises(RuntimeError, match="out of order"):
        equilag.solve(SMALL, time_limit=0.0)


# CP-SAT: failing, lying, or at a loss.


def run_full_model(group: Group) -> tuple[SolveState, Budget]:
    """A run up to the fewest moves, and then the whole model."""
    state, budget = start(group, Policy(tolerance=0))
    carry_out(state, budget, Stage("cp-sat", full_model))
    return state, budget


def test_the_whole_model_finds_and_claims_the_optimum() -> None:
    state, _ = run_full_model(SMALL)
    truth = int(Assignments.all(SMALL).balanced("total").spread.min())
    assert state.incumbent.spread == state.proofs.spread == truth
    claim = state.proofs.claims["spread_at_least", None]
    assert (claim.kind, claim.evidence) == ("cp-sat", "solver")
    assert claim.data["parameters"]["presolve_inclusion_work_limit"] == 0
    assert claim.data["version"] == model.version()
    assert state.notes == []


@pytest.mark.parametrize("error", [model.SolverFailed, MemoryError, RuntimeError])
def test_a_solver_that_fails_is_a_note(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: Any, **__: Any) -> None:
        raise error("no more")

    monkeypatch.setattr(model, "solve_model", failing)
    state, _ = run_full_model(SMALL)
    assert "spread_at_least" not in state.proofs
    (note,) = state.notes
    assert note.startswith("cp-sat failed")
    assert error.__name__ in note


LOPSIDED: Final = np.zeros(SMALL.n_partitions, np.int64)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (model.CpSatAnswer("infeasible", None, 0, True), "infeasible"),
        (model.CpSatAnswer("unknown", None, 10**9, True), "dropped"),  # above the plan at hand
        (model.CpSatAnswer("optimal", LOPSIDED, 0, True), "count balance"),
        (model.CpSatAnswer("unknown", None, 0, True), ""),
        (model.CpSatAnswer("unknown", None, 0, False), ""),
    ],
    ids=["infeasible", "a wrong bound", "a wrong assignment", "no answer", "cut by the clock"],
)
def test_a_solver_is_not_believed(
    answer: model.CpSatAnswer, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "solve_model", lambda *_, **__: answer)
    state, budget = run_full_model(SMALL)
    assert "spread_at_least" not in state.proofs
    assert state.incumbent.algorithm != "cp-sat"
    assert [words in note for note in state.notes] == [True] * bool(words)
    assert budget.cut is not answer.exhausted


def test_a_contradicted_proof_is_not_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    def boast(*_: Any) -> Iterator[Contribution]:
        yield Claim("spread_at_least", 10**9, "difference")

    put_in_place(monkeypatch, "bounds", boast)
    with pytest.raises(ContradictedBound):
        equilag.solve(SMALL, time_limit=20.0)


# Repeatable, and observed.


@pytest.mark.parametrize("policy", POLICIES)
def test_same_seed_same_plan(policy: str) -> None:
    for group in (SMALL, random_group(np.random.default_rng(8), topics=4, members=5, size=5)):
        repeated(group, policy)


@pytest.mark.usefixtures("brief")
@pytest.mark.parametrize("policy", ["lag-aware", "sticky-yet-fair", "kip-169"])
def test_same_seed_same_plan_where_the_optimum_is_not_proved(policy: str) -> None:
    plan = repeated(WIDE, policy, effort=0.05, tolerance=0)
    assert plan.status == "feasible"
    assert plan.settings["effort"] == 0.05
    assert equilag.verify(WIDE, plan) == []


def test_deterministic_is_an_effort_of_half_the_time_limit() -> None:
    plan = equilag.solve(SMALL, time_limit=60.0, deterministic=True)
    assert plan.settings["effort"] == 30.0
    assert plan.settings["run"] == "repeatable"


def test_what_the_clock_cut_off_is_not_called_repeatable() -> None:
    assert equilag.solve(WIDE, time_limit=0).settings["run"] == "cut by the clock"


def test_progress_tells_where_a_run_stands() -> None:
    seen: list[Progress] = []
    plan = equilag.solve(SMALL, time_limit=20.0, progress=seen.append)
    stages = [p.stage for p in seen]
    assert stages.index("counts") < stages.index("fewest moves") < stages.index("bounds")
    assert seen[0].spread is None
    assert seen[-1].spread == plan.lag.spread
    assert seen[-1].bound == plan.proofs.spread
    assert all(p.limit == 20.0 for p in seen)
    assert [p.elapsed for p in seen] == sorted(p.elapsed for p in seen)


# The short way of a group without lag leads to the same plan as the stages.


def by_the_stages(group: Group, policy: Policy) -> equilag.Plan:
    state, budget = start(group, policy)
    carry_out(state, budget, *STAGES)
    return result.plan_of(state, budget)


@pytest.mark.parametrize("subscriptions", [[[0, 1]] * 3, [[0], [0], [1]], [[0, 1], [0], [1]]])
@pytest.mark.parametrize(("settings", "owners"), [
    ({}, [1, 1, -1, 0, 2, 2, 2]),
    ({"move_cost": 3}, [0, 0, 0, 0, 2, 2, -1]),
    ({"name": "fair-yet-sticky"}, [1, 1, -1, 0, 2, 2, 2]),
    ({"max_moves": 9}, [0, 0, 0, 0, 2, 2, -1]),
    ({"tolerance": 1.0}, []),
])  # fmt: skip
def test_without_lag_both_ways_agree(
    subscriptions: list[list[int]], settings: dict[str, Any], owners: list[int]
) -> None:
    owners = [o if o >= 0 and int(p >= 4) in subscriptions[o] else -1 for p, o in enumerate(owners)]
    group = group_of([4, 3], subscriptions, owners or None)
    policy = Policy(**settings)
    seen: list[Progress] = []
    watched = equilag.solve(group, policy, time_limit=60.0, progress=seen.append)
    assert seen
    for plan in (watched, by_the_stages(group, policy)):
        assert document(plan) == document(equilag.solve(group, policy, time_limit=60.0))
    assert watched.status == "optimal"
