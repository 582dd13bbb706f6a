"""Checks of claims by exhaustive search: the search runs again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from equilag.certificate.exhaustive.search import Search
from equilag.certificate.exhaustive.small_problem import SearchTarget
from equilag.certificate.exhaustive.whole_group import whole_problem
from equilag.certificate.ledger import Ledger, Refuted, natural_in
from equilag.domain.budget import Budget, OutOfBudget
from equilag.domain.group.member_capacities import Load

SEARCH_WORK: Final = 3_000_000_000
"""Array elements that one check may cost: ten times what the planner spends on a search, so that
every search that the planner finished can be repeated."""


def search_target(
    value: Load, max_moves: int | None, move_cost: int, highest: Load, lowest: Load
) -> SearchTarget:
    """What must not exist if every plan costs at least `value`; for planner and check alike.

    `highest` and `lowest` are proved: no plan has a smaller heaviest load, or a larger lightest
    one. A plan that costs less than `value` has a smaller spread too, so all its loads are within
    that spread of both.
    """
    return SearchTarget(value, highest - value, lowest + value, max_moves, move_cost, strict=True)


def within_spread(spread: Load, max_moves: int, highest: Load, lowest: Load) -> SearchTarget:
    """What must not exist if every plan with at most so many moves has a larger spread."""
    return SearchTarget(spread, highest - spread, lowest + spread, max_moves)


def limit_in(ledger: Ledger, data: Mapping[str, Any]) -> int | None:
    """The most moves of the plans that a claim covers, from ``data.max_moves``. Raises Refuted."""
    max_moves = None if data.get("max_moves") is None else natural_in(data, "max_moves")
    limit = ledger.move_limit
    if max_moves is not None and (limit is None or max_moves < limit):
        raise Refuted("it covers only plans with fewer moves than the policy allows")
    return max_moves


def no_plan_within(ledger: Ledger, target: SearchTarget) -> None:
    """Raises Refuted unless the search ends without finding a plan that meets the target.

    Where nothing may move, what is left besides may have too many members to be searched, while the
    planner searched the group that it searches for any number of moves: that one is next.
    """
    problem = "the group is too large to be searched"
    for limit in (target.max_moves,) if target.max_moves != 0 else (0, 1):
        whole = whole_problem(ledger.group, ledger.constraint, limit)
        if whole is None:
            continue
        try:
            found = Search(whole.problem, Budget(SEARCH_WORK)).find(target)
        except OutOfBudget:
            problem = "the search takes more work than a check may spend"
            continue
        if found is None:
            return
        raise Refuted("the search finds a plan below it")
    raise Refuted(problem)


def check_by_search(
    ledger: Ledger, value: Load, data: Mapping[str, Any], of_cost: bool = False
) -> Load:
    """`spread_at_least`, or `cost_at_least` (`of_cost`), by `search`."""
    max_moves, objective = limit_in(ledger, data), ledger.objective
    move_cost = objective.move_cost if of_cost and objective is not None else 0
    if value <= 0:
        return 0
    if move_cost and ledger.group.extended.move_unit is not None:
        raise Refuted("no search takes a cost of moves that have a weight")
    extremes = ledger.proofs.highest, ledger.proofs.lowest
    no_plan_within(ledger, search_target(value, max_moves, move_cost, *extremes))
    return value
