"""Capacities to plan with."""

from __future__ import annotations

import numpy as np
import pytest

from equilag.adapters.measuring.estimates import Estimates
from equilag.adapters.measuring.speeds import Capacities
from equilag.adapters.measuring.usable_capacities import (
    Measurements,
    joined_speeds,
    surely_faster,
    usable_capacities,
)

NAN = float("nan")


def measured(speeds: list[float], consumed: list[float], error: float = 1.0) -> Measurements:
    def estimates(values: list[float]) -> Estimates:
        value = np.array(values)
        known = ~np.isnan(value)
        return Estimates(value, np.where(known, error, NAN), known * 30.0, known * 1)

    capacities = Capacities(estimates(speeds), np.zeros(len(speeds), dtype=np.int8))
    nothing = estimates([])
    return Measurements(nothing, nothing, estimates(consumed), capacities)


@pytest.mark.parametrize(
    ("speeds", "joined"),
    [
        ([], []),
        ([NAN], [NAN]),
        ([100, 104, 109], [104, 104, 104]),
        ([100, 111, 50, NAN], [100, 111, 50, NAN]),
        ([120, 100, 109, 111, 125], [115.5, 104.5, 104.5, 115.5, 125]),
    ],
)
def test_speeds_close_to_each_other_are_one(speeds: list[float], joined: list[float]) -> None:
    assert joined_speeds(np.array(speeds, dtype=float)).tolist() == pytest.approx(
        joined, nan_ok=True
    )


def test_a_member_that_consumes_more_than_the_others_can_is_as_fast_as_that() -> None:
    found = measured([100, NAN, NAN, NAN], [90, 150, 101, NAN], error=2.0)
    assert surely_faster(found).tolist() == [False, True, False, False]
    assert usable_capacities(found).tolist() == pytest.approx([100, 150, NAN, NAN], nan_ok=True)


def test_without_any_known_speed_none_is_made_up() -> None:
    found = measured([NAN, NAN], [50, 60])
    assert np.isnan(usable_capacities(found)).all()
    assert not surely_faster(found).any()
