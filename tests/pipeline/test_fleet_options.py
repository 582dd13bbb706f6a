"""Settings of a fleet run: which are refused, and how the summary shows them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from equilag.domain.errors import InputError
from equilag.domain.policy.policy import Policy
from equilag.pipeline.fleet_options import FleetOptions
from equilag.pipeline.results.run_tables import END_OF_TIME
from equilag.pipeline.rules import GroupSettings, read_rules

DEFAULT = GroupSettings(Policy("lag-aware", move_cost=7), effort=0.25, time_limit=30.0, seed=4)
RULES = read_rules("[[rule]]\ngroup = '^a'\n[[rule]]\ngroup = 'b$'\nmax_moves = 3\n", DEFAULT)
FILES = FleetOptions("out", RULES, offsets=("o1", "o2"), members=("m",))
LIVE = FleetOptions("out", RULES, bootstrap="kafka:9092")


def refused(base: FleetOptions, **changes: Any) -> tuple[str, str]:
    with pytest.raises(InputError) as caught:
        replace(base, **changes)
    return caught.value.place, caught.value.problem


def test_the_weight_is_one_of_five() -> None:
    place, problem = refused(FILES, weight="mass")
    assert (place, problem) == (
        "weight",
        "must be one of work, lag, rate, forecast, bytes, not 'mass'",
    )


def test_the_reset_is_one_of_three() -> None:
    place, problem = refused(FILES, reset="now")
    assert place == "auto_offset_reset"
    assert problem == "must be one of earliest, latest, none, not 'now'"


@pytest.mark.parametrize(
    ("base", "changes"),
    [
        (FILES, {"offsets": ()}),
        (FILES, {"members": ()}),
        (FILES, {"bootstrap": "kafka:9092"}),
        (LIVE, {"bootstrap": None}),
    ],
)
def test_the_source_is_either_files_or_a_cluster(
    base: FleetOptions, changes: dict[str, Any]
) -> None:
    place, problem = refused(base, **changes)
    assert place == "offsets"
    assert problem == "either files of offsets and members or a live cluster is required"


@pytest.mark.parametrize("weight", ["rate", "forecast", "bytes"])
def test_a_live_cluster_has_only_lags(weight: str) -> None:
    place, problem = refused(LIVE, weight=weight)
    assert place == "weight"
    assert problem.startswith(f"{weight} needs a history")
    assert replace(FILES, weight=weight).weight == weight


@pytest.mark.parametrize("at", [-1, END_OF_TIME])
def test_a_time_that_cannot_be_written(at: int) -> None:
    assert refused(FILES, at=at) == ("at", "must be a time from 1970 to 9999")
    assert replace(FILES, at=END_OF_TIME - 1).at == END_OF_TIME - 1
    assert replace(FILES, at=0).at == 0


@pytest.mark.parametrize("name", ["window", "horizon", "tasks"])
def test_amounts_are_more_than_0(name: str) -> None:
    assert refused(FILES, **{name: 0}) == (name, "must be more than 0")
    assert getattr(replace(FILES, **{name: 1}), name) == 1


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
        "rules": ["^a", "b$"],
    }
    assert FILES.to_dict()["stale_after_s"] is None
    assert replace(FILES, weight="lag").to_dict()["weight"] == "lag"
    assert LIVE.to_dict()["bootstrap_server"] == "kafka:9092"
