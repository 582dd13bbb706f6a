"""Settings of a fleet run: which are refused, and how the summary shows them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from equilag.domain.errors import InputError
from equilag.domain.policy.policy import Policy
from equilag.pipeline.fleet_options import FleetOptions
from equilag.pipeline.rules import GroupSettings, read_rules
from equilag.pipeline.sources.history import END_OF_TIME

DEFAULT = GroupSettings(Policy("lag-aware", move_cost=7), effort=0.25, time_limit=30.0, seed=4)
RULES = read_rules("[[rule]]\ngroup = '^a'\n[[rule]]\ngroup = 'b$'\nmax_moves = 3\n", DEFAULT)
FILES = FleetOptions("out", RULES, offsets=("o1", "o2"), members=("m",))
LIVE = FleetOptions("out", RULES, bootstrap="kafka:9092")


SOURCE = "either files of offsets and members or a live cluster is required"
TIME = "must be a time from 1970 to 9999"


@pytest.mark.parametrize(
    ("base", "changes", "place", "problem"),
    [
        (FILES, {"weight": "mass"}, "weight",
         "must be one of work, lag, rate, forecast, bytes, not 'mass'"),
        (FILES, {"reset": "now"}, "auto_offset_reset",
         "must be one of earliest, latest, none, not 'now'"),
        (FILES, {"offsets": ()}, "offsets", SOURCE),
        (FILES, {"members": ()}, "offsets", SOURCE),
        (FILES, {"bootstrap": "kafka:9092"}, "offsets", SOURCE),
        (LIVE, {"bootstrap": None}, "offsets", SOURCE),
        (LIVE, {"weight": "rate"}, "weight", "rate needs a history"),
        (LIVE, {"weight": "forecast"}, "weight", "forecast needs a history"),
        (LIVE, {"weight": "bytes"}, "weight", "bytes needs a history"),
        (FILES, {"at": -1}, "at", TIME),
        (FILES, {"at": END_OF_TIME}, "at", TIME),
        (FILES, {"window": 0}, "window", "must be more than 0"),
        (FILES, {"horizon": 0}, "horizon", "must be more than 0"),
        (FILES, {"tasks": 0}, "tasks", "must be more than 0"),
    ],
)  # fmt: skip
def test_settings_that_make_no_sense(
    base: FleetOptions, changes: dict[str, Any], place: str, problem: str
) -> None:
    with pytest.raises(InputError) as caught:
        replace(base, **changes)
    assert caught.value.place == place
    assert caught.value.problem.startswith(problem)


def test_the_settings_in_the_summary() -> None:
    options = replace(FILES, window=90_000, horizon=1_500, stale=2_500)
    assert options.to_dict() == {
        "offsets": ["o1", "o2"],
        "members": ["m"],
        "bootstrap_server": None,
        "window_s": 90.0,
        "horizon_s": 1.5,
        "stale_after_s": 2.5,
        "weight": "work",
        "auto_offset_reset": "latest",
        "policy": DEFAULT.policy.to_dict(),
        "effort": 0.25,
        "time_limit_s": 30.0,
        "seed": 4,
        "limits": {"gain": 10.0, "min_gain": None, "min_lag": 10_000, "behind": 60.0},
        "rules": ["^a", "b$"],
    }
    assert FILES.to_dict()["stale_after_s"] is None
    assert replace(FILES, weight="lag").to_dict()["weight"] == "lag"
    assert LIVE.to_dict()["bootstrap_server"] == "kafka:9092"
