"""Which check proves which claim again: one row per kind. docs/certificates.md defines each kind.

A check takes the ledger, the claim's value and its data, and raises Refuted if they do not prove
the value. A new kind of claim is a function and a row here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from equilag.certificate.checks.count_checks import (
    check_counts,
    check_moves_by_moves,
    check_moves_by_potentials,
    check_moves_by_search,
    check_moves_by_topics,
    check_reads_across,
    check_spread_by_moves,
)
from equilag.certificate.checks.load_checks import (
    check_difference,
    check_excess_by_average,
    check_excess_by_heavy,
    check_highest_by_average,
    check_highest_by_folding,
    check_highest_by_heavy,
    check_highest_by_pairs,
    check_lowest_by_average,
    check_lowest_by_folding,
    check_lowest_by_pairs,
    check_lowest_by_rest,
    check_sum,
)
from equilag.certificate.checks.search_checks import (
    check_cost_by_move_search,
    check_cost_by_search,
    check_spread_by_move_search,
    check_spread_by_search,
)
from equilag.certificate.ledger import Ledger

ClaimCheck = Callable[[Ledger, int, Mapping[str, Any]], None]

CHECKS: Final[Mapping[tuple[str, str], ClaimCheck]] = {
    ("counts", "residual"): check_counts,
    ("fewest_cross_rack", "residual"): check_reads_across,
    ("fewest_moves", "potentials"): check_moves_by_potentials,
    ("fewest_moves", "per-topic"): check_moves_by_topics,
    ("max_load_at_least", "average"): check_highest_by_average,
    ("max_load_at_least", "heavy"): check_highest_by_heavy,
    ("max_load_at_least", "folding"): check_highest_by_folding,
    ("max_load_at_least", "pairs"): check_highest_by_pairs,
    ("min_load_at_most", "average"): check_lowest_by_average,
    ("min_load_at_most", "rest"): check_lowest_by_rest,
    ("min_load_at_most", "folding"): check_lowest_by_folding,
    ("min_load_at_most", "pairs"): check_lowest_by_pairs,
    ("spread_at_least", "difference"): check_difference,
    ("spread_at_least", "search"): check_spread_by_search,
    ("spread_at_least", "move-search"): check_spread_by_move_search,
    ("spread_at_least", "moves"): check_spread_by_moves,
    ("moves_at_least", "moves"): check_moves_by_moves,
    ("moves_at_least", "move-search"): check_moves_by_search,
    ("excess_at_least", "average"): check_excess_by_average,
    ("excess_at_least", "heavy"): check_excess_by_heavy,
    ("cost_at_least", "sum"): check_sum,
    ("cost_at_least", "search"): check_cost_by_search,
    ("cost_at_least", "move-search"): check_cost_by_move_search,
}
"""(claim, kind) -> its check."""
SOLVER_KINDS: Final = {("spread_at_least", "cp-sat"), ("cost_at_least", "cp-sat")}
"""(claim, kind) that only a solver can vouch for: reported, not proved again."""
