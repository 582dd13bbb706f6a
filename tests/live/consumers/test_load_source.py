"""What offsets tell of the lag, and when a source knows something of a group."""

from __future__ import annotations

import pytest

from equilag.live.consumers.lag_source import ObservedLoad
from equilag.live.rebalance.measured import lags_of
from equilag.live.tracking.topic_columns import ObservedOffsets

OBSERVED = ObservedOffsets(
    0.0,
    log_start={"t": [0, 10, 5, 0, None]},
    log_end={"t": [100, 60, 5, 80, None], "u": [7]},
    committed={"t": [40, None, None, -1, 3]},
)


@pytest.mark.parametrize(
    ("reset", "lags"),
    [
        ("earliest", [60, 50, 0, 80, None]),
        ("latest", [60, 0, 0, 0, None]),
        (None, [60, None, 0, None, None]),
    ],
)
def test_lag_without_a_commit(reset, lags) -> None:
    """It is the whole log, none, or unknown; that of an empty log is 0."""
    found = lags_of(OBSERVED.committed, OBSERVED.log_start, OBSERVED.log_end, reset)
    assert found["t"] == lags


def test_only_topics_as_they_were_observed_are_known() -> None:
    load = ObservedLoad("earliest")
    assert load.measured({"t": 5}, []) is None
    load.add(OBSERVED, {"t": 5, "u": 1}, 0.0, {})
    found = load.measured({"t": 5}, ["m"])
    assert found is not None
    assert found.lags["t"] == [60, 50, 0, 80, None]
    assert found.rates == {"t": [None] * 5}
    assert found.capacities == {}
    assert found.age > 0
    assert load.measured({"t": 6}, []) is None
    assert load.measured({"t": 5, "v": 1}, []) is None
