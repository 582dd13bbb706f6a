"""How long to wait between rebalances, and how many moves they may take."""

from __future__ import annotations

from equilag.live.rebalance.rebalance_limits import (
    MAX_DOUBLINGS,
    MOVES_PER_PARTITION,
    Cooldown,
    MoveBudget,
)


def test_nothing_is_waited_for_before_the_first_rebalance() -> None:
    cooldown = Cooldown(30.0)
    assert cooldown.left(5.0) == 0.0
    cooldown.start(5.0)
    assert cooldown.left(15.0) == 20.0
    assert cooldown.left(40.0) == 0.0


def test_it_doubles_while_nothing_is_gained_and_halves_while_something_is() -> None:
    cooldown = Cooldown(30.0)
    for expected in (60.0, 120.0, 240.0):
        cooldown.brought_nothing()
        assert cooldown.seconds == expected
    cooldown.helped()
    assert cooldown.seconds == 120.0
    for _ in range(9):
        cooldown.helped()
    assert cooldown.seconds == 30.0
    for _ in range(20):
        cooldown.brought_nothing()
    assert cooldown.seconds == 30.0 * 2**MAX_DOUBLINGS


def test_a_budget_starts_full_and_fills_up_within_an_hour() -> None:
    budget = MoveBudget(60)
    assert budget.left(24, 100.0) == 60
    budget.take(40, 24, 100.0)
    assert budget.left(24, 100.0) == 20
    assert budget.left(24, 700.0) == 30
    assert budget.left(24, 5000.0) == 60


def test_without_a_limit_it_follows_the_number_of_partitions() -> None:
    budget = MoveBudget(None)
    assert budget.left(24, 0.0) == 24 * MOVES_PER_PARTITION
    assert MoveBudget(0).left(24, 0.0) == 0
