"""Membership in a group whose coordinator gives the answers that a test sets, and what heartbeats
tell the leader loop."""

from __future__ import annotations

import logging
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import pytest
from support.steward_fakes import Parts, reading

from equilag.adapters.kafka.client_config import kafka_config
from equilag.adapters.kafka.described import ReadFailure
from equilag.adapters.kafka.reading import Reading
from equilag.domain.errors import EquilagError
from equilag.live.steward import group_membership as module
from equilag.live.steward.group_membership import GroupMembership
from equilag.live.steward.heartbeat_loop import HeartbeatLoop
from equilag.live.steward.leader_loop import LeaderLoop
from equilag.live.steward.membership_errors import (
    AlreadyRebalancing,
    Fenced,
    MembershipLost,
    Refused,
    Unreachable,
)
from equilag.live.steward.shared_state import Command

UNKNOWN, ILLEGAL, REBALANCING, NOT_COORDINATOR, LOADING = 25, 22, 27, 16, 14
FENCED, FORBIDDEN, INCONSISTENT = 82, 30, 23


class FakeClient:
    """Answers requests by their kind: an error code, an exception, or what joining gives."""

    def __init__(self) -> None:
        self.codes: dict[str, Any] = {}
        self.requests: list[Any] = []
        self.coordinators = 0
        self.where: int | ReadFailure = 7

    def __call__(self, config: Any, timeout: float) -> FakeClient:
        return self

    def coordinator(self, group: str) -> int | ReadFailure:
        self.coordinators += 1
        return self.where

    def ask(self, node: int, request: Any, wait_ms: int | None = None) -> Any:
        kind = type(request).__name__.removesuffix("Request")
        self.requests.append((kind, request))
        code = self.codes.get(kind, 0)
        if isinstance(code, Exception):
            raise code
        other = SimpleNamespace(member_id="a", group_instance_id=None, metadata=b"x")
        ourselves = SimpleNamespace(member_id="s-1", group_instance_id="s", metadata=b"")
        members = [] if kind == "LeaveGroup" else [other, ourselves]
        known = {"member_id": "s-1", "leader": "s-1", "generation_id": 3, "protocol_name": "range"}
        return SimpleNamespace(error_code=code, skip_assignment=False, members=members,
                               assignment=b"own", **known)  # fmt: skip

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> FakeClient:
    made = FakeClient()
    monkeypatch.setattr(module, "PlainClient", made)
    return made


@pytest.fixture
def membership(client: FakeClient) -> GroupMembership:
    return GroupMembership(kafka_config("a:1"), "g", "s")


def test_joining_as_leader(membership: GroupMembership) -> None:
    joined = membership.join("why")
    assert (joined.generation, joined.protocol) == (3, "range")
    assert (joined.leads, joined.skip) == (True, False)
    assert [name for name, _, _ in joined.members] == ["a"]  # not ourselves
    assert (membership.member, membership.is_member) == ("s-1", True)


@pytest.mark.parametrize(
    ("code", "raised"),
    [
        (UNKNOWN, MembershipLost),
        (ILLEGAL, MembershipLost),
        (FENCED, Fenced),
        (NOT_COORDINATOR, Unreachable),
        (LOADING, Unreachable),
        (OSError("gone"), Unreachable),
        (FORBIDDEN, Refused),
        (INCONSISTENT, Refused),
        (REBALANCING, AlreadyRebalancing),
    ],
)
def test_what_errors_mean(
    membership: GroupMembership, client: FakeClient, code: Any, raised: type
) -> None:
    client.codes = {"JoinGroup": code, "Heartbeat": code}
    with pytest.raises(raised):
        membership.join("why")
    assert not membership.is_member
    with pytest.raises(raised):
        membership.heartbeat()
    client.codes = {"SyncGroup": code}
    membership.join("why")
    membership.heartbeat()
    with pytest.raises(raised):
        membership.sync({"a": {"t": [0]}})


def test_a_missing_right_is_named(membership: GroupMembership, client: FakeClient) -> None:
    client.where = ReadFailure.of("no coordinator", FORBIDDEN)
    with pytest.raises(Refused, match="needs the right Read on Group 'g'"):
        membership.join("why")


def test_a_moved_coordinator_is_found_again(
    membership: GroupMembership, client: FakeClient
) -> None:
    membership.join("why")
    membership.sync({})
    assert client.coordinators == 1
    client.codes["Heartbeat"] = NOT_COORDINATOR
    with pytest.raises(Unreachable):
        membership.heartbeat()
    client.codes.clear()
    membership.heartbeat()
    assert client.coordinators == 2


def leavers(client: FakeClient) -> list[tuple[str, str | None]]:
    """Member id and instance id of each member that was to leave."""
    return [
        (one.member_id, one.group_instance_id)
        for kind, request in client.requests
        if kind == "LeaveGroup"
        for one in request.members
    ]


def test_leaving(membership: GroupMembership, client: FakeClient) -> None:
    """Without a member id it would remove whoever has its instance id by then."""
    membership.leave()
    client.codes["JoinGroup"] = OSError("broken off")
    with pytest.raises(Unreachable):
        membership.join("why")
    membership.leave()
    client.codes.clear()
    membership.join("why")
    membership.forget()  # it was fenced
    membership.leave()
    assert leavers(client) == []
    membership.join("why")
    membership.remove(["a", "b"])
    for _ in range(2):
        membership.leave()
    assert leavers(client) == [("a", None), ("b", None), ("s-1", "s")]


