"""Stages one at a time, at groups too wide for an exhaustive search: front, CP-SAT, transfers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from support.groups import group_of
from support.oracles import Assignments
from support.planner_runs import carry_out, start

from equilag import solve, verify
from equilag.domain.plan.metrics import count_moves, member_loads, spread
from equilag.domain.policy.policy import Policy
from equilag.planner.solving.stage import Stage
from equilag.planner.solving.state import Contribution, SolveState
from equilag.planner.stages import cpsat_stages, front_stages
from equilag.planner.stages.cpsat_stages import full_model, modelled_front
from equilag.planner.stages.descent_stages import towards_owners
from equilag.planner.stages.exhaustive_stages import whole
from equilag.planner.stages.front_stages import front_rounds
from equilag.planner.stages.levelling_stages import paired_exchange
from equilag.solver.cpsat import model

MODEL, POINTS = Stage("cp-sat", full_model), Stage("points", modelled_front)
ROUNDS, BACK = Stage("rounds", front_rounds), Stage("back", towards_owners)
WIDE = group_of(
    [12, 9, 9],
    [[0, 1, 2], [0, 1], [0, 2], [1, 2], [0, 1, 2]] * 2,
    owners=[5 * n % 10 if 5 * n % 10 in (0, 5) and n < 21 else -1 for n in range(30)],
    lags=[n * n * 37 % 1009 for n in range(30)],
)


def check_front(state: SolveState) -> dict[int, int]:
    """Moves -> spread of each point, which its assignment has and no bound is above."""
    points = {}
    for point in state.front.points():
        assigned = point.assigned
        assert state.problem.constraint.admits(assigned)
        loads = member_loads(assigned, state.problem.group.lag, state.problem.group.n_members)
        assert spread(loads, state.problem.group.idle) == point.spread
        assert count_moves(state.problem.group, assigned) == point.moves
        assert state.bound_within(point.moves) <= point.spread
        points[point.moves] = point.spread
    return points


def test_a_model_of_every_point_makes_the_front_better(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpsat_stages, "DETERMINISTIC", 0.02)  # enough for a better plan
    state, budget = start(WIDE)
    assert whole(state, None) is None
    before = check_front(state)
    carry_out(state, budget, POINTS)
    after = check_front(state)
    for moves, reached in before.items():
        assert state.front.least_spread(moves) <= reached
        assert state.proofs.spread_within(moves) > 0
    assert min(after.values()) < min(before.values())


def test_rounds_that_change_nothing_end_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def round_of_nothing(*given: Any) -> Iterator[Contribution]:
        seen.append(given[-1])
        return iter(())

    monkeypatch.setattr(front_stages, "PATIENCE", 3)
    monkeypatch.setattr(front_stages, "_round", round_of_nothing)
    state, budget = start(WIDE)
    carry_out(state, budget, ROUNDS)
    assert seen == [0, 1, 2]


def test_the_way_back_to_the_owners_gives_points_in_between() -> None:
    state, budget = start(WIDE)
    carry_out(state, budget, Stage("pairs", paired_exchange))
    before = check_front(state)
    carry_out(state, budget, BACK)
    after = check_front(state)
    assert sum(after.values()) / len(after) < sum(before.values()) / len(before)


def test_a_large_group_is_even_within_the_tolerance_with_few_moves() -> None:
    owners = np.arange(3_000) % 299  # the last member joins
    group = group_of([3_000], [[0]] * 300, owners, lags(3_000, 10_000))
    plan = solve(group, effort=0.2, time_limit=60)
    assert plan.status == "optimal"
    assert len(plan.moves) < 900


def rounded_group(seed: int):
    """Seven lags that differ only by what the model rounds away, and three members."""
    rng = np.random.default_rng(seed)
    lags = 10**9 + rng.integers(0, 10**6, 7)
    return group_of([7], [[0]] * 3, lags=lags)


@pytest.mark.parametrize("seed", range(3))
def test_rounded_lags_still_give_the_best_plan(seed: int) -> None:
    group = rounded_group(seed)
    state, budget = start(group, Policy(tolerance=0))
    carry_out(state, budget, MODEL)
    truth = int(Assignments.all(group).balanced("total").spread.min())
    assert state.incumbent.spread == truth
    assert state.proofs.spread <= truth


def test_solutions_that_cannot_be_listed_in_time_prove_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limits = []

    def unfinished(problem: object, limit: model.Limits, *rest: object) -> None:
        limits.append(limit)

    monkeypatch.setattr(model, "all_below", unfinished)
    state, budget = start(rounded_group(0), Policy(tolerance=0))
    carry_out(state, budget, MODEL)
    assert len(limits) == 1
    assert limits[0].deterministic <= cpsat_stages.DETERMINISTIC * 60.0
    assert not state.proved
    assert state.incumbent.spread >= state.proofs.spread


def lags(n: int, top: int, seed: int = 1) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.random.default_rng(seed).integers(1, top + 1, n)


@pytest.mark.parametrize(("n_partitions", "n_members", "top"), [(100, 10, 10**6), (60, 5, 10**6)])
def test_a_perfect_plan_is_proved(n_partitions: int, n_members: int, top: int) -> None:
    values = lags(n_partitions, top)
    group = group_of([n_partitions], [[0]] * n_members, lags=values)
    plan = solve(group, tolerance=0, effort=2.0, time_limit=60.0)
    assert plan.lag.spread == int(int(values.sum()) % n_members > 0)
    assert plan.status == "optimal"
    assert not verify(group, plan)
    again = solve(group, tolerance=0, effort=2.0, time_limit=60.0)
    assert again.assignment == plan.assignment


def test_classes_of_alike_members_are_even_by_themselves() -> None:
    values = np.concatenate((lags(60, 10**4), lags(60, 10**6, seed=2)))
    group = group_of([60, 60], [[0]] * 5 + [[1]] * 5, lags=values)
    plan = solve(group, tolerance=0, effort=2.0, time_limit=60.0)
    loads = list(plan.lag.by_member.values())
    assert max(loads[:5]) - min(loads[:5]) <= 1
    assert max(loads[5:]) - min(loads[5:]) <= 1
