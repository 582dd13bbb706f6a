"""The election of the steward that takes part in a group: its state, and its loop with a
coordinator that gives the answers that a test sets."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Timer
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.steward_fakes import FakeMembership, Parts, joined

from equilag.adapters.kafka.consumer_protocol import write_assignment
from equilag.domain.errors import EquilagError
from equilag.live.steward import election_loop as module
from equilag.live.steward.election_loop import MAX_SILENT_S, SESSION_S, Election, ElectionLoop
from equilag.live.steward.group_membership import GroupMembership, JoinResult
from equilag.live.steward.membership_errors import (
    AlreadyRebalancing,
    Fenced,
    MembershipLost,
    Refused,
    Unreachable,
)

LATER = SESSION_S + 0.1


def elected(at: float = 0.0, leads: bool = True) -> Election:
    election = Election()
    election.heard(leads, at)
    return election


def test_an_answer_holds_for_a_session() -> None:
    assert Election().may_act(0.0) is None
    for leads in (True, False):
        election = elected(leads=leads)
        assert election.may_act(SESSION_S - 0.1) is leads
        assert election.may_act(LATER) is None  # it was paused: ask first
        assert not election.asked_since(0.1)
    election.heard(True, LATER)
    assert election.asked_since(LATER)
    assert election.may_act(LATER) is True


def test_silence_deposes_nobody() -> None:
    election = elected()
    for at in range(0, 600, 8):
        election.silent(at, at + 8)  # the time that connecting takes
        assert election.may_act(at + 15.9) is True
    stands_by = elected(leads=False)
    stands_by.silent(100, 100)
    assert stands_by.may_act(100) is False


def test_a_request_that_was_paused_is_no_silence() -> None:
    election = elected()
    election.silent(1, 1 + MAX_SILENT_S)
    assert election.may_act(1 + MAX_SILENT_S) is None


def test_a_fenced_holder_needs_a_newer_answer() -> None:
    election = elected()
    election.fenced(5.0)
    election.heard(True, 4.9)  # the answer to a request of before
    assert election.may_act(5.0) is None
    election.heard(True, 5.0)
    assert election.may_act(5.0) is True
    election.expelled()
    assert election.may_act(5.0) is None


def test_one_that_resigns_goes_on_until_it_is_fenced() -> None:
    election = elected()
    assert not election.resign()  # nobody stands by
    election.others = True
    assert election.resign()
    assert election.may_act(1000.0)
    election.fenced(1000.0)
    assert not election.may_act(1000.0)
    assert not elected(leads=False).resign()


def test_one_take_over_for_all() -> None:
    first, second = elected(), elected(leads=False)
    assert not second.claim_take_over()
    assert not second.taken_over
    assert not first.claim_take_over()  # the others do not know yet
    assert first.is_to_tell
    first.told(True)
    second.told(True)
    assert not first.is_to_tell
    assert first.claim_take_over()
    second.heard(True, 10.0)
    assert not second.claim_take_over()
    first.heard(False, 10.0)
    assert not first.claim_take_over()
    first.heard(True, 20.0)
    first.told(True)
    assert not first.claim_take_over()  # the other one may have done it meanwhile


@given(st.lists(st.tuples(st.sampled_from("ab"), st.floats(0, 60)), max_size=12))
def test_never_two_that_may_act(steps: list[tuple[str, float]]) -> None:
    """Two stewards that are paused at will, and a coordinator that makes the other one the holder
    once a holder has been silent for a session."""
    stewards, now, holder, heard_at = {"a": Election(), "b": Election()}, 0.0, "a", 0.0
    for name, pause in steps:
        now += pause
        if name != holder and now - heard_at >= SESSION_S:
            holder = name
        if name == holder:
            heard_at = now
        stewards[name].heard(name == holder, now)
        assert [one.may_act(now) for one in stewards.values()].count(True) <= 1
        assert stewards[holder].may_act(now) or name != holder


class Loop:
    """An election loop that runs until the coordinator has no more answers."""

    def __init__(
        self, answers: list[JoinResult | EquilagError], beats: Sequence[EquilagError | None] = ()
    ) -> None:
        self.parts = Parts()
        self.membership = FakeMembership(answers, lambda: None)
        self.beats = list(beats)
        self.membership.heartbeat = self._heartbeat  # type: ignore[attr-defined]
        self.loop = ElectionLoop(self.parts.shared, cast(GroupMembership, self.membership))

    def _heartbeat(self) -> None:
        error = self.beats.pop(0)
        if error is not None:
            raise error

    def turns(self, number: int) -> list[bool | None]:
        found = []
        for _ in range(number):
            self.loop._turn()
            found.append(self.loop.holds)
        return found


ALONE, SECOND = joined(), joined(leads=False)


@pytest.mark.parametrize(
    ("answers", "beats", "holds"),
    [
        ([ALONE], [None, None], [True, True, True]),
        ([SECOND], [None, AlreadyRebalancing("x")], [False, False, False]),
        # The holder is gone.
        ([SECOND, ALONE], [AlreadyRebalancing("x")], [False, False, True]),
        # It was expelled: it holds nothing until it has joined again.
        ([ALONE, ALONE], [MembershipLost("x")], [True, None, True]),
        ([ALONE, SECOND], [MembershipLost("x")], [True, None, False]),
        ([ALONE], [Unreachable("x"), Refused("x"), None], [True, True, True, True]),
        ([Refused("no right"), ALONE], [], [None, True]),
        ([Unreachable("x"), SECOND], [], [None, False]),
    ],
)
def test_what_the_coordinators_answers_make_of_it(
    answers: list[JoinResult | EquilagError],
    beats: list[EquilagError | None],
    holds: list[bool | None],
) -> None:
    loop = Loop(answers, beats)
    assert loop.turns(len(holds)) == holds
    assert loop.loop.problem == ""


def test_a_missing_right_is_told() -> None:
    loop = Loop([Refused("needs Read")])
    loop.turns(1)
    assert loop.loop.problem == "the election of the stewards: needs Read"


def test_after_a_pause_the_election_is_asked_first(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(module, "_now", lambda: now[0])
    loop = Loop([ALONE, SECOND], [MembershipLost("x")])
    loop.turns(1)
    loop.loop.permit()
    now[0] = 20.0
    Timer(0.1, loop.turns, [2]).start()
    with pytest.raises(Fenced):
        loop.loop.permit()
    assert loop.membership.calls[-1] == "forget" or loop.loop.holds is False


def test_a_take_over_is_told_to_all_before_it_is_done() -> None:
    loop = Loop([joined("s-2"), joined("s-2")], [None])
    loop.turns(1)
    assert not loop.loop.claim_take_over()
    loop.turns(1)
    assert loop.loop.claim_take_over()
    told: dict[str, list[int]] = {"taken-over": []}
    assert loop.membership.synced == [
        {"steward-1": {}, "s-2": {}}, {"steward-1": told, "s-2": told}
    ]  # fmt: skip


def test_a_steward_that_was_told_takes_over_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = Loop([SECOND, ALONE], [AlreadyRebalancing("x")])
    told = write_assignment({"taken-over": []})
    monkeypatch.setattr(loop.membership, "sync", lambda given: told if not given else b"")
    assert loop.turns(3) == [False, False, True]
    assert not loop.loop.claim_take_over()


def test_run_tells_the_leader_loop_and_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_EVERY_S", 0.01)
    loop = Loop([joined("s-2")], [None] * 1000)
    calls: list[Any] = loop.membership.calls

    def stop() -> None:
        assert loop.loop.resign()
        Timer(0.1, loop.parts.shared.stop_all).start()

    Timer(0.05, stop).start()
    loop.loop.run()
    assert calls[-2:] == ["leave", "close"]
    assert "reconsider" in [one.command.value for one in loop.parts.commands]
