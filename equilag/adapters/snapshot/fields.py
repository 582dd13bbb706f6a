"""Checks of single fields and of whole columns of integers.

Columns are checked and converted in bulk; the entry to blame is looked for only when there is one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import iadd
from types import NoneType
from typing import Any, Final, TypeAlias

import numpy as np

from equilag.adapters.show import below, guess, kind, not_a, show
from equilag.adapters.snapshot.columns import NULL, Numbers
from equilag.errors import InputError
from equilag.group import MAX_LAG, Ints

Object: TypeAlias = dict[str, Any]
Row: TypeAlias = list[Any] | Numbers

_WHOLE = "an integer"


@dataclass(frozen=True, slots=True)
class Limits:
    """The integers from `low` to `high`; `beyond` says what is wrong with one above them."""

    low: int
    high: int
    beyond: str

    def problem(self, value: object) -> str | None:
        """Why `value` is not one of these integers, or None."""
        if type(value) is not int:
            return not_a(value, _WHOLE)
        if value < self.low:
            return f"{show(value)} is below {self.low}"
        return f"{show(value)} {self.beyond}" if value > self.high else None


_TOO_LONG: Final = "does not fit 64 bits"
LAGS: Final = Limits(0, MAX_LAG - 1, "is 2^53 or more")
NATURAL: Final = Limits(0, 2**63 - 1, _TOO_LONG)
GENERATIONS: Final = Limits(-1, 2**63 - 1, _TOO_LONG)

_RFC_3339: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:)(\d\d)(?:\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)


def as_object(value: object, place: str) -> Object:
    """`value` if it is an object; raises InputError."""
    if not isinstance(value, dict):
        raise InputError(not_a(value, "an object"), place)
    if not set(map(type, value)) <= {str}:  # only data made in Python can fail here
        key = next(key for key in value if type(key) is not str)
        raise InputError(f"{kind(key)} as a key, not a string", place)
    return value


def as_list(value: object, place: str) -> list[Any]:
    """`value` if it is a list; raises InputError."""
    if not isinstance(value, list):
        raise InputError(not_a(value, "a list"), place)
    return value


def check_keys(value: Object, known: frozenset[str], required: Iterable[str], place: str) -> None:
    """Refuse unknown fields and missing ones; raises InputError."""
    if not value.keys() <= known:
        key = next(key for key in value if key not in known)
        raise InputError(f"unknown field{guess(key, known)}", below(place, key))
    for key in sorted(required):
        if key not in value:
            raise InputError("missing, but required", below(place, key))


def as_text(value: object, place: str) -> str:
    """`value` if it is a string that can be written in UTF-8; raises InputError."""
    if not isinstance(value, str):
        raise InputError(not_a(value, "a string"), place)
    if not value.isascii():
        check_unicode(value, place)
    return value


def check_unicode(value: str, place: str) -> None:
    """Refuse half of a surrogate pair, which no plan could be written with; raises InputError."""
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{show(value)} is not valid Unicode", place) from error


def as_integer(value: object, limits: Limits, place: str) -> int:
    """`value` if it is an integer within `limits`; raises InputError."""
    problem = limits.problem(value)
    if problem is not None:
        raise InputError(problem, place)
    assert isinstance(value, int)
    return value


def as_time(value: object, place: str) -> str:
    """`value` if it is a time as in RFC 3339; raises InputError."""
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


def check_texts(values: list[Any], place: str) -> None:
    """Refuse a list that holds anything but strings; raises InputError."""
    if not set(map(type, values)) <= {str}:
        index = next(i for i, value in enumerate(values) if type(value) is not str)
        raise InputError(not_a(values[index], "a string"), f"{place}[{index}]")


def integer_column(
    rows: Sequence[Row],
    limits: Limits,
    place_of: Callable[[int], str],
    nullable: bool = False,
) -> Ints:
    """All of `rows`, one after the other, as one column [sum of lengths].

    With `nullable`, an entry may be null, which becomes `limits.low - 1`. `place_of` names a row.
    Raises InputError for the first entry that is neither that nor an integer within `limits`.
    """
    column = _column(rows, limits, nullable)
    if column is not None:
        return column
    for number, row in enumerate(rows):
        for index, value in enumerate(row):
            problem = None if nullable and value is None else limits.problem(value)
            if problem is not None:
                raise InputError(problem, f"{place_of(number)}[{index}]")
    raise AssertionError("the bulk check refused what the check of single entries accepts")


def _column(rows: Sequence[Row], limits: Limits, nullable: bool) -> Ints | None:
    """`rows` as integer_column returns them, or None where it raises."""
    if Numbers not in set(map(type, rows)):
        return _converted(_cells(rows), limits, nullable)
    numbers = [row for row in rows if type(row) is Numbers]
    cut = np.asarray(np.concatenate(numbers))
    assert limits.low == NULL + 1
    if cut.min() < (NULL if nullable else limits.low) or cut.max() > limits.high:
        return None
    if len(numbers) == len(rows):
        return cut
    given = _converted(_cells(row for row in rows if type(row) is list), limits, nullable)
    if given is None:
        return None
    size = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
    is_cut = np.repeat([type(row) is Numbers for row in rows], size)
    column = np.empty(len(is_cut), dtype=np.int64)
    column[is_cut], column[~is_cut] = cut, given
    return column


def _cells(rows: Iterable[Row]) -> list[Any]:
    empty: list[Any] = []
    return reduce(iadd, rows, empty)  # with many short rows, twice as fast as a chain


def _converted(cells: list[Any], limits: Limits, nullable: bool) -> Ints | None:
    """`cells` as a column; None if there is anything but integers within `limits` (and null)."""
    kinds = set(map(type, cells))
    values = cells
    if nullable and NoneType in kinds:
        kinds.remove(NoneType)
        values = [limits.low - 1 if cell is None else cell for cell in cells]
    if not kinds <= {int}:
        return None
    try:
        column = np.fromiter(values, dtype=np.int64, count=len(values))
    except OverflowError:
        return None
    if len(column) and column.max() > limits.high:
        return None
    if len(column) and column.min() < limits.low:
        low = np.flatnonzero(column < limits.low).tolist()
        return column if nullable and all(cells[i] is None for i in low) else None
    return column
