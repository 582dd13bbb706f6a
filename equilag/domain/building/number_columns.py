"""Whole columns of numbers, checked and converted in bulk.

The entry to blame is looked for only when there is one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from operator import iadd
from types import NoneType
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from equilag.domain.errors import InputError
from equilag.domain.values import IntegerRange, RateRange

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


def number_column(
    rows: Sequence[Row], limits: IntegerRange | RateRange, place_of: Callable[[int], str]
) -> Any:
    """Return all of `rows`, one after the other, as one column [sum of lengths]: int64, or float64
    of rates.

    None, where it may be, becomes NULL, or NaN of rates. `place_of` names a row. Raises InputError
    for the first entry that is not within `limits`, whose `low` has to be 0 where rows are arrays.
    """
    column = _column(rows, limits)
    if column is not None:
        return column
    for number, row in enumerate(rows):
        for index, cell in enumerate(_cells(row, limits)):
            problem = None if cell is None and limits.nullable else limits.problem(cell)
            if problem is not None:
                raise InputError(problem, f"{place_of(number)}[{index}]")
    raise AssertionError("the bulk check refused what the check of single entries accepts")


def _column(rows: Sequence[Row], limits: IntegerRange | RateRange) -> npt.NDArray[Any] | None:
    """`rows` as number_column returns them, or None where it raises."""
    arrays = [row for row in rows if isinstance(row, np.ndarray)]
    plain = {(row.dtype, row.ndim) for row in arrays} <= _PLAIN_ARRAYS
    if isinstance(limits, RateRange) or not arrays or not plain or len(arrays) < len(rows):
        nothing: list[Any] = []
        # With many short rows, twice as fast as a chain.
        return _converted(reduce(iadd, (_cells(row, limits) for row in rows), nothing), limits)
    joined = np.asarray(np.concatenate(arrays), dtype=np.int64)
    return joined if limits.hold(joined[joined != NULL] if limits.nullable else joined) else None


def _cells(row: Row, limits: IntegerRange | RateRange) -> Sequence[Any]:
    if not isinstance(row, np.ndarray):
        return row
    cells: list[Any] = row.tolist()
    if row.dtype.kind == "f" and isinstance(limits, RateRange):
        return [None if math.isnan(cell) else cell for cell in cells]
    return [None if limits.nullable and cell == NULL else cell for cell in cells]


def _converted(cells: list[Any], limits: IntegerRange | RateRange) -> npt.NDArray[Any] | None:
    """`cells` as a column; None if there is anything but numbers within `limits` (and None)."""
    kinds, values = set(map(type, cells)), cells
    dtype, missing = (float, math.nan) if isinstance(limits, RateRange) else (np.int64, NULL)
    if with_none := limits.nullable and NoneType in kinds:
        kinds.remove(NoneType)
        values = [missing if cell is None else cell for cell in cells]
    if not kinds <= limits.kinds:
        return None
    try:
        column = np.fromiter(values, dtype, len(values))
    except OverflowError:
        return None
    known = column[[cell is not None for cell in cells]] if with_none else column
    return column if limits.hold(known) else None
