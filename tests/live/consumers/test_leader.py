"""What a leader answers, above all after failures, and when it requests another rebalance."""

from __future__ import annotations

import logging
import threading
import time
import weakref
from dataclasses import replace

import pytest

import equilag
from equilag.adapters.measuring.topic_columns import ObservedOffsets
from equilag.domain.policy.policy import Policy
from equilag.live.consumers import leader as module
from equilag.live.consumers.consumer_handle import ConsumerHandle
from equilag.live.consumers.lag_source import LagSample, StaticLag
from equilag.live.consumers.leader import Leader
from equilag.live.consumers.options import AssignorOptions
from equilag.live.rebalance.decision import FALLBACK
from equilag.live.rebalance.joined_members import JoinedMember, group_of
from equilag.live.tracking.load_tracker import LoadTracker
from equilag.live.tracking.tracked_state import TrackingSettings
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


def handle(requests):
    """A consumer of the group `g` that never rebalances."""
    return ConsumerHandle(
        "g", 10.0, lambda: None, requests, lambda: True, lambda: True, lambda: None, None
    )


def leader(source=None, requests=None, cooperative=False, patience=None, **options):
    source = StaticLag(LAGS) if source is None else source
    requests = Requests() if requests is None else requests
    options = AssignorOptions(lag=source, time_limit=1.0, **options)
    return Leader(options, handle(requests), cooperative, patience)


def consider(one, times=1):
    for _ in range(times):
        one.consider(time.monotonic())


def pairs(assignments):
    return sorted((t, p) for topics in assignments.values() for t, ps in topics.items() for p in ps)


EVERYTHING = [("t", number) for number in range(6)]


def by_heuristic():
    return equilag.assign(group_of("g", MEMBERS, SIZES), FALLBACK).assignment


def load(assignments):
    return sorted(sum(LAGS["t"][p] for p in topics.get("t", ())) for topics in assignments.values())


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (SettableLags(), "no lag has been measured yet"),
        (SettableLags(LAGS, 121.0), "the newest lags are 121 s old"),
        (SettableLags({"t": [-1] * 6}), "the lags cannot be used: InputError"),
        (SettableLags({"t": 6}), "the lags cannot be used: TypeError"),
    ],
)
def test_without_usable_lags(source, why, caplog: pytest.LogCaptureFixture) -> None:
    members = [replace(m, hints={"t": [i, i + 3]}) for i, m in enumerate(MEMBERS)]
    with caplog.at_level(logging.INFO, "equilag.consumers"):
        assert leader(source).assign(members, SIZES) == {m.id: m.hints for m in members}
    # Other tests of this process may have left a thread that still logs.
    (record,) = [one for one in caplog.records if one.getMessage().startswith("group g: ")]
    assert record.levelno == logging.INFO
    assert record.getMessage().startswith("group g: a sticky plan answers in ")
    assert f"ms: 0 moves, 0 partitions withheld: {why}" in record.getMessage()


def test_a_lag_source_that_fails_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    source = SettableLags()
    source.sample = ValueError("no such host")
    one = leader(source)
    for _ in range(3):
        assert pairs(one.assign(MEMBERS, SIZES)) == EVERYTHING
    assert caplog.text.count("the lag source failed: ValueError: no such host") == 1


def fail(*args, **kwargs):
    raise RuntimeError("made to fail")


