"""The speed of a member from windows with a backlog all along."""

from __future__ import annotations

import numpy as np
import pytest

from equilag.adapters.measuring.speeds import BacklogWindows
from equilag.live.tracking.window_speed import WindowSpeed, window_speed

EVERY = 5.0
"""Seconds between observations: the error of a commit's time is theirs."""


def windows(*speeds: float, seconds: float = 10.0, gap_after: int | None = None) -> BacklogWindows:
    """Windows in a chain, but for a gap of a minute."""
    speed, length = np.array(speeds, float), np.full(len(speeds), seconds)
    error = speed * np.hypot(EVERY / np.sqrt(6) / length, 1 / np.sqrt(speed * length))
    until = np.cumsum(length)
    if gap_after is not None:
        until[gap_after:] += 60
    return BacklogWindows(length, speed, error, until)


def test_a_chain_is_as_exact_as_its_ends() -> None:
    found = window_speed(windows(*[100.0] * 8))
    assert found is not None
    assert found.value == pytest.approx(100)
    assert found.until == 80
    assert found.error == pytest.approx(np.hypot(100 * EVERY / np.sqrt(6), np.sqrt(8000)) / 80)
    parted = window_speed(windows(*[100.0] * 8, gap_after=4))
    assert parted is not None
    assert parted.error == pytest.approx(found.error * np.sqrt(2), rel=0.1)


@pytest.mark.parametrize(
    ("given", "since", "speed"),
    [
        (windows(100, 100, 100, 100, 180, 300, 300, 300), 0.0, 300),
        (windows(300, 300, 300, 300, 180, 100, 100, 100), 0.0, 100),
        (windows(100, 180, 300, 300, 300), 20.0, 300),  # a change is known
        (windows(100, 100, 100, 100, 100, 100, 50), 0.0, 650 / 7),  # a commit is missing at the end
        (windows(*[100] * 12, 240, 300, seconds=8.0), 0.0, 270),  # too short without the mixed one
    ],
)
def test_a_new_speed_counts_alone_and_without_the_mixed_window(
    given: BacklogWindows, since: float, speed: float
) -> None:
    found = window_speed(given, since)
    assert found is not None
    assert found.value == pytest.approx(speed)
    assert (found.since == 96) == (speed == 270)


def test_windows_before_a_known_change_do_not_count() -> None:
    assert window_speed(windows(100, 180), since=20.0) is None


def test_apart() -> None:
    slow, fast = WindowSpeed(100.0, 5.0, 0.0), WindowSpeed(150.0, 5.0, 0.0)
    assert slow.apart_from(fast)
    assert not slow.apart_from(fast._replace(error=20.0))
    assert not slow.apart_from(WindowSpeed(110.0, 0.0, 0.0))
    assert slow.at(60.0).until == 60
