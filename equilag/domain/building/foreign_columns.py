"""Columns of NumPy and pandas as the lists and arrays of integers that a group is built from.

Only what was refused as it stands gets here, so that other groups pay nothing for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

import numpy as np

from equilag.domain.building.group_input import GroupInput, PartitionOffsets
from equilag.domain.building.integer_columns import NULL

NULLABLE: Final = ("lags", "committed")
"""Fields in which a cell may be missing."""
LARGEST: Final = 2.0**62
"""Floats below it, in size, fit an array of integers."""


def plain_input(given: GroupInput) -> GroupInput | None:
    """The arguments of `Group.build` with Python's and NumPy's integers in place of whole floats,
    and lists in place of other columns; None where that changes nothing."""
    found = {name: _plain(value, name) for name, value in given.items()}
    changed = any(found[name] is not value for name, value in given.items())
    return cast(GroupInput, found) if changed else None


def _plain(value: Any, name: str) -> Any:
    """A value of the argument `name`; the same object where nothing has to change."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ma.MaskedArray):
        return value  # refused: what it hides is no value
    if isinstance(value, np.ndarray):
        return _array(value, name)
    if isinstance(value, PartitionOffsets):
        return PartitionOffsets(*(_plain(one, n) for n, one in value._asdict().items()))
    if isinstance(value, Mapping):
        cells = {key: _plain(one, name) for key, one in value.items()}
        return cells if any(cells[key] is not one for key, one in value.items()) else value
    if type(value) in (list, tuple):
        plain = [_plain(one, name) for one in value]
        same = all(map(lambda one, other: one is other, plain, value))
        return value if same else type(value)(plain)
    if name == "topics" and hasattr(value, "to_dict"):  # sizes by name, as of a groupby
        return _plain(value.to_dict(), name)
    if hasattr(value, "isna") and hasattr(value, "tolist"):  # pandas, whose NA equals nothing
        missing, cells = list(value.isna()), value.tolist()
        if not all(
            isinstance(cell, (int, float))
            for cell, no in zip(cells, missing, strict=True)
            if not no
        ):
            return [None if no else cell for cell, no in zip(cells, missing, strict=True)]
        numbers = (float("nan") if no else cell for cell, no in zip(cells, missing, strict=True))
        return _array(np.fromiter(numbers, np.float64, len(cells)), name)
    return _array(value.to_numpy(), name) if hasattr(value, "to_numpy") else value


def _array(values: Any, name: str) -> Any:
    """Whole floats as integers, NULL for those that are missing."""
    if values.dtype.kind in "iu" or name == "rates":
        return values
    if values.dtype.kind != "f":
        return values.tolist()
    missing = np.isnan(values)
    known = values[~missing]
    if not (np.abs(known) < LARGEST).all() or not np.array_equal(known, np.rint(known)):
        return values
    if missing.any() and name not in NULLABLE:  # refused, at its own place
        cells = [cell if no else int(cell) for cell, no in zip(values, missing, strict=True)]
        return np.array(cells, object)
    return np.where(missing, NULL, values).astype(np.int64)
