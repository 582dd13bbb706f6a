"""Loads of all members, exactly, and as JSON, people and searches take them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from equilag.domain.columns import Index, Ints
from equilag.domain.group.member_capacities import NEAR, Load, MemberCapacities

LoadColumn: TypeAlias = npt.NDArray[Any]
"""Loads for a search: int64 where capacities are equal, else float64."""

FRACTION: Final = re.compile(r"([1-9][0-9]{0,999})/([1-9][0-9]{0,999})")
"""A load that is not whole, as JSON has it. Digits are limited, as numbers of any length cost time
that grows with their square."""


def written(load: Load) -> int | str:
    """The load as JSON has it: a whole number, or a fraction in lowest terms, such as "7/3"."""
    if not isinstance(load, Fraction):
        return load
    return load.numerator if load.denominator == 1 else f"{load.numerator}/{load.denominator}"


def json_number(load: Load) -> float:
    """The load as a number of JSON: an integer if it is one."""
    if not isinstance(load, Fraction):
        return load
    return load.numerator if load.denominator == 1 else float(load)


def load_from(value: object) -> Load | None:
    """The load that JSON has; None for what is not `written` like one, and below 0."""
    if isinstance(value, str) and (match := FRACTION.fullmatch(value)):
        load = Fraction(int(match[1]), int(match[2]))
        return load if written(load) == value else None
    return value if isinstance(value, int) and type(value) is int and value >= 0 else None


def roughly(load: Load) -> int | float:
    """The load as a limit for floats of loads: no float of the same load is above it."""
    return load if isinstance(load, int) else float(load) * (1 + NEAR)


def in_unit(load: Load | float, divisor: float | None) -> float:
    """The load for people: over `divisor`, or as it is without one."""
    if divisor is None:
        return float(load) if isinstance(load, Fraction) else load
    return float(load) / divisor


@dataclass(frozen=True, eq=False)
class MemberLoads:
    """What members carry; extremes and mean are over those that are active, that is not idle."""

    weight: Ints
    """[M]"""
    capacities: MemberCapacities
    active: Index
    """The members that are not idle."""

    @property
    def column(self) -> LoadColumn:
        """[M] the loads for a search."""
        return self.weight if self.capacities.are_equal else self.weight * self.capacities.rate

    @cached_property
    def _busy(self) -> Ints:
        """[active] the weights of the members that are not idle."""
        return self.weight[self.active]

    @cached_property
    def extremes(self) -> tuple[int, int] | None:
        """The members of the heaviest and of the lightest load; None if all are idle."""
        if not len(self.active):
            return None
        kinds = self.capacities.kind_of[self.active]
        heaviest = self.capacities.heaviest(self._busy, kinds)
        lightest = self.capacities.lightest(self._busy, kinds)
        return int(self.active[heaviest]), int(self.active[lightest])

    def _of(self, member: int) -> Load:
        kind = int(self.capacities.kind_of[member])
        return self.capacities.load(int(self.weight[member]), kind)

    @property
    def max(self) -> Load:
        """0 if all members are idle, and so is the least load."""
        return self._of(self.extremes[0]) if self.extremes else 0

    @property
    def min(self) -> Load:
        return self._of(self.extremes[1]) if self.extremes else 0

    @property
    def spread(self) -> Load:
        """The heaviest less the lightest load."""
        if self.capacities.are_equal and len(self.active):  # most groups: twice as fast
            return int(self._busy.max() - self._busy.min())
        return self.max - self.min

    @cached_property
    def fair(self) -> Fraction:
        """The load of every member if all are equally loaded."""
        return self.capacities.fair(int(self._busy.sum()), self.capacities.kind_of[self.active])

    @property
    def mean(self) -> float:
        """`fair` as a float; 0 if all members are idle."""
        return float(self.fair)

    @property
    def excess(self) -> float:
        """See `excess`."""
        return excess(self.column[self.active], self.fair)

    @property
    def most_excess(self) -> Load:
        """No true bound on the excess is above it, also where it passes what a float can hold.

        A bound is a whole number where capacities are equal: the excess is rounded down there.
        Elsewhere it is a fraction: the sum of each capacity's members is rounded up to 2^-40.
        """
        numbers, kind_of = self.capacities.whole, self.capacities.kind_of[self.active]
        fair = [self.fair * Fraction(whole, numbers[-1]) for whole in numbers]
        weight = self.weight[self.active]
        above = weight > np.array([math.floor(level) for level in fair])[kind_of]
        number = np.bincount(kind_of[above], minlength=len(numbers)).tolist()
        carried = np.zeros(len(numbers), np.int64)
        np.add.at(carried, kind_of[above], weight[above])
        parts: list[Fraction] = [
            (load - level * n) * Fraction(numbers[-1], whole)
            for load, level, n, whole in zip(carried.tolist(), fair, number, numbers, strict=True)
        ]
        if self.capacities.are_equal:
            return math.floor(parts[0])
        return Fraction(sum(math.ceil(part * 2**40) for part in parts), 2**40)


def excess(loads: LoadColumn, fair: Fraction | None = None) -> float:
    """What lies above the fair load: the sum of max(0, load − fair) over some members.

    The fair load is their mean unless it is given. Exact but for the last division where loads are
    integers.
    """
    if fair is None:
        fair = Fraction(int(loads.sum()), max(1, len(loads)))
    if loads.dtype.kind == "f":
        return float(np.maximum(loads - float(fair), 0.0).sum())
    whole, part = divmod(fair.numerator, fair.denominator)
    above = loads[loads > whole]
    return (int((above - whole).sum()) * fair.denominator - len(above) * part) / fair.denominator
