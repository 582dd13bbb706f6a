"""Topics by name and number, and fields that have something for partitions of a topic."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from equilag.domain.building.number_columns import Row, are_rows, number_column
from equilag.domain.columns import Flags, Index, Ints
from equilag.domain.errors import InputError
from equilag.domain.show import guess, kind, plural, show
from equilag.domain.values import (
    NATURAL,
    IntegerRange,
    RateRange,
    as_integer,
    as_text,
    below,
    check_texts,
    not_a,
)

MAX_PARTITIONS: Final = 10_000_000
"""Partitions of a group: more than any cluster has, and few enough that columns fit in memory."""


@dataclass(frozen=True, slots=True)
class TopicIndex:
    """T topics by ascending name: their sizes in partitions [T], where each one starts [T + 1]."""

    names: tuple[str, ...]
    number: Mapping[str, int]
    size: Ints
    start: Ints

    @staticmethod
    def of(sizes: Mapping[str, int]) -> TopicIndex:
        """Index topics given as name to number of partitions.

        Raises InputError at `topics`, before memory is taken for the partitions.
        """
        if not isinstance(sizes, Mapping):
            raise InputError(not_a(sizes, "an object"), "topics")
        if not set(map(type, sizes)) <= {str}:
            key = next(key for key in sizes if type(key) is not str)
            raise InputError(f"{kind(key)} as a key, not a string", "topics")
        for name, size in sizes.items():
            if type(size) is not int or not 0 <= size <= MAX_PARTITIONS:
                as_integer(size, NATURAL, below("topics", name))
            if not name.isascii():
                as_text(name, below("topics", name))
        total = sum(sizes.values())
        if total > MAX_PARTITIONS:
            raise InputError(f"{show(total)} partitions, more than {MAX_PARTITIONS}", "topics")
        names = tuple(sorted(sizes))
        start = np.zeros(len(names) + 1, dtype=np.int64)
        size_of = np.fromiter(map(sizes.__getitem__, names), dtype=np.int64, count=len(names))
        np.cumsum(size_of, out=start[1:])
        return TopicIndex(names, dict(zip(names, range(len(names)), strict=True)), size_of, start)

    @property
    def n_partitions(self) -> int:
        return int(self.start[-1])


@dataclass(frozen=True, slots=True)
class PartitionField:
    """A field with an entry for every partition: of some topics in rows, or of all in a column.

    `names` are the topics that have a row, ascending; None stands for one column [P].
    """

    field: str
    topics: TopicIndex
    names: list[str] | None
    numbers: Ints
    """[n] numbers of the topics."""
    covered: slice | Flags
    """What selects the partitions of these topics from a column [P]."""

    @staticmethod
    def of(field: str, topics: TopicIndex, value: object) -> PartitionField:
        """Take the topics from the keys of `value`, or one column if it is an array.

        Raises InputError at `field` for anything else, and for a topic that is not in `topics`.
        """
        if isinstance(value, np.ndarray):
            return PartitionField(field, topics, None, np.arange(len(topics.names)), slice(None))
        if not isinstance(value, Mapping):
            raise InputError(not_a(value, "an object"), field)
        if not value.keys() <= topics.number.keys():
            name = next(name for name in value if name not in topics.number)
            if not isinstance(name, str):
                raise InputError(f"{kind(name)} as a key, not a string", field)
            problem = f"{show(name)} is not in topics{guess(name, topics.number)}"
            raise InputError(problem, below(field, name))
        names = sorted(value)
        if len(names) == len(topics.names):
            return PartitionField(field, topics, names, np.arange(len(names)), slice(None))
        found = map(topics.number.__getitem__, names)
        numbers = np.fromiter(found, dtype=np.int64, count=len(names))
        chosen = np.zeros(len(topics.names), dtype=np.bool_)
        chosen[numbers] = True
        return PartitionField(field, topics, names, numbers, np.repeat(chosen, topics.size))

    def place(self, row: int, array: str = "") -> str:
        """Where row number `row` is, or one of the arrays in it."""
        place = self.field if self.names is None else below(self.field, self.names[row])
        return f"{place}.{array}" if array else place

    def spot(self, partition: int, array: str = "") -> str:
        """The place of a partition [P] of these topics."""
        if self.names is None:
            return f"{self.place(0, array)}[{partition}]"
        topic = int(np.searchsorted(self.topics.start, partition, side="right")) - 1
        row = int(np.searchsorted(self.numbers, topic))
        return f"{self.place(row, array)}[{partition - int(self.topics.start[topic])}]"

    def rows(self, value: Any, array: str = "") -> Sequence[Row]:
        """Return the rows of `value` in the order of `names`, each checked for its length.

        Raises InputError.
        """
        if self.names is None:
            rows, sizes = [value], [self.topics.n_partitions]
        else:
            rows = [value[name] for name in self.names]
            sizes = self.topics.size[self.numbers].tolist()
        right = are_rows(rows)
        for number, (row, size) in enumerate(zip(rows, sizes, strict=True)):
            if not right and not are_rows([row]):
                raise InputError(not_a(row, "a list"), self.place(number, array))
            if len(row) != size:
                problem = f"{len(row)} entries for {size} partitions"
                raise InputError(problem, self.place(number, array))
        return rows

    def column(self, value: Any, limits: IntegerRange | RateRange, array: str = "") -> Any:
        """Return the entries of `value` as one column; as `number_column`. Raises InputError."""
        rows = self.rows(value, array)
        return number_column(rows, limits, lambda row: self.place(row, array))


def co_partitioned_topics(
    lists: Sequence[Sequence[str]] | None,
    number: Mapping[str, int],
    size: Ints,
    field: str = "co_partitioned",
    numbered: bool = True,
) -> tuple[tuple[int, ...], ...]:
    """Return the lists by the numbers of their topics; one of a single topic says nothing.

    `number` has the number of each topic, `size` [T] its partitions. Raises InputError for a topic
    that does not exist, that stands in two lists, or whose size differs from others of its list;
    its place is `field`, and if `numbered` the list and the topic in it.
    """
    if lists is None:
        return ()
    if not isinstance(lists, (list, tuple)):
        raise InputError(not_a(lists, "a list"), field)
    stands: dict[str, int] = {}
    found = []
    for row, names in enumerate(lists):
        if not isinstance(names, (list, tuple)):
            raise InputError(not_a(names, "a list"), f"{field}[{row}]")
        check_texts(names, f"{field}[{row}]")
        for column, name in enumerate(names):
            place = f"{field}[{row}][{column}]" if numbered else field
            if name not in number:
                raise InputError(f"{show(name)} is not in topics{guess(name, number)}", place)
            if name in stands:
                where = "in this list already" if stands[name] == row else "in another list as well"
                raise InputError(f"{show(name)} is {where}", place)
            stands[name] = row
            own, first = int(size[number[name]]), int(size[number[names[0]]])
            if own != first:
                problem = f"{show(name)} has {plural(own, 'partition')}, {show(names[0])} {first:,}"
                raise InputError(problem, place)
        if len(names) > 1:
            found.append(tuple(number[name] for name in names))
    return tuple(found)


Allowed = Mapping[str, Mapping[str, Sequence[str]] | Mapping[int, Sequence[str]]]
"""Topic -> partition number, as a string or not -> ids."""

_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,17}", re.ASCII)
"""A number as it is written, in one way only, and within 64 bits."""


def allowed_members(
    given: Allowed,
    topics: TopicIndex,
    ids: Sequence[str],
    class_of: Index,
    class_topics: Sequence[Index],
) -> dict[int, tuple[int, ...]] | None:
    """Return the members, ascending, that may take each partition named; None if none is.

    `ids` [M], `class_of` [M] and `class_topics` [K] as in Group. Raises InputError for what does
    not exist, for members that do not subscribe, and for an empty list.
    """
    number_of = dict(zip(ids, range(len(ids)), strict=True))
    reads = [frozenset(read.tolist()) for read in class_topics]
    known: dict[tuple[int, tuple[str, ...]], tuple[int, ...]] = {}

    def named(topic: int, listed: object, place: str) -> tuple[int, ...]:
        if not isinstance(listed, (list, tuple)):
            raise InputError(not_a(listed, "a list"), place)
        check_texts(listed, place)
        if not listed:
            raise InputError("empty; nobody may read this partition", place)
        key = topic, tuple(listed)  # thousands of partitions share one list
        if key not in known:
            for index, one in enumerate(listed):
                member = number_of.get(one)
                problem = None
                if member is None:
                    problem = f"no member has the id {show(one)}{guess(one, ids)}"
                elif topic not in reads[class_of[member]]:
                    problem = f"{show(one)} does not subscribe to {show(topics.names[topic])}"
                if problem is not None:
                    raise InputError(problem, f"{place}[{index}]")
            known[key] = tuple(sorted({number_of[one] for one in listed}))
        return known[key]

    found: dict[int, tuple[int, ...]] = {}
    field = PartitionField.of("allowed", topics, given)
    for name, topic in zip(field.names or (), field.numbers.tolist(), strict=True):
        place, start = below("allowed", name), int(topics.start[topic])
        numbers = given[name]
        if not isinstance(numbers, Mapping):
            raise InputError(not_a(numbers, "an object"), place)
        for key, listed in numbers.items():
            partition = start + _partition(key, int(topics.size[topic]), place)
            spot = below(place, str(key))
            if partition in found:
                raise InputError("another entry has the same partition", spot)
            found[partition] = named(topic, listed, spot)
    return found or None


def _partition(key: object, size: int, place: str) -> int:
    """The number of a partition, from a key of JSON or of Python. Raises InputError."""
    number = int(key) if isinstance(key, str) and _NUMBER.fullmatch(key) else key
    if type(number) is not int:
        raise InputError(f"{show(key)} is not the number of a partition", place)
    if not 0 <= number < size:
        raise InputError(f"there is no partition {show(number)}; the topic has {size}", place)
    return number
