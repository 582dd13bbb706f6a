"""Who owns what: which of everybody's claims on partitions stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from operator import methodcaller
from typing import Final

import numpy as np

from equilag.domain.building.group_input import ClaimColumns
from equilag.domain.building.integer_columns import Row, are_rows, integer_column
from equilag.domain.building.member_fields import refuse_strangers
from equilag.domain.building.topic_index import TopicIndex
from equilag.domain.columns import NOBODY, Flags, Index, Ints
from equilag.domain.errors import InputError
from equilag.domain.show import kind
from equilag.domain.values import NATURAL, below, not_a

NO_TOPIC: Final = -1
"""The number of a topic that does not exist."""


@dataclass(frozen=True, slots=True)
class ClaimRows:
    """R runs of claims, each of one member on one topic, by ascending member.

    `topic` may be NO_TOPIC; `number` [sum of size] has the partition numbers of all runs, which
    may be beyond the topic's end.
    """

    member: Index
    topic: Ints
    size: Ints
    number: Ints
    names: Sequence[str] = ()
    """[R] the topics by name, where they were given so."""


@dataclass(frozen=True, slots=True)
class Ownership:
    """Q claims of live members on existing partitions, each once, and what became of them."""

    member: Index
    partition: Ints
    owner: Index
    """[P] the member whose claim stands, or NOBODY."""
    dropped: int
    """Claims on what is gone or by a member that does not subscribe; the same one counts once."""
    gone: Ints
    """[2, n] row and partition number of each claim on what does not exist, once."""
    foreign: Ints
    """Which of the Q claims are by members that do not subscribe."""
    voided: Ints
    """Partitions whose two newest claims void each other."""


def settle(
    rows: ClaimRows,
    topics: TopicIndex,
    generation: Ints,
    class_of: Index,
    class_topics: tuple[Index, ...],
) -> Ownership:
    """Return the claims by member, each where it was first made, and the owner of each partition.

    `generation` [M] is that of each member's claims; `class_of` and `class_topics` as in Group.
    """
    n_partitions = topics.n_partitions
    partition = np.repeat(topics.start[rows.topic], rows.size) + rows.number
    member = np.repeat(rows.member, rows.size)
    subscribed = np.repeat(_subscribed(rows, topics, class_of, class_topics), rows.size)
    gone = np.zeros((2, 0), dtype=np.int64)
    foreign = voided = np.zeros(0, dtype=np.int64)
    exists = rows.number < np.repeat(np.append(topics.size, 0)[rows.topic], rows.size)
    if not exists.all():
        row = np.repeat(np.arange(len(rows.size)), rows.size)
        gone = np.unique(np.stack((row[~exists], rows.number[~exists])), axis=1)
        partition, subscribed, member = partition[exists], subscribed[exists], member[exists]
    contested = _any_twice(partition, n_partitions)
    if contested:
        # The same partition twice from one member is one claim, where it was first named.
        key = member * np.int64(n_partitions) + partition
        first = np.sort(np.unique(key, return_index=True)[1])
        partition, subscribed, member = partition[first], subscribed[first], member[first]
    if not subscribed.all():
        foreign = np.flatnonzero(~subscribed)
    if contested:
        owner, voided = resolve_claims(
            member, partition, generation[member], subscribed, n_partitions
        )
    else:
        owner = np.full(n_partitions, NOBODY, dtype=np.int32)
        stands = subscribed if len(foreign) else slice(None)
        owner[partition[stands]] = member[stands]
    dropped = int(gone.shape[1]) + len(foreign)
    return Ownership(member, partition, owner, dropped, gone, foreign, voided)


def resolve_claims(
    claim_member: Index,
    claim_partition: Ints,
    generation: Ints,
    subscribed: Flags,
    n_partitions: int,
) -> tuple[Index, Ints]:
    """Return the owner of each partition [P] (KIP-54, with Kafka 4's rule), and the partitions,
    ascending, whose two newest claims are of one generation.

    `generation` and `subscribed` are per claim. The newest claim on a partition wins, whether or
    not its member still subscribes; two of the same, newest generation void each other; then a
    winner that does not subscribe loses it.
    """
    owner = np.full(n_partitions, NOBODY, dtype=np.int32)
    if not len(claim_member):
        return owner, claim_partition
    order = np.lexsort((generation, claim_partition))
    partition, newest = claim_partition[order], generation[order]
    last = np.append(partition[1:] != partition[:-1], True)
    tied = np.append(False, (partition[1:] == partition[:-1]) & (newest[1:] == newest[:-1]))
    winner = order[last & ~tied & subscribed[order]]
    owner[claim_partition[winner]] = claim_member[winner]
    return owner, partition[last & tied]


def _any_twice(partition: Ints, n_partitions: int) -> bool:
    """True if a partition is claimed more than once (usually none is, which saves much work)."""
    seen = np.zeros(n_partitions, dtype=np.bool_)
    seen[partition] = True
    return int(np.count_nonzero(seen)) < len(partition)


def _subscribed(
    rows: ClaimRows, topics: TopicIndex, class_of: Index, class_topics: Sequence[Index]
) -> Flags:
    """[R] does the member of the row read its topic."""
    if len(class_topics) == 1 and len(class_topics[0]) == np.count_nonzero(topics.size):
        return np.ones(len(rows.topic), dtype=np.bool_)  # everybody reads whatever exists
    # Not by a table of topics x classes: with many of both it would not fit in memory.
    n_topics = len(topics.names)
    readable = [
        number * n_topics + read.astype(np.int64) for number, read in enumerate(class_topics)
    ]
    known = np.concatenate([np.zeros(0, np.int64), *readable])
    wanted = class_of[rows.member].astype(np.int64) * n_topics + rows.topic
    found = np.append(known, -1)[np.searchsorted(known, wanted)] == wanted
    return np.asarray(found & (rows.topic != NO_TOPIC), dtype=np.bool_)


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
