"""The simulation benchmark: what happens, what a controller sees and does, one run of it."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.simulation.controller import Controller
from benchmarks.simulation.episode import PAUSE_S, SimulatedGroup, run_episode
from benchmarks.simulation.observed import GroupSample, Observed
from benchmarks.simulation.rule_part import summary
from benchmarks.simulation.rules import OWN, RULES, Settings
from benchmarks.simulation.scenarios import (
    HEAVIEST,
    MEMBERS,
    PARTITIONS,
    SCENARIOS,
    SECONDS,
    SPEED,
    USED,
    Script,
)

BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}
RULE = {rule.name: rule for rule in RULES}


def constant(rates: list[float], speeds: list[float]) -> Script:
    return Script(np.zeros(1), np.array([rates]), np.zeros(1), np.array([speeds]))


@pytest.mark.parametrize("name", BY_NAME)
def test_no_scenario_asks_for_more_than_its_members_can_read(name: str) -> None:
    script = BY_NAME[name].script(3)
    assert script.rates.shape[1] == PARTITIONS
    assert script.speeds.shape[1] == MEMBERS
    assert script.rates.max() <= HEAVIEST * SPEED * (1 + 1e-9)
    capacity = min(speeds.sum() for speeds in script.speeds)
    for second in range(0, SECONDS, 30):
        assert script.rates_of(second).sum() < capacity
    assert script.rates.sum(axis=1).max() == pytest.approx(USED * script.speeds[-1].sum())


def test_a_scenario_is_the_same_for_a_seed_and_changes_as_it_says() -> None:
    joins, slows = BY_NAME["joins"].script(1), BY_NAME["slows-down"].script(1)
    assert np.array_equal(joins.rates, BY_NAME["joins"].script(1).rates)
    assert not np.array_equal(joins.rates, BY_NAME["joins"].script(2).rates)
    assert joins.present(SECONDS / 2 - 1).sum() == MEMBERS - 1
    assert joins.present(SECONDS / 2).all()
    assert slows.speeds_of(SECONDS / 2)[0] < slows.speeds_of(0)[0]
    assert joins.rates_of(0) is joins.rates_of(599)
    assert joins.rates_of(600) is not joins.rates_of(599)


def test_members_read_commit_and_pause_what_moves() -> None:
    group = SimulatedGroup(constant([10.0, 10.0], [15.0, 15.0]))
    group.assign(0, np.array([0, 0], np.int32))
    assert group.moves == 0
    for second in range(10):
        group.advance(second)
    assert group.lag.tolist() == pytest.approx([25.0, 25.0])
    sample = group.sample(10)
    assert sample.log_end.tolist() == [100, 100]
    assert sample.committed.tolist() == [75, 75]  # member 0 commits at each fifth second
    group.advance(10)
    assert group.sample(11).committed.tolist() == [75, 75]
    group.assign(11, np.array([0, 1], np.int32))
    assert (group.moves, group.rebalances) == (1, 1)
    assert group.sample(11).committed.tolist() == [75, 82]  # the old owner commits what moves
    before = group.lag[1]
    group.advance(11)
    assert group.lag[1] == before + 10.0
    for second in range(12, 12 + PAUSE_S):
        group.advance(second)
    assert group.lag[1] < before + 10.0 * PAUSE_S
    assert group.oldest_s > 0.0


def observed(seconds: int, script: Script, holder: list[int]) -> Observed:
    group = SimulatedGroup(script)
    group.assign(0, np.array(holder, np.int32))
    found = Observed(script.speeds.shape[1], 10, with_speeds=True)
    for second in range(seconds + 1):
        if second % 5 == 0:
            found.add(group.sample(second))
        group.advance(second)
    return found


def test_a_controller_measures_rates_and_speeds() -> None:
    """Member 0 has a backlog, member 1 keeps up and reads more than member 0 can."""
    found = observed(90, constant([30.0, 70.0], [20.0, 100.0]), [0, 1])
    assert found.rates().tolist() == pytest.approx([30.0, 70.0])
    assert found.speeds().tolist() == pytest.approx([20.0, 70.0], rel=0.03)


def sample(second: int, holder: list[int], rates: list[float]) -> GroupSample:
    ends = (np.array(rates) * second).astype(np.int64)
    there = np.ones(2, np.bool_)
    return GroupSample(float(second), ends, ends, np.array(holder, np.int32), there)


def looked(rule: str, seconds: range, rates: list[float]) -> dict[int, list[int]]:
    """When the controller changes the assignment, and to what."""
    controller = Controller(RULE[rule], Settings(effort=0.01), 2)
    holder, found = [-1] * len(rates), {}
    for second in seconds:
        target = controller.look(sample(second, holder, rates))
        if target is not None:
            holder = target.tolist()
            found[second] = holder
    return found


def test_a_controller_acts_after_enough_samples_and_not_too_often() -> None:
    changes = looked("rate", range(0, 120, 5), [30.0, 10.0, 30.0, 10.0])
    assert len(changes[0]) == 4
    assert sorted(changes) in ([0], [0, 35])  # of the first plan, which knows no rates
    last = changes[max(changes)]
    assert sorted(np.bincount(last, [30.0, 10.0, 30.0, 10.0])) == [40.0, 40.0]


def test_a_group_that_is_left_alone_is_assigned_once() -> None:
    assert list(looked("nothing", range(0, 120, 5), [30.0, 1.0, 1.0, 1.0])) == [0]


def test_work_per_speed_leaves_records_unread_for_seconds_only() -> None:
    script, settings = BY_NAME["slow"].script(0), Settings(effort=0.02)
    alone, own = (run_episode(script, RULE[name], settings) for name in ("nothing", OWN))
    assert alone.age_p95_s > 600 > 60 > own.age_p95_s
    assert alone.moves == alone.rebalances == 0
    assert own.moves > 0
    assert own.lag < alone.lag / 50
    figures = summary([alone, own])
    assert figures["moves"]["worst"] == own.moves
    assert figures["age_p95_s"]["median"] > own.age_p95_s
