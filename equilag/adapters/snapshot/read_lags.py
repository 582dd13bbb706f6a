"""Lag and its quality per partition, from a snapshot's `lags`, `offsets` and `unknown_lags`."""

from __future__ import annotations

from typing import Final

import numpy as np

from equilag.adapters.show import show
from equilag.adapters.snapshot.columns import Numbers
from equilag.adapters.snapshot.fields import (
    LAGS,
    NATURAL,
    Object,
    Row,
    as_list,
    as_object,
    as_text,
    check_keys,
    integer_column,
)
from equilag.adapters.snapshot.read_topics import PerTopic, Topics, per_topic
from equilag.errors import InputError
from equilag.group import MAX_LAG, QUALITY, Ints, Marks, check_sizes

RESETS: Final = ("earliest", "latest", "none")

_ARRAYS: Final = ("log_start", "log_end", "committed")
_NO_COMMIT: Final = NATURAL.low - 1
_MARK: Final = {name: np.uint8(number) for number, name in enumerate(QUALITY)}


def read_reset(value: object, place: str = "auto_offset_reset") -> str:
    """One of RESETS, in lower case. Raises InputError."""
    reset = as_text(value, place).lower()
    if reset not in RESETS:
        raise InputError(f"{show(value)} is none of {', '.join(RESETS)}", place)
    return reset


def read_lags(snapshot: Object, topics: Topics) -> tuple[Ints, Marks]:
    """[P] lag in records and [P] quality mark: `unknown_lags`, then `lags` before `offsets` before
    0 unknown.

    Raises InputError, also for lags that add up to too much.
    """
    latest = read_reset(snapshot.get("auto_offset_reset", "latest")) == "latest"
    lag = np.zeros(topics.n_partitions, dtype=np.int64)
    quality = np.full(topics.n_partitions, _MARK["unknown"], dtype=np.uint8)
    given = per_topic(snapshot, "lags", topics)
    offsets = per_topic(snapshot, "offsets", topics)
    untold = _untold(per_topic(snapshot, "unknown_lags", topics))
    if offsets.names:
        computed, marks = _from_offsets(offsets, latest)
        # Where `lags` wins, a lag that the offsets would give is nobody's lag.
        counts = ~given.covered
        counts[untold] = False
        large = np.flatnonzero((computed >= MAX_LAG) & counts[offsets.covered])
        if len(large):
            problem = f"the lag {computed[large[0]]} is 2^53 or more"
            raise InputError(problem, offsets.spot(int(large[0]), "log_end"))
        lag[offsets.covered], quality[offsets.covered] = computed, marks
    if given.names:
        rows = given.arrays(given.entries)
        lag[given.covered] = integer_column(rows, LAGS, given.place)
        quality[given.covered] = _MARK["given"]
    lag[untold], quality[untold] = 0, _MARK["unknown"]
    try:
        check_sizes(lag, topics.n_partitions)
    except InputError as error:
        place = "lags" if given.names else "offsets"
        raise InputError(error.problem, place) from error
    return lag, quality


def _untold(field: PerTopic) -> Ints:
    """The partitions that are listed; each once or several times. Raises InputError."""
    if not field.names:
        return np.zeros(0, np.int64)
    rows: list[Row] = []
    for number, value in enumerate(field.entries):
        place = field.place(number)
        rows.append(value if isinstance(value, Numbers) else as_list(value, place))
    column = integer_column(rows, NATURAL, field.place)
    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    sizes = np.repeat(field.size, lengths)
    beyond = np.flatnonzero(column >= sizes)
    if len(beyond):
        first = int(beyond[0])
        problem = f"{column[first]} is no partition of {sizes[first]}"
        raise InputError(problem, field.spot(first, lengths=lengths))
    numbers = [field.topics.number[name] for name in field.names]
    return column + np.repeat(field.topics.start[numbers], lengths)


def _from_offsets(offsets: PerTopic, latest: bool) -> tuple[Ints, Marks]:
    """Lag and quality of the partitions of the topics in `offsets`."""
    entries: list[Object] = []
    for number, value in enumerate(offsets.entries):
        entry = as_object(value, offsets.place(number))
        check_keys(entry, frozenset(_ARRAYS), _ARRAYS, offsets.place(number))
        entries.append(entry)
    start, end, committed = (_array(offsets, entries, array) for array in _ARRAYS)
    wrong = np.flatnonzero(end < start)
    if len(wrong):
        first = int(wrong[0])
        problem = f"{end[first]} is below log_start, {start[first]}"
        raise InputError(problem, offsets.spot(first, "log_end"))

    none, ahead, behind = committed == _NO_COMMIT, committed > end, committed < start
    lag = end - np.maximum(committed, start)
    lag[ahead] = 0
    if latest:
        lag[none] = 0
    quality = np.full(len(lag), _MARK["ok"], dtype=np.uint8)
    quality[ahead] = _MARK["ahead_of_end"]
    quality[behind] = _MARK["below_log_start"]
    quality[none] = _MARK["no_commit"]
    return lag, quality


def _array(offsets: PerTopic, entries: list[Object], array: str) -> Ints:
    rows = offsets.arrays([entry[array] for entry in entries], array)
    nullable = array == "committed"
    return integer_column(rows, NATURAL, lambda row: offsets.place(row, array), nullable)
