"""What a prompt shows of a group, what is known of its members, and when groups are the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np

from equilag.domain.columns import NOBODY, Floats, Index, Ints
from equilag.domain.figures import number, plural, printable, spread_over
from equilag.domain.group.member import Member


class GroupView:
    """The base of `Group`, with those of its fields that are needed here."""

    name: str
    members: tuple[Member, ...]
    topics: tuple[str, ...]
    lag: Ints
    owner: Index
    rates: Floats | None

    @property
    def knows_capacities(self) -> bool:
        """True if the capacity of any member is known."""
        return any(member.capacity is not None for member in self.members)

    @property
    def limits_room(self) -> bool:
        """True if a member has a most number of partitions."""
        return any(member.max_partitions is not None for member in self.members)

    @property
    def names_instances(self) -> bool:
        """True if a member is a thread of a named instance."""
        return any(member.instance is not None for member in self.members)

    def __eq__(self, other: object) -> bool:
        """True if both say the same of members, topics, partitions and offsets, whatever source
        they come from. O(P)."""
        if type(other) is not type(self):
            return NotImplemented
        compared = (one.name for one in fields(self) if one.compare)  # type: ignore[arg-type]
        return self is other or all(
            _same(getattr(self, name), getattr(other, name)) for name in compared
        )

    def __hash__(self) -> int:
        return hash((self.name, self.topics, len(self.members)))

    def __repr__(self) -> str:
        return "\n  ".join(self._summary())

    def _summary(self) -> Iterator[str]:
        members, partitions = len(self.members), plural(len(self.owner), "partition")
        sizes = f"{plural(members, 'member')}, {partitions} of {plural(len(self.topics), 'topic')}"
        yield f"Group {printable(self.name)}: {sizes}"
        owned = self.owner != NOBODY
        held = np.zeros(members, np.int64)
        np.add.at(held, self.owner[owned], self.lag[owned])
        each = (
            f", {spread_over(int(held.min()), int(held.max()))} per member" if owned.any() else ""
        )
        yield f"lag: {plural(int(self.lag.sum()), 'record')}{each}"
        yield f"owned: {number(int(owned.sum()))} of {partitions}"
        if self.rates is not None:
            known = self.rates[~np.isnan(self.rates)]
            of = f"known of {plural(len(known), 'partition')}"
            yield f"produced: {number(float(known.sum()))} records/s, {of}"
        capacities = [one.capacity for one in self.members if one.capacity is not None]
        if capacities:
            of = f"known of {plural(len(capacities), 'member')}"
            yield f"capacity: {number(float(sum(capacities)))} in all, {of}"


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        is_float = one.dtype.kind == "f" and other.dtype.kind == "f"
        return np.array_equal(one, other, equal_nan=is_float)
    if isinstance(one, tuple) and type(one) is type(other) and len(one) == len(other):
        return one is other or all(map(_same, one, other))
    return type(one) is type(other) and bool(one == other)
