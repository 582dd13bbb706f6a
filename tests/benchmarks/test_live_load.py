"""The benchmark of live groups without a broker: scenarios, figures, targets, who held what."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from benchmarks.live import load_report, run, topics
from benchmarks.live.assigned_member import ManualAssignment
from benchmarks.live.assignment_log import (
    ChangeFigures,
    Event,
    Log,
    Overlap,
    change_figures,
    gaps_of,
    given_back,
    holdings_of,
    overlaps_of,
)
from benchmarks.live.hand_plan import hand_plan, utilisation
from benchmarks.live.load_figures import Seen, changes_of, figures_of, process_rates, settled_after
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
from benchmarks.live.members import OffsetsRead
from benchmarks.waiting import until

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


def test_figures_count_from_when_they_are_asked_for() -> None:
    figures = figures_of(
        Seen(
            began=1000.0,
            measured_from=60.0,
            seconds=120.0,
            at=np.array([0.0, 30.0, 60.0, 90.0]),
            lag=np.array([100.0, 200.0, 10.0, 30.0]),
            ended=np.array([30.0, 70.0, 80.0, 121.0]),
            delays=np.array([9.0, 1.0, 1.0, 8.0]),
            unread_ages=np.array([4.0]),
            log=log_of_a_move(),
            cpu_s=6.0,
        )
    )
    assert figures["lag_mean"] == 20.0
    assert figures["lag_max"] == 30
    assert figures["lag_by_minute"] == [150.0, 20.0]
    assert figures["delay_p50_s"] == 1.0
    assert figures["delay_max_s"] == 4.0
    assert figures["rebalances"] == [{"at_s": 60.0, "moves": 1}]
    assert changes_of(log_of_a_move().events, 1100.0) == []
    assert figures["unowned_partition_s"] == 2.5
    assert figures["steward_cpu_percent"] == 5.0
    assert figures["two_owners"] == 0


def results(name: str, **own: Any) -> dict[str, Any]:
    """The results that are kept of a scenario, with `own` in place of figures by work."""
    found: dict[str, Any] = json.loads((load_report.RESULTS / f"load-{name}.json").read_text())
    for row in found["sides"]:
        if row["side"] == BY_WORK.name:
            row |= own
    return found


THREE = [{"at_s": at, "moves": 1} for at in (10.0, 40.0, 900.0)]


@pytest.mark.parametrize(
    ("name", "own", "number"),
    [
        ("slow-member", {"lag_mean": 31.1, "delay_p99_s": 2.0}, 0),
        ("slow-member", {"lag_mean": 31.3, "delay_p99_s": 2.01}, 2),
        ("slow-member", {"lag_mean": 391.0}, 2),
        ("changing-rates", {"lag_mean": 2732.0}, 0),
        ("changing-rates", {"lag_mean": 2732.1, "delay_p99_s": 54.5}, 2),
        ("peak", {"lag_mean": 26.9, "rebalances": [{"at_s": 181.0, "moves": 4}]}, 2),
        ("peak", {"rebalances": []}, 1),
        ("peer", {"processes": [{"within_after_s": 60.0}]}, 0),
        ("peer", {"processes": [{"within_after_s": 61.0}]}, 1),
        ("peer", {"processes": [{"within_after_s": None}]}, 1),
        ("steady", {"rebalances": THREE[1:], "steward_cpu_percent": 5.0}, 0),
        ("steady", {"rebalances": THREE, "steward_cpu_percent": 5.1}, 2),
    ],
)
def test_targets_are_missed(name: str, own: dict[str, Any], number: int) -> None:
    assert sum(goal.met is False for goal in judged_load(results(name, **own))) == number


def test_a_group_that_was_not_run_leaves_its_target_open() -> None:
    run_by_work = results("changing-rates")
    run_by_work["sides"] = [row for row in run_by_work["sides"] if row["side"] == BY_WORK.name]
    assert [goal.met for goal in judged_load(run_by_work)] == [None, None]


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


class _Delivered(NamedTuple):
    partition: Any
    offset: Any


def test_what_a_producer_that_hangs_did_not_deliver_comes_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[Any] = []

    class FakeProducer:
        """The first one hangs."""

        def __init__(self, _: object) -> None:
            self.sent, self.hangs = list[int](), not made
            made.append(self)

        def produce(self, topic: str, _: bytes, partition: int, on_delivery: Any) -> None:
            self.sent.append(partition)
            at = self.sent.count(partition) - 1
            if not self.hangs:
                on_delivery(None, _Delivered(lambda: partition, lambda: at))

        def poll(self, _: float) -> None:
            """Nothing to serve."""

        def flush(self, _: float) -> int:
            return len(self.sent) if self.hangs else 0

    monkeypatch.setattr(topics, "Producer", FakeProducer)
    with topics.Traffic("b:1", "t", 2, 100.0) as traffic:
        until(lambda: made[0].sent)
    first, second = made
    assert sorted(second.sent) == sorted(first.sent)
    assert (traffic.failed, traffic.renewed) == (0, 1)
    assert traffic.acked() == {("t", number): first.sent.count(number) for number in (0, 1)}


P, Q = ("t", 0), ("t", 1)


def test_who_held_what() -> None:
    """A partition is handed over; has two owners for a while; and is nobody's while its owner is
    frozen."""
    handed = [
        Event(1.0, "a", "assign", (P, Q)),
        Event(5.0, "a", "revoke", (Q,)),
        Event(5.5, "b", "assign", (Q,)),
    ]
    assert change_figures(handed, 4.0, 8.0, {}) == ChangeFigures(1, 1, 0.5, 0.5, 0, 0.0)
    twice = [
        Event(1.0, "a", "assign", (P,)),
        Event(3.0, "b", "assign", (P, Q)),
        Event(3.5, "a", "lost", (P,)),
    ]
    assert overlaps_of(holdings_of(twice, 9.0)) == [Overlap(P, ("a", "b"), 3.0, 3.5)]
    figures = change_figures(twice, 2.0, 9.0, {})
    assert (figures.two_owners, figures.longest_two_owners_s, figures.moves) == (1, 0.5, 1)
    assert change_figures(twice, 4.0, 9.0, {}).two_owners == 0
    frozen = [
        Event(1.0, "a", "assign", (P,)),
        Event(2.0, "a", "frozen"),
        Event(8.0, "b", "assign", (P,)),
        Event(9.0, "a", "lost", (P,)),
    ]
    assert overlaps_of(holdings_of(frozen, 10.0)) == []
    assert gaps_of(frozen, 10.0) == {P: [(2.0, 8.0)]}


def test_offsets_are_merged_into_runs() -> None:
    read = OffsetsRead()
    for first, last in ((0, 4), (10, 12), (5, 6), (3, 5), (20, 20)):
        read.add(P, first, last)
    assert read.unread({P: 21}) == 21 - 7 - 3 - 1
    assert read.unread({P: 7}) == 0
    read.add(P, 7, 19)
    assert read.unread({P: 21}) == 0
    assert read.unread({P: 23, Q: 2}) == 4
    assert read.records == 5 + 3 + 2 + 3 + 1 + 13


def test_what_nobody_had_in_between_was_given_up_for_nothing() -> None:
    log = Log()
    log.add("a", "assign", [("t", 0), ("t", 1)], 1.0)
    log.add("a", "revoke", [("t", 0), ("t", 1)], 2.0)
    log.add("b", "assign", [("t", 1)], 3.0)
    log.add("a", "assign", [("t", 0)], 3.0)
    log.add("b", "lost", [("t", 1)], 4.0)
    log.add("a", "assign", [("t", 1)], 5.0)
    assert given_back(log.events) == 1
