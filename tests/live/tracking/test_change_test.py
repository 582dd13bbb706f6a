"""The score of a change between two counts."""

from __future__ import annotations

import numpy as np
import pytest

from equilag.domain.columns import Floats
from equilag.live.tracking.rate_chart import CountWindow, change_score


def window(records: float, seconds: float) -> CountWindow:
    return CountWindow(np.array([records]), np.array([seconds]))


NOTHING = np.zeros(1)


def test_equal_rates_score_nothing_and_nor_do_two_silent_windows() -> None:
    assert change_score(window(300, 30), window(100, 10), NOTHING)[0] == pytest.approx(0, abs=1e-6)
    assert change_score(window(0, 30), window(0, 10), NOTHING)[0] == 0


def test_large_counts_score_as_a_normal_test_does() -> None:
    score = change_score(window(30_000, 100), window(3_300, 10), NOTHING)[0]
    assert score == pytest.approx(300 / np.sqrt(3_300 + 300), rel=0.08)


def test_bursts_count_as_single_records() -> None:
    single = change_score(window(6, 100), window(3, 10), NOTHING)[0]
    rate = np.array([900 / 110]) * 100
    bursts: Floats = change_score(window(600, 100), window(300, 10), rate)
    assert bursts[0] == pytest.approx(single)
