"""Speeds of made-up members: aliased commits, changes, ageing, the scenario of six members; and
speeds of windows with a backlog all along."""

from __future__ import annotations

import numpy as np
import pytest
from support.synthetic_consumers import Traffic, samples_of
from support.tracked_loads import keys_of, observation, observations

from benchmarks.simulation.episode import SimulatedGroup
from benchmarks.simulation.scenarios import Script
from equilag.domain.columns import Floats
from equilag.live.tracking.load_tracker import LoadTracker
from equilag.live.tracking.member_speeds import MemberSpeeds, speed_levels
from equilag.live.tracking.tracked_state import MeasuredSpeed, TrackingSettings

EVERY = 5
"""Seconds between observations."""


def capacities_after(
    seconds: int, rates: Floats, speeds: Floats, speeds_at: Floats | None = None
) -> dict[str, float]:
    """Of a group with equal counts, commits every 5 s and speeds [steps, M] from some times on."""
    at = np.zeros(1) if speeds_at is None else speeds_at
    group = SimulatedGroup(Script(np.zeros(1), rates[np.newaxis], at, speeds))
    members = speeds.shape[1]
    group.assign(0, (np.arange(len(rates)) % members).astype(np.int32))
    tracker = LoadTracker()
    found: dict[str, float] = {}
    for second in range(seconds + 1):
        if second % EVERY == 0:
            seen = group.sample(second)
            ends, commits = seen.log_end.tolist(), seen.committed.tolist()
            tracker.add(observation(float(second), ends, commits, seen.holder))
            found = tracker.capacities(keys_of(members), float(second))
        group.advance(second)
    return found


@pytest.mark.parametrize("seed", [0, 3, 6])
def test_one_slow_member_of_six(seed: int) -> None:
    """A third of the speed, 24 lognormal partitions, 80 % used: known after a minute."""
    speeds = np.array([[100.0, 300, 300, 300, 300, 300]])
    rates = np.random.default_rng(seed).lognormal(0.0, 1.0, 24)
    rates = rates / rates.sum() * 0.8 * speeds.sum()
    found = capacities_after(60, rates, speeds)
    assert found["m0"] == pytest.approx(100, rel=0.1)
    others = {found[key] for key in keys_of(6)[1:]}
    assert len(others) == 1
    assert others.pop() == pytest.approx(300, rel=0.12)


def test_members_that_all_have_a_backlog_keep_their_own_speeds() -> None:
    found = capacities_after(90, np.full(6, 200.0), np.array([[100.0, 200.0, 300.0]]))
    assert found == pytest.approx({"m0": 100, "m1": 200, "m2": 300}, rel=0.1)


def test_a_member_that_becomes_slow_and_fast_again() -> None:
    """It shows within 90 s of backlog; the last speed is measured while it catches up."""
    rates, at = np.full(6, 120.0), np.array([0.0, 120.0, 240.0])
    speeds = np.array([[300.0, 300.0, 300.0], [100.0, 300.0, 300.0], [300.0, 300.0, 300.0]])
    assert capacities_after(115, rates, speeds, at) == {}
    slow = capacities_after(190, rates, speeds, at)
    assert slow["m0"] == pytest.approx(100, rel=0.1)
    assert slow["m1"] == slow["m2"] > 220
    fast = capacities_after(330, rates, speeds, at)
    assert fast["m0"] == fast["m1"] == pytest.approx(300, rel=0.1)


@pytest.mark.parametrize(
    ("sampled", "committed"), [(5.0, 5.02), (5.0, 5.15), (5.0, 4.9), (2.0, 5.0)]
)
def test_commits_in_step_with_observations(sampled: float, committed: float) -> None:
    """An interval of 5 s seen every 5 s shows one commit, none or two per step."""
    traffic = Traffic(
        [150.0, 50.0], [100.0], [0, 0], [0, 0], committed, sample_every=sampled, jitter=0.1
    )
    tracker = LoadTracker()
    for seen in observations(samples_of(traffic, 60.0)):
        tracker.add(seen)
    assert tracker.capacities(["m0"], 60.0)["m0"] == pytest.approx(100, rel=0.1)


def tracked(
    seconds: int, commit_every: int, speed: int, rate: int = 60, every: int = EVERY
) -> LoadTracker:
    """One member with one partition, observed every few seconds."""
    tracker, commit = LoadTracker(), 0
    holder = np.zeros(1, np.int32)
    for at in range(0, seconds + 1, every):
        commit = at // commit_every * commit_every * speed if commit_every else 0
        tracker.add(observation(float(at), [500 + at * rate], [commit], holder))
    return tracker


def test_a_member_that_commits_once_a_minute_has_its_speed() -> None:
    found = tracked(300, 60, 40).capacities(["m0"], 300.0)
    assert found == pytest.approx({"m0": 40}, rel=0.1)