@pytest.mark.parametrize("late", [False, True])
def test_a_solver_that_fails_or_is_late(
    late, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    gate, began = threading.Event(), time.monotonic()
    solver = (lambda *_, **__: gate.wait(30)) if late else fail
    monkeypatch.setattr("equilag.planner.solve.solve", solver)
    monkeypatch.setattr("equilag.live.rebalance.sticky_plan.repaired", lambda *_: None)
    assert leader(patience=0.02 if late else None).assign(MEMBERS, SIZES) == by_heuristic()
    assert time.monotonic() - began < 10
    gate.set()
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    why = "no plan within 0.02 s" if late else "planning failed: RuntimeError: made to fail"
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
    members = [replace(MEMBERS[0], claims={"t": [0, 1, 2, 3, 4, 5]}, generation=3), *MEMBERS[1:]]
    first = one.assign(members, SIZES)
    kept = first["m0"]["t"]
    assert (len(kept), first["m1"], first["m2"]) == (2, {}, {})
    # The lag has changed in between; the plan stays, which left the lag even.
    source.sample = LagSample({"t": [0] * 6}, 0.0)
    second = one.assign(
        [replace(MEMBERS[0], claims={"t": kept}, generation=4), *MEMBERS[1:]], SIZES
    )
    assert second["m0"]["t"] == kept
    assert load(second) == [7100, 8090, 9080]


def test_a_rebalance_once_lag_is_known(caplog: pytest.LogCaptureFixture) -> None:
    source, requests = SettableLags(), Requests()
    one = leader(source, requests)
    consider(one)  # no rebalance so far
    before = one.assign(MEMBERS, SIZES)
    with caplog.at_level(logging.INFO, "equilag.consumers"):
        consider(one, 3)  # still no lags
        source.sample = LagSample(LAGS, 0.0)
        consider(one)
        assert not requests  # one sample might err
        consider(one, 2)  # then the rebalance is on its way
    assert len(requests) == 1
    assert caplog.text.count("measuring: no lag has been measured yet") == 1
    assert "no rebalance: patience: at best relieves a member" in caplog.text
    assert "requesting a rebalance: relieves a member" in caplog.text
    members = [replace(m, hints=before[m.id], generation=1) for m in MEMBERS]
    assert load(one.assign(members, SIZES)) == [7100, 8090, 9080]
    consider(one, 3)
    assert len(requests) == 1


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
    consider(one, 3)
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
    consider(one, 3)
    assert not requests


def test_a_failure_to_consider(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    requests = Requests()
    one = leader(SettableLags(LAGS), requests)
    one.assign(MEMBERS, SIZES)
    monkeypatch.setattr("equilag.live.consumers.leader.measured_loads", fail)
    one.consider(time.monotonic())
    assert not requests
    assert "made to fail" in caplog.text


def observe(load, ends, commits, at, holders):
    load.add(ObservedOffsets(at, {"t": [0] * 6}, {"t": ends}, {"t": commits}), SIZES, at, holders)


def observed_leader():
    tracker = LoadTracker(TrackingSettings(least_window=4.0, spacing=1.0))
    requests = Requests()
    one = Leader(AssignorOptions(), handle(requests))
    one._load._tracker = tracker
    return one, one._load, requests


@pytest.mark.parametrize("committed", [True, False])
def test_rates_tell_that_one_member_has_more_to_do(
    committed, caplog: pytest.LogCaptureFixture
) -> None:
    """All commits are at the end; or there are none, so that lag is unknown, as nobody knows where
    the consumers start."""
    one, load, requests = observed_leader()
    now = time.monotonic()
    given = one.assign(MEMBERS, SIZES)
    heavy = next(iter(given.values()))["t"]
    with caplog.at_level(logging.INFO, "equilag.consumers"):
        for step in range(5):
            ends = [10**6 + step * (1000 if p in heavy else 100) for p in range(6)]
            commits = ends if committed else [None] * 6
            observe(load, ends, commits, now - 10 + 2 * step, one.holders_since(time.monotonic()))
            reason = load.measured(MEMBERS, SIZES, None)[1]
            assert (reason is None) == (committed or step > 1)
            one.consider(time.monotonic())
    waits = "rates are known after" if committed else "the lag of 6 of 6 partitions is unknown"
    assert waits in caplog.text
    assert (load.measured(MEMBERS, SIZES, None)[0].lags == {}) is not committed
    assert len(requests) == 1
    after = one.assign([replace(m, hints=given[m.id]) for m in MEMBERS], SIZES)
    assert not any(set(heavy) <= set(topics["t"]) for topics in after.values())


def test_without_lag_pins_are_kept(caplog: pytest.LogCaptureFixture) -> None:
    one = leader(SettableLags(), policy=Policy(pin={("t", 5): "m0", ("t", 0): "away"}))
    with caplog.at_level(logging.INFO, "equilag.consumers"):
        for _ in range(2):
            assignments = one.assign(MEMBERS, SIZES)
    assert 5 in assignments["m0"]["t"]
    assert pairs(assignments) == EVERYTHING
    assert "a sticky plan answers" in caplog.text
    assert caplog.text.count("left out for now: pin") == 1


def test_a_leader_ends_with_its_last_user() -> None:
    """Not only once garbage is collected: its thread asks whether it is there."""
    gone = weakref.ref(leader())
    assert gone() is None
