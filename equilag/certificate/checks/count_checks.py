"""Checks of claims about counts and moves; docs/certificates.md defines each kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equilag.certificate.bounds.move_limited import spread_bounds
from equilag.certificate.checks.potentials import (
    MAX_POTENTIAL,
    MAX_PRICED,
    FlowPrices,
    Potentials,
    bound_by_potentials,
    bound_by_topics,
)
from equilag.certificate.checks.search_checks import limit_in, no_plan_within, within_spread
from equilag.certificate.ledger import Ledger, Refuted, column_of
from equilag.domain.group.group import Group
from equilag.domain.group.loads import load_from, written
from equilag.domain.group.member_capacities import Load
from equilag.domain.plan.claim import PRICE, SQUARES
from equilag.domain.plan.metrics import count_moves, counting_moves, most_moves
from equilag.domain.policy.objective import SPREAD


def read_potentials(group: Group, data: Mapping[str, Any]) -> Potentials:
    """The columns of `data.topics` and `data.members`; what is not named is 0. Raises Refuted."""
    most = MAX_POTENTIAL if group.extended.move_unit is None else MAX_PRICED
    ids, topics = [member.id for member in group.members], data.get("topics")
    by_member = column_of(data.get("members"), ids, "data.members", most)
    numbered: dict[str, Any] = {}
    if isinstance(topics, dict):
        numbered = {name: part for name, part in topics.items() if isinstance(part, dict)}
        topics = {name: 0 if name in numbered else y for name, y in topics.items()}
    by_partition = column_of(topics, group.topics, "data.topics", most)[group.topic_of]
    for name, part in numbered.items():
        begin, end = group.topic_start[group.topics.index(name) :][:2].tolist()
        numbers = [str(n) for n in range(end - begin)]
        by_partition[begin:end] = column_of(part, numbers, f"data.topics.{name}", most)
    return Potentials(by_partition, by_member)


def check_counts(ledger: Ledger, value: int, data: Mapping[str, Any]) -> int:
    """`counts` by `residual`: the counts are even; `value` is the largest one allowed."""
    if not ledger.exact_counts:
        raise Refuted("the plan does not meet the count balance")
    largest = ledger.constraint.largest_count
    if value != largest:
        raise Refuted(f"the largest count that the balance allows is {largest}")
    return largest


def check_topic_squares(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> Load:
    """`fewest_topic_squares` by `residual`: no plan with such totals has more even topics."""
    if not ledger.exact_counts or not ledger.constraint.totals_then_topics:
        raise Refuted("the plan does not meet the count balance of topics after totals")
    reached = ledger.plan_figures[SQUARES]
    if value != reached:
        raise Refuted(f"the squares of its counts add up to {written(reached)}")
    return reached


def check_reads_across(ledger: Ledger, value: int, data: Mapping[str, Any]) -> int | None:
    """`fewest_cross_rack` by `residual`: no other plan with such counts reads less across racks."""
    return ledger.constraint.most_across if ledger.exact_counts else None


def check_by_potentials(
    ledger: Ledger, value: int, data: Mapping[str, Any], of_price: bool = False
) -> int | None:
    """`fewest_moves`, or `least_move_price` (`of_price`), by `potentials`: node potentials of the
    minimum-cost flow."""
    group = ledger.original if of_price else counting_moves(ledger.original)
    if of_price and group.extended.move_unit is None:
        raise Refuted("moves have no weight")
    forced = _forced(ledger, group)
    if forced is not None:
        return forced
    potentials, across = read_potentials(group, data), 0
    if "prices" in data:
        limit = None if ledger.policy is None else ledger.policy.max_cross_rack
        if limit is None or not group.extended.has_racks:
            raise Refuted("reads across racks are not limited")
        across, potentials = limit, potentials._replace(prices=_read_prices(group, data["prices"]))
    bound = bound_by_potentials(group, ledger.constraint, potentials, across)
    if bound is None:
        raise Refuted("the potentials are not a dual solution")
    return bound


def _read_prices(group: Group, prices: object) -> FlowPrices:
    """The prices of a move and of a read across racks; products with them fit as potentials do."""
    if not isinstance(prices, list) or [type(one) for one in prices] != [int, int]:
        raise Refuted("data.prices is not two whole numbers")
    highest = FlowPrices.highest(group)
    if not (1 <= prices[0] <= highest.move and 0 <= prices[1] <= highest.read):
        raise Refuted("data.prices is out of range")
    return FlowPrices(*prices)


def check_moves_by_topics(ledger: Ledger, value: int, data: Mapping[str, Any]) -> int:
    """`fewest_moves` by `per-topic`: a closed form, topic by topic."""
    if not ledger.constraint.per_topic or ledger.constraint.totals_then_topics:
        raise Refuted("the count balance is not per topic")
    bound, forced = bound_by_topics(ledger.original, ledger.constraint), _forced(ledger)
    return bound if forced is None else min(bound, forced)


def _forced(ledger: Ledger, group: Group | None = None) -> int | None:
    """The moves that are proved whatever the data say: none without exact counts; where partitions
    are pinned, those that they force."""
    if not ledger.exact_counts:
        return 0
    if not ledger.constraint.has_pinned:
        return None
    return count_moves(group or ledger.original, ledger.constraint.pinned_assignment)


def check_spread_by_moves(ledger: Ledger, value: int, data: Mapping[str, Any]) -> Load:
    """`spread_at_least` by `moves`: what so many moves can take off and add to each member."""
    max_moves = limit_in(ledger, data)
    if max_moves is None:
        raise Refuted("data.max_moves is not a number of moves")
    return _counted(ledger, max_moves)


def check_moves_by_moves(ledger: Ledger, value: int, data: Mapping[str, Any]) -> int:
    """`moves_at_least` by `moves`: fewer moves leave a larger spread."""
    spread = _spread_in(ledger, value, data)
    if value and _counted(ledger, value - 1) <= spread:
        raise Refuted(f"counting does not rule out {value - 1} moves")
    return value


def check_moves_by_search(ledger: Ledger, value: int, data: Mapping[str, Any]) -> int:
    """`moves_at_least` by `search`: no plan with fewer moves is as even."""
    spread = _spread_in(ledger, value, data)
    if not value:
        return 0
    if ledger.group.extended.has_stakes:
        raise Refuted("no search counts moves where partitions have several owners or weights")
    extremes = ledger.proofs.highest, ledger.proofs.lowest
    no_plan_within(ledger, within_spread(spread, value - 1, *extremes))
    return value


def _spread_in(ledger: Ledger, value: int, data: Mapping[str, Any]) -> Load:
    """The spread that the claim is about. Raises Refuted if the plan is a counterexample."""
    spread = load_from(data.get("spread"))
    if spread is None:
        raise Refuted("data.spread is not a load")
    reached = ledger.plan_figures
    if reached and reached[SPREAD] <= spread and reached[PRICE] < value:
        raise Refuted("the plan itself has fewer moves and no larger spread")
    return spread


def _counted(ledger: Ledger, moves: int) -> Load:
    """What the spread is at least with so many moves, by counting."""
    most = min(moves, most_moves(ledger.group))
    return spread_bounds(ledger.group, ledger.constraint, most)[-1]
