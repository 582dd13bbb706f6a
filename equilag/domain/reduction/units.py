"""Units: the partitions of co-partitioned topics with one number, which go to one member."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from equilag.domain.columns import distinct
from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY, Flags, Group, Index, Ints


def with_units(group: Group) -> tuple[Group, Ints]:
    """The group whose partitions are units and whose topics are the lists, and the topics of no
    list; and [P] the unit of each partition. Its owners and claims are nobody's: stakes tell who
    holds what. O(P).

    Raises InputError for a list that nobody subscribes to as a whole, while somebody reads a part
    of it.
    """
    list_of, names = _lists(group)
    start, unit_of = _numbered(group, list_of, len(names))
    lag = np.zeros(int(start[-1]), dtype=np.int64)
    np.add.at(lag, unit_of, group.lag)
    class_of, class_topics = _subscriptions(group, list_of, names)
    empty = np.zeros(0, dtype=np.int64)
    merged = replace(
        group,
        topics=names,
        topic_start=start,
        class_of=class_of,
        class_topics=class_topics,
        lag=lag,
        quality=group.quality[np.unique(unit_of, return_index=True)[1]],
        claim_member=empty.astype(np.int32),
        claim_partition=empty,
        owner=np.full(len(lag), NOBODY, dtype=np.int32),
        rates=None,
        weights=None,
        move_weights=None,
        racks=None,
        allowed=None,
        co_partitioned=(),
    )
    return merged, unit_of


def unit_numbers(group: Group) -> Ints:
    """[P] the unit of each partition."""
    list_of, names = _lists(group)
    return _numbered(group, list_of, len(names))[1]


def _numbered(group: Group, list_of: Ints, n_lists: int) -> tuple[Ints, Ints]:
    """[lists + 1] where the units of each list begin, and [P] the unit of each partition."""
    first = np.full(n_lists, len(group.topics))
    np.minimum.at(first, list_of, np.arange(len(group.topics)))
    start = np.concatenate(([0], np.cumsum(group.topic_size[first])))
    index = np.arange(group.n_partitions) - group.topic_start[group.topic_of]
    return start, start[list_of[group.topic_of]] + index


def unit_lists(group: Group) -> Iterator[Ints]:
    """[topics, units] the partitions of each list of co-partitioned topics."""
    for topics in group.co_partitioned:
        numbers = np.arange(group.topic_size[topics[0]])
        yield group.topic_start[list(topics)][:, None] + numbers


def _lists(group: Group) -> tuple[Ints, tuple[str, ...]]:
    """[T] the list of each topic, numbered by the first topic of each, and their names."""
    leader = np.arange(len(group.topics))
    for topics in group.co_partitioned:
        leader[list(topics)] = min(topics)
    leaders = distinct(leader)
    rank = np.searchsorted(leaders, leader)
    parts: list[list[str]] = [[] for _ in leaders]
    for name, number in zip(group.topics, rank.tolist(), strict=True):
        parts[number].append(name)
    return rank, tuple("+".join(names) for names in parts)


def _subscriptions(
    group: Group, list_of: Ints, names: tuple[str, ...]
) -> tuple[Index, tuple[Index, ...]]:
    """`class_of` and `class_topics` with lists for topics: a member reads a list as a whole."""
    width = np.bincount(list_of, minlength=len(names))
    numbers: dict[tuple[int, ...], int] = {}
    number_of = []
    read_in_part = np.zeros(len(names), dtype=np.bool_)
    read_whole = np.zeros(len(names), dtype=np.bool_)
    for topics in group.class_topics:
        read = np.bincount(list_of[topics], minlength=len(names))
        read_in_part |= read > 0
        whole = (read == width) & (read > 0)
        read_whole |= whole
        number_of.append(numbers.setdefault(tuple(np.flatnonzero(whole).tolist()), len(numbers)))
    torn = np.flatnonzero(read_in_part & ~read_whole)
    if len(torn):
        raise InputError(_nobody_reads_all(group, list_of == torn[0]), "co_partitioned")
    class_of = np.array(number_of, dtype=np.int32)[group.class_of]
    return class_of, tuple(np.array(read, dtype=np.int32) for read in numbers)


def _nobody_reads_all(group: Group, listed: Flags) -> str:
    """The message that nobody subscribes to all topics of a list, with who reads most of them.

    `listed` [T] has its topics.
    """
    width = [int(listed[topics].sum()) for topics in group.class_topics]
    reader = int(np.argmax(np.array(width)[group.class_of]))
    topics = group.class_topics[group.class_of[reader]]
    read = " and ".join(group.topics[t] for t in topics.tolist() if listed[t])
    every = ", ".join(group.topics[t] for t in np.flatnonzero(listed).tolist())
    name = group.members[reader].id
    return f"no member subscribes to all of {every}; {name} subscribes to {read} only"
