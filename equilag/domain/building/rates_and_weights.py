"""What is known of partitions beside their lag: rates, and weights of the user's own."""

from __future__ import annotations

import math
from itertools import chain
from types import NoneType
from typing import Any, Final

import numpy as np

from equilag.domain.building.lag_columns import MAX_TOTAL, check_total
from equilag.domain.building.topic_index import PartitionField, TopicIndex
from equilag.domain.building.values import (
    NULL,
    IntegerRange,
    PerPartition,
    PerPartitionNumbers,
    Row,
)
from equilag.domain.columns import Floats, Ints
from equilag.domain.errors import InputError
from equilag.domain.group.lag import MAX_LAG
from equilag.domain.show import not_a, show

RATES: Final = (1e-100, 1e100)
"""The least and the largest rate above 0: sums of rates, and a lag divided by one, are finite."""
_WEIGHTS: Final = IntegerRange(0, MAX_LAG - 1, "is 2^53 or more")


def weight_column(given: PerPartition | None, topics: TopicIndex) -> Ints | None:
    """Return the weights [P], 0 for topics that are not named; None without any.

    Raises InputError.
    """
    if given is None:
        return None
    field = PartitionField.of("weights", topics, given)
    column = np.zeros(topics.n_partitions, dtype=np.int64)
    column[field.covered] = field.integers(given, _WEIGHTS)
    if len(column) and int(column.max()) * len(column) >= MAX_TOTAL:
        check_total(column, "weights", "weights")
    return column


def rate_column(given: PerPartitionNumbers | None, topics: TopicIndex) -> Floats | None:
    """Return the rates [P] in records per second, NaN for unknown; None without any.

    In an array of integers -1 is unknown, in one of floats NaN. Raises InputError.
    """
    if given is None:
        return None
    field = PartitionField.of("rates", topics, given)
    rows = [_cells(row) for row in field.rows(given)]
    column = np.full(topics.n_partitions, np.nan)
    cells = list(chain.from_iterable(rows))
    rates = _converted(cells)
    if rates is None:
        for position, cell in enumerate(cells):
            problem = None if cell is None else _problem(cell)
            if problem is not None:
                raise InputError(problem, field.spot(position))
        raise AssertionError("the bulk check refused what the check of single entries accepts")
    column[field.covered] = rates
    return column


def _cells(row: Row) -> Any:
    """Numbers and None."""
    if not isinstance(row, np.ndarray):
        return row
    cells = row.tolist()
    if row.dtype.kind == "f":
        return [None if math.isnan(cell) else cell for cell in cells]
    return [None if cell == NULL else cell for cell in cells]


def _converted(cells: list[Any]) -> Floats | None:
    """The cells as a column; None if there is anything but numbers of 0 or more, and None."""
    if not set(map(type, cells)) <= {int, float, NoneType}:
        return None
    try:
        column = np.array(cells, dtype=np.float64)
    except OverflowError:
        return None
    unknown = np.isnan(column)
    if np.count_nonzero(unknown) != cells.count(None):
        return None
    known = column[~unknown]
    least, most = RATES
    if len(known) and (known.min() < 0 or known.max() > most):
        return None
    return None if ((known > 0) & (known < least)).any() else column


def _problem(value: object) -> str | None:
    """Why a value is no rate, or None."""
    if type(value) not in (int, float):
        return not_a(value, "a number")
    try:
        rate = float(value)  # type: ignore[arg-type]
    except OverflowError:
        rate = math.inf
    if not 0 <= rate < math.inf:
        return f"{show(value)} is not a finite number, 0 or more"
    least, most = RATES
    if rate == 0 or least <= rate <= most:
        return None
    return f"{show(value)} is not 0, or {least:g} to {most:g}"
