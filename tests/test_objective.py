"""The objective: keys in the order of the goals, limits on moves, and when a goal is proved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from equilag.errors import InputError
from equilag.objective import SPREAD, VALUE, Figures, Objective, Proved
from equilag.policy import Policy

MEAN = 100.0


def objective(name: str = "lag-aware", **settings: Any) -> Objective:
    return Objective(Policy(name, **settings))


@pytest.mark.parametrize(
    ("settings", "figures", "proved", "expected"),
    [
        ({}, Figures(5, 9), Proved(5, 2, 5), True),
        ({}, Figures(6, 9), Proved(5, 2, 5), False),
        ({"tolerance": 1.0}, Figures(6, 9), Proved(5, 2, 5), True),
        ({"tolerance": 0.9}, Figures(6, 9), Proved(5, 2, 5), False),
        ({"max_moves": 8}, Figures(5, 9), Proved(5, 2, 5), False),
        ({"max_moves": 9}, Figures(5, 9), Proved(5, 2, 5), True),
        ({"move_cost": 3}, Figures(5, 9), Proved(5, 2, 32), True),
        ({"move_cost": 3}, Figures(5, 9), Proved(5, 2, 31), False),
        ({"move_cost": 3, "fresh": True}, Figures(5, 0), Proved(5, 0, 5), True),
        ({"name": "fair-yet-sticky"}, Figures(5, 2), Proved(5, 2, 5), True),
        ({"name": "fair-yet-sticky"}, Figures(5, 3), Proved(5, 2, 5), False),
        ({"name": "fair-yet-sticky", "move_cost": 3}, Figures(5, 2), Proved(5, 2, 5), True),
        ({"name": "sticky-yet-fair"}, Figures(5, 1), Proved(5, 0, 5), False),
    ],
)
def test_is_proved(
    settings: dict[str, Any], figures: Figures, proved: Proved, expected: bool
) -> None:
    assert objective(**settings).is_proved(figures, proved, MEAN) == expected


def test_the_tolerance_counts_only_with_a_mean() -> None:
    tolerant = objective(tolerance=1.0)
    assert not tolerant.is_proved(Figures(6, 9), Proved(5, 2, 5))
    assert tolerant.allowance(MEAN) == 1


def test_move_limit() -> None:
    assert objective().move_limit(3) is None
    assert objective(max_moves=7).move_limit(3) == 7
    assert objective("fair-yet-sticky").move_limit(3) == 3
    assert objective("fair-yet-sticky", fresh=True).move_limit(3) is None


def test_the_key_follows_the_order_of_the_goals() -> None:
    few, even = Figures(9, 1), Figures(2, 5)
    assert objective().key(even, 1) < objective().key(few, 1)
    assert objective(move_cost=2).key(few, 1) < objective(move_cost=2).key(even, 1)
    assert objective("fair-yet-sticky").key(few, 1) < objective("fair-yet-sticky").key(even, 1)
    # A plan within the limit on moves comes before a more even one beyond it.
    assert objective(max_moves=3).key(few, 1) < objective(max_moves=3).key(even, 1)


def test_ties_are_broken_by_moves_and_then_by_unevenness() -> None:
    asked = objective()
    assert asked.key(Figures(2, 4, 9.0), 0) < asked.key(Figures(2, 5, 1.0), 0)
    assert asked.key(Figures(2, 4, 1.0), 0) < asked.key(Figures(2, 4, 2.0), 0)


def test_the_claim_that_bounds_the_last_goal() -> None:
    assert objective().bound_claim == SPREAD
    assert objective(move_cost=1).bound_claim == VALUE
    assert objective("fair-yet-sticky", move_cost=1).bound_claim == SPREAD
    assert objective(move_cost=4).value(Figures(5, 3)) == 17


def test_when_moves_matter() -> None:
    assert not objective().moves_matter(0)
    assert objective(max_moves=9).moves_matter(0)
    assert objective(move_cost=1).moves_matter(0)
    assert objective("fair-yet-sticky").moves_matter(0)
    assert not objective("fair-yet-sticky", fresh=True).moves_matter(0)


# A policy is checked however it is made.


def test_a_policy_made_directly_has_its_own_balance() -> None:
    assert Policy("kip-169") == Policy.of("kip-169")
    assert Policy("kip-169").balance == "per-topic"
    assert replace(Policy("kip-169"), balance="both").balance == "both"


@pytest.mark.parametrize(
    ("settings", "place"),
    [
        ({"name": "fair"}, "policy"),
        ({"balance": "even"}, "balance"),
        ({"move_cost": -1}, "move_cost"),
        ({"tolerance": True}, "tolerance"),
        ({"max_moves": 1.0}, "max_moves"),
        ({"fresh": 1}, "fresh"),
        ({"fresh": True, "max_moves": 0}, "max_moves"),
    ],
)
def test_a_policy_made_in_any_way_is_checked(settings: dict[str, Any], place: str) -> None:
    for make in (Policy, Policy.of, lambda **changed: replace(Policy(), **changed)):
        with pytest.raises(InputError) as caught:
            make(**settings)
        assert caught.value.place == place
