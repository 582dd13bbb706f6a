"""The objective: keys in the order of the goals, limits on moves, and when a goal is proved."""

from __future__ import annotations

from typing import Any

import pytest

from equilag.domain.policy.objective import SPREAD, VALUE, Figures, Objective, Proved
from equilag.domain.policy.policy import Policy
from equilag.planner.solving.state import Aim

MEAN = 100.0


def objective(name: str = "lag-aware", **settings: Any) -> Objective:
    settings.setdefault("tolerance", 0.0)
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


def first(asked: Objective, *rows: Figures, fewest: int = 1) -> Figures:
    """The figures that come first in the objective's order."""
    caps = asked.caps(rows, MEAN, members=4)
    return min(rows, key=lambda figures: asked.key(figures, fewest, caps))


def test_ties_are_broken_by_excess_by_moves_and_then_by_unevenness() -> None:
    asked = objective()
    less, fewer, rough = Figures(2, 5, 3.0, 9.0), Figures(2, 4, 4.0, 1.0), Figures(2, 5, 3.0, 10.0)
    assert first(asked, fewer, rough, less) == less
    assert first(asked, fewer, Figures(2, 4, 4.0, 2.0)) == fewer


def test_the_claim_that_bounds_the_last_goal() -> None:
    assert Aim(None, objective().move_cost).claim == SPREAD
    assert Aim(None, objective(move_cost=1).move_cost).claim == VALUE
    assert Aim(None, objective("fair-yet-sticky", move_cost=1).move_cost).claim == SPREAD
    assert objective(move_cost=4).value(Figures(5, 3)) == 17
