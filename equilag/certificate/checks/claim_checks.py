"""Which check proves which claim again: one row per kind. docs/certificates.md defines each kind.

A check takes the ledger, the claim's value and its data, and raises Refuted if they do not prove
the value. A new kind of claim is a function and a row here.

The checks of claims about loads, which rest on counting, stand here too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import numpy as np

from equilag.certificate.bounds.counting import Counting
from equilag.certificate.bounds.heaviest import (
    excess_by_average,
    excess_by_heavy,
    folded,
    heavy,
    rest,
)
from equilag.certificate.bounds.member_patterns import MAX_CELLS, pattern_room, patterns_of
from equilag.certificate.bounds.priced import LoadWindow, Prices, priced_room
from equilag.certificate.bounds.shortage import LARGEST_PRICE, ShortPrices, short_by_prices
from equilag.certificate.checks.count_checks import (
    check_counts,
    check_moves_by_moves,
    check_moves_by_potentials,
    check_moves_by_search,
    check_moves_by_topics,
    check_price_by_potentials,
    check_reads_across,
    check_spread_by_moves,
    check_topic_squares,
)
from equilag.certificate.checks.search_checks import check_by_search, limit_in
from equilag.certificate.exhaustive.whole_group import whole_problem
from equilag.certificate.ledger import Ledger, Refuted, column_of, natural_in
from equilag.domain.group.group import Flags
from equilag.domain.group.loads import written
from equilag.domain.group.member_capacities import Load
from equilag.domain.plan.claim import bounds_moves

HIGHEST_PRICE: Final = 2**60
"""Prices of loads in a claim are no higher."""
HIGHEST_PATTERN: Final = 2**40
"""Prices of partitions are no higher."""
ClaimCheck = Callable[[Ledger, Any, Mapping[str, Any]], None]
"""Values are loads or whole numbers; the reader of a plan has seen to that."""


def _by_counting(
    words: str, bound: Callable[[Counting, Flags], Load], upper: bool = False
) -> ClaimCheck:
    """The check of a floor, or of a ceiling (`upper`), by a set of members."""

    def check(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> None:
        _compare(words, value, bound(ledger.counting, ledger.members_in(data)), upper)

    return check


def _by_heaviest(
    words: str, bound: Callable[[Counting, Flags, int], Load | None], upper: bool = False
) -> ClaimCheck:
    """The same by the heaviest partitions that only these members may take."""

    def check(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> None:
        members, heaviest = ledger.members_in(data), natural_in(data, "heaviest")
        _compare(words, value, bound(ledger.counting, members, heaviest), upper)

    return check


def _compare(words: str, value: Load, bound: Load | None, upper: bool) -> None:
    if bound is None:
        raise Refuted(f"{words} nothing")
    if value < bound if upper else value > bound:
        raise Refuted(f"{words} no {'less' if upper else 'more'} than {written(bound)}")


def _folded(counting: Counting, members: Flags) -> tuple[int, int]:
    found = folded(counting, members)
    if found is None:
        raise Refuted("not all of these members hold at most two partitions, none of them pinned")
    return found


def check_difference(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> None:
    """`spread_at_least` by `difference`: the proved bounds of both extremes."""
    apart = max(0, ledger.highest_proved - ledger.lowest_proved)
    if value > apart:
        raise Refuted(f"the proved loads are only {written(apart)} apart")


def check_sum(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> None:
    """`cost_at_least` by `sum`: the proved spread and the proved moves."""
    checked, objective = ledger.proofs.without_solver, ledger.objective
    bound = checked.spread
    if objective is not None:
        bound += objective.cost(int(checked.value(bounds_moves(objective.unit)) or 0))
    _compare("spread and moves prove", value, bound, upper=False)


def check_short_by_rates(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> None:
    """`short_at_least` by `rates`: what is produced beside what members can read."""
    if ledger.shortage is None or value > ledger.shortage.least:
        raise Refuted("rates and capacities prove less")


def check_short_by_prices(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> None:
    """`short_at_least` by `prices`: what they prove of the members that are named."""
    limit, move = limit_in(ledger, data), natural_in(data, "move")
    place = column_of(data.get("places"), ledger.ids, "data.places", LARGEST_PRICE)
    if move > LARGEST_PRICE:
        raise Refuted("data.move is too large")
    if move and (limit is None or ledger.group.extended.has_stakes):
        raise Refuted("nothing limits the number of moves that data.move prices")
    shortage, prices = ledger.shortage, ShortPrices(ledger.members_in(data), place, move)
    if shortage is None:
        raise Refuted("rates and capacities are not known")
    least = short_by_prices(ledger.constraint, shortage, prices, limit)
    _compare("the prices prove", value, shortage.records(least), upper=False)


def check_highest_by_prices(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> None:
    """`max_load_at_least` by `prices`: no plan has only loads below."""
    _check_prices(ledger, data, None, value)


def check_lowest_by_prices(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> None:
    """`min_load_at_most` by `prices`: no plan has only loads above."""
    _check_prices(ledger, data, value, None)


def check_spread_by_prices(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> None:
    """`spread_at_least` by `prices`: with a smaller spread, the proved loads leave a window."""
    above, below = ledger.highest_proved - value, ledger.lowest_proved + value
    _check_prices(ledger, data, above, below)


def _check_prices(
    ledger: Ledger, data: Mapping[str, Any], above: Load | None, below: Load | None
) -> None:
    counting = ledger.counting
    prices = Prices(*column_of(data.get("prices"), ledger.ids, "data.prices", HIGHEST_PRICE, 3))
    if min(prices.least.min(initial=0), prices.most.min(initial=0)) < 0:
        raise Refuted("data.prices has prices of loads below 0")
    if priced_room(counting, LoadWindow.of(counting, above, below), prices) >= 0:
        raise Refuted("the prices leave room for such loads")


def check_spread_by_patterns(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> None:
    """`spread_at_least` by `patterns`: the same by prices of partitions."""
    whole = whole_problem(ledger.group, ledger.constraint, cells=MAX_CELLS)
    price = data.get("prices")
    if whole is None or not isinstance(price, list) or len(price) != len(whole.items):
        raise Refuted("data.prices has no price for each of few free partitions")
    if not all(type(x) is int and abs(x) <= HIGHEST_PATTERN for x in price):
        raise Refuted("data.prices has other than whole numbers that may stand there")
    patterns = patterns_of(whole.problem)
    if patterns is None:
        raise Refuted("there are too many patterns, or capacities differ")
    above, below = ledger.highest_proved - value, ledger.lowest_proved + value
    inside = [sort.within(above, below) for sort in patterns]
    if pattern_room(inside, np.array(price, np.int64)) >= 0:
        raise Refuted("the prices leave room for such loads")


MEAN: Final = "the mean load of these members proves"
FOLDED: Final = "the folded list of these members proves"
HEAVIEST: Final = "the heaviest partitions prove"
LEFT: Final = "what the heaviest partitions leave proves"

CHECKS: Final[Mapping[tuple[str, str], ClaimCheck]] = {
    ("counts", "residual"): check_counts,
    ("fewest_topic_squares", "residual"): check_topic_squares,
    ("fewest_cross_rack", "residual"): check_reads_across,
    ("fewest_moves", "potentials"): check_moves_by_potentials,
    ("fewest_moves", "per-topic"): check_moves_by_topics,
    ("least_move_price", "potentials"): check_price_by_potentials,
    ("max_load_at_least", "average"): _by_counting(MEAN, lambda c, m: c.average(m)[0]),
    ("max_load_at_least", "heavy"): _by_heaviest(HEAVIEST, heavy),
    ("max_load_at_least", "folding"): _by_counting(FOLDED, lambda c, m: _folded(c, m)[0]),
    ("max_load_at_least", "prices"): check_highest_by_prices,
    ("min_load_at_most", "average"): _by_counting(MEAN, lambda c, m: c.average(m)[1], upper=True),
    ("min_load_at_most", "rest"): _by_heaviest(LEFT, rest, upper=True),
    ("min_load_at_most", "folding"): _by_counting(
        FOLDED, lambda c, m: _folded(c, m)[1], upper=True
    ),
    ("min_load_at_most", "prices"): check_lowest_by_prices,
    ("spread_at_least", "prices"): check_spread_by_prices,
    ("spread_at_least", "patterns"): check_spread_by_patterns,
    ("short_at_least", "rates"): check_short_by_rates,
    ("short_at_least", "prices"): check_short_by_prices,
    ("spread_at_least", "difference"): check_difference,
    ("spread_at_least", "search"): check_by_search,
    ("spread_at_least", "move-search"): check_by_search,
    ("spread_at_least", "moves"): check_spread_by_moves,
    ("moves_at_least", "moves"): check_moves_by_moves,
    ("moves_at_least", "search"): check_moves_by_search,
    ("moves_at_least", "move-search"): check_moves_by_search,
    ("excess_at_least", "average"): _by_counting(MEAN, excess_by_average),
    ("excess_at_least", "heavy"): _by_heaviest(HEAVIEST, excess_by_heavy),
    ("cost_at_least", "sum"): check_sum,
    ("cost_at_least", "search"): partial(check_by_search, of_cost=True),
    ("cost_at_least", "move-search"): partial(check_by_search, of_cost=True),
}
"""(claim, kind) -> its check. Older versions wrote `move-search` where moves are limited."""
SOLVER_KINDS: Final = {
    ("short_at_least", "cp-sat"), ("spread_at_least", "cp-sat"), ("cost_at_least", "cp-sat"),
}  # fmt: skip
"""(claim, kind) that only a solver can vouch for: reported, not proved again."""
