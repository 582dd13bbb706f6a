"""Checks of claims about counts and moves; docs/certificates.md defines each kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equilag.certificate.checks.potentials import bound_by_potentials, bound_by_topics
from equilag.certificate.checks.read_potentials import read_potentials
from equilag.certificate.ledger import Ledger, Refuted
from equilag.domain.plan.metrics import count_moves


def check_counts(ledger: Ledger, value: int, data: Mapping[str, Any]) -> None:
    """`counts` by `residual`: the counts are even; `value` is the largest one allowed."""
    if not ledger.exact_counts:
        raise Refuted("the plan does not meet the count balance")
    largest = ledger.constraint.largest_count
    if value != largest:
        raise Refuted(f"the largest count that the balance allows is {largest}")


def check_reads_across(ledger: Ledger, value: int, data: Mapping[str, Any]) -> None:
    """`fewest_cross_rack` by `residual`: no other plan with such counts reads less across racks."""
    fewest = ledger.constraint.most_across
    if not ledger.exact_counts or fewest is None:
        raise Refuted("the plan does not keep to the fewest reads across racks")
    if value > fewest:
        raise Refuted(f"plans read {fewest} partitions across racks at least")


def check_moves_by_potentials(ledger: Ledger, value: int, data: Mapping[str, Any]) -> None:
    """`fewest_moves` by `potentials`: node potentials of the minimum-cost flow."""
    _check_moves_forced(ledger, value)
    if ledger.constraint.has_pinned:
        return
    potentials = read_potentials(ledger.original, data)
    bound = bound_by_potentials(ledger.original, ledger.constraint, potentials)
    if bound is None:
        raise Refuted("the potentials are not a dual solution")
    if value > bound:
        raise Refuted(f"the potentials prove no more than {bound}")


def check_moves_by_topics(ledger: Ledger, value: int, data: Mapping[str, Any]) -> None:
    """`fewest_moves` by `per-topic`: a closed form, topic by topic."""
    _check_moves_forced(ledger, value)
    if not ledger.constraint.per_topic:
        raise Refuted("the count balance is not per topic")
    bound = bound_by_topics(ledger.original, ledger.constraint)
    if value > bound:
        raise Refuted(f"the topics force no more than {bound} moves")


def _check_moves_forced(ledger: Ledger, value: int) -> None:
    if value and not ledger.exact_counts:
        raise Refuted("no moves are forced without exact counts")
    if ledger.constraint.has_pinned:
        forced = count_moves(ledger.original, ledger.constraint.pinned_assignment)
        if value > forced:
            raise Refuted(f"pinned partitions force no more than {forced} moves")
