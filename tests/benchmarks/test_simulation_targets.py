"""The simulation benchmark: its targets, sizes by enumeration, figures of the broker."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from support.json_schemas import replaced
from support.paths import CHECKOUT

from benchmarks.simulation import broker_part, run, size_part
from benchmarks.simulation.broker_group import TOPIC
from benchmarks.simulation.targets import judged
from equilag.adapters.kafka.group_reader import GroupReader

KEPT: dict[str, Any] = json.loads(
    (CHECKOUT / "benchmarks" / "simulation" / "results.json").read_text("utf-8")
)
OWN_ROW = ("rules", "scenarios", 0, "rules", -1)
"""Of work per speed, in the scenario of equal members: age 4.3 s, 44 moves. By rate it is 4.31 s
and 44.5 moves, by lag 357 s."""


def missed(results: dict[str, Any]) -> set[str]:
    return {goal.name for goal in judged(results) if goal.met is False}


LAG, RATE = "age against lag", "age against the best other rule"
MOVES, PLAIN = "moves against that rule", "age and moves against the best rule without speeds"


@pytest.mark.parametrize(
    ("path", "value", "names"),
    [
        ((*OWN_ROW, "age_p95_s", "median"), 4.3, set()),
        ((*OWN_ROW, "age_p95_s", "median"), 71.3, {RATE, PLAIN}),
        ((*OWN_ROW, "age_p95_s", "median"), 71.4, {LAG, RATE, PLAIN}),
        ((*OWN_ROW, "moves", "median"), 66.0, set()),
        ((*OWN_ROW, "moves", "median"), 66.1, {MOVES, PLAIN}),
        (("broker", "came", 2), 1, {"forecast of total lag, every minute"}),
        (("broker", "speeds", "measured", 0), None, {"measured speeds"}),
        (("broker", "rates", "measured", 0), 1e9, {"measured rates"}),
        (("size", "cases", 1, "proved"), 125, {"size: 126 even partitions"}),
        (("size", "cases", 1, "as_expected"), 125, {"size: 126 even partitions"}),
        (("size", "enumerated", "equal"), 161, {"size: small groups"}),
        (("cost", "ratio"), 1.11, {"plan of 10,000 × 500,000 by work against lag"}),
    ],
)
def test_each_target_can_be_missed(path: tuple[Any, ...], value: Any, names: set[str]) -> None:
    found = missed(replaced(KEPT, path, value)) - missed(KEPT)
    assert {name.removeprefix("equal members: ") for name in found} == names


def test_a_broker_that_is_left_out_is_no_miss() -> None:
    left_out = replaced(KEPT, ("broker",), {"left_out": "no Java"})
    assert [goal.met for goal in judged({"broker": left_out["broker"]})] == [None]


def test_a_run_keeps_the_parts_that_it_does_not_measure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "results.json"
    out.write_text(json.dumps(KEPT), "utf-8")
    monkeypatch.setattr(run, "measured", lambda part, seeds: {**KEPT[part], "ratio": 2.0})
    assert run.main(["--parts", "cost", "--out", str(out)]) == 1
    found = json.loads(out.read_text("utf-8"))
    assert (found["cost"]["ratio"], found["size"]) == (2.0, KEPT["size"])


def test_sizes_are_those_of_all_assignments() -> None:
    assert size_part.least_heaviest((5.0, 4.0, 3.0, 2.0), 2) == 7.0
    assert size_part.least_heaviest((9.0, 1.0, 1.0), 2) == 9.0
    found = size_part.enumerated(2)
    assert found["equal"] == found["sizes"] > 0


@pytest.mark.parametrize("case", size_part.CASES, ids=lambda case: case.name)
def test_cases_of_sizes_hold_what_they_say(case: size_part.SizeCase) -> None:
    whole = sum(case.rates) / size_part.CAPACITY
    assert case.expected(1) * (case.threads or 1) == pytest.approx(whole)
    assert case.expected(2) < case.expected(1)


def test_lag_by_commits_counts_from_the_commits() -> None:
    offsets = SimpleNamespace(log_end={TOPIC: [10, 20, None]}, committed={TOPIC: [4, None, None]})
    reader = SimpleNamespace(lags=lambda group, topics: offsets)
    assert broker_part.lag_by_commits(cast(GroupReader, reader)) == 26


def test_unknown_figures_stay_unknown() -> None:
    pairs = broker_part._pairs([1.0, 2.0], np.array([1.04, np.nan]))
    assert pairs == {"truth": [1.0, 2.0], "measured": [1.04, None]}
    assert broker_part._pairs([1.0], None)["measured"] == [None]
