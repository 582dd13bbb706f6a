"""The state of a solve: plans against bounds, and claims against each other.

A plan that is better than a bound: one of the two is wrong, and the run says so.
"""

from __future__ import annotations

import numpy as np
import pytest
from support.groups import group_of
from support.planner_runs import start

import equilag
from equilag.claim import Claim
from equilag.errors import ContradictedBound
from equilag.objective import Figures
from equilag.plan import Plan
from equilag.planner.front import Candidate, ParetoFront, candidate_of, knee
from equilag.planner.proofs import Proofs
from equilag.planner.state import FrontPoint, MoveBound, Note, Proposal, Searched, SolveState

GROUP = group_of([4, 3], [[0, 1], [0], [0, 1]], [0, 0, 0, 0, 2, 2, -1], [9, 8, 7, 1, 30, 2, 2])


def solver_claim(value: int) -> Claim:
    return Claim("spread_at_least", value, "cp-sat", {}, "solver")


def state_below_the_optimum() -> tuple[SolveState, Plan]:
    """A run up to the fewest moves, and the optimum that is better than its incumbent."""
    best = equilag.solve(GROUP, time_limit=20.0)
    state, _ = start(GROUP)
    assert state.incumbent.spread > best.lag.spread
    return state, best


def test_a_solvers_wrong_bound_is_dropped_and_noted() -> None:
    state, best = state_below_the_optimum()
    state.record(solver_claim(state.incumbent.spread))
    assert state.proved
    state.record(Proposal(best.assigned, "better"))
    assert state.incumbent.algorithm == "better"
    assert "spread_at_least" not in state.proofs
    assert not state.proved
    (note,) = state.notes
    assert "solver" in note
    assert str(best.lag.spread) in note


def test_a_wrong_bound_that_counts_as_checked_is_an_error() -> None:
    state, best = state_below_the_optimum()
    state.record(Claim("spread_at_least", state.incumbent.spread, "search"))
    with pytest.raises(ContradictedBound):
        state.record(Proposal(best.assigned, "better"))


def test_a_new_bound_is_held_against_the_incumbent() -> None:
    state, _ = state_below_the_optimum()
    state.record(solver_claim(state.incumbent.spread + 1))
    assert "spread_at_least" not in state.proofs
    assert len(state.notes) == 1


def test_after_a_wrong_bound_of_the_solver_the_checked_one_stands() -> None:
    state, _ = state_below_the_optimum()
    state.record(Claim("spread_at_least", 1, "search"))
    state.record(solver_claim(state.incumbent.spread + 1))
    assert state.proofs.claims["spread_at_least"].value == 1


def test_the_stronger_claim_is_kept_and_a_proof_rather_than_a_word() -> None:
    state, _ = state_below_the_optimum()
    for claim in (solver_claim(2), Claim("spread_at_least", 1, "search")):
        state.record(claim)
    assert state.proofs.claims["spread_at_least"].evidence == "solver"
    state.record(Claim("spread_at_least", 2, "search"))
    assert state.proofs.claims["spread_at_least"].evidence == "checked"
    state.record(Claim("min_load_at_most", 5, "average"))
    state.record(Claim("min_load_at_most", 6, "average"))
    assert state.proofs.value("min_load_at_most") == 5


def test_proofs_come_in_the_order_of_a_certificate() -> None:
    names = ("spread_at_least", "counts", "min_load_at_most")
    proofs = Proofs.of([Claim(name, 1, "average") for name in names])
    assert [claim.claim for claim in proofs.in_order()] == [
        "counts", "min_load_at_most", "spread_at_least",
    ]  # fmt: skip


def test_a_point_of_the_front_is_not_the_incumbent() -> None:
    state, best = state_below_the_optimum()
    before = state.incumbent
    state.record(FrontPoint(best.assigned, "front"))
    assert state.incumbent is before
    assert state.front.points()[-1].spread == best.lag.spread


def test_what_else_stages_contribute() -> None:
    state, _ = state_below_the_optimum()
    for contribution in (MoveBound(3, 7), Searched(5, True), Note("out of order")):
        state.record(contribution)
    assert state.move_bounds == {3: 7}
    assert state.searched == Searched(5, True)
    assert state.notes == ["out of order"]


def test_a_front_keeps_the_most_even_candidate_of_each_number_of_moves() -> None:
    group = group_of([4], [[0], [0]], owners=[0, 0, 1, 1], lags=[9, 8, 1, 2])
    front = ParetoFront()
    assignments = ([0, 0, 1, 1], [0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 1, 0], [1, 1, 0, 0])
    for assigned in assignments:
        front.record(candidate_of(group, np.array(assigned, np.int32), "x"))
    assert [(c.moves, c.spread) for c in front.points()] == [(0, 14), (2, 0)]
    nearest = front.fewest_moves_within(13)
    assert nearest is not None
    assert nearest.moves == 2
    assert front.fewest_moves_within(-1) is None
    assert (front.least_spread(1), front.least_spread(9)) == (14, 0)


def test_the_knee_is_furthest_from_the_line_between_the_ends() -> None:
    points = [
        Candidate(np.zeros(1, np.int32), "x", Figures(spread, moves))
        for moves, spread in ((0, 100), (1, 10), (5, 0))
    ]
    assert knee(points) is points[1]
