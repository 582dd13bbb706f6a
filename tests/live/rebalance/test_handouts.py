"""What a leader has handed out, and what the next rebalance leads to."""

from __future__ import annotations

from equilag.live.rebalance.handouts import PENDING_S, HandedOut, Handouts, Round, TargetAssignment

HELD = {"a": {"t": [0]}}
TARGET = TargetAssignment(HELD, {"a": frozenset({"t"})}, {"t": 1}, {"a": 5.0})
OTHER = TargetAssignment({"a": {"t": [1]}}, {}, {})


def test_a_requested_target_waits_for_its_rebalance() -> None:
    """And has its shares in force only from then on."""
    handouts = Handouts()
    assert handouts.request(TARGET, 0, 10.0)
    known = handouts.known
    assert (known.target, known.shares, known.going_on) == (TARGET, {}, None)
    assert known.pending(10.0)
    assert known.pending(9.9 + PENDING_S)
    assert not known.pending(10.0 + PENDING_S)
    assert handouts.observe({}, OTHER, 0, 20.0)
    assert handouts.known.target is TARGET
    assert handouts.begin() == known
    assert handouts.record(TARGET, complete=True, now=14.0) == Round(4.0, None)
    assert (handouts.known.shares, handouts.known.held) == ({"a": 5.0}, HELD)
    assert not handouts.known.pending(14.0)
    assert handouts.record(TARGET, complete=True, now=15.0) is None  # nobody requested it


def test_a_request_that_another_rebalance_overtook_is_refused() -> None:
    handouts = Handouts()
    handouts.begin()
    assert not handouts.request(TARGET, 0, 10.0)
    assert handouts.known == HandedOut(rebalances=1)


def test_a_change_goes_on_until_nothing_is_withheld() -> None:
    """Which tells how long its rounds took, and how many they were."""
    handouts = Handouts()
    handouts.request(TARGET, 0, 8.0)
    for now, seconds in ((10.0, 2.0), (20.0, 10.0)):
        handouts.begin(now=now - 1.0)
        assert handouts.record(TARGET, complete=False, now=now) == Round(seconds, None)
        assert handouts.known.going_on is TARGET.assignment
        assert handouts.known.pending(now + 1.0)
    assert handouts.record(TARGET, complete=True, now=31.0) == Round(11.0, 3)
    assert (handouts.known.going_on, handouts.known.at) == (None, 31.0)
    handouts.begin(now=40.0)  # for members that come or go
    handouts.begin()
    assert handouts.record(TARGET, complete=True, now=46.0) == Round(6.0, None)
    assert handouts.known.without_target().target is None


def test_another_leader_finishes_what_was_begun() -> None:
    handouts = Handouts()
    handouts.record(TARGET, complete=False, now=1.0)
    handouts.begin(leads=False)
    assert (handouts.known.going_on, handouts.known.target) == (None, TARGET)
    assert handouts.record(TARGET, complete=True, now=9.0) is None
    handouts.forget()
    assert handouts.known == HandedOut(rebalances=2)


def test_what_is_observed_is_the_target_unless_it_breaks_rules() -> None:
    handouts = Handouts()
    assert handouts.observe(HELD, TARGET, 0, 0.5)
    assert handouts.known.shares == TARGET.shares  # as found, before anything was handed out
    assert handouts.observe(HELD, None, 0, 1.0)
    assert (handouts.known.held, handouts.known.target) == (HELD, TARGET)
    assert handouts.observe({}, OTHER, 0, 1.0)
    assert (handouts.known.held, handouts.known.target) == ({}, OTHER)
    handouts.record_partial(HELD, 2.0)
    assert (handouts.known.held, handouts.known.target, handouts.known.at) == (HELD, None, 2.0)
