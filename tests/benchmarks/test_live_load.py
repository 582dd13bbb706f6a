"""The load benchmark of live groups: scenarios, figures, targets and page, without a broker."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.live import load_report, run
from benchmarks.live.assigned_member import ManualAssignment
from benchmarks.live.assignment_log import Log
from benchmarks.live.hand_plan import hand_plan, utilisation
from benchmarks.live.load_figures import (
    Seen,
    changes_of,
    figures_of,
    process_rates,
    settled_after,
)
from benchmarks.live.load_scenarios import (
    BY_WORK,
    SCENARIOS,
    SLOW_SPEEDS,
    USED,
    lognormal_rates,
    scenario_of,
)
from benchmarks.live.load_schedule import Phase, due_at, rates_at, schedule_of
from benchmarks.live.load_targets import judged_load

EVEN = np.arange(24) % 6
"""Owners of 24 partitions, four each."""


def test_the_slow_member_is_a_third_as_fast_and_a_plan_exists() -> None:
    rates = lognormal_rates()
    assert rates.sum() == pytest.approx(USED * sum(SLOW_SPEEDS))
    assert 3 * SLOW_SPEEDS[0] == SLOW_SPEEDS[1]
    owners = hand_plan(rates, SLOW_SPEEDS)
    assert utilisation(rates, SLOW_SPEEDS, owners).max() < 1.05 * USED
    assert utilisation(rates, SLOW_SPEEDS, EVEN).max() > USED


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_can_be_shortened(name: str) -> None:
    whole, short = scenario_of(name), scenario_of(name, 40.0)
    assert whole.seconds == SCENARIOS[name][1]
    owners = np.arange(short.partitions) % len(short.speeds)
    phases = short.phases_of(owners)
    assert len(phases) == len(whole.phases_of(owners))
    assert phases[0].start == 0.0
    assert phases[-1].start < short.seconds
    assert BY_WORK.name in {side.name for side in short.sides}
    assert all(len(phase.rates) == short.partitions for phase in phases)


def test_regular_arrivals_follow_the_rates() -> None:
    phases = [Phase(0.0, np.array([10.0, 1.0])), Phase(2.0, np.array([0.0, 5.0]))]
    schedule = schedule_of(phases, 4.0, None)
    assert due_at(schedule, 0.0).tolist() == [0, 0]
    assert due_at(schedule, 2.0).tolist() == [20, 2]
    assert due_at(schedule, 9.0).tolist() == [20, 12]
    assert rates_at(phases, 1.99).tolist() == [10.0, 1.0]


def test_a_partition_goes_on_where_its_old_member_stopped() -> None:
    assignment = ManualAssignment([0, 1])
    assert assignment.exchange(0, {}) == ([], {0: 0})
    assert assignment.exchange(1, {}) == ([], {1: 0})
    assignment.set([1, 1])
    assert assignment.exchange(1, {1: 5}) == ([], {})
    assert assignment.exchange(0, {0: 7}) == ([0], {})
    assert assignment.exchange(1, {1: 6}) == ([], {0: 7})


def log_of_a_move() -> Log:
    """Two members; partition 1 goes from a to b 60 s after the traffic began, which was at 1000,
    and partition 0 comes back to its owner."""
    log = Log()
    log.add("a", "assign", [("t", 0), ("t", 1)], 990.0)
    log.add("b", "assign", [("t", 2)], 990.5)
    log.add("a", "revoke", [("t", 0), ("t", 1)], 1058.0)
    log.add("a", "assign", [("t", 0)], 1058.5)
    log.add("b", "assign", [("t", 1)], 1060.0)
    return log


def test_only_partitions_that_change_hands_are_moves() -> None:
    assert changes_of(log_of_a_move().events, 1000.0) == [(60.0, 1)]
    assert changes_of(log_of_a_move().events, 1100.0) == []


def test_processes_have_the_rates_of_what_they_hold() -> None:
    phases = [Phase(0.0, np.array([5.0, 5.0, 10.0])), Phase(80.0, np.array([5.0, 10.0, 5.0]))]
    rates = process_rates(log_of_a_move().events, phases, {"a": 0, "b": 1}, 1000.0)
    assert [(one.at, one.rates.tolist()) for one in rates] == [
        (0.0, [10.0, 10.0]), (58.0, [0.0, 10.0]), (58.5, [5.0, 10.0]), (60.0, [5.0, 15.0]),
        (80.0, [5.0, 15.0]),
    ]  # fmt: skip
    assert rates[-1].deviation == pytest.approx(0.5)
    assert settled_after(rates, 0.0, 50.0, 0.02) == 0.0
    assert settled_after(rates, 0.0, 80.0, 0.02) is None
    assert settled_after(rates, 0.0, 80.0, 0.5) == 58.5


def seen(**changed: Any) -> Seen:
    fields: dict[str, Any] = {
        "began": 1000.0,
        "measured_from": 60.0,
        "seconds": 120.0,
        "at": np.array([0.0, 30.0, 60.0, 90.0]),
        "lag": np.array([100.0, 200.0, 10.0, 30.0]),
        "ended": np.array([30.0, 70.0, 80.0, 121.0]),
        "delays": np.array([9.0, 1.0, 1.0, 8.0]),
        "unread_ages": np.array([4.0]),
        "log": log_of_a_move(),
        "cpu_s": 6.0,
    }
    return Seen(**{**fields, **changed})


def test_figures_count_from_when_they_are_asked_for() -> None:
    figures = figures_of(seen())
    assert figures["lag_mean"] == 20.0
    assert figures["lag_max"] == 30
    assert figures["lag_by_minute"] == [150.0, 20.0]
    assert figures["delay_p50_s"] == 1.0
    assert figures["delay_max_s"] == 4.0
    assert figures["rebalances"] == [{"at_s": 60.0, "moves": 1}]
    assert figures["unowned_partition_s"] == 2.5
    assert figures["steward_cpu_percent"] == 5.0
    assert figures["two_owners"] == 0


def results(name: str, **own: Any) -> dict[str, Any]:
    """A run in which the group by work meets every target, with `own` in place of its figures."""
    scenario = scenario_of(name)
    by_side = {"none": 50.0, "by-lag": 40.0, "by-work": 1.5, "by-hand": 1.0}
    rows = []
    for side in scenario.sides:
        lag = by_side[side.name]
        row = {
            "side": side.name, "words": side.words, "options": " ".join(side.options),
            "lag_mean": lag, "lag_max": 1500, "lag_by_minute": [lag, lag], "delay_p50_s": 0.1,
            "delay_p99_s": lag, "delay_max_s": 60.0, "records": 10,
            "rebalances": [{"at_s": 20.0, "moves": 4}], "unowned_partition_s": 3.0,
            "two_owners": 0, "steward_cpu_percent": 4.0, "counters": {},
            "busiest_percent": [135, 81],
        }  # fmt: skip
        if scenario.threads > 1:
            phase = {"from_s": 0.0, "first": [10.0, 90.0], "last": [50.0, 50.0]}
            row["processes"] = [{**phase, "within_after_s": 30.0}]
        rows.append(row | (own if side.name == BY_WORK.name else {}))
    phases = scenario.phases_of(np.arange(scenario.partitions) % len(scenario.speeds))
    return {
        "name": name, "words": scenario.words, "when": "2026-01-01", "seconds": scenario.seconds,
        "full": True, "measured_from": scenario.measured_from, "speeds": list(scenario.speeds),
        "machine": {"cpu": "a", "cores": 2, "load_at_start": 0.5, "load_at_end": 1.5},
        "versions": {"equilag": "1"}, "late_p99_s": 0.02, "began": "then",
        "phases": [phase.start for phase in phases], "sides": rows,
    }  # fmt: skip


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_run_that_meets_every_target(name: str) -> None:
    goals = judged_load(results(name))
    assert goals
    assert all(goal.met for goal in goals), goals


def missed(name: str, **own: Any) -> int:
    return sum(goal.met is False for goal in judged_load(results(name, **own)))


def test_every_target_can_be_missed() -> None:
    assert missed("slow-member", lag_mean=4.1, delay_p99_s=2.1) == 3
    assert missed("changing-rates", lag_mean=10.1, delay_p99_s=13.4) == 2
    assert missed("peak", lag_mean=2.1, rebalances=[{"at_s": 181.0, "moves": 4}]) == 2
    assert missed("peak", rebalances=[]) == 1
    assert missed("peer", processes=[{"within_after_s": 61.0}]) == 1
    assert missed("peer", processes=[{"within_after_s": None}]) == 1
    three = [{"at_s": at, "moves": 1} for at in (10.0, 40.0, 900.0)]
    assert missed("steady", rebalances=three, steward_cpu_percent=5.1) == 2


def test_the_page_has_the_tables_of_full_runs(tmp_path: Path) -> None:
    source, kept, page = tmp_path / "cache", tmp_path / "kept", tmp_path / "live.md"
    source.mkdir()
    page.write_text(f"before\n{load_report.BEGIN}\nold\n{load_report.END}\nafter\n", "utf-8")
    for name in SCENARIOS:
        found = results(name)
        found["full"] = name != "peak"
        (source / f"load-{name}.json").write_text(json.dumps(found), "utf-8")
    lines = [f"event={number}" for number in range(100)]
    (source / "load-slow-member-by-work.log").write_text("\n".join(lines), "utf-8")
    arguments = ["--take", str(source), "--results", str(kept), "--page", str(page)]
    assert load_report.main(arguments) == 0
    text = page.read_text("utf-8")
    assert text.startswith("before\n")
    assert text.endswith(f"{load_report.END}\nafter\n")
    assert "\nold\n" not in text
    assert "- **One slow member of six**: 8 minutes, figures from second 120 on; members" in text
    assert "; members: 1 at 40, 5 at 120 records/s; " in text
    assert "records/s; stewards as in the first." in text
    assert "Partitions with two owners at any moment: 0." in text
    row = "40.00 (60.00) | 135, 81 | 1 (4) | 3.0 |"
    assert f"|  | steward by lag, all members equal | 40 | {row}" in text
    assert "| one slow member of six | no steward | 50 | 50.00 (60.00) |" in text
    assert (kept / "load-slow-member-by-work.log").read_text("utf-8").endswith("event=99")
    assert "a peak" not in text
    assert load_report.main(arguments) == 0
    assert page.read_text("utf-8") == text


def test_a_run_writes_its_figures_and_says_what_is_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "measured_scenario", lambda scenario, _: results(scenario.name))
    arguments = ["--only", "slow-member", "--out", str(tmp_path / "new")]
    assert run.main(arguments) == 0
    assert json.loads((tmp_path / "new" / "load-slow-member.json").read_text("utf-8"))["full"]
    monkeypatch.setattr(
        run, "measured_scenario", lambda scenario, _: results(scenario.name, delay_p99_s=3.0)
    )
    assert run.main(arguments) == 1
    assert "MISSED one slow member of six: p99 delay by work: 3.00 s" in capsys.readouterr().out
