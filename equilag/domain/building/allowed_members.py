"""Partitions that only some of their subscribers may read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from equilag.domain.building.topic_index import PartitionField, TopicIndex
from equilag.domain.columns import Index
from equilag.domain.errors import InputError
from equilag.domain.show import guess, show
from equilag.domain.values import below, check_texts, not_a

Allowed = Mapping[str, Mapping[str, Sequence[str]] | Mapping[int, Sequence[str]]]
"""Topic -> partition number, as a string or not -> ids."""

_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,17}", re.ASCII)
"""A number as it is written, in one way only, and within 64 bits."""


@dataclass(frozen=True)
class Subscribers:
    """Who reads what: ids [M], and `class_of` [M] and `class_topics` [K] as in Group."""

    ids: Sequence[str]
    class_of: Index
    class_topics: Sequence[Index]
    _known: dict[tuple[int, tuple[str, ...]], tuple[int, ...]] = field(default_factory=dict)

    @cached_property
    def _number(self) -> dict[str, int]:
        return dict(zip(self.ids, range(len(self.ids)), strict=True))

    @cached_property
    def _reads(self) -> list[frozenset[int]]:
        return [frozenset(topics.tolist()) for topics in self.class_topics]

    def named(self, topic: int, name: str, listed: object, place: str) -> tuple[int, ...]:
        """The members, ascending, of a list of ids; all of them subscribe to the topic.

        Raises InputError, also for an empty list.
        """
        if not isinstance(listed, (list, tuple)):
            raise InputError(not_a(listed, "a list"), place)
        check_texts(listed, place)
        if not listed:
            raise InputError("empty; nobody may read this partition", place)
        key = topic, tuple(listed)  # thousands of partitions share one list
        if key not in self._known:
            for index, one in enumerate(listed):
                member = self._number.get(one)
                if member is None:
                    problem = f"no member has the id {show(one)}{guess(one, self.ids)}"
                    raise InputError(problem, f"{place}[{index}]")
                if topic not in self._reads[self.class_of[member]]:
                    problem = f"{show(one)} does not subscribe to {show(name)}"
                    raise InputError(problem, f"{place}[{index}]")
            self._known[key] = tuple(sorted({self._number[one] for one in listed}))
        return self._known[key]


def allowed_members(
    given: Allowed, topics: TopicIndex, subscribers: Subscribers
) -> dict[int, tuple[int, ...]] | None:
    """Return the members, ascending, that may take each partition named; None if none is.

    Raises InputError for what does not exist, and for members that do not subscribe.
    """
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
            found[partition] = subscribers.named(topic, name, listed, spot)
    return found or None


def _partition(key: object, size: int, place: str) -> int:
    """The number of a partition, from a key of JSON or of Python. Raises InputError."""
    number = int(key) if isinstance(key, str) and _NUMBER.fullmatch(key) else key
    if type(number) is not int:
        raise InputError(f"{show(key)} is not the number of a partition", place)
    if not 0 <= number < size:
        raise InputError(f"there is no partition {show(number)}; the topic has {size}", place)
    return number
