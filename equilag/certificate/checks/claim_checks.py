"""Which check proves which claim again: one row per kind. docs/certificates.md defines each kind.

A check takes the ledger, the claim's value and its data, and raises Refuted if they do not prove
the value. A new kind of claim is a function and a row here.

The checks of claims about loads, which rest on counting, stand here too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from equilag.certificate.bounds.folding import folded
from equilag.certificate.bounds.heaviest import excess_by_average, excess_by_heavy, heavy, rest
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
from equilag.certificate.checks.search_checks import (
    check_cost_by_move_search,
    check_cost_by_search,
    check_spread_by_move_search,
    check_spread_by_search,
)
from equilag.certificate.ledger import Ledger, Refuted, natural_in
from equilag.domain.group.loads import written
from equilag.domain.group.member_capacities import Load
from equilag.domain.plan.claim import bounds_moves


def check_highest_by_average(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> None:
    """`max_load_at_least` by `average`: partitions that only these members may take."""
    bound = ledger.counting.average(ledger.members_in(data))[0]
    if value > bound:
        raise Refuted(f"the mean load of these members proves no more than {written(bound)}")


def check_highest_by_heavy(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> None:
    """`max_load_at_least` by `heavy`: the heaviest partitions and what the counts force on top."""
    bound = heavy(ledger.counting, ledger.members_in(data), natural_in(data, "heaviest"))
    if value > bound:
        raise Refuted(f"the heaviest partitions prove no more than {written(bound)}")


def check_lowest_by_average(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> None:
    """`min_load_at_most` by `average`: all partitions that these members may take."""
    bound = ledger.counting.average(ledger.members_in(data))[1]
    if value < bound:
        raise Refuted(f"the mean load of these members proves no less than {written(bound)}")


def check_lowest_by_rest(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> None:
    """`min_load_at_most` by `rest`: what the heaviest partitions leave to the other members."""
    bound = rest(ledger.counting, ledger.members_in(data), natural_in(data, "heaviest"))
    if bound is None or value < bound:
        said = "nothing" if bound is None else f"no less than {written(bound)}"
        raise Refuted(f"what the heaviest partitions leave proves {said}")


def check_highest_by_folding(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> None:
    """`max_load_at_least` by `folding`: at most two partitions each, folded."""
    bound = _folded(ledger, data)[0]
    if value > bound:
        raise Refuted(f"the folded list of these members proves no more than {written(bound)}")


def check_lowest_by_folding(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> None:
    """`min_load_at_most` by `folding`: at most two partitions each, folded."""
    bound = _folded(ledger, data)[1]
    if value < bound:
        raise Refuted(f"the folded list of these members proves no less than {written(bound)}")


def _folded(ledger: Ledger, data: Mapping[str, Any]) -> tuple[int, int]:
    found = folded(ledger.counting, ledger.members_in(data))
    if found is None:
        raise Refuted("not all of these members hold at most two partitions, none of them pinned")
    return found


def check_excess_by_average(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> None:
    """`excess_at_least` by `average`: what these members carry above or below their share."""
    bound = excess_by_average(ledger.counting, ledger.members_in(data))
    if value > bound:
        raise Refuted(f"the mean load of these members proves no more than {written(bound)}")


def check_excess_by_heavy(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> None:
    """`excess_at_least` by `heavy`: the heaviest partitions and what the counts force on top."""
    members, heaviest = ledger.members_in(data), natural_in(data, "heaviest")
    bound = excess_by_heavy(ledger.counting, members, heaviest)
    if value > bound:
        raise Refuted(f"the heaviest partitions prove no more than {written(bound)}")


def check_difference(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> None:
    """`spread_at_least` by `difference`: the proved bounds of both extremes."""
    apart = max(0, ledger.highest_proved - ledger.lowest_proved)
    if value > apart:
        raise Refuted(f"the proved loads are only {written(apart)} apart")


def check_sum(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> None:
    """`cost_at_least` by `sum`: the proved spread and the proved moves."""
    bound = ledger.checked.get("spread_at_least", 0)
    objective = ledger.objective
    if objective is not None:
        bound += objective.cost(int(ledger.checked.get(bounds_moves(objective.unit), 0)))
    if value > bound:
        raise Refuted(f"spread and moves prove no more than {written(bound)}")


def check_short_by_rates(ledger: Ledger, value: Load, data: Mapping[str, Any]) -> None:
    """`short_at_least` by `rates`: what is produced beside what members can read."""
    if ledger.shortage is None or value > ledger.shortage.least:
        raise Refuted("rates and capacities prove less")


ClaimCheck = Callable[[Ledger, Any, Mapping[str, Any]], None]
"""Values are loads or whole numbers; the reader of a plan has seen to that."""

CHECKS: Final[Mapping[tuple[str, str], ClaimCheck]] = {
    ("counts", "residual"): check_counts,
    ("fewest_topic_squares", "residual"): check_topic_squares,
    ("fewest_cross_rack", "residual"): check_reads_across,
    ("fewest_moves", "potentials"): check_moves_by_potentials,
    ("fewest_moves", "per-topic"): check_moves_by_topics,
    ("least_move_price", "potentials"): check_price_by_potentials,
    ("max_load_at_least", "average"): check_highest_by_average,
    ("max_load_at_least", "heavy"): check_highest_by_heavy,
    ("max_load_at_least", "folding"): check_highest_by_folding,
    ("min_load_at_most", "average"): check_lowest_by_average,
    ("min_load_at_most", "rest"): check_lowest_by_rest,
    ("min_load_at_most", "folding"): check_lowest_by_folding,
    ("short_at_least", "rates"): check_short_by_rates,
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
SOLVER_KINDS: Final = {
    ("short_at_least", "cp-sat"), ("spread_at_least", "cp-sat"), ("cost_at_least", "cp-sat"),
}  # fmt: skip
"""(claim, kind) that only a solver can vouch for: reported, not proved again."""
