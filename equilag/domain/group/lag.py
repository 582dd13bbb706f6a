"""Offsets, and the lag rule: how far a consumer is behind in each partition, and how well that is
known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.building.number_columns import NULL
from equilag.domain.columns import Flags, Ints, Marks
from equilag.domain.errors import InputError
from equilag.domain.show import show
from equilag.domain.values import as_text

QUALITY: Final = ("ok", "no_commit", "ahead_of_end", "below_log_start", "given", "unknown")
"""Where a lag comes from; a column of marks holds indexes into this."""
OK, NO_COMMIT, AHEAD_OF_END, BELOW_LOG_START, GIVEN, UNKNOWN = map(np.uint8, range(len(QUALITY)))

MAX_LAG: Final = 2**53
"""Lags are below this, so that the doubles of JSON readers and of solvers hold them exactly."""

RESETS: Final = ("earliest", "latest", "none")
"""Values of `auto.offset.reset`."""


def as_reset(value: object) -> str:
    """Return one of RESETS, in lower case. Raises InputError."""
    place = "auto_offset_reset"
    reset = as_text(value, place).lower()
    if reset not in RESETS:
        raise InputError(f"{show(value)} is none of {', '.join(RESETS)}", place)
    return reset


def is_known(quality: Marks) -> Flags:
    """[P] True where a lag was measured or given, not taken for want of a commit or a log end."""
    known: Flags = (quality != UNKNOWN) & (quality != NO_COMMIT)
    return known


def lag_from_offsets(
    committed: Ints, log_start: Ints, log_end: Ints, reset: str
) -> tuple[Ints, Marks]:
    """Return the lag in records and the quality mark of each partition.

    All columns are [P] or any other common length; `committed` is NULL without a commit, `log_end`
    NULL where it is unknown. The lag is the log end minus the commit, 0 for a commit above the
    log end, and counted from the log start for a commit below it. Without a commit it is 0 under
    `reset` "latest" and otherwise the whole log (KIP-169). An unknown one is 0 with its mark.
    """
    lag = log_end - np.maximum(committed, log_start)
    none, ahead, behind = committed == NULL, committed > log_end, committed < log_start
    quality = np.zeros(len(lag), dtype=np.uint8)
    quality[behind] = BELOW_LOG_START
    quality[ahead], lag[ahead] = AHEAD_OF_END, 0
    quality[none] = NO_COMMIT
    if reset == "latest":
        lag[none] = 0
    unknown = log_end == NULL
    quality[unknown], lag[unknown] = UNKNOWN, 0
    return lag, quality


def lag_list(
    committed: Sequence[int | None], log_start: Sequence[int], log_end: Sequence[int], reset: str
) -> list[int]:
    """Return the lag of each partition in records, from lists of a common length.

    None (or -1) in `committed` is a partition without a commit; `reset` as in `lag_from_offsets`.
    """
    commits = [NULL if offset is None else offset for offset in committed]
    columns = [np.array(offsets, dtype=np.int64) for offsets in (commits, log_start, log_end)]
    lags: list[int] = lag_from_offsets(columns[0], columns[1], columns[2], reset)[0].tolist()
    return lags


class OffsetColumns(NamedTuple):
    """[P] each; -1 in `log_end` where nothing is known of a partition, in `committed` without a
    commit."""

    log_start: Ints
    log_end: Ints
    committed: Ints


class Previous(NamedTuple):
    """The offsets of an earlier moment."""

    seconds_before: float
    """Above 0."""
    offsets: OffsetColumns
