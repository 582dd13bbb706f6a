"""The lag rule: every case by hand, and against two rules written apart from it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.fleet_oracle import lag_of

from equilag.domain.building.number_columns import NULL
from equilag.domain.errors import InputError
from equilag.domain.group.lag import QUALITY, RESETS, as_reset, lag_from_offsets, lag_list

OFFSETS = st.integers(0, 50)
PARTITIONS = st.lists(st.tuples(OFFSETS, OFFSETS, st.none() | st.integers(0, 120)), max_size=8)


def column(*values: int | None) -> np.ndarray:
    return np.array([NULL if value is None else value for value in values], dtype=np.int64)


@pytest.mark.parametrize(
    ("committed", "log_start", "log_end", "reset", "lag", "quality"),
    [
        (4, 0, 10, "latest", 6, "ok"),
        (10, 0, 10, "latest", 0, "ok"),
        (5, 5, 10, "latest", 5, "ok"),
        (4, 5, 10, "latest", 5, "below_log_start"),  # records below the log start are deleted
        (12, 0, 10, "earliest", 0, "ahead_of_end"),
        (None, 2, 10, "latest", 0, "no_commit"),
        (None, 2, 10, "none", 8, "no_commit"),
        (None, 2, 10, "earliest", 8, "no_commit"),
        (0, 0, 2**63 - 1, "latest", 2**63 - 1, "ok"),
        (4, 0, None, "latest", 0, "unknown"),
        (None, 2**63 - 1, None, "earliest", 0, "unknown"),
    ],
)
def test_each_case(
    committed: int | None, log_start: int, log_end: int | None, reset: str, lag: int, quality: str
) -> None:
    found, marks = lag_from_offsets(column(committed), column(log_start), column(log_end), reset)
    assert (found.tolist(), QUALITY[marks[0]]) == ([lag], quality)
    assert (found.dtype, marks.dtype) == (np.int64, np.uint8)


@given(PARTITIONS, st.sampled_from(RESETS))
def test_the_rule_that_the_pipelines_sql_is_tested_against(
    partitions: list[tuple[int, int, int | None]], reset: str
) -> None:
    starts = [start for start, _, _ in partitions]
    ends = [start + records for start, records, _ in partitions]
    commits = [committed for _, _, committed in partitions]
    lag, _ = lag_from_offsets(column(*commits), column(*starts), column(*ends), reset)
    samples = zip(starts, ends, commits, strict=True)
    keys = ("log_start", "log_end", "committed")
    assert lag.tolist() == [lag_of(dict(zip(keys, row, strict=True)), reset) for row in samples]


def test_lags_of_lists() -> None:
    assert lag_list([3, None, -1], [0, 2, 1], [10, 5, 4], "earliest") == [7, 3, 3]
    assert lag_list([], [], [], "latest") == []


def test_resets_in_any_case() -> None:
    assert [as_reset(reset.upper()) for reset in RESETS] == list(RESETS)
    with pytest.raises(InputError, match=r'auto_offset_reset: "newest" is none of'):
        as_reset("newest")
