"""The lag of every partition, from lags, offsets and what is unknown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from equilag.domain.building.group_input import GroupInput, PartitionOffsets
from equilag.domain.building.number_columns import (
    NULL,
    PerPartition,
    PerPartitionNumbers,
    Row,
    are_rows,
    number_column,
)
from equilag.domain.building.topic_index import PartitionField, TopicIndex
from equilag.domain.columns import Floats, Ints, Marks
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
from equilag.domain.values import NATURAL, IntegerRange, RateRange, not_a

MAX_TOTAL: Final = 2**62
"""All lags together are below this, so that loads and differences of loads fit 64 bits."""


PARTITION_FIELDS: Final = {
    "lags": IntegerRange(0, MAX_LAG - 1, "is 2^53 or more", nullable=True),
    "log_start": NATURAL,
    "log_end": NATURAL,
    "committed": replace(NATURAL, nullable=True),
}
"""The fields with an integer for each partition, and what may stand in them."""


def lag_columns(
    given: GroupInput, topics: TopicIndex, offsets: OffsetColumns | None
) -> tuple[Ints, Marks]:
    """Return the lag in records [P] and its quality mark [P].

    What is unknown stands before `lags`, and `lags` before `offsets`; the rest is 0 and unknown.
    Raises InputError.
    """
    reset = as_reset(given.get("auto_offset_reset", "latest"))
    n = topics.n_partitions
    lag, quality = np.zeros(n, dtype=np.int64), np.full(n, UNKNOWN)
    lags, unknown = given.get("lags"), given.get("unknown_lags")
    field = PartitionField.of("lags", topics, lags if lags is not None else {})
    if offsets is not None:
        start, end, committed = offsets
        lag, quality = lag_from_offsets(committed, start, end, reset)
    if lags is not None:
        lag[field.covered] = field.column(lags, PARTITION_FIELDS["lags"])
        quality[field.covered] = GIVEN
        quality[lag == NULL] = UNKNOWN
        np.maximum(lag, 0, out=lag)
    if unknown:
        partitions = _partitions(unknown, topics)
        lag[partitions], quality[partitions] = 0, UNKNOWN
    if offsets is not None and len(large := np.flatnonzero(lag >= MAX_LAG)):  # lags are checked
        of_offsets = PartitionField.of("offsets", topics, given["offsets"].log_end)
        problem = f"the lag {lag[large[0]]} is 2^53 or more"
        raise InputError(problem, of_offsets.spot(int(large[0]), "log_end"))
    if n and int(lag.max()) * n >= MAX_TOTAL:
        check_total(lag, "lags" if lags is not None and len(lags) else "offsets")
    return lag, quality


def check_total(lag: Ints, place: str, what: str = "lags") -> None:
    """Refuse lags that add up to MAX_TOTAL or more, or `what` else; raises InputError."""
    # The sum of up to 10 million lags below 2^53 can pass 2^63, so it is taken in two halves.
    total = (int((lag >> 26).sum()) << 26) + int((lag & (2**26 - 1)).sum())
    if total >= MAX_TOTAL:
        raise InputError(f"the {what} add up to {total}, which is 2^62 or more", place)


def offset_columns(
    offsets: PartitionOffsets, topics: TopicIndex, place: str = "offsets"
) -> OffsetColumns:
    """Return the offsets [P]; -1 for topics that are not named. Raises InputError."""
    field = PartitionField.of(place, topics, offsets.log_start)
    found = OffsetColumns(*np.full((3, topics.n_partitions), NULL, np.int64))
    for array, values in offsets._asdict().items():
        if PartitionField.of(place, topics, values).names != field.names:
            raise InputError("other topics than in log_start", f"{place}.{array}")
        getattr(found, array)[field.covered] = field.column(values, PARTITION_FIELDS[array], array)
    wrong = np.flatnonzero(found.log_end < found.log_start)
    if len(wrong):
        first = int(wrong[0])
        problem = f"{found.log_end[first]} is below log_start, {found.log_start[first]}"
        raise InputError(problem, field.spot(first, "log_end"))
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
        numbers = number_column([values], NATURAL, [field.place(row)].__getitem__)
        size = int(topics.size[topic])
        beyond = np.flatnonzero(numbers >= size)
        if len(beyond):
            problem = f"there is no partition {numbers[beyond[0]]}; the topic has {size}"
            raise InputError(problem, f"{field.place(row)}[{beyond[0]}]")
        found.append(numbers + topics.start[topic])
    return np.concatenate(found)


_WEIGHTS: Final = IntegerRange(0, MAX_LAG - 1, "is 2^53 or more")


def weight_column(given: PerPartition | None, topics: TopicIndex, name: str) -> Ints | None:
    """Return the weights [P] in `name`, 0 for topics that are not named; None without any.

    Raises InputError.
    """
    if given is None:
        return None
    field = PartitionField.of(name, topics, given)
    column = np.zeros(topics.n_partitions, dtype=np.int64)
    column[field.covered] = field.column(given, _WEIGHTS)
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
    column = np.full(topics.n_partitions, np.nan)
    column[field.covered] = field.column(given, RateRange())
    return column
