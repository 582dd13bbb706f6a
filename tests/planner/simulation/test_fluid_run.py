from __future__ import annotations

import numpy as np
import pytest
from support.fluid_groups import random_runs

from equilag.domain.columns import Index
from equilag.planner.simulation.fluid_run import read_at, states_at, total_lags
from equilag.planner.simulation.fluid_state import Conditions, FluidState

TIMES = np.array([0.0, 0.5, 2.0, 3.5, 5.0, 9.0, 60.0])


def test_totals_do_not_depend_on_how_capacity_is_shared() -> None:
    for lag, schedule in random_runs(6, 200):
        state = FluidState.start(lag, schedule[0][1].rate)
        states = states_at(state, schedule, TIMES.tolist())
        assert total_lags(state, schedule, TIMES) == pytest.approx(
            [found.lag.sum() for found in states], abs=1e-6
        )


def test_all_is_read_from_the_time_on_that_is_named() -> None:
    finite = 0
    for lag, schedule in random_runs(8, 300):
        state = FluidState.start(lag, schedule[0][1].rate)
        time = read_at(state, schedule)
        if time == np.inf:
            assert total_lags(state, schedule, np.array([1e6]))[0] > 0
            continue
        finite += 1
        before, at, later = total_lags(state, schedule, np.array([time - 1e-3, time, time + 30]))
        assert at == pytest.approx(0, abs=1e-6)
        assert later == pytest.approx(0, abs=1e-6)
        assert before > 0 or time == 0
    assert finite > 30


def owned(numbers: list[int]) -> Index:
    return np.array(numbers, dtype=np.int32)


def test_a_backlog_in_the_middle_counts_until_it_is_read() -> None:
    working = Conditions(np.array([2.0]), np.array([6.0]), owned([0]))
    still = working._replace(capacity=np.array([0.0]))
    state = FluidState.start(np.array([0.0]), working.rate)
    assert read_at(state, [(0.0, working)]) == 0
    assert read_at(state, [(0.0, still), (2.0, working)]) == 3
    assert read_at(state, [(0.0, still), (2.0, working), (10.0, working)]) == 3
    assert read_at(state, [(0.0, working), (2.0, still)]) == np.inf
