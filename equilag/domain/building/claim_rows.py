"""The claims of members on partitions, as they are given, in rows that `ownership` settles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, repeat
from operator import methodcaller

import numpy as np

from equilag.domain.building.group_input import ClaimColumns
from equilag.domain.building.member_fields import refuse_strangers
from equilag.domain.building.ownership import NO_TOPIC, ClaimRows
from equilag.domain.building.topic_index import TopicIndex
from equilag.domain.building.values import NATURAL, Row, are_rows, integer_column
from equilag.domain.errors import InputError
from equilag.domain.show import below, kind, not_a


def claim_rows(
    ids: Sequence[str],
    order: Sequence[int],
    owned: Mapping[str, Mapping[str, Row]] | ClaimColumns,
    topics: TopicIndex,
) -> ClaimRows:
    """All claims by member, and then as given."""
    if isinstance(owned, ClaimColumns):
        return _claims_of_columns(owned, order, topics)
    if not owned:
        nowhere = np.zeros(0, dtype=np.int64)
        return ClaimRows(np.zeros(0, dtype=np.int32), nowhere, nowhere, nowhere)
    if not owned.keys() <= set(ids):
        refuse_strangers(owned, ids, "owned")
    nothing: Mapping[str, Row] = {}
    held = list(map(owned.get, ids, repeat(nothing)))
    if not all(issubclass(kind, Mapping) for kind in set(map(type, held))):
        _refuse_owned(held, order)
    lists = list(chain.from_iterable(map(methodcaller("values"), held)))
    names = list(chain.from_iterable(held))
    if not (are_rows(lists) and set(map(type, names)) <= {str}):
        _refuse_owned(held, order)

    def place_of(row: int) -> str:
        for position, one in zip(order, held, strict=True):
            if row < len(one):
                return below(f"members[{position}].owned", list(one)[row])
            row -= len(one)
        raise AssertionError("a row beyond the last one")

    numbers = map(topics.number.get, names, repeat(NO_TOPIC))
    return ClaimRows(
        member=np.repeat(np.arange(len(ids), dtype=np.int32), list(map(len, held))),
        topic=np.fromiter(numbers, dtype=np.int64, count=len(names)),
        size=np.fromiter(map(len, lists), dtype=np.int64, count=len(lists)),
        number=integer_column(lists, NATURAL, place_of),
        names=names,
    )


def _claims_of_columns(owned: ClaimColumns, order: Sequence[int], topics: TopicIndex) -> ClaimRows:
    """A row for each claim, in the order of members."""
    columns = []
    for name, values, end in (
        ("member", owned.member, len(order)),
        ("partition", owned.partition, topics.n_partitions),
    ):
        if not are_rows([values]):
            raise InputError(not_a(values, "a list"), f"owned.{name}")
        column = integer_column([values], NATURAL, [f"owned.{name}"].__getitem__)
        beyond = np.flatnonzero(column >= end)
        if len(beyond):
            problem = f"{column[beyond[0]]} is not below {end}"
            raise InputError(problem, f"owned.{name}[{beyond[0]}]")
        columns.append(column)
    position, partition = columns
    if len(position) != len(partition):
        problem = f"{len(partition)} entries for {len(position)} members"
        raise InputError(problem, "owned.partition")
    number_of = np.empty(len(order), dtype=np.int32)
    number_of[np.array(order, dtype=np.int64)] = np.arange(len(order))
    member = number_of[position]
    by_member = np.argsort(member, kind="stable")
    member, partition = member[by_member], partition[by_member]
    topic = np.searchsorted(topics.start, partition, side="right") - 1
    ones = np.ones(len(member), dtype=np.int64)
    return ClaimRows(member, topic, ones, partition - topics.start[topic])


def _refuse_owned(held: Sequence[object], order: Sequence[int]) -> None:
    """Raise InputError for the first entry that does not have a list per topic."""
    for position, one in sorted(zip(order, held, strict=True), key=lambda pair: pair[0]):
        place = f"members[{position}].owned"
        if not isinstance(one, Mapping):
            raise InputError(not_a(one, "an object"), place)
        for topic, numbers in one.items():
            if not isinstance(topic, str):
                raise InputError(f"{kind(topic)} as a key, not a string", place)
            if not are_rows([numbers]):
                raise InputError(not_a(numbers, "a list"), below(place, topic))
