"""The simulation benchmark: targets and page of a run, sizes by enumeration, broker figures."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from benchmarks.simulation import broker_part, report, run, size_part
from benchmarks.simulation.broker_group import TOPIC
from benchmarks.simulation.rules import LAG, OWN, RULES
from benchmarks.simulation.targets import judged
from equilag.adapters.kafka.group_reader import GroupReader


def row(rule: str, age: float, moves: float) -> dict[str, Any]:
    def of(value: float) -> dict[str, Any]:
        return {"median": value, "worst": 2 * value, "seeds": [value]}

    return {
        "rule": rule, "words": f"words of {rule}", "age_p95_s": of(age), "lag": of(1234.5),
        "moves": of(moves), "rebalances": of(3),
    }  # fmt: skip


def results(own_age: float = 10.0, own_moves: float = 45.0) -> dict[str, Any]:
    rows = [row(LAG, 500.0, 200.0), row("rate", 10.0, 30.0), row(OWN, own_age, own_moves)]
    by_speed = {rule.name: row(rule.name, 7.0, 50.0) for rule in RULES if rule.by_speed}
    settings = {
        "look_every_s": 5, "window_s": 10, "min_interval_s": 30, "gain_percent": 20.0,
        "confirm": 2, "horizon_s": 300.0, "tolerance": 5.0, "effort": 0.05, "commit_s": 5,
        "pause_s": 3, "sigma": 1.0, "speed": 500.0,
    }  # fmt: skip
    case = {
        "words": "126 even partitions", "sizes": 3, "proved": 3, "as_expected": 3,
        "helping": [1, 2], "loads": [1.0, 0.5], "cpu_s": 0.1,
    }  # fmt: skip
    return {
        "when": "2026-01-01",
        "machine": {"cpu": "a", "cores": 2, "memory_gib": 8, "load_at_start": 0.5},
        "versions": {"equilag": "1"},
        "rules": {
            "seeds": 2,
            "settings": settings,
            "scenarios": [{"name": "equal", "words": "equal members", "rules": rows}],
            "tried": [{"words": "horizon 1 min", "seeds": 2, **by_speed}],
        },
        "broker": {
            "sampled_s": 60,
            "speeds": {"truth": [100.0, 300.0], "measured": [99.0, 303.0]},
            "rates": {"truth": [10.0], "measured": [10.2]},
            "minutes": [0, 1, 2],
            "forecast": [500, 1000, 2100],
            "came": [400, 900, 2000],
            "by_commits": [410, 910, 2010],
        },
        "size": {"cases": [case], "enumerated": {"groups": 4, "sizes": 9, "equal": 9}},
        "cost": {
            "members": 10, "partitions": 20, "pairs": 3, "lag_s": 1.0, "work_s": 1.05,
            "ratio": 1.05,
        },
    }  # fmt: skip


def missed(found: dict[str, Any]) -> list[str]:
    return [goal.name for goal in judged(found) if goal.met is False]


def test_a_run_that_meets_every_target() -> None:
    goals = judged(results())
    assert len(goals) == 10
    assert missed(results()) == []
    assert str(goals[0]) == "ok     equal members: age against lag: 10.0 s of 500.0 s (target 1/5)"


def test_each_target_can_be_missed() -> None:
    assert missed(results(own_age=100.5)) == [
        "equal members: age against lag", "equal members: age against the best other rule",
        "equal members: age and moves against the best rule without speeds",
    ]  # fmt: skip
    assert missed(results(own_moves=46.0)) == [
        "equal members: moves against that rule",
        "equal members: age and moves against the best rule without speeds",
    ]
    found = results()
    found["broker"]["came"][2] = 1800
    found["broker"]["speeds"]["measured"] = [99.0, None]
    found["broker"]["rates"]["measured"] = [10.6]
    found["size"]["cases"][0]["proved"] = 2
    found["size"]["enumerated"]["equal"] = 8
    found["cost"]["ratio"] = 1.11
    assert len(missed(found)) == 6


def test_the_page_has_every_part(tmp_path: Path) -> None:
    source, page = tmp_path / "results.json", tmp_path / "page.md"
    source.write_text(json.dumps(results()), "utf-8")
    assert report.main([str(source), "--out", str(page)]) == 0
    text = page.read_text("utf-8")
    for title in ("Targets", "What a rebalance balances", "A real broker"):
        assert f"\n## {title}\n" in text
    assert "| words of lag | 500, 200 |" in text
    assert "| 2 | 2,100 | 2,000 | 2,010 |" in text
    assert text.count(": met\n") == 4
    assert "- size: 126 even partitions: 3 proved" in text
    assert "**missed**" not in text
    late = report.target_lines(results(own_age=101.0))
    assert "- age against lag: **missed** for equal members" in late


def test_a_run_keeps_the_parts_that_it_does_not_measure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "results.json"
    out.write_text(json.dumps(results()), "utf-8")
    monkeypatch.setattr(run, "measured", lambda part, seeds: {**results()[part], "ratio": 2.0})
    assert run.main(["--parts", "cost", "--out", str(out)]) == 1
    found = json.loads(out.read_text("utf-8"))
    assert found["cost"]["ratio"] == 2.0
    assert found["size"] == results()["size"]


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
