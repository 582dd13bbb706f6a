"""Budgets of time and counted work, alone, shared and in parts."""

from __future__ import annotations

import math
from threading import Event

import pytest

from equilag.domain.budget import (
    ELEMENT,
    LONG_STEP,
    NODE,
    OVERHEAD,
    Budget,
    OutOfBudget,
    limit_steps,
)


def test_time_runs_down_and_the_budget_remembers_that_it_cut() -> None:
    now = Budget(seconds=0.0)
    assert now.time_left == 0.0
    assert not now.cut
    assert now.expired()
    assert now.cut
    later = Budget(seconds=1000.0)
    assert not later.expired()
    assert not later.cut
    assert 0.0 < later.time_left <= 1000.0
    assert later.elapsed >= 0.0
    assert Budget(seconds=5.0, reserve=6.0).expired()
    assert Budget().time_left == math.inf


def test_a_step_that_does_not_fit_marks_the_budget_as_cut() -> None:
    budget = Budget(seconds=1000.0)
    assert budget.has_time(1.0)
    assert not budget.cut
    assert not budget.has_time(2000.0)
    assert budget.cut


def test_a_share_of_the_time_ends_earlier_and_tells_the_whole() -> None:
    whole = Budget(seconds=1000.0)
    assert whole.share(0.25).limit == pytest.approx(250.0, rel=1e-3)
    assert whole.share(None) is whole
    assert whole.share(0.0).expired()
    assert whole.cut
    counted = Budget.of_run(1000.0, 0.0, effort=1.0)
    assert counted.share(0.25) is counted


def steps_allowed(effort: float, upto: float) -> int:
    stop = Budget.of_run(math.inf, 0.0, effort).steps(0.01, upto)
    return sum(not stop() for _ in range(1000))


def test_steps_are_paid_from_the_work() -> None:
    assert steps_allowed(0.0, 0.5) == 0
    assert steps_allowed(1.0, 0.5) == pytest.approx(50, abs=1)
    assert Budget().steps(0.01)() is False
    assert Budget(seconds=0.0).steps(0.01)() is True
    assert Budget.of_run(0.0, 0.0, effort=1.0).steps(0.01)() is True


def test_a_search_spends_elements_until_none_are_left() -> None:
    budget = Budget(3 * OVERHEAD)
    budget.spend(0)
    budget.spend(OVERHEAD)
    assert budget.work == 0
    with pytest.raises(OutOfBudget):
        budget.spend(0)
    with pytest.raises(OutOfBudget):
        Budget(seconds=0.0).spend(1)


def test_nodes_cost_only_where_work_is_counted() -> None:
    free, counted = Budget(10 * NODE), Budget(10 * NODE, counted=True)
    free.enter()
    counted.enter()
    assert free.work == 10 * NODE
    assert counted.work == 9 * NODE - OVERHEAD


def test_no_node_is_entered_without_time() -> None:
    """A search that leaves out one node after the other takes no step that would notice."""
    with pytest.raises(OutOfBudget):
        Budget(seconds=0.0).enter()


def test_a_part_is_charged_to_the_whole_and_never_more_than_it_was_allowed() -> None:
    whole = Budget(100 * OVERHEAD)
    with whole.part(10 * OVERHEAD) as part:
        part.spend(0)
    assert whole.work == 99 * OVERHEAD
    with whole.part(10 * OVERHEAD) as part, pytest.raises(OutOfBudget):
        part.spend(50 * OVERHEAD)
    assert whole.work == 89 * OVERHEAD
    with whole.part(10**12, upto=0.2) as part:
        assert part.work == 9 * OVERHEAD
    with whole.part(10**12, upto=0.05) as part:
        assert part.work == 0


def test_a_portion_of_counted_work_is_charged_to_the_whole() -> None:
    budget = Budget.of_run(60.0, 0.0, 10.0)
    with budget.portion(0.2) as portion:
        assert portion.counted
        assert portion.seconds_of_work() == pytest.approx(2.0)
        portion.pay(1.5)
    assert budget.seconds_of_work() == pytest.approx(8.5)
    with Budget.of_run(60.0, 0.0, None).portion(0.2) as portion:
        assert portion.time_left == pytest.approx(12.0, rel=0.1)


def test_a_part_ends_with_its_share_of_the_time() -> None:
    whole = Budget(seconds=1000.0)
    with whole.part(10**9, share=0.0) as part, pytest.raises(OutOfBudget):
        part.spend(1)
    assert whole.cut


def test_work_is_told_in_seconds() -> None:
    budget = Budget.of_run(60.0, 0.0, effort=2.0)
    budget.pay(0.5)
    assert budget.seconds_of_work() == pytest.approx(1.5)
    assert budget.seconds_of_work(upto=0.5) == pytest.approx(0.5)
    assert budget.seconds_of_work(upto=0.1) == 0.0
    assert budget.work == pytest.approx(1.5 / ELEMENT)
    assert budget.effort == 2.0
    assert Budget().effort is None


def test_a_number_of_steps() -> None:
    over = limit_steps(2, lambda: False)
    assert [over(), over(), over()] == [False, False, True]
    assert limit_steps(2, lambda: True)()


def test_an_interruption_reaches_every_share_and_part() -> None:
    stop = Event()
    whole = Budget.of_run(math.inf, 0.0, None, stop)
    counted = Budget.of_run(1000.0, 0.0, 5.0, stop)
    share, stops = (
        whole.share(0.5),
        (whole.steps(0.1), counted.steps(0.1), whole.steps(1, share=0.5)),
    )
    with share.part(10**9) as part:
        part.spend(1)
        assert not any(over() for over in stops)
        stop.set()
        assert all(over() for over in stops)
        with pytest.raises(OutOfBudget):
            part.spend(1)
    assert whole.time_left == share.time_left == 0.0
    assert not whole.has_time(0.0)
    assert whole.interrupted
    assert whole.cut
    assert not Budget().interrupted


def test_a_long_step_that_does_not_fit_is_not_begun() -> None:
    budget = Budget(seconds=10.0)
    budget.spend(LONG_STEP)
    with pytest.raises(OutOfBudget):
        budget.spend(int(4.0 / ELEMENT))
    assert budget.cut
    Budget().spend(int(4.0 / ELEMENT))  # without a limit on time
