"""The lag of every partition, from lags, offsets and what is unknown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from types import NoneType
from typing import Any, Final

import numpy as np

from equilag.domain.building.group_input import GroupInput, PartitionOffsets
from equilag.domain.building.integer_columns import (
    NULL,
    PerPartition,
    PerPartitionNumbers,
    Row,
    are_rows,
    integer_column,
)
from equilag.domain.building.topic_index import PartitionField, TopicIndex
from equilag.domain.columns import Flags, Floats, Ints, Marks
from equilag.domain.errors import InputError
from equilag.domain.group.lag import (
    GIVEN,
    MAX_LAG,
    UNKNOWN,
    OffsetColumns,
    Previous,
    as_reset,
    lag_from_offsets,
)
from equilag.domain.show import show
from equilag.domain.values import NATURAL, IntegerRange, not_a

MAX_TOTAL: Final = 2**62
"""All lags together are below this, so that loads and differences of loads fit 64 bits."""


PARTITION_FIELDS: Final = {
    "lags": IntegerRange(0, MAX_LAG - 1, "is 2^53 or more", nullable=True),
    "log_start": NATURAL,
    "log_end": NATURAL,
    "committed": replace(NATURAL, nullable=True),
}
"""The fields with an integer for each partition, and what may stand in them."""


def lag_columns(given: GroupInput, topics: TopicIndex) -> tuple[Ints, Marks]:
    """Return the lag in records [P] and its quality mark [P].

    What is unknown stands before `lags`, and `lags` before `offsets`; the rest is 0 and unknown.
    Raises InputError.
    """
    reset = as_reset(given.get("auto_offset_reset", "latest"))
    n = topics.n_partitions
    lag, quality = np.zeros(n, dtype=np.int64), np.full(n, UNKNOWN)
    lags, unknown = given.get("lags"), given.get("unknown_lags")
    field = PartitionField.of("lags", topics, lags if lags is not None else {})
    unknown_partitions = _partitions(unknown, topics) if unknown else np.zeros(0, np.int64)
    offsets = given.get("offsets")
    if offsets is not None:
        told = np.zeros(n, dtype=np.bool_)
        told[field.covered] = lags is not None
        told[unknown_partitions] = True
        _fill_from_offsets(offsets, reset, topics, (lag, quality), told)
    if lags is not None:
        lag[field.covered] = field.integers(lags, PARTITION_FIELDS["lags"])
        quality[field.covered] = GIVEN
        quality[lag == NULL] = UNKNOWN
        np.maximum(lag, 0, out=lag)
    lag[unknown_partitions], quality[unknown_partitions] = 0, UNKNOWN
    if n and int(lag.max()) * n >= MAX_TOTAL:
        check_total(lag, "lags" if lags is not None and len(lags) else "offsets")
    return lag, quality


def check_total(lag: Ints, place: str, what: str = "lags") -> None:
    """Refuse lags that add up to MAX_TOTAL or more, or `what` else; raises InputError."""
    # The sum of up to 10 million lags below 2^53 can pass 2^63, so it is taken in two halves.
    total = (int((lag >> 26).sum()) << 26) + int((lag & (2**26 - 1)).sum())
    if total >= MAX_TOTAL:
        raise InputError(f"the {what} add up to {total}, which is 2^62 or more", place)


def _fill_from_offsets(
    offsets: PartitionOffsets,
    reset: str,
    topics: TopicIndex,
    columns: tuple[Ints, Marks],
    told: Flags,
) -> None:
    """Write the lags that follow from offsets into `columns` (lag [P], quality [P]).

    Where the lag is `told` [P] otherwise, it may be any. Raises InputError.
    """
    field, arrays = _checked_offsets(offsets, topics, "offsets")
    start, end = arrays["log_start"], arrays["log_end"]
    lag, quality = lag_from_offsets(arrays["committed"], start, end, reset)
    large = np.flatnonzero((lag >= MAX_LAG) & ~told[field.covered])
    if len(large):
        problem = f"the lag {lag[large[0]]} is 2^53 or more"
        raise InputError(problem, field.spot(int(large[0]), "log_end"))
    columns[0][field.covered], columns[1][field.covered] = lag, quality


def _checked_offsets(
    offsets: PartitionOffsets, topics: TopicIndex, place: str
) -> tuple[PartitionField, dict[str, Ints]]:
    """The partitions that have offsets, and the three columns. Raises InputError."""
    field = PartitionField.of(place, topics, offsets.log_start)
    arrays = {}
    for array, values in offsets._asdict().items():
        if PartitionField.of(place, topics, values).names != field.names:
            raise InputError("other topics than in log_start", f"{place}.{array}")
        arrays[array] = field.integers(values, PARTITION_FIELDS[array], array)
    start, end = arrays["log_start"], arrays["log_end"]
    wrong = np.flatnonzero(end < start)
    if len(wrong):
        first = int(wrong[0])
        problem = f"{end[first]} is below log_start, {start[first]}"
        raise InputError(problem, field.spot(first, "log_end"))
    return field, arrays


def offset_columns(
    offsets: PartitionOffsets, topics: TopicIndex, place: str = "offsets"
) -> OffsetColumns:
    """Return the offsets [P]; -1 for topics that are not named. Raises InputError."""
    field, arrays = _checked_offsets(offsets, topics, place)
    found = OffsetColumns(*np.full((3, topics.n_partitions), NULL, np.int64))
    for array, values in arrays.items():
        getattr(found, array)[field.covered] = values
    return found


def previous_columns(
    given: tuple[float, PartitionOffsets] | None, topics: TopicIndex
) -> Previous | None:
    """Return the earlier moment; None without any. Raises InputError."""
    if given is None:
        return None
    seconds, offsets = given
    number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    if not number or not 0 < seconds < float("inf"):
        raise InputError(f"{show(seconds)} is not a number above 0", "previous.seconds_before")
    return Previous(float(seconds), offset_columns(offsets, topics, "previous.offsets"))


def _partitions(listed: Mapping[str, Row], topics: TopicIndex) -> Ints:
    """The partitions that `unknown_lags` lists; each once or several times."""
    field = PartitionField.of("unknown_lags", topics, listed)
    assert field.names is not None
    found = []
    for row, (name, topic) in enumerate(zip(field.names, field.numbers.tolist(), strict=True)):
        values = listed[name]
        if not are_rows([values]):
            raise InputError(not_a(values, "a list"), field.place(row))
        numbers = integer_column([values], NATURAL, [field.place(row)].__getitem__)
        size = int(topics.size[topic])
        beyond = np.flatnonzero(numbers >= size)
        if len(beyond):
            problem = f"there is no partition {numbers[beyond[0]]}; the topic has {size}"
            raise InputError(problem, f"{field.place(row)}[{beyond[0]}]")
        found.append(numbers + topics.start[topic])
    return np.concatenate(found)


RATES: Final = (1e-100, 1e100)
"""The least and the largest rate above 0: sums of rates, and a lag divided by one, are finite."""
_WEIGHTS: Final = IntegerRange(0, MAX_LAG - 1, "is 2^53 or more")


def weight_column(given: PerPartition | None, topics: TopicIndex, name: str) -> Ints | None:
    """Return the weights [P] in `name`, 0 for topics that are not named; None without any.

    Raises InputError.
    """
    if given is None:
        return None
    field = PartitionField.of(name, topics, given)
    column = np.zeros(topics.n_partitions, dtype=np.int64)
    column[field.covered] = field.integers(given, _WEIGHTS)
    if len(column) and int(column.max()) * len(column) >= MAX_TOTAL:
        check_total(column, name, name)
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
