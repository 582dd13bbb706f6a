"""The state of a solve: plans against bounds, and claims against each other.

A plan that is better than a bound: one of the two is wrong, and the run says so.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from support.groups import group_of
from support.planner_runs import start

import equilag
from equilag.domain.errors import ContradictedBound
from equilag.domain.plan.claim import Claim
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.objective import Figures
from equilag.domain.policy.policy import Policy
from equilag.planner.solving import front as front_module
from equilag.planner.solving.front import Candidate, ParetoFront
from equilag.planner.solving.state import Proposal, SolveState

GROUP = group_of([4, 3], [[0, 1], [0], [0, 1]], [0, 0, 0, 0, 2, 2, -1], [9, 8, 7, 1, 30, 2, 2])


def solver_claim(value: int) -> Claim:
    return Claim("spread_at_least", value, "cp-sat", {}, "solver")


@cache
def optimum() -> Plan:
    return equilag.solve(GROUP, time_limit=20.0, tolerance=0)


def state_below_the_optimum() -> tuple[SolveState, Plan]:
    """A run up to the fewest moves, and the optimum that is better than its incumbent."""
    best = optimum()
    state, _ = start(GROUP, Policy(tolerance=0))
    assert state.incumbent.spread > best.lag.spread
    return state, best


def test_a_solvers_wrong_bound_is_dropped_and_noted() -> None:
    state, best = state_below_the_optimum()
    state.record(solver_claim(state.incumbent.spread))
    assert state.spread_proved
    state.record(Proposal(best.assigned, "better"))
    assert state.incumbent.algorithm == "better"
    assert "spread_at_least" not in state.proofs
    assert not state.spread_proved
    (note,) = state.notes
    assert "solver" in note
    assert str(best.lag.spread) in note


def test_a_wrong_bound_that_counts_as_checked_is_an_error() -> None:
    state, best = state_below_the_optimum()
    state.record(Claim("spread_at_least", state.incumbent.spread, "search"))
    with pytest.raises(ContradictedBound):
        state.record(Proposal(best.assigned, "better"))


def test_the_stronger_claim_is_kept_and_a_proof_rather_than_a_word() -> None:
    state, _ = state_below_the_optimum()
    for claim in (solver_claim(2), Claim("spread_at_least", 1, "search")):
        state.record(claim)
    assert state.proofs.claims["spread_at_least", None].evidence == "solver"
    state.record(Claim("spread_at_least", 2, "search"))
    assert state.proofs.claims["spread_at_least", None].evidence == "checked"
    state.record(Claim("min_load_at_most", 5, "average"))
    state.record(Claim("min_load_at_most", 6, "average"))
    assert state.proofs.value("min_load_at_most") == 5


def test_a_claim_about_few_moves_bounds_only_plans_with_as_few() -> None:
    state, best = state_below_the_optimum()
    few = len(best.moves) - 1
    beyond = best.lag.spread + 1
    state.record(Claim("spread_at_least", beyond, "search", {"max_moves": few}))
    assert state.proofs.spread_within(few) == state.proofs.spread_within(few - 1) == beyond
    assert state.proofs.spread_within(few + 1) == state.proofs.spread == 0
    state.record(Proposal(best.assigned, "better"))
    assert state.incumbent.algorithm == "better"


def candidate(moves: int, spread: int, excess: float, uneven: float = 0.0) -> Candidate:
    return Candidate(np.zeros(1, np.int32), "x", Figures(spread, moves, excess, uneven))


def test_a_front_keeps_what_nothing_beats_on_moves_spread_and_excess_at_once() -> None:
    front = ParetoFront()
    rows = [(0, 14, 9.0), (2, 5, 3.0), (2, 6, 3.0), (3, 5, 1.0), (1, 20, 9.0), (4, 0, 2.0)]
    kept = [front.record(candidate(*row)) for row in rows]
    assert kept == [True, True, False, True, False, True]
    assert [(c.moves, c.spread) for c in front.points()] == [(0, 14), (2, 5), (4, 0)]
    assert front.changes == 4
    nearest = front.fewest_moves_within(5)
    assert nearest.moves == 2
    assert front.fewest_moves_within(-1) is None
    assert (front.least_spread(1), front.least_spread(9)) == (14, 0)
    assert (front.most_even().spread, front.most_even(3).excess) == (0, 1.0)
    assert front.fewest_moves().spread == 14


def test_a_front_of_a_large_group_is_thinned_out_but_for_its_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(front_module, "MEMORY", 5)
    front = ParetoFront()
    for moves in range(64):
        front.record(candidate(moves, 64 - moves, float(64 - moves)))
    points = front.points()
    assert len(points) == 5
    assert (points[0].moves, points[-1].moves) == (0, 63)
