"""Speeds without noise, stable from call to call."""

from __future__ import annotations

from equilag.live.tracking.member_speeds import speed_levels
from equilag.live.tracking.window_speed import WindowSpeed


def levels(
    before: dict[str, float] | None = None, error: float = 1.0, **speeds: float
) -> dict[str, float]:
    given = {key: WindowSpeed(speed, error, 0.0) for key, speed in speeds.items()}
    return speed_levels(given, before or {})


def test_speeds_that_are_alike_become_one() -> None:
    assert levels(a=100, b=110, c=104, d=300) == {"a": 104, "b": 104, "c": 104, "d": 300}


def test_a_level_keeps_its_value_while_its_speeds_wobble() -> None:
    assert levels({"a": 100, "b": 100}, a=103, b=104) == {"a": 100, "b": 100}
    assert levels({"a": 100, "b": 100}, a=107, b=106) == {"a": 106.5, "b": 106.5}
    assert levels({"a": 100, "b": 100}, 5.0, a=107, b=106) == {"a": 100, "b": 100}


def test_a_member_of_another_speed_leaves_its_level() -> None:
    assert levels({"a": 100, "b": 100}, a=100, b=120) == {"a": 100, "b": 120}
    assert levels({"a": 100, "b": 100}, a=100, b=33) == {"a": 100, "b": 33}


def test_a_new_member_joins_the_nearest_level_that_is_alike() -> None:
    before = {"a": 100.0, "b": 120.0}
    assert levels(before, a=100, b=120, c=108) == {"a": 100, "b": 120, "c": 100}
    assert levels(before, a=100, b=120, c=112) == {"a": 100, "b": 120, "c": 120}
    assert levels(before, a=100, b=120, c=200)["c"] == 200


def test_a_member_joins_another_level_if_that_is_much_nearer() -> None:
    before = {"a": 95.0, "b": 113.0}
    assert levels(before, a=96, b=100) == {"a": 95, "b": 95}
    assert levels(before, a=96, b=104) == {"a": 100, "b": 100}  # levels met


def test_levels_that_came_close_become_one() -> None:
    found = levels({"a": 100, "b": 120}, a=107, b=113)
    assert found["a"] == found["b"]
    assert found["a"] == 107  # 110 is next to it
