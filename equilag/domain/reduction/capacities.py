"""Capacities of members as the small integers that plans compare loads and counts by."""

from __future__ import annotations

from decimal import Context, Decimal
from statistics import median
from typing import Final

import numpy as np

from equilag.domain.columns import Ints
from equilag.domain.group.group import Group

DIGITS: Final = 3
"""Significant digits of a capacity: measured ones are not known better."""
WIDEST: Final = 10**6
"""The largest capacity over the smallest one: products with counts stay below 2^62."""


def known_capacities(group: Group) -> list[float]:
    """The capacity of each member; the median of the known ones for the others, 1 without any."""
    known = [float(m.capacity) for m in group.members if m.capacity is not None]
    usual = median(known) if known else 1.0
    return [usual if m.capacity is None else float(m.capacity) for m in group.members]


def rounded(capacity: float) -> Decimal:
    """The capacity with three significant digits."""
    return Context(prec=DIGITS).create_decimal_from_float(capacity)


def whole_capacities(capacities: list[float]) -> tuple[Ints, float]:
    """[M] capacities as integers without a common divisor, and what 1 of them stands for."""
    if len(set(capacities)) <= 1:
        usual = float(rounded(capacities[0])) if capacities else 1.0
        return np.ones(len(capacities), np.int64), usual
    exact = {capacity: rounded(capacity) for capacity in set(capacities)}
    least = max(exact.values()) / WIDEST
    unit = Decimal(1).scaleb(min(int(value.as_tuple().exponent) for value in exact.values()))
    unit = max(unit, least)
    whole = {capacity: max(1, round(value / unit)) for capacity, value in exact.items()}
    column = np.array([whole[capacity] for capacity in capacities], dtype=np.int64)
    divisor = int(np.gcd.reduce(column))
    return column // divisor, float(unit * divisor)
