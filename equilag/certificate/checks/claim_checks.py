"""Which check proves which claim again: one row per kind. docs/certificates.md defines each kind.

A check takes the ledger, the claim's value and its data. It returns the strongest value that they
prove, which is the claim's own where it tried that one alone; None for none. It raises Refuted for
data that it cannot read. A new kind of claim is a function and a row here.

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
    check_by_potentials,
    check_counts,
    check_moves_by_moves,
    check_moves_by_search,
    check_moves_by_topics,
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
ClaimCheck = Callable[[Ledger, Any, Mapping[str, Any]], Load | None]
"""Values are loads or whole numbers; the reader of a plan has seen to that."""
UPPER: Final = ("min_load_at_most",)
"""Claims that are stronger the smaller their value is."""


def check_claim(ledger: Ledger, key: tuple[str, str], value: Load, data: Mapping[str, Any]) -> None:
    """Check a claim of a known name and kind. Raises Refuted unless its data prove the value."""
    proved, upper = CHECKS[key](ledger, value, data), key[0] in UPPER
    if proved is None:
        raise Refuted("its data prove nothing")
    if value < proved if upper else value > proved:
        raise Refuted(f"its data prove no {'less' if upper else 'more'} than {written(proved)}")


def _by_counting(bounds: Callable[[Counting, Flags], Any], side: int | None = None) -> ClaimCheck:
    """The check of what a set of members proves: a bound, or the first or the second one of two."""

    def check(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> Load | None:
        found = bounds(ledger.counting, ledger.members_in(data))
        proved: Load | None = found if found is None or side is None else found[side]
        return proved

    return check


def _by_heaviest(bound: Callable[[Counting, Flags, int], Load | None]) -> ClaimCheck:
    """The same by the heaviest partitions that only these members may take."""

    def check(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> Load | None:
        return bound(ledger.counting, ledger.members_in(data), natural_in(data, "heaviest"))

    return check


def check_difference(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> Load:
    """`spread_at_least` by `difference`: the proved bounds of both extremes."""
    return max(0, ledger.proofs.highest - ledger.proofs.lowest)


def check_sum(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> Load:
    """`cost_at_least` by `sum`: the proved spread and the proved moves."""
    checked, objective = ledger.proofs.without_solver, ledger.objective
    bound = checked.spread
    if objective is not None:
        bound += objective.cost(int(checked.value(bounds_moves(objective.unit)) or 0))
    return bound


def check_short_by_rates(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> Load | None:
    """`short_at_least` by `rates`: what is produced beside what members can read."""
    return None if ledger.shortage is None else ledger.shortage.least


def check_short_by_prices(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> Load:
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
    return shortage.records(short_by_prices(ledger.constraint, shortage, prices, limit))


def _by_prices(
    window: Callable[[Ledger, Load], tuple[Load | None, Load | None]],
) -> ClaimCheck:
    """The check that no plan has all loads above and below two loads, which follow from the claim's
    value; None for no limit."""

    def check(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> Load | None:
        counting = ledger.counting
        prices = Prices(*column_of(data.get("prices"), ledger.ids, "data.prices", HIGHEST_PRICE, 3))
        if min(prices.least.min(initial=0), prices.most.min(initial=0)) < 0:
            raise Refuted("data.prices has prices of loads below 0")
        loads = LoadWindow.of(counting, *window(ledger, value))
        return value if priced_room(counting, loads, prices) < 0 else None

    return check


def check_spread_by_patterns(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> Load | None:
    """`spread_at_least` by `patterns`: prices of partitions show that no plan has all loads in the
    window that the proved loads leave a smaller spread."""
    whole = whole_problem(ledger.group, ledger.constraint, cells=MAX_CELLS)
    price = data.get("prices")
    if whole is None or not isinstance(price, list) or len(price) != len(whole.items):
        raise Refuted("data.prices has no price for each of few free partitions")
    if not all(type(x) is int and abs(x) <= HIGHEST_PATTERN for x in price):
        raise Refuted("data.prices has other than whole numbers that may stand there")
    patterns = patterns_of(whole.problem)
    if patterns is None:
        raise Refuted("there are too many patterns, or capacities differ")
    inside = [sort.within(*ledger.window(value)) for sort in patterns]
    return value if pattern_room(inside, np.array(price, np.int64)) < 0 else None


CHECKS: Final[Mapping[tuple[str, str], ClaimCheck]] = {
    ("counts", "residual"): check_counts,
    ("fewest_topic_squares", "residual"): check_topic_squares,
    ("fewest_cross_rack", "residual"): check_reads_across,
    ("fewest_moves", "potentials"): check_by_potentials,
    ("fewest_moves", "per-topic"): check_moves_by_topics,
    ("least_move_price", "potentials"): partial(check_by_potentials, of_price=True),
    ("max_load_at_least", "average"): _by_counting(Counting.average, 0),
    ("max_load_at_least", "heavy"): _by_heaviest(heavy),
    ("max_load_at_least", "folding"): _by_counting(folded, 0),
    ("max_load_at_least", "prices"): _by_prices(lambda _, value: (None, value)),
    ("min_load_at_most", "average"): _by_counting(Counting.average, 1),
    ("min_load_at_most", "rest"): _by_heaviest(rest),
    ("min_load_at_most", "folding"): _by_counting(folded, 1),
    ("min_load_at_most", "prices"): _by_prices(lambda _, value: (value, None)),
    ("spread_at_least", "prices"): _by_prices(Ledger.window),
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
    ("excess_at_least", "average"): _by_counting(excess_by_average),
    ("excess_at_least", "heavy"): _by_heaviest(excess_by_heavy),
    ("cost_at_least", "sum"): check_sum,
    ("cost_at_least", "search"): partial(check_by_search, of_cost=True),
    ("cost_at_least", "move-search"): partial(check_by_search, of_cost=True),
}
"""(claim, kind) -> its check. Older versions wrote `move-search` where moves are limited."""
SOLVER_KINDS: Final = {
    ("short_at_least", "cp-sat"), ("spread_at_least", "cp-sat"), ("cost_at_least", "cp-sat"),
}  # fmt: skip
"""(claim, kind) that only a solver can vouch for: reported, not proved again."""
