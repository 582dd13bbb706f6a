from __future__ import annotations

import numpy as np
from support.fluid_groups import random_runs

from equilag.planner.simulation.fluid_run import read_at, rebalanced, total_lags
from equilag.planner.simulation.fluid_state import Conditions, FluidState


def held_by(owner: list[int]) -> Conditions:
    return Conditions(np.array([1.0, 1, 1]), np.array([4.0, 4]), np.array(owner, dtype=np.int32))


BEFORE, AFTER = held_by([0, 0, 0]), held_by([0, 1, 0])


def test_eager_members_all_stand_still() -> None:
    (_, during), (end, after) = rebalanced(BEFORE, AFTER, 2.0, "eager")
    assert during.capacity.tolist() == [0, 0]
    assert (end, after) == (2.0, AFTER)


def test_cooperative_members_stop_only_what_changes_hands() -> None:
    (begin, during), (end, _) = rebalanced(BEFORE, AFTER, 2.0, "cooperative", at=5.0)
    assert (begin, end) == (5.0, 7.0)
    assert during.owner.tolist() == [0, -1, 0]
    assert during.capacity.tolist() == [4, 4]


def test_without_a_move_or_a_pause_nobody_stops() -> None:
    assert rebalanced(BEFORE, BEFORE, 2.0, "eager") == [(0.0, BEFORE)]
    assert rebalanced(BEFORE, AFTER, 0.0, "eager") == [(0.0, AFTER)]


def test_a_pause_costs_what_is_produced_in_it() -> None:
    state = FluidState.start(np.zeros(3), AFTER.rate)
    eager = rebalanced(BEFORE, AFTER, 2.0, "eager")
    cooperative = rebalanced(BEFORE, AFTER, 2.0, "cooperative")
    assert total_lags(state, eager, np.array([2.0]))[0] == 6
    assert total_lags(state, cooperative, np.array([2.0]))[0] == 2
    assert read_at(state, cooperative) < read_at(state, eager) == 4


def test_a_longer_pause_costs_more_and_a_cooperative_one_less() -> None:
    rng, times = np.random.default_rng(11), np.array([0.5, 2.0, 4.0, 9.0])
    for lag, ((_, before), *_) in random_runs(12, 200):
        owner = rng.integers(0, before.n_members, len(lag)).astype(np.int32)
        after, state = before._replace(owner=owner), FluidState.start(lag, before.rate)
        short, long, mild = (
            total_lags(state, rebalanced(before, after, pause, protocol), times)
            for pause, protocol in ((1.0, "eager"), (3.0, "eager"), (3.0, "cooperative"))
        )
        assert (short <= long + 1e-9).all()
        assert (mild <= long + 1e-9).all()
