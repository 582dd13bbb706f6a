"""What was measured of a group's topics."""

from __future__ import annotations

from equilag.live.rebalance.measured import with_size


def test_only_topics_of_the_same_size_count() -> None:
    lags = {"t": [1, 2], "u": [3], "gone": [4]}
    assert with_size(lags, {"t": 2, "u": 2, "new": 1}) == {"t": [1, 2]}
