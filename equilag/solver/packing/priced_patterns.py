"""Patterns: what one member may hold within a capacity, the most valuable ones first.

A partition's length is its lag; partitions of the same length are one kind. What the most valuable
pattern within each capacity is worth follows from a table over all capacities (dynamic programming
for the knapsack problem).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from equilag.domain.columns import Flags, Ints


class _Step(NamedTuple):
    """One partition more that may be taken."""

    kind: int
    length: int
    taken: Flags
    """[capacities from `length` on] True where it is."""


@dataclass(frozen=True, eq=False)
class Priced:
    """The most valuable patterns within each capacity."""

    value: Ints
    """[capacity + 1] never falls."""
    _steps: list[_Step]
    _kinds: int

    @staticmethod
    def of(lengths: Ints, demand: Ints, price: Ints, capacity: int) -> Priced:
        """`lengths`, `demand`, `price` [K] of a partition of each kind, and how many there are;
        lengths are 1 or more. O(partitions × capacity)."""
        value, steps = np.zeros(capacity + 1, np.int64), list[_Step]()
        worth = np.flatnonzero((price > 0) & (demand > 0) & (lengths <= capacity))
        for kind in worth[np.argsort(-price[worth] / lengths[worth], kind="stable")].tolist():
            length = int(lengths[kind])
            for _ in range(min(int(demand[kind]), capacity // length)):
                having = value[:-length] + price[kind]
                steps.append(_Step(kind, length, having > value[length:]))
                value[length:] = np.maximum(having, value[length:])
        return Priced(value, steps, len(lengths))

    def pattern(self, capacity: int) -> Ints:
        """[K] how many of each kind the most valuable pattern within a capacity has."""
        found = np.zeros(self._kinds, np.int64)
        for kind, length, taken in reversed(self._steps):
            if capacity >= length and taken[capacity - length]:
                found[kind] += 1
                capacity -= length
        return found


def filled_up(pattern: Ints, lengths: Ints, demand: Ints, capacity: int) -> Ints:
    """[K] the pattern with whatever still fits, the longest first; `lengths` descending."""
    pattern, room = pattern.copy(), capacity - int(pattern @ lengths)
    for kind in np.flatnonzero((lengths <= room) & (pattern < demand)).tolist():
        more = min(room // int(lengths[kind]), int(demand[kind] - pattern[kind]))
        if more > 0:
            pattern[kind] += more
            room -= more * int(lengths[kind])
    return pattern
