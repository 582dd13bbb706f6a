"""Rates, speeds and their errors that are learnt from made-up observations."""

from __future__ import annotations

import numpy as np
import pytest

from equilag.live.tracking.load_tracker import LoadTracker
from equilag.live.tracking.topic_columns import ObservedOffsets

SIZES = {"t": 4}
HOLDERS = {"a": {"t": [0, 1]}, "b": {"t": [2, 3]}}


def tracked(seconds: int) -> LoadTracker:
    """Partitions get 10, 20, 30 and 40 records/s, `a` reads 20 and `b` all; commits every 5 s."""
    tracker = LoadTracker()
    for at in range(0, seconds + 1, 5):
        end = 10_000 + at * np.array([10, 20, 30, 40])
        read = {"t": [at * 10, at * 10, int(end[2]), int(end[3])]}
        starts, ends = {"t": [0] * 4}, {"t": end.tolist()}
        tracker.add(ObservedOffsets(float(at), starts, ends, read, HOLDERS))
    return tracker


def test_rates_are_known_from_two_steps_on() -> None:
    assert tracked(5).rates(SIZES).rates == {"t": [None] * 4}
    found = tracked(10).rates(SIZES)
    assert found.rates == {"t": [10, 20, 30, 40]}
    assert found.errors["t"] == pytest.approx([1, 2**0.5, 3**0.5, 2])


def test_a_member_with_a_backlog_has_its_speed_and_others_the_fastest_seen() -> None:
    assert tracked(10).capacities(["a", "b", "c"], 10.0) == {}
    tracker = tracked(60)
    assert tracker.capacities([], 60.0) == {}
    found = tracker.capacities(["a", "b", "c"], 60.0)
    assert found["a"] == 20
    assert 60 < found["b"] == found["c"] <= 70
    again = LoadTracker.from_dict(tracker.to_dict(60.0, 1e9), 7.0, 1e9 + 30)
    assert again.capacities("abc", 7.0) == found