def test_a_member_that_polls_slowly_and_keeps_up_has_no_speed() -> None:
    """It commits every 11 s what it got 17 s before; what came meanwhile is no backlog."""
    tracker, fast = LoadTracker(), LoadTracker()
    for second in range(0, 121, 5):
        ends = [1000 + 20 * second, 1000 + 20 * second]
        polled = 1000 + 20 * max(0, second // 11 * 11 - 17)
        tracker.add(observation(float(second), ends, [polled, polled], np.zeros(2, np.int32)))
        behind = 500 + 15 * (second // 11 * 11)
        fast.add(observation(float(second), ends, [behind, behind], np.zeros(2, np.int32)))
    assert tracker.commit_s > 10.0
    assert not tracker.has_speed("m0")
    assert fast.capacities(["m0"], 120.0)["m0"] == pytest.approx(30, rel=0.1)


def test_a_speed_outlives_its_backlog_and_its_member_for_an_hour() -> None:
    tracker = tracked(100, 5, 40)
    measured = tracker.capacities(["m0"], 100.0)["m0"]
    for at in range(105, 1000, EVERY):
        tracker.add(observation(float(at), [10_000], [10_000], np.full(1, -1, np.int32)))
    assert tracker.capacities(["m0", "new"], 3600.0) == {"m0": measured, "new": measured}
    assert tracker.capacities(["m0", "new"], 3701.0) == {}


def test_a_member_that_consumes_more_than_its_speed_is_faster() -> None:
    tracker = tracked(100, 5, 40)
    holder = np.zeros(1, np.int32)
    for at in range(105, 305, EVERY):
        done = at * 80
        tracker.add(observation(float(at), [done], [done], holder))
    assert tracker.capacities(["m0"], 300.0)["m0"] == pytest.approx(80, rel=0.1)


def test_steps_across_changes_of_holder_say_nothing() -> None:
    """Two members swap a partition at every observation: neither gets a speed."""
    tracker = LoadTracker()
    for step in range(40):
        at = step * EVERY
        holder = np.array([step % 2, 1 - step % 2], np.int32)
        tracker.add(observation(float(at), [at * 100, at * 100], [at * 10, at * 20], holder))
    assert tracker.capacities(["m0", "m1"], 200.0) == {}


def test_members_that_keep_up_count_as_fast_enough_for_room() -> None:
    """Only the slow one has a backlog. The others read 90 records/s, and could do 120."""
    known = MemberSpeeds(TrackingSettings())
    known.speeds = {"slow": MeasuredSpeed(40.0, 0.4, 100.0)}
    known.steady = {"a": MeasuredSpeed(90.0, 1.0, 100.0)}
    keys = ["slow", "a", "b", "c", "d", "e"]
    assert known.capacities(keys, 101.0, 300.0)["b"] == 90.0
    found = known.capacities(keys, 102.0, 512.0)
    assert found["slow"] == 40.0
    assert {found[key] for key in "abcde"} == {120.0}
    # It stays while the rate changes a little.
    assert known.capacities(keys, 103.0, 560.0) == found
    assert known.capacities(keys, 104.0, 800.0)["b"] > 150.0


def test_a_burst_of_records_makes_nobody_faster() -> None:
    """As after an outage: ten times the usual rate for some seconds, that nobody has read yet."""
    known = MemberSpeeds(TrackingSettings())
    known.speeds = {"slow": MeasuredSpeed(40.0, 0.4, 100.0)}
    known.steady = {key: MeasuredSpeed(90.0, 1.0, 100.0) for key in "abcde"}
    known.steady["slow"] = MeasuredSpeed(40.0, 0.4, 100.0)
    keys = ["slow", *"abcde"]
    usual = known.capacities(keys, 101.0, 490.0)
    assert usual["a"] == pytest.approx((490.0 / 0.8 - 40.0) / 5)
    assert known.capacities(keys, 102.0, 4900.0) == usual


def test_a_rate_that_was_not_consumed_for_long_makes_nobody_slower() -> None:
    """The traffic has begun, or doubled, and nobody but the slow one is behind."""
    known = MemberSpeeds(TrackingSettings())
    known.speeds = {"slow": MeasuredSpeed(40.0, 0.4, 100.0)}
    keys = ["slow", *"abcde"]
    before = known.capacities(keys, 101.0, 512.0)
    assert before["a"] == 120.0
    known.steady = {key: MeasuredSpeed(50.0, 1.0, 110.0) for key in keys}
    assert known.capacities(keys, 111.0, 512.0) == before
    assert known.capacities(keys, 112.0, 300.0)["a"] < 80.0  # there are fewer records indeed


def test_a_quiet_time_before_the_first_record_is_no_sign_of_a_slow_member() -> None:
    """Four keep up with 90 records/s each, after a minute without any; m0 can do 40."""
    at, rates = np.array([0.0, 60.0]), np.array([np.zeros(5), np.full(5, 90.0)])
    group = SimulatedGroup(Script(at, rates, np.zeros(1), np.array([[40.0, *[120.0] * 4]])))
    group.assign(0, np.arange(5, dtype=np.int32))
    tracker = LoadTracker()
    for second in range(131):
        if second % EVERY == 0:
            seen = group.sample(second)
            ends, commits = seen.log_end.tolist(), seen.committed.tolist()
            tracker.add(observation(float(second), ends, commits, seen.holder))
            found = tracker.capacities(keys_of(5), float(second))
            assert not found or found["m1"] > 110.0, second
        group.advance(second)
    assert found["m0"] == pytest.approx(40, rel=0.1)


PAIR = {"a": 100.0, "b": 100.0}


@pytest.mark.parametrize(
    ("before", "speeds", "error", "expected"),
    [
        # Speeds that are alike become one.
        ({}, [100, 110, 104, 300], 1.0, [104, 104, 104, 300]),
        # A level keeps its value while its speeds wobble.
        (PAIR, [103, 104], 1.0, [100, 100]),
        (PAIR, [107, 106], 1.0, [106.5, 106.5]),
        (PAIR, [107, 106], 5.0, [100, 100]),  # while they are not known better
        # A member of another speed leaves its level, and comes back.
        (PAIR, [100, 120], 1.0, [100, 120]),
        ({"a": 100.0, "b": 120.0}, [107, 113], 1.0, [110, 110]),
        # A new member.
        (PAIR, [100, 100, 200], 1.0, [100, 100, 200]),
    ],
)
def test_levels_of_speeds(
    before: dict[str, float], speeds: list[float], error: float, expected: list[float]
) -> None:
    given = {key: MeasuredSpeed(one, error, 0.0) for key, one in zip("abcd", speeds, strict=False)}
    assert list(speed_levels(given, before).values()) == expected
