"""What a limit on moves alone says about the spread: never more than the truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.constraints import constraint_for
from support.groups import ODD, group_of, odd_cases, small_groups
from support.oracles import Assignments
from support.reduced_groups import exact_loads, random_capacities, random_counts

from equilag.certificate.bounds import move_limited as move_limited
from equilag.certificate.bounds.move_limited import spread_bounds
from equilag.domain.group.group import Group
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import BALANCES


def below_the_truth(group: Group, balance: str) -> tuple[int, int]:
    """Checks each number of moves; how many bounds say something, and how many are the truth."""
    truth = Assignments.all(group).balanced(balance)
    constraint = constraint_for(group, Policy(balance=balance))
    telling = tight = 0
    for most in range(6):
        bounds = spread_bounds(group, constraint, most)
        assert len(bounds) == most + 1
        for moves, bound in enumerate(bounds):
            within = truth.where(truth.moves <= moves)
            if not len(within):
                continue
            best = int(within.spread.min())
            assert 0 <= bound <= best
            telling += bound > 0
            tight += bound == best > 0
    return telling, tight


@pytest.mark.parametrize("balance", BALANCES)
def test_never_beyond_the_truth(balance: str) -> None:
    counted = [
        below_the_truth(group, balance)
        for group in small_groups(seed=141, n=40, reads=0.8, owned=0.9, topics=2, size=4)
    ]
    telling, tight = (sum(column) for column in zip(*counted, strict=True))
    assert telling > 40
    assert tight > 5


def test_never_beyond_the_truth_by_capacity() -> None:
    rng, telling, tight = np.random.default_rng(8), 0, 0
    for number, plain in enumerate(
        small_groups(seed=142, n=40, reads=0.8, owned=0.9, topics=2, size=4)
    ):
        group = random_capacities(rng, plain)
        constraint, truth = random_counts(rng, group)
        loads, forced = exact_loads(group, truth), number % 3
        spread = loads.max(axis=1) - loads.min(axis=1) if loads.shape[1] else truth.spread
        group = replace(group, reduced=group.extended._replace(forced_moves=forced))
        for moves, bound in enumerate(spread_bounds(group, constraint, 6)):
            within = spread[truth.moves + forced <= moves]
            if len(within):
                assert 0 <= bound <= within.min()
                telling += bound > 0
                tight += bound == within.min() > 0
    assert telling > 40
    assert tight > 5


@pytest.mark.parametrize(("name", "balance"), odd_cases(BALANCES))
def test_odd_groups(name: str, balance: str) -> None:
    group = ODD[name]()
    bounds = spread_bounds(group, constraint_for(group, Policy(balance=balance)), 3)
    assert min(bounds) >= 0
    assert bounds == sorted(bounds, reverse=True)


def test_nothing_is_said_of_what_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    group = group_of([6], [[0], [0]], owners=[0, 0, 0, 1, 1, 1], lags=[50, 40, 30, 1, 1, 1])
    monkeypatch.setattr(move_limited, "MAX_WORK", 1)
    assert spread_bounds(group, constraint_for(group, Policy(balance="total")), 2) == [0, 0, 0]
