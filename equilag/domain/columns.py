"""The types of the columns that everything is computed on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

Ints: TypeAlias = npt.NDArray[np.int64]
Index: TypeAlias = npt.NDArray[np.int32]
Marks: TypeAlias = npt.NDArray[np.uint8]
Flags: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float64]

DENSE: Final = 4
"""Numbers for each value up to which a table of all of them is filled faster than values sort: 1
against 35 ms for 500,000 values below 10,000."""

ROUNDING: Final = 1e-9
"""Part by which sums of floating-point numbers may be off: they are by some 1e-15, and nobody
measures to nine digits."""

Column = TypeVar("Column", Ints, Index)

NOBODY: Final = -1
"""In place of a member's number, for a partition that nobody owns or is assigned."""

FEW: Final = 200
"""Numbers up to which `np.unique` is as fast as a sort: 5 and 10 us for 100 of them."""


def distinct(values: Column) -> Column:
    """The values, ascending, each once.

    From NumPy 2.3 on `np.unique` hashes: 135 ms for 200,000 numbers that take 1.4 ms to sort.
    """
    if len(values) <= FEW:
        return np.unique(values)
    values = np.sort(values)
    return values[np.flatnonzero(np.append(True, values[1:] != values[:-1]))]


def alike_rows(table: Index | Flags) -> Index:
    """[n] numbers of the rows of a table, the same for equal rows, by first appearance."""
    rows = np.packbits(table, axis=1) if table.dtype == np.bool_ else np.ascontiguousarray(table)
    numbers: dict[bytes, int] = {}
    found = [numbers.setdefault(row.tobytes(), len(numbers)) for row in rows]
    return np.array(found, dtype=np.int32)


def pairs_of_alike(row: Ints, column: Ints, number_of: Index) -> tuple[Ints, Ints]:
    """Pairs of rows and columns, with a number in place of a row, that of its first pairs alone:
    ascending, as columns ascend within a row. `number_of` [rows] is the same for alike rows."""
    first = np.zeros(len(number_of), np.bool_)
    first[np.unique(number_of, return_index=True)[1]] = True
    some = np.flatnonzero(first[row])
    number = number_of[row[some]]
    order = by_number(number, len(number_of))
    return number[order].astype(np.int64), column[some[order]]


def rows_together(columns: Sequence[Ints | Index]) -> tuple[Ints, Flags]:
    """The order in which equal rows of some columns [n] follow each other, stable; and in that
    order True for the first one of them."""
    order = np.lexsort(columns)
    first = np.zeros(len(order), np.bool_)
    first[:1] = True
    for column in columns:
        first[1:] |= column[order[1:]] != column[order[:-1]]
    return order, first


def are_whole(values: Floats) -> bool:
    """True if all of the values, none below 0, are whole numbers but for rounding."""
    return bool((np.abs(values - np.rint(values)) <= ROUNDING * values).all())


def runs(*columns: Ints | Index) -> list[tuple[int, int]]:
    """Where each run of equal rows of some columns [n] begins and ends."""
    new = np.ones(len(columns[0]), np.bool_)
    new[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return [*pairwise([*np.flatnonzero(new).tolist(), len(new)])]


def ranks(values: Ints | Index) -> Ints:
    """[n] how many before each value are equal to it; equal ones follow each other."""
    new = np.ones(len(values) + 1, np.bool_)
    new[1:-1] = values[1:] != values[:-1]
    edges = new.nonzero()[0]
    return np.arange(len(values)) - np.repeat(edges[:-1], edges[1:] - edges[:-1])


def by_number(values: Ints | Index, size: int) -> Ints:
    """The order in which values below `size` ascend; stable. Up to 16 bits sort much faster."""
    return np.argsort(values.astype(np.min_scalar_type(size)), kind="stable")


def counted(values: Ints, size: int) -> tuple[Ints, Ints]:
    """The values, ascending, all below `size`, and how often each of them is there."""
    if size > DENSE * len(values):
        return np.unique(values, return_counts=True)
    count = np.bincount(values, minlength=size)
    found = np.flatnonzero(count)
    return found, count[found]


def place_of(values: Ints, ascending: Ints, size: int) -> Ints:
    """Where each value is among others, which ascend; -1 for none. All are below `size`."""
    if size <= DENSE * len(values):
        table = np.full(size, -1)
        table[ascending] = np.arange(len(ascending))
        return table[values]
    others = np.append(ascending, -1)
    place = np.searchsorted(ascending, values)
    return np.where(others[place] == values, place, -1)


def among(values: Ints, ascending: Ints) -> Flags:
    """True for the values that are among others, which ascend; `np.isin` hashes too."""
    if not len(ascending):
        return np.zeros(values.shape, np.bool_)
    place = np.minimum(np.searchsorted(ascending, values), len(ascending) - 1)
    found: Flags = ascending[place] == values
    return found


def in_turn(place: Ints, place_of: Ints | Index) -> Ints:
    """A member for each of some places, which ascend: the members of a place take turns."""
    size = np.bincount(place_of)
    begin = size.cumsum() - size
    members: Ints = np.argsort(place_of, kind="stable")[begin[place] + ranks(place) % size[place]]
    return members


def ranges(begin: Ints, end: Ints) -> Ints:
    """Return the numbers begin[i] … end[i] − 1 for all i, one range after the other."""
    length = end - begin
    total = int(length.sum())
    if not total:
        return np.zeros(0, dtype=np.int64)
    shift = np.repeat(begin - np.concatenate(([0], np.cumsum(length)[:-1])), length)
    return np.arange(total, dtype=np.int64) + shift
