"""The whole group as one model: what rounding in the model hides is compared exactly."""

from __future__ import annotations

import numpy as np
import pytest
from support.groups import group_of
from support.oracles import Assignments
from support.planner_runs import carry_out, start

from equilag.domain.policy.policy import Policy
from equilag.planner.stages import cpsat_stage
from equilag.planner.stages.cpsat_stage import FullModel
from equilag.solver.cpsat import model


def rounded_group(seed: int):
    """Seven lags that differ only by what the model rounds away, and three members."""
    rng = np.random.default_rng(seed)
    lags = 10**9 + rng.integers(0, 10**6, 7)
    return group_of([7], [[0]] * 3, lags=lags)


@pytest.mark.parametrize("seed", range(3))
def test_rounded_lags_still_give_the_best_plan(seed: int) -> None:
    group = rounded_group(seed)
    state, budget = start(group, Policy(tolerance=0))
    carry_out(state, budget, FullModel(searched=False))
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
    carry_out(state, budget, FullModel(searched=False))
    assert len(limits) == 1
    assert limits[0].deterministic <= cpsat_stage.LISTING * cpsat_stage.DETERMINISTIC * 60.0
    assert not state.proved
    assert state.incumbent.spread >= state.proofs.spread
