"""What a tracker knows as JSON, and JSON that is no such state."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.tracked_loads import TOPIC, observation, rates_now

from equilag.domain.errors import InputError
from equilag.live.tracking.load_tracker import LoadTracker

NOW, WALL = 500.0, 1_800_000_000.0


def state() -> dict[str, Any]:
    return {
        "format": "equilag/steward-state/1",
        "time": WALL,
        "rates": {TOPIC: {"rate": [10.0, None], "error": [1.0, None]}},
        "speeds": {"a": {"speed": 100.0, "error": 3.0, "age": 60.0}},
        "steady": {"b": {"speed": 150.0, "error": 5.0, "age": 0.0}},
        "levels": {"a": 102.0},
    }


def resumed(later: float, given: object | None = None) -> LoadTracker:
    """The tracker of a process whose monotonic clock shows 7, so many seconds after the state."""
    return LoadTracker.from_dict(state() if given is None else given, 7.0, WALL + later)


def test_a_state_is_plain_json_and_comes_back() -> None:
    given = json.loads(json.dumps(resumed(0.0).to_dict(7.0, WALL)))
    assert given == state()


def test_rates_are_used_for_two_minutes() -> None:
    assert rates_now(resumed(110.0), 2)[0] == 10
    assert resumed(130.0).rates({TOPIC: 2})[0] == {TOPIC: [None, None]}
    assert resumed(10.0).rates({TOPIC: 3})[0] == {TOPIC: [None] * 3}


def test_rates_are_used_until_they_are_measured() -> None:
    tracker = resumed(10.0)
    for at, rates in ((8.0, [10, None]), (13.0, [10, None]), (18.0, [30, 4])):
        tracker.add(observation(at, [int(at * 30), int(at * 4)]))
        assert tracker.rates({TOPIC: 2})[0] == {TOPIC: rates}


def test_speeds_are_used_for_an_hour() -> None:
    assert resumed(3000.0).capacities(["a", "b"], 7.0) == {"a": 100, "b": 150}
    assert resumed(3541.0).capacities(["a", "b"], 7.0) == {}
    assert resumed(3601.0).to_dict(7.0, WALL)["speeds"] == {}


CASES = [
    *map(json.loads, Path(__file__).with_name("no_states.jsonl").read_text("utf-8").splitlines()),
    [{"time": 10**400}, "time: an integer of 1329 bits is not 0, or 1e-100 to 1e+100"],
]
"""What is other than in `state`, and its problem."""


@pytest.mark.parametrize(("change", "problem"), CASES)
def test_what_is_no_state(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError) as error:
        resumed(0.0, {**state(), **change})
    assert str(error.value).startswith(problem)
