"""Checks of claims about what a number of moves can reach."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equilag.certificate.bounds.move_limited import spread_bounds
from equilag.certificate.checks.search_checks import limit_in, no_plan_within, search_target
from equilag.certificate.exhaustive.few_moves.move_problem import whole_problem_of_few_moves
from equilag.certificate.ledger import Ledger, Refuted, natural_in
from equilag.domain.plan.claim import MOVES
from equilag.domain.policy.objective import SPREAD


def check_spread_by_moves(ledger: Ledger, value: int, data: Mapping[str, Any]) -> None:
    """`spread_at_least` by `moves`: what so many moves can take off and add to each member."""
    max_moves = limit_in(ledger, data)
    if max_moves is None:
        raise Refuted("data.max_moves is not a number of moves")
    bound = _counted(ledger, max_moves)
    if value > bound:
        raise Refuted(f"{max_moves} moves prove no more than {bound}")


def check_moves_by_moves(ledger: Ledger, value: int, data: Mapping[str, Any]) -> None:
    """`moves_at_least` by `moves`: fewer moves leave a larger spread."""
    spread = _spread_in(ledger, value, data)
    if value and _counted(ledger, value - 1) <= spread:
        raise Refuted(f"counting does not rule out {value - 1} moves")


def check_moves_by_search(ledger: Ledger, value: int, data: Mapping[str, Any]) -> None:
    """`moves_at_least` by `move-search`: no plan with fewer moves is as even."""
    spread = _spread_in(ledger, value, data)
    if not value:
        return
    high, low = ledger.highest_proved, ledger.lowest_proved
    target = search_target(spread + 1, value - 1, 0, high, low)
    whole = whole_problem_of_few_moves(ledger.group, ledger.constraint, value - 1)
    no_plan_within(ledger, target, True, whole)


def _spread_in(ledger: Ledger, value: int, data: Mapping[str, Any]) -> int:
    """The spread that the claim is about. Raises Refuted if the plan is a counterexample."""
    spread = natural_in(data, "spread")
    reached = ledger.plan_figures
    if reached and reached[SPREAD] <= spread and reached[MOVES] < value:
        raise Refuted("the plan itself has fewer moves and no larger spread")
    return spread


def _counted(ledger: Ledger, moves: int) -> int:
    """What the spread is at least with so many moves, by counting."""
    owned = int((ledger.group.owner >= 0).sum())
    return int(spread_bounds(ledger.group, ledger.constraint, min(moves, owned))[-1])
