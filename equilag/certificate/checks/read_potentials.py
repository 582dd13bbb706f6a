"""The potentials of a ``fewest_moves`` claim, from names to columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from equilag.certificate.checks.potentials import Potentials
from equilag.certificate.ledger import Refuted
from equilag.domain.group.group import Group, Ints

MAX_POTENTIAL: Final = 2**31
"""Potentials stay below it, so that their products with counts stay below 2^63."""


def read_potentials(group: Group, data: Mapping[str, Any]) -> Potentials:
    """The columns of `data.topics` and `data.members`; what is not named is 0. Raises Refuted."""
    topics, members = (_table(data.get(key), f"data.{key}") for key in ("topics", "members"))
    by_member = _column(members, [m.id for m in group.members], "data.members")
    numbered = {name: part for name, part in topics.items() if isinstance(part, dict)}
    single = {name: y for name, y in topics.items() if name not in numbered}
    by_topic = _column(single, group.topics, "data.topics")
    if not numbered:
        return Potentials(by_topic, by_member)
    by_partition = by_topic[group.topic_of]
    number_of = {name: t for t, name in enumerate(group.topics)}
    for name, part in numbered.items():
        place = f"data.topics.{name}"
        if name not in number_of:
            raise Refuted(f"{place} is not a potential")
        begin, end = group.topic_start[number_of[name] :][:2].tolist()
        by_partition[begin:end] = _column(part, [str(n) for n in range(end - begin)], place)
    return Potentials(np.zeros_like(by_topic), by_member, by_partition)


def _table(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Refuted(f"{place} is not an object with potentials")
    return value


def _column(table: dict[str, Any], names: tuple[str, ...] | list[str], place: str) -> Ints:
    number = {name: i for i, name in enumerate(names)}
    column = np.zeros(len(names), dtype=np.int64)
    for name, potential in table.items():
        if name not in number or type(potential) is not int or abs(potential) > MAX_POTENTIAL:
            raise Refuted(f"{place}.{name} is not a potential")
        column[number[name]] = potential
    return column
