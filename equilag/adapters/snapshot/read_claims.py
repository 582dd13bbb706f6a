"""Who owns what: the claims in a snapshot's `owned`, and which of them stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Final

import numpy as np

from equilag.adapters.show import below
from equilag.adapters.snapshot.columns import Numbers
from equilag.adapters.snapshot.fields import (
    NATURAL,
    Object,
    Row,
    as_list,
    as_object,
    integer_column,
)
from equilag.adapters.snapshot.read_members import Entry
from equilag.adapters.snapshot.read_topics import Topics
from equilag.group import NOBODY, Flags, Index, Ints, Member, resolve_claims

_GONE: Final = -1
"""The number of a topic that does not exist."""
_NOTHING: Final[Object] = {}


@dataclass(frozen=True, slots=True)
class Claims:
    """Q claims of live members on existing partitions, each once, and what became of them."""

    member: Index
    partition: Ints
    owner: Index
    """[P]"""
    dropped: int
    """Claims on what is gone or by a member that does not subscribe; the same one counts once."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """R lists of partition numbers: what one member says it owns of one topic."""

    member: Index
    topic: Ints
    lists: list[Row]
    size: Ints


def read_claims(
    entries: list[Entry],
    members: Sequence[Member],
    topics: Topics,
    class_of: Index,
    class_topics: tuple[Index, ...],
) -> Claims:
    """All claims, by member and then as given. Raises InputError."""
    rows = _read_rows(entries, topics)
    number = integer_column(rows.lists, NATURAL, lambda row: _row_place(entries, row))
    partition = np.repeat(topics.start[rows.topic], rows.size) + number
    subscribed = np.repeat(_subscribed(rows, class_of, class_topics, len(topics.names)), rows.size)
    member = np.repeat(rows.member, rows.size)

    dropped = 0
    size = np.append(topics.size, 0)[rows.topic]  # 0 for a topic that is _GONE
    exists = number < np.repeat(size, rows.size)
    if not exists.all():
        row = np.repeat(np.arange(len(rows.size)), rows.size)
        gone = np.stack((row[~exists], number[~exists]))
        dropped = int(np.unique(gone, axis=1).shape[1])
        partition, subscribed, member = partition[exists], subscribed[exists], member[exists]
    contested = _any_twice(partition, topics.n_partitions)
    if contested:
        # The same partition twice from one member is one claim, where it was first named.
        key = member * np.int64(topics.n_partitions) + partition
        first = np.sort(np.unique(key, return_index=True)[1])
        partition, subscribed, member = partition[first], subscribed[first], member[first]
    dropped += int(np.count_nonzero(~subscribed))
    if contested:
        generation = np.array([m.generation for m in members], dtype=np.int64)[member]
        owner = resolve_claims(member, partition, generation, subscribed, topics.n_partitions)
    else:
        owner = np.full(topics.n_partitions, NOBODY, dtype=np.int32)
        stands = slice(None) if subscribed.all() else subscribed
        owner[partition[stands]] = member[stands]
    return Claims(member, partition, owner, dropped)


def _read_rows(entries: list[Entry], topics: Topics) -> _Rows:
    owned = [entry.fields.get("owned", _NOTHING) for entry in entries]
    if not set(map(type, owned)) <= {dict}:
        _refuse(entries)
    lists = list(chain.from_iterable(map(dict.values, owned)))
    names = list(chain.from_iterable(owned))
    if not (set(map(type, lists)) <= {list, Numbers} and set(map(type, names)) <= {str}):
        _refuse(entries)
    numbers = map(topics.number.get, names, repeat(_GONE))
    return _Rows(
        member=np.repeat(np.arange(len(entries), dtype=np.int32), list(map(len, owned))),
        topic=np.fromiter(numbers, dtype=np.int64, count=len(names)),
        lists=lists,
        size=np.fromiter(map(len, lists), dtype=np.int64, count=len(lists)),
    )


def _refuse(entries: list[Entry]) -> None:
    """Raise InputError for the first `owned` that does not have a list per topic."""
    for entry in entries:
        place = entry.place("owned")
        for topic, value in as_object(entry.fields.get("owned", {}), place).items():
            as_list(value, below(place, topic))


def _row_place(entries: list[Entry], row: int) -> str:
    for entry in entries:
        topics = list(entry.fields.get("owned", {}))
        if row < len(topics):
            return below(entry.place("owned"), topics[row])
        row -= len(topics)
    raise AssertionError("a row beyond the last one")


def _any_twice(partition: Ints, n_partitions: int) -> bool:
    """Is any partition claimed more than once (usually not, and much work can be left out)."""
    seen = np.zeros(n_partitions, dtype=np.bool_)
    seen[partition] = True
    return int(np.count_nonzero(seen)) < len(partition)


def _subscribed(
    rows: _Rows, class_of: Index, class_topics: tuple[Index, ...], n_topics: int
) -> Flags:
    """[R] does the member of the row read its topic."""
    # Not by a table of topics x classes: with many of both it would not fit in memory.
    readable = [
        number * n_topics + topics.astype(np.int64) for number, topics in enumerate(class_topics)
    ]
    known = np.concatenate([np.zeros(0, np.int64), *readable])
    wanted = class_of[rows.member].astype(np.int64) * n_topics + rows.topic
    place = np.searchsorted(known, wanted)
    found = np.append(known, -1)[place] == wanted
    return np.asarray(found & (rows.topic != _GONE), dtype=np.bool_)
