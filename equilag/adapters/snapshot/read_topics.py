"""The topics of a snapshot, and the shape of every field that has something for each partition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from equilag.adapters.show import below, guess, not_a, show
from equilag.adapters.snapshot.columns import Numbers
from equilag.adapters.snapshot.fields import (
    NATURAL,
    Object,
    Row,
    as_integer,
    as_list,
    as_object,
    check_texts,
    check_unicode,
)
from equilag.errors import InputError
from equilag.group import MAX_PARTITIONS, Flags, Ints


@dataclass(frozen=True, slots=True)
class Topics:
    """T topics by name: their sizes in partitions [T], and where each one starts [T + 1]."""

    names: tuple[str, ...]
    number: Mapping[str, int]
    size: Ints
    start: Ints

    @property
    def n_partitions(self) -> int:
        return int(self.start[-1])


def read_topics(value: object) -> Topics:
    """The field `topics`. Raises InputError, before memory is taken for the partitions."""
    sizes = as_object(value, "topics")
    for name, size in sizes.items():
        if type(size) is not int or not 0 <= size <= MAX_PARTITIONS:
            as_integer(size, NATURAL, below("topics", name))
        if not name.isascii():
            check_unicode(name, below("topics", name))
    total = sum(sizes.values())
    if total > MAX_PARTITIONS:
        raise InputError(f"{show(total)} partitions, more than {MAX_PARTITIONS}", "topics")
    names = tuple(sorted(sizes))
    size = np.fromiter(map(sizes.__getitem__, names), dtype=np.int64, count=len(names))
    start = np.concatenate((np.zeros(1, np.int64), np.cumsum(size)))
    return Topics(names, {name: number for number, name in enumerate(names)}, size, start)


@dataclass(frozen=True)
class PerTopic:
    """A field with an entry for some of the topics, in the order of the topics' names."""

    field: str
    topics: Topics
    names: list[str]
    entries: list[Any]

    @cached_property
    def size(self) -> Ints:
        """[len(names)] partitions of each of these topics."""
        numbers = map(self.topics.number.__getitem__, self.names)
        return self.topics.size[np.fromiter(numbers, dtype=np.int64, count=len(self.names))]

    @cached_property
    def covered(self) -> Flags:
        """[P] does the partition belong to one of these topics."""
        chosen = np.zeros(len(self.topics.names), dtype=np.bool_)
        chosen[[self.topics.number[name] for name in self.names]] = True
        return np.repeat(chosen, self.topics.size)

    def place(self, row: int, array: str = "") -> str:
        """Where the entry of topic number `row` is, or one of the arrays in it."""
        place = below(self.field, self.names[row])
        return f"{place}.{array}" if array else place

    def spot(self, position: int, array: str = "", lengths: Ints | None = None) -> str:
        """The place of one entry, counted over all these topics: each has one per partition, or
        `lengths` of them."""
        lengths = self.size if lengths is None else lengths
        ends = np.cumsum(lengths)
        row = int(np.searchsorted(ends, position, side="right"))
        return f"{self.place(row, array)}[{position - int(ends[row] - lengths[row])}]"

    def arrays(self, values: Sequence[object], array: str = "") -> list[Row]:
        """`values`, one per topic, if each is a list with an entry per partition.

        Raises InputError.
        """
        rows: list[Row] = []
        for number, (value, size) in enumerate(zip(values, self.size.tolist(), strict=True)):
            if not isinstance(value, (list, Numbers)) or len(value) != size:
                place = self.place(number, array)
                row = as_list(value, place)
                raise InputError(f"{len(row)} entries for {size} partitions", place)
            rows.append(value)
        return rows


def per_topic(snapshot: Object, field: str, topics: Topics) -> PerTopic:
    """A field whose keys have to be topics; empty if absent. Raises InputError."""
    value = as_object(snapshot.get(field, {}), field)
    if not value.keys() <= topics.number.keys():
        name = next(name for name in value if name not in topics.number)
        problem = f"{show(name)} is not in topics{guess(name, topics.number)}"
        raise InputError(problem, below(field, name))
    names = sorted(value)
    return PerTopic(field, topics, names, [value[name] for name in names])


def check_racks(snapshot: Object, topics: Topics) -> None:
    """Check `racks`: per topic and partition, a list of strings. Raises InputError."""
    racks = per_topic(snapshot, "racks", topics)
    for number, row in enumerate(racks.arrays(racks.entries)):
        if not set(map(type, row)) <= {list}:
            index = next(i for i, value in enumerate(row) if type(value) is not list)
            raise InputError(not_a(row[index], "a list"), f"{racks.place(number)}[{index}]")
        if not set(map(type, chain.from_iterable(row))) <= {str}:
            for index, replicas in enumerate(row):
                check_texts(replicas, f"{racks.place(number)}[{index}]")
