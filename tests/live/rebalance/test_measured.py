"""What was measured of a group's topics."""

from __future__ import annotations

import pytest

from equilag.live.rebalance.measured import Lags, lags_of, with_size


def test_only_topics_of_the_same_size_count() -> None:
    lags = {"t": [1, 2], "u": [3], "gone": [4]}
    assert with_size(lags, {"t": 2, "u": 2, "new": 1}) == {"t": [1, 2]}


COMMITTED: Lags = {"t": [40, None, None, -1, 3]}
LOG_START: Lags = {"t": [0, 10, 5, 0, None]}
LOG_END: Lags = {"t": [100, 60, 5, 80, None], "u": [7]}


@pytest.mark.parametrize(
    ("reset", "lags"),
    [
        ("earliest", [60, 50, 0, 80, None]),
        ("latest", [60, 0, 0, 0, None]),
        (None, [60, None, 0, None, None]),
    ],
)
def test_lag_without_a_commit(reset: str | None, lags: list[int | None]) -> None:
    """It is the whole log, none, or unknown; that of an empty log is 0."""
    found = lags_of(COMMITTED, LOG_START, LOG_END, reset)
    assert (found["t"], len(found["u"])) == (lags, 1)
