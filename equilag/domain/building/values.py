"""Checks of the values that make a group: single ones, and whole columns of integers.

A column is checked and converted in bulk; the entry to blame is looked for only when there is one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import iadd
from types import NoneType
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from equilag.domain.columns import Ints
from equilag.domain.errors import InputError
from equilag.domain.show import not_a, show

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


@dataclass(frozen=True, slots=True)
class IntegerRange:
    """The integers from `low` to `high`; `beyond` says what is wrong with one above them.

    With `nullable` a column may have None as well (NULL in an array); `low` has to be 0 then.
    """

    low: int
    high: int
    beyond: str
    nullable: bool = False
    kind: str = "an integer"

    def problem(self, value: object) -> str | None:
        """Why `value` is not one of these integers, or None."""
        if type(value) is not int:
            return not_a(value, self.kind)
        if value < self.low:
            return f"{show(value)} is below {self.low}"
        return f"{show(value)} {self.beyond}" if value > self.high else None


_TOO_LONG: Final = "does not fit 64 bits"
NATURAL: Final = IntegerRange(0, 2**63 - 1, _TOO_LONG)
GENERATIONS: Final = IntegerRange(-1, 2**63 - 1, _TOO_LONG)

_RFC_3339: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:)(\d\d)(?:\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)


def text_problem(value: object) -> str | None:
    """Why `value` is not a string that can be written in UTF-8, or None."""
    if not isinstance(value, str):
        return not_a(value, "a string")
    if value.isascii():
        return None
    try:  # half of a surrogate pair cannot be written, so no plan could name it
        value.encode()
    except UnicodeEncodeError:
        return f"{show(value)} is not valid Unicode"
    return None


def as_text(value: object, place: str) -> str:
    """Return `value` if it is a string that can be written in UTF-8; raises InputError."""
    problem = text_problem(value)
    if problem is not None:
        raise InputError(problem, place)
    assert isinstance(value, str)
    return value


def check_texts(values: Sequence[Any], place: str) -> None:
    """Refuse a list that holds anything but strings; raises InputError."""
    if not set(map(type, values)) <= {str}:
        index = next(i for i, value in enumerate(values) if type(value) is not str)
        raise InputError(not_a(values[index], "a string"), f"{place}[{index}]")


def as_integer(value: object, limits: IntegerRange, place: str) -> int:
    """Return `value` if it is an integer within `limits`; raises InputError."""
    problem = limits.problem(value)
    if problem is not None:
        raise InputError(problem, place)
    assert isinstance(value, int)
    return value


def as_time(value: object, place: str) -> str:
    """Return `value` if it is a time as in RFC 3339; raises InputError."""
    text = as_text(value, place)
    parts = _RFC_3339.fullmatch(text)
    if parts is not None:
        date, minute, second, zone = parts.groups()
        if second == "60":  # a leap second, which datetime does not know
            second = "59"
        try:
            datetime.fromisoformat(f"{date}T{minute}{second}{zone.upper()}")
        except ValueError:
            parts = None
    if parts is None:
        raise InputError(f"{show(text)} is not an RFC 3339 time (2026-11-21T09:00:00Z)", place)
    return text


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
    if set(map(type, rows)) <= _ROWS:
        return _converted(_cells(rows), limits)
    arrays = [row for row in rows if isinstance(row, np.ndarray)]
    if not {(row.dtype, row.ndim) for row in arrays} <= _PLAIN_ARRAYS:
        cells = _cells(row.tolist() if isinstance(row, np.ndarray) else row for row in rows)
        if limits.nullable:
            cells = [None if cell == NULL else cell for cell in cells]
        return _converted(cells, limits)
    joined = np.asarray(np.concatenate(arrays), dtype=np.int64)
    assert limits.low == NULL + 1
    if len(joined) and (
        joined.min() < (NULL if limits.nullable else limits.low) or joined.max() > limits.high
    ):
        return None
    if len(arrays) == len(rows):
        return joined
    given = _converted(_cells(row for row in rows if not isinstance(row, np.ndarray)), limits)
    if given is None:
        return None
    size = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
    is_array = np.repeat([isinstance(row, np.ndarray) for row in rows], size)
    column = np.empty(len(is_array), dtype=np.int64)
    column[is_array], column[~is_array] = joined, given
    return column


def _cells(rows: Iterable[Row]) -> list[Any]:
    empty: list[Any] = []
    return reduce(iadd, rows, empty)  # with many short rows, twice as fast as a chain


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


CAPACITIES: Final = (1e-100, 1e100)
"""The least and the largest capacity: sums of capacities, and loads divided by one, are finite."""


def capacity_problem(value: float) -> str | None:
    """Why a number cannot be a capacity, or None."""
    if not 0 < value <= sys.float_info.max:
        return "not a finite number above 0"
    least, most = CAPACITIES
    return None if least <= value <= most else f"not between {least:g} and {most:g}"
