"""What a leader answers, above all after failures, and when it requests another rebalance."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from support.waiting import stays, until

import equilag
from equilag.domain.policy.policy import Policy
from equilag.live.consumers import leader as module
from equilag.live.consumers.lag_source import GivenLags, LagSample, ObservedLoad, StaticLag
from equilag.live.consumers.leader import Leader, LeaderSettings
from equilag.live.consumers.options import AssignorOptions
from equilag.live.rebalance.decision import FALLBACK
from equilag.live.rebalance.joined_members import JoinedMember, group_of
from equilag.live.rebalance.measured import Measured
from equilag.live.tracking.load_tracker import LoadTracker
from equilag.live.tracking.topic_columns import ObservedOffsets
from equilag.live.tracking.tracked_state import TrackingSettings
from equilag.planner.solve import solve
from equilag.planner.worth.thresholds import Thresholds

SIZES = {"t": 6}
LAGS = {"t": [9000, 8000, 80, 7000, 90, 100]}
MEMBERS = [JoinedMember(f"m{number}", ("t",)) for number in range(3)]


class SettableLags:
    """A lag source whose sample a test sets."""

    def __init__(self, lags=None, age=0.0):
        self.sample = lags and LagSample(lags, age)

    def lags(self, topics):
        if isinstance(self.sample, Exception):
            raise self.sample
        return self.sample


class Requests(list):
    def __call__(self):
        self.append(time.monotonic())


def leader(source=None, requests=None, cooperative=False, patience=None, **options):
    settings = LeaderSettings("g", 1.0, cooperative, patience)
    source = StaticLag(LAGS) if source is None else source
    requests = Requests() if requests is None else requests
    options = AssignorOptions(lag=StaticLag({}), **options)
    return Leader(options, settings, GivenLags(source), requests)


def pairs(assignments):
    return sorted((t, p) for topics in assignments.values() for t, ps in topics.items() for p in ps)


EVERYTHING = [("t", number) for number in range(6)]


def by_heuristic(members=MEMBERS, sizes=SIZES):
    return equilag.assign(group_of("g", members, sizes), FALLBACK).assignment


def load(assignments):
    return sorted(sum(LAGS["t"][p] for p in topics.get("t", ())) for topics in assignments.values())


def test_the_plan_is_handed_out() -> None:
    assignments = leader().assign(MEMBERS, SIZES)
    assert assignments == solve(group_of("g", MEMBERS, SIZES, Measured(LAGS))).assignment
    assert load(assignments) == [7100, 8090, 9080]


def test_members_without_topics_and_topics_that_do_not_exist() -> None:
    members = [*MEMBERS, JoinedMember("idle", ()), JoinedMember("waits", ("unknown",))]
    assignments = leader().assign(members, SIZES)
    assert pairs(assignments) == EVERYTHING
    assert assignments["idle"] == assignments["waits"] == {}


@pytest.mark.parametrize(
    ("source", "why", "level"),
    [
        (SettableLags(), "no lag has been measured yet", logging.INFO),
        (SettableLags(LAGS, 121.0), "the newest lags are 121 s old", logging.INFO),
        (SettableLags({"t": [-1] * 6}), "the lags cannot be used: InputError", logging.INFO),
        (SettableLags({"t": 6}), "the lags cannot be used: TypeError", logging.INFO),
    ],
)
def test_without_usable_lags(source, why, level, caplog: pytest.LogCaptureFixture) -> None:
    members = [replace(m, hints={"t": [i, i + 3]}) for i, m in enumerate(MEMBERS)]
    with caplog.at_level(logging.INFO, "equilag.consumers"):
        assert leader(source).assign(members, SIZES) == {m.id: m.hints for m in members}
    # Other tests of this process may have left a thread that still logs.
    (record,) = [one for one in caplog.records if one.getMessage().startswith("group g: ")]
    assert record.levelno == level
    assert record.getMessage().startswith("group g: a sticky plan answers in ")
    assert f"ms: 0 moves, 0 partitions withheld: {why}" in record.getMessage()


def test_a_lag_source_that_fails_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    source = SettableLags()
    source.sample = ValueError("no such host")
    one = leader(source)
    for _ in range(3):
        assert pairs(one.assign(MEMBERS, SIZES)) == EVERYTHING
    assert caplog.text.count("the lag source failed: ValueError: no such host") == 1


def wrong_plan(group, *args, **kwargs):
    plan = solve(group, *args, **kwargs)
    return replace(plan, assigned=np.zeros_like(plan.assigned))


def fail(*args, **kwargs):
    raise RuntimeError("made to fail")


def too_late(group, *args, **kwargs):
    return solve(group, *args, **{**kwargs, "time_limit": 0})


@pytest.mark.parametrize(
    ("place", "function", "why"),
    [
        ("equilag.planner.solve.solve", fail, "planning failed: RuntimeError: made to fail"),
        ("equilag.planner.solve.solve", wrong_plan, "the plan does not hold"),
        ("equilag.planner.solve.solve", too_late, "no time for a plan"),
        ("equilag.certificate.verify.verify", fail, "planning failed: RuntimeError"),
        ("equilag.certificate.verify.verify", lambda *_: ["odd"], "the plan does not hold: odd"),
    ],
)
def test_a_solver_that_fails(
    place, function, why, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(place, function)
    assert leader().assign(MEMBERS, SIZES) == by_heuristic()
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert why in record.getMessage()


@pytest.mark.parametrize("cooperative", [False, True])
def test_after_an_internal_error_a_bare_heuristic_answers(
    cooperative, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "Answering", fail)
    held = {"claims" if cooperative else "hints": {"t": [0, 1, 2, 3, 4, 5]}}
    members = [replace(MEMBERS[0], **held), *MEMBERS[1:]]
    assignments = leader(cooperative=cooperative).assign(members, SIZES)
    if cooperative:  # m0's partitions stay with m0
        assert assignments == {"m0": {"t": [0, 1]}, "m1": {}, "m2": {}}
    else:
        assert pairs(assignments) == EVERYTHING
    assert "failed, a heuristic answers" in caplog.text
    assert "made to fail" in caplog.text


def test_both_rebalances_of_a_cooperative_group_follow_one_plan() -> None:
    source = SettableLags(LAGS)
    one = leader(source, cooperative=True)
    held = [{"t": [0, 1]}, {"t": [2, 3]}, {"t": [4, 5]}]
    members = [replace(m, claims=h, generation=3) for m, h in zip(MEMBERS, held, strict=True)]
    first = one.assign(members, SIZES)
    end = solve(group_of("g", members, SIZES, Measured(LAGS)), time_limit=1.0).assignment
    for member in members:
        kept = set(first[member.id].get("t", ()))
        assert kept == set(end[member.id]["t"]) & set(member.claims["t"])
    # The lag has changed in between; the plan stays.
    source.sample = LagSample({"t": LAGS["t"][::-1]}, 0.0)
    again = [replace(m, claims=first[m.id], generation=4) for m in members]
    assert one.assign(again, SIZES) == end
    # The next rebalance takes the new lag.
    settled = [replace(m, claims=end[m.id], generation=5) for m in members]
    group = group_of("g", settled, SIZES, Measured({"t": LAGS["t"][::-1]}))
    assert pairs(one.assign(settled, SIZES)) != EVERYTHING or not solve(group).moves


def test_a_rebalance_once_lag_is_known(caplog: pytest.LogCaptureFixture) -> None:
    source, requests = SettableLags(), Requests()
    one = leader(source, requests)
    one.consider()  # no rebalance so far
    before = one.assign(MEMBERS, SIZES)
    with caplog.at_level(logging.INFO, "equilag.consumers"):
        for _ in range(3):
            one.consider()  # still no lags
        source.sample = LagSample(LAGS, 0.0)
        one.consider()
        assert not requests  # one sample might err
        one.consider()
        one.consider()  # the rebalance is on its way
    assert len(requests) == 1
    assert caplog.text.count("measuring: no lag has been measured yet") == 1
    assert "no rebalance: patience: at best relieves a member" in caplog.text
    assert "requesting a rebalance: relieves a member" in caplog.text
    members = [replace(m, hints=before[m.id], generation=1) for m in MEMBERS]
    assert load(one.assign(members, SIZES)) == [7100, 8090, 9080]
    for _ in range(3):
        one.consider()
    assert len(requests) == 1


def test_unknown_lags_are_not_taken_for_none() -> None:
    source, requests = SettableLags({"t": [None, None, 0, 0, 0, 0]}), Requests()
    one = leader(source, requests)
    one.assign(MEMBERS, SIZES)
    for _ in range(3):
        one.consider()
    assert not requests
    source.sample = LagSample(LAGS, 0.0)
    for _ in range(2):
        one.consider()
    assert len(requests) == 1


def test_a_rebalance_when_the_load_has_shifted() -> None:
    """Not only once after the first sample."""
    source, requests = SettableLags(LAGS), Requests()
    one = leader(source, requests)
    given = one.assign(MEMBERS, SIZES)
    for _ in range(3):
        one.consider()
    assert not requests
    heavy = [p for m in sorted(given) for p in given[m]["t"]][:2]  # of one member
    source.sample = LagSample({"t": [9000 if p in heavy else 10 for p in range(6)]}, 0.0)
    for _ in range(2):
        one.consider()
    assert len(requests) == 1
    members = [replace(m, hints=given[m.id], generation=1) for m in MEMBERS]
    after = one.assign(members, SIZES)
    assert not any(set(heavy) <= set(topics["t"]) for topics in after.values())


@pytest.mark.parametrize(
    "options",
    [
        {"rejoin": None},
        {"rejoin": Thresholds(gain_percent=1000.0)},
        {"rejoin": Thresholds(moves_per_hour=0)},
        {"policy": "sticky-yet-fair"},  # a policy that moves nothing for the spread
    ],
)
def test_no_rebalance_that_is_not_worth_it(options) -> None:
    source, requests = SettableLags(), Requests()
    one = leader(source, requests, **options)
    one.assign(MEMBERS, SIZES)
    source.sample = LagSample(LAGS, 0.0)
    for _ in range(3):
        one.consider()
    assert not requests


def test_a_follower_forgets(monkeypatch: pytest.MonkeyPatch) -> None:
    source, requests = SettableLags(), Requests()
    one = leader(source, requests)
    began = time.monotonic()
    given = one.assign(MEMBERS, SIZES)
    assert one.holders_since(began) == {}
    assert one.holders_since(time.monotonic()) == given
    one.forget()
    assert one.holders_since(time.monotonic()) == {}
    source.sample = LagSample(LAGS, 0.0)
    for _ in range(3):
        one.consider()
    assert not requests


def test_a_failure_to_consider(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    requests = Requests()
    one = leader(SettableLags(LAGS), requests)
    one.assign(MEMBERS, SIZES)
    monkeypatch.setattr("equilag.live.consumers.leader_state.measured_loads", fail)
    one.consider()
    assert not requests
    assert "made to fail" in caplog.text


def observe(load, ends, commits, at, holders):
    load.add(ObservedOffsets(at, {"t": [0] * 6}, {"t": ends}, {"t": commits}), SIZES, at, holders)


def observed_leader(reset=None):
    tracker = LoadTracker(TrackingSettings(least_window=4.0, spacing=1.0))
    source, requests = ObservedLoad(reset, tracker), Requests()
    options = AssignorOptions()
    return Leader(options, LeaderSettings("g", 1.0), source, requests), source, requests


def test_by_work_once_rates_are_known(caplog: pytest.LogCaptureFixture) -> None:
    """All commits are at the end: only rates tell that one member has far more to do."""
    one, source, requests = observed_leader()
    now = time.monotonic()
    given = one.assign(MEMBERS, SIZES)
    heavy = next(iter(given.values()))["t"]
    with caplog.at_level(logging.INFO, "equilag.consumers"):
        for step in range(5):
            ends = [step * (1000 if p in heavy else 100) for p in range(6)]
            observe(source, ends, ends, now - 10 + 2 * step, one.holders_since(time.monotonic()))
            one.consider()
    assert "rates are known after about 10 s" in caplog.text
    assert len(requests) == 1
    after = one.assign([replace(m, hints=given[m.id]) for m in MEMBERS], SIZES)
    assert not any(set(heavy) <= set(topics["t"]) for topics in after.values())


def test_rates_tell_where_commits_are_missing() -> None:
    """Lag without commits is unknown, as nobody knows where the consumers start."""
    one, source, requests = observed_leader()
    now = time.monotonic()
    given = one.assign(MEMBERS, SIZES)
    heavy = next(iter(given.values()))["t"]
    for step in range(5):
        ends = [10**6 + step * (1000 if p in heavy else 100) for p in range(6)]
        observe(source, ends, [None] * 6, now - 10 + 2 * step, given)
        one.consider()
        if step == 1:
            measured, reason = one._load.measured(MEMBERS, SIZES, None)
            assert reason == "the lag of 6 of 6 partitions is unknown"
    measured, reason = one._load.measured(MEMBERS, SIZES, None)
    assert (measured.lags, reason) == ({}, None)
    assert len(requests) == 1


def test_a_late_plan_is_proposed(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = threading.Event()

    def slowly(*args, **kwargs):
        assert gate.wait(10)
        return solve(*args, **kwargs)

    monkeypatch.setattr("equilag.planner.solve.solve", slowly)
    requests = Requests()
    one = leader(requests=requests, patience=0.02)
    began = time.monotonic()
    assignments = one.assign(MEMBERS, SIZES)
    assert time.monotonic() - began < 5
    assert assignments == by_heuristic()
    gate.set()
    until(lambda: requests)
    members = [replace(m, hints=assignments[m.id], generation=1) for m in MEMBERS]
    assert load(one.assign(members, SIZES)) == [7100, 8090, 9080]


def test_a_plan_that_another_rebalance_overtook_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:

    gate, done = threading.Event(), threading.Event()

    def slowly(*args, **kwargs):
        assert gate.wait(10)
        try:
            return solve(*args, **kwargs)
        finally:
            done.set()

    monkeypatch.setattr("equilag.planner.solve.solve", slowly)
    source, requests = SettableLags(LAGS), Requests()
    one = leader(source, requests, patience=0.02)
    one.assign(MEMBERS, SIZES)
    source.sample = None
    one.assign(MEMBERS[:2], SIZES)
    gate.set()
    assert done.wait(10)
    stays(lambda: not requests, 0.1)


def test_a_late_plan_does_not_break_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    gate, done = threading.Event(), threading.Event()

    def slowly(*args, **kwargs):
        assert gate.wait(10)
        try:
            return solve(*args, **kwargs)
        finally:
            done.set()

    monkeypatch.setattr("equilag.planner.solve.solve", slowly)
    requests = Requests()
    nothing = Thresholds(moves_per_hour=0)
    leader(requests=requests, patience=0.02, rejoin=nothing).assign(MEMBERS, SIZES)
    gate.set()
    assert done.wait(10)
    stays(lambda: not requests, 0.1)


def test_a_failing_planner_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "answer_of", fail)
    assert leader(patience=10.0).assign(MEMBERS, SIZES) == by_heuristic()


def test_the_sticky_plan_answers_where_the_full_one_is_late(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real, gate = module.answer_of, threading.Event()

    def slowly(*args):
        *others, on_sticky = args
        decision = real(*others, on_sticky)
        assert gate.wait(10)
        return decision

    monkeypatch.setattr(module, "answer_of", slowly)
    requests = Requests()
    one = leader(requests=requests, patience=0.5)
    members = [replace(m, hints={"t": [2 * i, 2 * i + 1]}) for i, m in enumerate(MEMBERS)]
    assert one.assign(members, SIZES) == {m.id: m.hints for m in members}
    gate.set()
    until(lambda: requests)
    loads = load(one.assign(members, SIZES))
    assert max(loads) - min(loads) <= (9080 - 7100) + 0.02 * np.mean(loads)  # the tolerance


def test_without_lag_pins_are_kept(caplog: pytest.LogCaptureFixture) -> None:
    one = leader(SettableLags(), policy=Policy(pin={("t", 5): "m0", ("t", 0): "away"}))
    with caplog.at_level(logging.INFO, "equilag.consumers"):
        for _ in range(2):
            assignments = one.assign(MEMBERS, SIZES)
    assert 5 in assignments["m0"]["t"]
    assert pairs(assignments) == EVERYTHING
    assert "a sticky plan answers" in caplog.text
    assert caplog.text.count("left out for now: pin") == 1
