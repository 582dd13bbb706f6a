"""What goes wrong on the way costs no plan: stages that fail, solvers that fail or lie, seeds."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from support.groups import group_of, random_group
from support.oracles import Assignments

import equilag
from equilag.claim import Claim
from equilag.deadline import Deadline
from equilag.errors import ContradictedBound
from equilag.group import Group
from equilag.metrics import is_valid
from equilag.planner import descent, exact, stages
from equilag.planner import run as solving
from equilag.planner.effort import Effort
from equilag.planner.run import STAGES
from equilag.planner.work import Progress, Work
from equilag.policy import POLICIES, Policy
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
    return {key: value for key, value in plan.to_dict().items() if key != "timing"}


KINDS: Final = {type(stage).__name__: type(stage) for stage in STAGES if stage.name != "heuristic"}


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """CP-SAT gives up soon, by its own clock, so that every run ends by itself."""
    monkeypatch.setattr(exact, "DETERMINISTIC", 0.0005)


@pytest.mark.usefixtures("brief")
@pytest.mark.parametrize("error", [RuntimeError, MemoryError])
@pytest.mark.parametrize("kind", KINDS)
def test_a_stage_that_raises_leaves_the_best_plan_and_a_note(
    kind: str, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: Any, work: Work) -> None:
        raise error("out of order")

    monkeypatch.setattr(KINDS[kind], "run", broken)
    monkeypatch.setattr(KINDS[kind], "applies", lambda self, work: True)
    for group, policy in (*((SMALL, policy) for policy in POLICIES), (WIDE, "fair-yet-sticky")):
        plan = equilag.solve(group, policy, time_limit=60.0)
        assert is_valid(group, plan.assigned)
        assert equilag.verify(group, plan) == []
        failed = f"failed ({error.__name__}: out of order)"
        assert any(note.endswith(failed) for note in plan.notes)


def test_a_stage_that_raises_half_way_keeps_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    class Half:
        name = "half"

        def applies(self, work: Work) -> bool:
            return True

        def run(self, work: Work) -> None:
            work.offer(best.assigned, self.name)
            raise RuntimeError("and then it broke")

    best = equilag.solve(SMALL, time_limit=20.0)
    few = tuple(stage for stage in STAGES if stage.name in ("heuristic", "counts", "fewest moves"))
    monkeypatch.setattr(solving, "STAGES", (*few, Half()))
    plan = equilag.solve(SMALL, time_limit=20.0)
    assert np.array_equal(plan.assigned, best.assigned)
    assert plan.algorithm == "half"
    assert plan.status == "feasible"
    assert len(plan.notes) == 1


def test_without_any_plan_the_error_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("out of order")

    monkeypatch.setattr(stages, "fallback", broken)
    with pytest.raises(RuntimeError, match="out of order"):
        equilag.solve(SMALL, time_limit=0.0)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_plan_that_breaks_the_counts_is_thrown_away(
    policy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lopsided(group: Group, *_: Any, **__: Any) -> np.ndarray:
        return np.zeros(group.n_partitions, np.int32)  # everything to the first

    monkeypatch.setattr(descent, "sweep", lopsided)
    plan = equilag.solve(WIDE, policy, time_limit=0.3)
    assert equilag.verify(WIDE, plan) == []
    assert any("count balance" in note for note in plan.notes) or plan.status == "optimal"
    assert plan.counts.max - plan.counts.min <= WIDE.n_partitions // 2


# CP-SAT: failing, lying, or at a loss.


def run_full_model(group: Group, limit: float = 20.0) -> Work:
    """A run up to the fewest moves, and then the whole model."""
    work = Work(group, group, Policy.of(), Deadline(limit), np.random.default_rng(0))
    stages.Heuristic().run(work)
    stages.Counts().run(work)
    stages.Moves().run(work)
    next(stage for stage in STAGES if stage.name == "cp-sat").run(work)
    return work


def test_the_whole_model_finds_and_claims_the_optimum() -> None:
    work = run_full_model(SMALL)
    truth = int(Assignments.all(SMALL).balanced("total").spread.min())
    assert work.best is not None
    assert work.best.spread == work.spread_bound == truth
    claim = work.claims["spread_at_least"]
    assert (claim.kind, claim.evidence) == ("cp-sat", "solver")
    assert claim.data["parameters"]["presolve_inclusion_work_limit"] == 0
    assert claim.data["version"] == model.version()
    assert work.notes == []


@pytest.mark.parametrize("error", [model.SolverFailed, MemoryError, RuntimeError])
def test_a_solver_that_fails_is_a_note(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: Any, **__: Any) -> None:
        raise error("no more")

    monkeypatch.setattr(model, "solve_model", failing)
    work = run_full_model(SMALL)
    assert "spread_at_least" not in work.claims
    assert work.best is not None
    (note,) = work.notes
    assert note.startswith("cp-sat failed")
    assert error.__name__ in note


def test_a_solver_that_calls_the_problem_infeasible_is_not_believed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer = model.Answer("infeasible", None, 0, True)
    monkeypatch.setattr(model, "solve_model", lambda *_, **__: answer)
    work = run_full_model(SMALL)
    assert "spread_at_least" not in work.claims
    (note,) = work.notes
    assert "infeasible" in note


def test_a_solvers_bound_above_the_plan_at_hand_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = model.Answer("unknown", None, 10**9, True)
    monkeypatch.setattr(model, "solve_model", lambda *_, **__: answer)
    work = run_full_model(SMALL)
    assert "spread_at_least" not in work.claims
    (note,) = work.notes
    assert "dropped" in note


def test_a_solvers_wrong_assignment_is_thrown_away(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = model.Answer("optimal", np.zeros(SMALL.n_partitions, np.int64), 0, True)
    monkeypatch.setattr(model, "solve_model", lambda *_, **__: answer)
    work = run_full_model(SMALL)
    assert work.best is not None
    assert work.best.algorithm != "cp-sat"
    (note,) = work.notes
    assert "count balance" in note


def test_a_contradicted_proof_is_not_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    def boast(self: Any, work: Work) -> None:
        work.claim(Claim("spread_at_least", 10**9, "difference"))

    monkeypatch.setattr(stages.Bounds, "run", boast)
    with pytest.raises(ContradictedBound):
        equilag.solve(SMALL, time_limit=20.0)


@pytest.mark.parametrize("policy", POLICIES)
def test_the_better_of_two_plans_is_the_policys(policy: str) -> None:
    """One with few moves and one with a small spread, offered in either order."""
    group = group_of([4], [[0], [0]], owners=[0, 0, 1, 1], lags=[9, 8, 1, 2])
    still, even = np.array([0, 0, 1, 1], np.int32), np.array([0, 1, 0, 1], np.int32)
    if policy == "sticky-yet-fair":
        group = group_of([4], [[0], [0]], lags=[9, 8, 1, 2])  # else `even` is not allowed at all
    for order in ((still, even), (even, still)):
        work = Work(group, group, Policy.of(policy), Deadline(60.0), np.random.default_rng(0))
        stages.Counts().run(work)
        for assigned in order:
            work.offer(assigned, "by hand")
        assert work.best is not None
        want = still if policy == "fair-yet-sticky" else even
        assert np.array_equal(work.best.assigned, want)


def test_a_plan_within_the_limit_on_moves_is_better_than_a_more_even_one() -> None:
    group = group_of([4], [[0], [0]], owners=[0, 0, 1, 1], lags=[9, 8, 1, 2])
    still, even = np.array([0, 0, 1, 1], np.int32), np.array([0, 1, 0, 1], np.int32)
    work = Work(group, group, Policy.of(max_moves=1), Deadline(60.0), np.random.default_rng(0))
    stages.Counts().run(work)
    for assigned in (even, still, even):
        work.offer(assigned, "by hand")
    assert work.best is not None
    assert np.array_equal(work.best.assigned, still)


# Repeatable, and observed.


@pytest.mark.parametrize("policy", POLICIES)
def test_same_seed_same_plan(policy: str) -> None:
    for group in (SMALL, random_group(np.random.default_rng(8), topics=4, members=5, size=5)):
        first, second = (equilag.solve(group, policy, seed=3, time_limit=30.0) for _ in range(2))
        assert first.settings["run"] == "repeatable"
        assert document(first) == document(second)


@pytest.mark.usefixtures("brief")
@pytest.mark.parametrize("policy", POLICIES)
def test_same_seed_same_plan_where_the_optimum_is_not_proved(policy: str) -> None:
    first, second = (
        equilag.solve(WIDE, policy, seed=3, time_limit=60.0, deterministic=True) for _ in range(2)
    )
    assert first.status == "feasible"
    assert first.settings["run"] == second.settings["run"] == "repeatable"
    assert document(first) == document(second)


@pytest.mark.parametrize("policy", POLICIES)
def test_effort_ends_a_run_at_the_same_place_every_time(policy: str) -> None:
    first, second = (
        equilag.solve(WIDE, policy, seed=3, time_limit=60.0, effort=0.05) for _ in range(2)
    )
    assert first.settings["effort"] == 0.05
    assert first.settings["run"] == second.settings["run"] == "repeatable"
    assert document(first) == document(second)
    assert equilag.verify(WIDE, first) == []


def test_effort_is_what_limits_the_work() -> None:
    def paid(effort: float) -> float:
        spent = Effort(effort)
        stop = spent.metered(lambda: False, price=0.01, upto=0.5)
        return sum(not stop() for _ in range(1000))

    assert paid(0.0) == 0
    assert paid(1.0) == pytest.approx(50, abs=1)
    assert Effort().metered(lambda: False, 0.01)() is False


def test_what_the_clock_cut_off_is_not_called_repeatable() -> None:
    assert equilag.solve(WIDE, time_limit=0).settings["run"] == "cut by the clock"


def test_progress_tells_where_a_run_stands() -> None:
    seen: list[Progress] = []
    plan = equilag.solve(SMALL, time_limit=20.0, progress=seen.append)
    assert [p.stage for p in seen][:2] == ["counts", "fewest moves"]
    assert seen[0].spread is None
    assert seen[-1].spread == plan.lag.spread
    assert seen[-1].bound == plan.spread_lower_bound
    assert all(p.limit == 20.0 for p in seen)
    assert [p.elapsed for p in seen] == sorted(p.elapsed for p in seen)


def test_choices_run_from_the_fewest_moves_to_the_most_even() -> None:
    plan = equilag.solve(SMALL, time_limit=20.0)
    front = Assignments.all(SMALL).balanced("total").front()
    assert (plan.choices[0].moves, plan.choices[0].spread) == front[0]
    assert (plan.choices[-1].moves, plan.choices[-1].spread) == front[-1]
    assert plan.choices[0].label == "fewest moves"
    assert plan.choices[-1].label == "most even"