def test_nothing_is_sent_without_permission(
    membership: GroupMembership, client: FakeClient
) -> None:
    membership.join("why")

    def refuse() -> None:
        raise Fenced("another steward takes part in its place")

    membership.permit = refuse
    sent = len(client.requests)
    calls = [(membership.join, "again"), (membership.sync, {}), (membership.remove, ["a"])]
    for send in (membership.heartbeat, *(partial(call, given) for call, given in calls)):
        with pytest.raises(Fenced):
            send()
    membership.leave()
    assert len(client.requests) == sent


FINE, SILENT, REBALANCE = None, Unreachable("x"), AlreadyRebalancing("x")
LOST, OTHER = MembershipLost("x"), Fenced("x")
NOBODY, SOMEBODY = reading({}, {}), reading({"t": [1]}, {"a": {"t": [0]}})


class Beats:
    """A heartbeat loop whose coordinator answers what a test sets, at times that it sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, joining: bool = False) -> None:
        self.parts, self.now, self.answer = Parts(session=5.0), 0.0, cast(Exception | None, SILENT)
        self.aborted, self.alive, self.member, self.joins_as = 0, True, "s-1", "s-1"
        self.protocol, self.is_member = "range", True
        monkeypatch.setattr("equilag.live.steward.heartbeat_loop.time.monotonic", lambda: self.now)
        leader = SimpleNamespace(generation=5, joining=joining)
        self.loop = HeartbeatLoop(self.parts.shared, cast(Any, self), cast(LeaderLoop, leader))

    def heartbeat(self) -> None:
        self.member = self.joins_as
        if self.answer is not None:
            raise self.answer

    def coordinator_answers(self) -> bool:
        return self.alive

    def abort_join(self) -> None:
        self.aborted += 1


@pytest.mark.parametrize(
    ("group", "answers", "commands"),
    [
        (None, [FINE, FINE], []),
        (None, [REBALANCE], [Command.REBALANCE]),
        (None, [LOST, OTHER, Refused("x")], [Command.LOST, Command.FENCED, Command.LOST]),
        # Alone it joins again once a silent coordinator answers, which may have restarted, and know
        # only the protocol that was in use.
        (NOBODY, [FINE, SILENT, SILENT, FINE, FINE], [Command.REBALANCE]),
        (SOMEBODY, [SILENT, FINE, FINE], []),
    ],
)
def test_answers_become_commands(
    group: Reading | None,
    answers: list[EquilagError | None],
    commands: list[Command],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = Beats(monkeypatch)
    if group is not None:
        one.parts.observe(group)
    for one.answer in answers:
        one.loop.send()
    told = [(message.command, message.generation) for message in one.parts.commands]
    assert told == [(c, 5) for c in commands]
    facts = one.parts.state.facts
    assert sum(facts.counters.values()) == len(answers)
    assert facts.counters.get("heartbeats:silent", 0) == answers.count(SILENT)
    answered = FINE in answers or REBALANCE in answers
    assert (facts.last_heartbeat_age_s is not None) == answered


@pytest.mark.parametrize(
    ("protocol", "joining", "pause"),
    [("range", False, 0.03), ("cooperative-sticky", False, 0.1), ("range", True, 0.1)],
)
def test_a_group_that_waits_without_reading_is_asked_more_often(
    protocol: str, joining: bool, pause: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Beats(monkeypatch, joining)
    one.protocol, pauses = protocol, list[float]()
    stops = SimpleNamespace(wait=lambda seconds: bool(pauses.append(seconds) or pauses[1:]))
    one.parts.shared.stop = cast(Any, stops)
    one.loop.run()
    assert pauses == [pause, pause]


def test_the_answer_to_a_heartbeat_of_before_a_join_says_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = Beats(monkeypatch)
    one.answer, one.joins_as = OTHER, "s-2"
    one.loop.send()
    assert one.parts.commands == []


def test_a_coordinator_that_is_gone_is_named(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Once, within seconds, and when it is back."""
    caplog.set_level(logging.INFO)
    one, silent = Beats(monkeypatch), []
    for second in range(8):
        one.now, one.answer = float(second), None if second > 5 else SILENT
        one.loop.send()
        silent.append(one.parts.state.facts.coordinator_silent)
    assert silent == [False] * 4 + [True] * 2 + [False] * 2
    assert [record.msg for record in caplog.records] == [
        "coordinator-silent",
        "coordinator-answers",
    ]
    assert caplog.records[1].fields == {"after_s": 6}  # type: ignore[attr-defined]


def test_a_join_is_not_aborted_while_its_coordinator_is_only_slow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = Beats(monkeypatch, joining=True)
    for second in range(20):
        one.now = float(second)
        one.loop._while_joining()
    assert one.aborted == 0
    one.alive = False
    for second in range(20, 26):
        one.now = float(second)
        one.loop._while_joining()
    assert one.aborted == 1
