"""Capacities of members, as given, and the loads that they make comparable.

A load is what a member of the largest capacity carries when it is as busy: the weight, times the
largest capacity over the member's own. Where capacities are equal that is the weight, an integer;
elsewhere it is a fraction. A decimal capacity counts as it is written. Searches take floats;
figures, bounds and proofs take `Load`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np

from equilag.domain.columns import Floats, Index, Ints

Load: TypeAlias = int | Fraction

ONE: Final = Fraction(1)
EXACT: Final = 2**62
"""Whole numbers below it fit 63 bits, and so does the sum of two of them."""
NEAR: Final = 1e-12
"""Part by which floats of two loads may differ and still be in the wrong order: three roundings of
10^-16 each, with a margin."""


def decimal(value: float) -> Fraction:
    """The number as it is written: 0.1 is a tenth."""
    return Fraction(value if isinstance(value, int) else repr(float(value)))


@dataclass(frozen=True, eq=False)
class MemberCapacities:
    """The capacities of all members, as whole numbers in a common unit."""

    kind_of: Ints
    """[M] the capacity of each member, as a number in `whole`."""
    whole: tuple[int, ...]
    """[kinds] the capacities that there are, ascending, without a common divisor; one at least."""
    unit: Fraction
    """What a capacity of 1 stands for."""

    @staticmethod
    def of(values: Sequence[Fraction]) -> MemberCapacities:
        """Of capacities [M] as given."""
        objects = {id(value): value for value in values}  # few, and fractions hash slowly
        kinds = sorted(set(objects.values())) or [Fraction(1)]
        denominator = math.lcm(*(kind.denominator for kind in kinds))
        scaled = [int(kind * denominator) for kind in kinds]
        divisor = math.gcd(*scaled)
        number = {kind: i for i, kind in enumerate(kinds)}
        number_of = {key: number[value] for key, value in objects.items()}
        kind_of = np.array([number_of[id(value)] for value in values], dtype=np.int64)
        whole = tuple(value // divisor for value in scaled)
        return MemberCapacities(kind_of, whole, Fraction(divisor, denominator))

    @staticmethod
    def equal(members: int) -> MemberCapacities:
        """Of so many members without a capacity."""
        return MemberCapacities(np.zeros(members, np.int64), (1,), ONE)

    def among(self, members: Ints | Index) -> MemberCapacities:
        """Those of some members; loads stay as they are."""
        return MemberCapacities(self.kind_of[members], self.whole, self.unit)

    @property
    def are_equal(self) -> bool:
        """True if all members have the same capacity."""
        return len(self.whole) == 1

    @property
    def largest(self) -> Fraction:
        """The largest capacity, as given."""
        return self.whole[-1] * self.unit

    @cached_property
    def rate_of_kind(self) -> Floats:
        """[kinds] the load of a weight of 1, descending; 1 at the largest capacity."""
        return np.array([self.whole[-1] / whole for whole in self.whole])

    @property
    def values(self) -> Floats:
        """[M] the capacities as given."""
        return np.array([float(whole * self.unit) for whole in self.whole])[self.kind_of]

    @property
    def rate(self) -> Floats:
        """[M] the load of a weight of 1."""
        return self.rate_of_kind[self.kind_of]

    def load(self, weight: int, kind: int) -> Load:
        """The load of a weight at members of one kind."""
        if kind == len(self.whole) - 1:
            return weight
        return Fraction(weight * self.whole[-1], self.whole[kind])

    def weights_upto(self, load: Load) -> Ints:
        """[kinds] the most weight with which a load is no more than that.

        Integers of any size where 63 bits might not do for the sum over all members.
        """
        wholes, below = self._products(load)
        return wholes // below

    def weights_from(self, load: Load) -> Ints:
        """[kinds] the least weight with which a load is that or more; as `weights_upto`."""
        wholes, below = self._products(load)
        return -(-wholes // below)

    def _products(self, load: Load) -> tuple[Ints, int]:
        """[kinds] numerators of the weights for a load, and their denominator."""
        top, members = self.whole[-1], len(self.kind_of)
        below = load.denominator * top
        small = max(load.numerator * top, below) < EXACT and load * members < EXACT
        column = self._column if small else self._column.astype(object)
        return column * load.numerator, below

    @cached_property
    def _column(self) -> Ints:
        """[kinds] `whole`, integers of any size where 63 bits do not hold them."""
        return np.array(self.whole, dtype=np.int64 if self.whole[-1] < EXACT else object)

    def first(
        self, holds: Callable[[Load], bool], kinds: list[int], least: Load, last: Load
    ) -> Load:
        """The least load, of those that members of some kinds can have, for which something holds.

        It does from there on, and at `last`; it is not looked for below `least`. Kinds ascend.
        """
        widest = kinds[-1]
        low = int(self.weights_upto(least)[widest])
        weights = range(low, int(self.weights_from(last)[widest]) + 1)
        weight = weights[_first(lambda n: holds(self.load(weights[n], widest)), len(weights) - 1)]
        end = self.load(weight, widest)
        if len(kinds) == 1:
            return end
        # Each other kind has at most one load between that and the one before.
        here = self.weights_upto(end)
        new = here > self.weights_upto(self.load(weight - 1, widest))
        found = sorted({self.load(int(here[kind]), kind) for kind in kinds if new[kind]})
        return found[_first(lambda n: holds(found[n]), len(found) - 1)]

    def before(self, load: Load, kinds: list[int]) -> Load:
        """The largest load that members of some kinds can have below another one."""
        weights = self.weights_from(load) - 1
        return max(self.load(int(weights[kind]), kind) for kind in kinds)

    def order(self, weights: Ints, kinds: Ints) -> Ints:
        """[n] some loads in ascending order; weights and kinds [n]."""
        loads = weights * self.rate_of_kind[kinds]
        order = np.argsort(loads, kind="stable")
        loads = loads[order]
        close = (loads[1:] - loads[:-1] <= NEAR * loads[1:]) & (loads[1:] > 0)
        ends = np.flatnonzero(np.diff(close, prepend=False, append=False))
        for begin, end in zip(ends[::2].tolist(), (ends[1::2] + 1).tolist(), strict=True):
            run = order[begin:end].tolist()
            exact = {i: self.load(int(weights[i]), int(kinds[i])) for i in run}
            order[begin:end] = sorted(run, key=exact.__getitem__)
        return order

    def fair(self, weight: int, kinds: Ints) -> Fraction:
        """The load of members of some kinds [n] that share a weight evenly; the weight if there are
        none."""
        if not len(kinds):
            return Fraction(weight * self.whole[-1])
        return weight / self.in_largest(kinds)

    def in_largest(self, kinds: Ints) -> Fraction:
        """The capacity of members of some kinds [n] together, in largest capacities."""
        if self.are_equal:
            return Fraction(len(kinds))
        numbers = np.bincount(kinds, minlength=len(self.whole)).tolist()
        total = sum(n * whole for n, whole in zip(numbers, self.whole, strict=True))
        return Fraction(total, self.whole[-1])

    def heaviest(self, weights: Ints, kinds: Ints) -> int:
        """Where the greatest of some loads is, the first of equal ones; weights and kinds [n]."""
        return self._end(weights, kinds, 1)

    def lightest(self, weights: Ints, kinds: Ints) -> int:
        """Where the smallest of some loads is, the first of equal ones; weights and kinds [n]."""
        return self._end(weights, kinds, -1)

    def _end(self, weights: Ints, kinds: Ints, sign: int) -> int:
        if self.are_equal:
            return int((sign * weights).argmax())
        loads = sign * weights * self.rate_of_kind[kinds]
        near = np.flatnonzero(loads >= loads.max() - NEAR * abs(loads.max()))
        best, *others = near.tolist()
        weight, whole = int(weights[best]), self.whole[int(kinds[best])]
        for other in others:
            mine, own = int(weights[other]), self.whole[int(kinds[other])]
            if sign * mine * whole > sign * weight * own:
                best, weight, whole = other, mine, own
        return int(best)


def _first(holds: Callable[[int], bool], last: int) -> int:
    """The least number from 0 on for which something holds, as it does from there to `last`."""
    low, high = 0, last
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low
