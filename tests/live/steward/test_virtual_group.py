"""A group of slow pollers with the steward's own loops and without, in virtual time."""

from __future__ import annotations

import numpy as np
import pytest
from support.virtual_group import VirtualGroup

MEMBERS, PARTITIONS, GO = 40, 400, 4
RATE = 2.0
"""Records per second of a mean partition."""
SPEED = 33.0
"""Of a member: the group uses 60 %."""

Figures = dict[str, dict[str, float]]


def course(monkeypatch: pytest.MonkeyPatch, led: bool, slow: int, seed: int) -> Figures:
    """What a start, a leave of `GO` members, a join of as many, and quiet times cost. Every
    `slow`th of the first members reads a third as fast; 0 for none."""
    rng = np.random.default_rng(seed)
    rates = rng.lognormal(0.0, 0.5, PARTITIONS)
    group = VirtualGroup(monkeypatch, RATE * rates / rates.mean(), led, seed)

    def come(number: int) -> None:
        is_slow = slow and number < MEMBERS and number % slow == 0
        speed = SPEED / 3 if is_slow else SPEED
        group.join(f"m-{number:03d}", float(rng.uniform(1.0, 5.0)), speed)

    found = {}
    for number in range(MEMBERS):
        come(number)
    for name, seconds in (
        ("start", 60),
        ("before", 240),
        ("leave", 90),
        ("join", 90),
        ("end", 240),
    ):
        if name == "leave":
            for number in range(GO):
                group.leave(f"m-{5 * number + 1:03d}")
        if name == "join":
            for number in range(GO):
                come(MEMBERS + number)
        group.run(seconds)
        found[name] = group.figures()
    return found


@pytest.mark.parametrize(("slow", "seed"), [(0, 1), pytest.param(8, 2, marks=pytest.mark.long)])
def test_a_steward_never_makes_a_group_of_slow_pollers_worse(
    monkeypatch: pytest.MonkeyPatch, slow: int, seed: int
) -> None:
    monkeypatch.setattr("equilag.live.steward.steward_options.PLAN_EFFORT", 0.1)
    led, alone = (course(monkeypatch, led, slow, seed) for led in (True, False))
    for change in ("leave", "join"):
        if not slow:  # else it relieves them, which pays
            assert led[change]["moves"] <= alone[change]["moves"]
            assert led[change]["unowned"] <= 1.1 * alone[change]["unowned"]
            assert led[change]["lag"] <= 1.02 * alone[change]["lag"]
        assert led[change]["p90"] <= 1.1 * alone[change]["p90"]
    for quiet in ("before", "end"):
        assert led[quiet]["lag"] <= 1.02 * alone[quiet]["lag"]
    if slow:  # two polls and a commit are the floor of 8 s
        floor = 8 * RATE * PARTITIONS
        assert led["end"]["lag"] - floor <= (alone["end"]["lag"] - floor) / 3
