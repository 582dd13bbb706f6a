"""Whole columns of integers, checked and converted in bulk.

The entry to blame is looked for only when there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from operator import iadd
from types import NoneType
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from equilag.domain.columns import Ints
from equilag.domain.errors import InputError
from equilag.domain.values import IntegerRange

Row: TypeAlias = Sequence[Any] | npt.NDArray[Any]
"""Integers in a list, a tuple, a range or an array of integers."""

PerPartition: TypeAlias = Mapping[str, Row] | npt.NDArray[np.int64]
"""Topic to one integer per partition, or one column [P] by topic name and partition number."""
PerPartitionNumbers: TypeAlias = Mapping[str, Row] | npt.NDArray[Any]
"""The same with numbers that need not be whole, and None."""

NULL: Final = -1
"""What stands in an array for the None of a list."""

_ROWS: Final = frozenset({list, tuple, range})
_PLAIN_ARRAYS: Final = frozenset(
    (np.dtype(kind), 1) for kind in ("i1", "i2", "i4", "i8", "u1", "u2", "u4")
)
"""Element types (and dimensions) of arrays that become int64 without loss: not u8, not floats."""


def are_rows(values: Iterable[object]) -> bool:
    """True if each of `values` is a Row. An array has a dimension and no mask."""
    values = list(values)
    kinds = set(map(type, values))
    if kinds <= _ROWS:
        return True
    if not all(kind in _ROWS or issubclass(kind, np.ndarray) for kind in kinds):
        return False
    if np.ma.MaskedArray in kinds:
        return False
    return all(value.ndim for value in values if isinstance(value, np.ndarray))


def integer_column(
    rows: Sequence[Row],
    limits: IntegerRange,
    place_of: Callable[[int], str],
) -> Ints:
    """Return all of `rows`, one after the other, as one column [sum of lengths].

    None, where it may be, becomes NULL. `place_of` names a row. Raises InputError for the first
    entry that is not within `limits`, whose `low` has to be 0 where rows are arrays.
    """
    column = _column(rows, limits)
    if column is not None:
        return column
    for number, row in enumerate(rows):
        none = NULL if isinstance(row, np.ndarray) else None
        values = row.tolist() if isinstance(row, np.ndarray) else row
        for index, value in enumerate(values):
            if limits.nullable and value == none:
                continue
            problem = limits.problem(value)
            if problem is not None:
                raise InputError(problem, f"{place_of(number)}[{index}]")
    raise AssertionError("the bulk check refused what the check of single entries accepts")


def _column(rows: Sequence[Row], limits: IntegerRange) -> Ints | None:
    """`rows` as integer_column returns them, or None where it raises."""
    arrays = [row for row in rows if isinstance(row, np.ndarray)]
    plain = {(row.dtype, row.ndim) for row in arrays} <= _PLAIN_ARRAYS
    if not arrays or not plain or len(arrays) < len(rows):
        nothing: list[Any] = []
        # With many short rows, twice as fast as a chain.
        return _converted(reduce(iadd, (_cells(row, limits) for row in rows), nothing), limits)
    joined = np.asarray(np.concatenate(arrays), dtype=np.int64)
    least = NULL if limits.nullable else limits.low
    inside = joined.min(initial=least) >= least and joined.max(initial=least) <= limits.high
    return joined if inside else None


def _cells(row: Row, limits: IntegerRange) -> Sequence[Any]:
    if not isinstance(row, np.ndarray):
        return row
    return [None if limits.nullable and cell == NULL else cell for cell in row.tolist()]


def _converted(cells: list[Any], limits: IntegerRange) -> Ints | None:
    """`cells` as a column; None if there is anything but integers within `limits` (and None)."""
    kinds = set(map(type, cells))
    values = cells
    if limits.nullable and NoneType in kinds:
        kinds.remove(NoneType)
        values = [NULL if cell is None else cell for cell in cells]
    if not kinds <= {int}:
        return None
    try:
        column = np.fromiter(values, dtype=np.int64, count=len(values))
    except OverflowError:
        return None
    if not len(column):
        return column
    if column.max() > limits.high:
        return None
    if column.min() < limits.low:
        low = np.flatnonzero(column < limits.low).tolist()
        return column if limits.nullable and all(cells[i] is None for i in low) else None
    return column
