"""Checks of claims about counts and moves; docs/certificates.md defines each kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from equilag.certificate.ledger import Ledger, Refuted
from equilag.certificate.potentials import Potentials, bound_by_potentials, bound_by_topics
from equilag.group import Ints

MAX_POTENTIAL: Final = 2**31
"""Potentials stay below it, so that their products with counts stay below 2^63."""


def check_counts(ledger: Ledger, value: int, data: Mapping[str, Any]) -> None:
    """`counts` by `residual`: the counts are even; `value` is the largest one allowed."""
    if not ledger.exact_counts:
        raise Refuted("the plan does not meet the count balance")
    largest = int(ledger.constraint.hi[~ledger.group.idle].max(initial=0))
    if value != largest:
        raise Refuted(f"the largest count that the balance allows is {largest}")


def check_moves_by_potentials(ledger: Ledger, value: int, data: Mapping[str, Any]) -> None:
    """`fewest_moves` by `potentials`: node potentials of the minimum-cost flow."""
    _check_moves_forced(ledger, value)
    group = ledger.original
    topics = _potentials(data, "topics", group.topics)
    members = _potentials(data, "members", [m.id for m in group.members])
    bound = bound_by_potentials(group, ledger.constraint, Potentials(topics, members))
    if bound is None:
        raise Refuted("the potentials are not a dual solution")
    if value > bound:
        raise Refuted(f"the potentials prove no more than {bound}")


def check_moves_by_topics(ledger: Ledger, value: int, data: Mapping[str, Any]) -> None:
    """`fewest_moves` by `per-topic`: a closed form, topic by topic."""
    _check_moves_forced(ledger, value)
    if ledger.constraint.topic_lo is None:
        raise Refuted("the count balance is not per topic")
    bound = bound_by_topics(ledger.original, ledger.constraint)
    if value > bound:
        raise Refuted(f"the topics force no more than {bound} moves")


def _check_moves_forced(ledger: Ledger, value: int) -> None:
    if value and (not ledger.exact_counts or ledger.constraint.pinned.any()):
        raise Refuted("no moves are forced without exact counts or with pinned partitions")


def _potentials(data: Mapping[str, Any], key: str, names: Sequence[str]) -> Ints:
    """One potential per name, 0 where the table has none."""
    table = data.get(key)
    if not isinstance(table, dict):
        raise Refuted(f"data.{key} is not an object with potentials")
    number = {name: i for i, name in enumerate(names)}
    potentials = np.zeros(len(names), dtype=np.int64)
    for name, potential in table.items():
        if name not in number or type(potential) is not int or abs(potential) > MAX_POTENTIAL:
            raise Refuted(f"data.{key}.{name} is not a potential")
        potentials[number[name]] = potential
    return potentials
