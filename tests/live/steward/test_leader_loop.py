"""The leader loop, with a coordinator that gives the answers that a test sets."""

from __future__ import annotations

import logging
import struct
from dataclasses import replace
from threading import Timer
from typing import Any, cast

import pytest
from support.steward_fakes import (
    FakeElection,
    FakeMembership,
    FakeReader,
    Parts,
    joined,
    offsets,
    reading,
)

from equilag.adapters.kafka.consumer_protocol import write_assignment, write_subscription
from equilag.adapters.kafka.described import (
    ClientPlace,
    DescribedMember,
    MissingRight,
    UnplannableGroup,
)
from equilag.adapters.kafka.group_reader import GroupReader
from equilag.adapters.kafka.reading import TopicOffsets
from equilag.domain.errors import EquilagError
from equilag.domain.policy.policy import Policy
from equilag.live.carrier.carrier_shell import CarrierShell
from equilag.live.rebalance.handouts import TargetAssignment
from equilag.live.steward.election_loop import ElectionLoop
from equilag.live.steward.group_membership import GroupMembership, JoinResult
from equilag.live.steward.leader_loop import LeaderLoop
from equilag.live.steward.membership_errors import Fenced, MembershipLost, Refused, Unreachable
from equilag.live.steward.shared_state import Command, CommandMessage
from equilag.live.steward.succession import MAX_TRIES

LAGS = {"t": [100, 60, 50]}
HELD = reading(LAGS, {"a": {"t": [0, 1]}, "b": {"t": [2]}})
NO_BROKER = EquilagError("no broker answers")


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in (("_PASSIVE_S", 0.01), ("_RETRY_S", 0.06)):
        monkeypatch.setattr(f"equilag.live.steward.leader_loop.{name}", seconds)


class FakeCarriers:
    """Answers to turns in a KIP-848 group, None at the end."""

    pause_s = 0.0

    def __init__(self) -> None:
        self.epochs: list[int] = []
        self.messages: list[CommandMessage | None] = []
        self.ended: list[bool] = []

    def turn(self, message: CommandMessage | None) -> int | None:
        self.messages.append(message)
        return self.epochs.pop(0) if self.epochs else None

    def end(self, leave: bool) -> None:
        self.ended.append(leave)


class Run(Parts):
    """Runs with these answers of the coordinator until there are no more."""

    def __init__(
        self,
        answers: list[JoinResult | EquilagError],
        lags: TopicOffsets | EquilagError | None = None,
        sizes: dict[str, int] | EquilagError | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.reader = FakeReader(lags=lags, sizes=sizes)
        self.membership = FakeMembership(answers, self.shared.stop_all)
        self.election = FakeElection()
        self.carriers = FakeCarriers()
        self.leader = LeaderLoop(
            self.shared,
            cast(GroupMembership, self.membership),
            cast(GroupReader, self.reader),
            cast(ElectionLoop, self.election),
            cast(CarrierShell, self.carriers),
        )

    def go(self) -> Run:
        self.leader.run()
        return self

    def calls(self, kind: str) -> list[Any]:
        """What the membership was asked for, of one kind."""
        return [call for call in self.membership.calls if kind in (call, call[0])]

    @property
    def given(self) -> dict[str, list[int]]:
        """Member -> partitions in the last assignment."""
        last = self.membership.synced[-1]
        return {name: topics.get("t", []) for name, topics in last.items() if name != "steward-1"}

    @property
    def sets(self) -> list[list[int]]:
        return sorted(self.given.values())

    @property
    def counted(self) -> tuple[int, int]:
        """Sticky assignments, and reasons for which plans were no better."""
        counters = self.state.facts.counters
        return counters["handouts:sticky"], counters.get("fallbacks", 0)


@pytest.mark.parametrize(("stays", "end"), [(False, ["leave", "close"]), (True, ["close"])])
def test_it_assigns_a_plan_and_leaves_at_the_end(stays: bool, end: list[str]) -> None:
    run = Run([joined("a", "b")], offsets(LAGS), keep_membership=stays).go()
    assert run.sets == [[0], [1, 2]]
    assert run.membership.synced[0]["steward-1"] == {}
    assert run.membership.calls[1:] == end
    assert run.counted == (1, 0)


@pytest.mark.parametrize(
    ("answer", "role"),
    [
        (joined("a", leads=False), "follower"),
        (replace(joined("a", leads=False), leader=""), "passive"),  # its brokers assign
        (joined("a", "b", skip=True), "leader"),
    ],
)
def test_a_follower_and_a_leader_that_came_back_assign_nothing(
    answer: JoinResult, role: str
) -> None:
    run = Run([answer]).go()
    assert run.membership.synced == [{}]
    assert run.state.facts.role == role


def test_with_old_lag_counts_and_moves_decide() -> None:
    run = Run([joined("a", "b", "c")], NO_BROKER)
    observation = run.observe(HELD)
    object.__setattr__(observation, "at", observation.at - 1000)  # the lag is old
    assert run.go().counted == (1, 1)
    assert run.state.facts.last_fallback_reason == "the newest lags are 1000 s old"
    assert run.sets == [[0], [1], [2]]


@pytest.mark.parametrize(
    ("lags", "reason"),
    [
        # Sizes have their own time limit: without them the group would have to wait.
        (EquilagError("too late"), "no lag: too late"),
        (offsets({"t": [100, None, None]}), "the lag of 2 of 3 partitions is unknown"),
        (offsets({"t": [2**60, 1, 1]}), "the lags cannot be used: "),
    ],
)
def test_without_usable_lags_sizes_are_enough(
    lags: TopicOffsets | EquilagError, reason: str
) -> None:
    run = Run([joined("a", "b")], lags, {"t": 3}).go()
    assert run.counted == (1, 1)
    assert run.state.facts.last_fallback_reason.startswith(reason)
    assert sorted(map(len, run.sets)) == [1, 2]


def test_without_the_right_to_read_topics_it_does_not_lead() -> None:
    forbidden = MissingRight("needs the right Describe on Topic 't'")
    run = Run([joined("a", "b")], forbidden).go()
    assert run.shared.failure is forbidden
    assert not run.membership.synced


def test_it_leaves_if_topics_stay_unknown() -> None:
    run = Run([joined("a")] * 3, NO_BROKER, session=0.05).go()
    assert run.membership.calls.index("leave") < run.membership.calls.index("close") - 1


def with_metadata(**metadata: bytes) -> JoinResult:
    return JoinResult(1, "range", True, False, tuple((m, None, b) for m, b in metadata.items()))


def test_impossible_claims_are_ignored() -> None:
    owned = write_assignment({"t": [-1, 2]})[2:-4]
    run = Run([with_metadata(a=write_subscription(["t"])[:-4] + owned)], offsets(LAGS)).go()
    assert run.given == {"a": [0, 1, 2]}


@pytest.mark.parametrize("protocol", ["range", "roundrobin"])
@pytest.mark.parametrize("mode", ["auto", "none"])
def test_under_range_topics_of_equal_size_stay_together(protocol: str, mode: str) -> None:
    lags = {"t": [900, 10, 20, 30, 40, 50], "u": [7, 700, 8, 9, 600, 11]}
    both = write_subscription(["t", "u"])
    answer = replace(with_metadata(a=both, b=both, c=both), protocol=protocol)
    run = Run([answer], offsets(lags), co_partition=mode).go()
    assert run.counted == (1, 0)
    given = [run.membership.synced[0][name] for name in "abc"]
    together = all(topics["t"] == topics["u"] for topics in given)
    assert together == (protocol == "range" and mode == "auto")


def test_members_read_in_their_racks() -> None:
    """Which are in subscriptions of version 3."""
    read = offsets({"t": [5, 5, 5, 5]})
    read.racks = {"t": [("r1",), ("r1",), ("r2",), ("r2",)]}
    begin = b"\x00\x03" + write_subscription(["t"])[2:-4] + struct.pack(">iih", 0, -1, 2)
    answer = with_metadata(a=begin + b"r2", b=begin + b"r1")
    run = Run([answer], read, policy=Policy(rack_aware=True)).go()
    assert run.given == {"a": [2, 3], "b": [0, 1]}
    assert run.counted == (1, 0)


@pytest.mark.parametrize("known", [True, False])
def test_threads_of_a_host_are_one_instance(known: bool, caplog: pytest.LogCaptureFixture) -> None:
    """The coordinator knows the hosts of members that are new; else each counts by itself."""
    policy = Policy(instances="host", max_partitions=3)
    run = Run([joined("a", "b", "c")], offsets({"t": [5, 5, 5, 5]}), policy=policy)
    places = {name: ClientPlace("c", host) for name, host in zip("abc", "xxy", strict=True)}
    run.reader.client_places = places if known else NO_BROKER
    run.go()
    logged = [vars(record).get("fields", {}).get("reason", "") for record in caplog.records]
    assert sorted(map(len, run.sets)) == [1, 1, 2]
    assert len(run.given["c"]) == 1 or not known
    assert run.counted == (1, 0)
    assert ("no member's host is known" in "".join(logged)) is not known


@pytest.mark.parametrize(
    ("error", "forgets"), [(MembershipLost("x"), True), (Unreachable("x"), False)]
)
def test_transient_errors_are_retried(error: EquilagError, forgets: bool) -> None:
    run = Run([error, joined("a", "b")], offsets(LAGS)).go()
    assert ("forget" in run.membership.calls) == forgets
    assert run.sets == [[0], [1, 2]]


@pytest.mark.parametrize(("protocol", "also"), [("range", ""), ("own", "; they use 'own'")])
def test_a_refusal_is_reported(protocol: str, also: str) -> None:
    run = Run([Refused("no right"), Refused("no right")])
    run.observe(replace(HELD, protocol=protocol))
    run.go()
    assert run.state.facts.role_reason == f"no right{also}"
    assert not run.membership.synced


def test_a_group_of_another_kind_is_never_joined() -> None:
    run = Run([joined("a")])
    run.reader.kind = UnplannableGroup("g", "classic-streams")
    run.go()
    assert "classic group of a Kafka Streams application" in str(run.shared.failure)
    assert run.shared.stop.is_set()
    assert not run.calls("join")


@pytest.mark.parametrize("unread", ["needs the right Describe on Topic 't'", ""])
def test_a_kip_848_group_that_was_not_observed_as_one_is_not_joined(unread: str) -> None:
    run = Run([joined("a")])
    run.reader.kind, run.shared.unread = "consumer", unread
    run.leader._join_and_serve()
    assert run.state.facts.role_reason == (unread or "it has become a KIP-848 group")
    assert not run.calls("join")


def test_a_kind_that_is_unknown_delays_the_join(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run([joined("a", "b")], offsets(LAGS))
    kinds = [EquilagError("loading"), MissingRight("needs Describe")]

    def next_kind(_: str) -> str:
        if kinds:
            raise kinds.pop(0)
        return "classic"

    monkeypatch.setattr(run.reader, "check_kind", next_kind)
    run.go()
    assert not kinds
    assert run.sets == [[0], [1, 2]]


def following(run: Run, ids: list[str]) -> list[Any]:
    """The calls of a follower that gets these member ids one after the other."""
    run.reader.client_places = dict.fromkeys(["x", "y", "leader"], ClientPlace(None, None))
    join, left = run.membership.join, list(ids)

    def next_id(reason: str, wait_s: float = 0) -> JoinResult:
        run.membership.member = left.pop(0)
        return replace(join(reason), leader="leader")

    run.membership.join = next_id  # type: ignore[method-assign]
    run.go()
    return [call for call in run.membership.calls if call == "forget" or call[0] == "join"]


def test_a_follower_joins_until_it_leads_next() -> None:
    """Members x and y are in buckets 8 and 9 of 16; consumer-4 in 10, steward-𝄞 in 5."""
    run = Run([joined(leads=False)] * 3)
    calls = following(run, ["consumer-4", "consumer-3", "steward-𝄞"])
    assert [call for call in calls if call == "forget"] == ["forget"] * 2
    assert len(run.membership.synced) == 3
    assert run.state.facts.role_reason == "leader leads; restart that member, or use --take-over"


def test_a_follower_does_not_try_for_ever() -> None:
    run = Run([joined(leads=False)] * (MAX_TRIES + 1))
    calls = following(run, ["consumer-4"] * (MAX_TRIES + 1))
    assert calls.count("forget") == MAX_TRIES
    assert run.state.facts.role_reason == "leader leads; restart all members, or use --take-over"


@pytest.mark.parametrize("fenced_by", ["join", "heartbeat"])
@pytest.mark.parametrize(("holds", "role"), [(False, "standby"), (None, "starting")])
def test_a_fenced_steward_stands_by(fenced_by: str, holds: bool | None, role: str) -> None:
    """Once the election says so; until then it only sends nothing."""
    run = Run([Fenced("another one") if fenced_by == "join" else joined(leads=False), joined("a")])
    run.shared.send(Command.FENCED)

    def fenced() -> None:
        run.election.holds = holds
        run.shared.messages.put(CommandMessage(Command.STOP))
        Timer(0.1, run.shared.stop_all).start()

    run.election.fenced = fenced  # type: ignore[method-assign]
    run.go()
    assert run.shared.failure is None
    assert run.membership.calls.count(("join", "the equilag steward starts")) == 1
    assert "forget" in run.membership.calls
    expected = "follower" if fenced_by == "heartbeat" and holds is None else role
    assert run.state.facts.role == expected
    assert (run.leader.generation, run.leader.leads) == (-1, False)


def test_a_fenced_steward_that_still_holds_joins_again() -> None:
    run = Run([Fenced("a woken one"), joined("a", "b")], offsets(LAGS))
    run.election = FakeElection(after_fence=True)
    run.leader._election = cast(ElectionLoop, run.election)
    run.go()
    assert run.sets == [[0], [1, 2]]
    assert run.state.facts.role == "leader"


def test_a_standby_says_why_it_cannot_take_part() -> None:
    run = Run([])
    run.election.holds, run.election.problem = None, "needs the right Read on Group 'g.e'"
    Timer(0.1, run.shared.stop_all).start()
    run.go()
    assert run.state.facts.role_reason == "needs the right Read on Group 'g.e'"
    assert not run.calls("join")


def test_only_the_steward_that_has_claimed_it_takes_over() -> None:
    run = taking_over([joined(leads=False, generation=2)])
    run.election.may_take_over = False
    run.shared.send(Command.REBALANCE, 1)
    run.go()
    assert not run.calls("remove")


def test_the_next_rebalance_leads_to_the_target() -> None:
    run = Run([joined("a", "b"), joined("a", "b", generation=2)], offsets(LAGS))
    run.observe(HELD)
    run.shared.send(Command.TRIGGER, 7, "of another generation")
    run.shared.send(Command.TRIGGER, 1, "a gain")
    run.go()
    # The first rebalance of a group that has not changed leaves everything as it is.
    assert [one["a"] for one in run.membership.synced] == [{"t": [0, 1]}] * 2
    assert run.membership.calls[1] == ("join", "equilag steward: a gain")


def taking_over(answers: list[JoinResult | EquilagError], **options: Any) -> Run:
    """A follower with --take-over in a group whose members a and b hold two and one partition."""
    run = Run([joined(leads=False), *answers], offsets(LAGS), {"t": 3}, take_over=True, **options)
    places = {name: ClientPlace(name[0], "host") for name in ("a", "b", "a-2", "b-2", "c")}
    run.reader.client_places = places | {"steward-1": ClientPlace(None, None)}
    members = run.observe(reading(LAGS, {"a": {"t": [0, 2]}, "b": {"t": [1]}})).members
    members[:] = [replace(one, client_id=one.id, host="host") for one in members]
    run.shared.send(Command.TAKE_OVER)
    return run


def test_take_over_removes_the_others_once() -> None:
    """Other stewards too, which are in no observation."""
    run = taking_over([joined(leads=False, generation=2), joined("a", "b", generation=3)])
    run.shared.send(Command.TAKE_OVER)
    run.shared.send(Command.REBALANCE, 2)
    run.go()
    assert run.calls("remove") == [("remove", ["a", "a-2", "b", "b-2", "c"])]
    assert run.state.facts.role == "leader"


def test_after_a_take_over_nobody_gets_what_missing_members_held() -> None:
    run = taking_over(
        [joined("c"), joined("c", "b-2", generation=2), joined("c", "b-2", "a-2", generation=3)]
    )
    waited: list[int] = []
    run.shared.send(Command.REBALANCE, 1)
    run.shared.send(Command.REBALANCE, 2)
    sync = run.membership.sync

    def noted(given: Any) -> bytes:
        waited.append(run.state.facts.take_over_waits_for)
        return sync(given)

    run.membership.sync = noted  # type: ignore[method-assign]
    run.go()
    follower, first, second, third = run.membership.synced
    assert (follower, first["c"]) == ({}, {})
    assert (second["c"], second["b-2"]) == ({}, {"t": [1]})
    assert third["b-2"] == {"t": [1]}
    assert sorted([*third["c"]["t"], *third["a-2"]["t"]]) == [0, 2]
    assert waited == [0, 0, 2, 1]  # as it was before each answer was recorded
    assert (run.state.facts.take_over_waits_for, run.shared.take_over) == (0, None)
    assert run.target is not None


def test_a_take_over_does_not_wait_forever(caplog: pytest.LogCaptureFixture) -> None:
    run = taking_over([joined("b-2"), joined("b-2", generation=2)], take_over_wait=0.05)
    with caplog.at_level(logging.INFO, "equilag.steward"):
        run.go()
    assert run.membership.synced[1]["b-2"] == {"t": [1]}
    assert run.sets == [[0, 1, 2]]
    reason = "the equilag steward waits no longer for removed members"
    assert run.membership.calls[3] == ("join", reason)
    (done,) = [vars(one)["fields"] for one in caplog.records if one.msg == "take-over-done"]
    assert done == {"missing": 1, "reason": "not all members are back in time"}


def test_a_member_that_joins_has_a_share_from_then_on() -> None:
    """A mean one, as nothing is measured; the others keep theirs."""
    run = Run([joined("a", "b", "c")], offsets({"t": [0] * 10}))
    shares = {"a": 2.0, "b": 1.0, "gone": 1.0}
    run.shared.control.handouts.record(TargetAssignment({}, {}, {}, shares), True, 0.0)
    run.go()
    assert {name: len(held) for name, held in run.given.items()} == {"a": 5, "b": 2, "c": 3}
    assert run.shared.control.handouts.known.shares == {"a": 2.0, "b": 1.0, "c": 4 / 3}


@pytest.mark.parametrize(("sizes", "asked"), [({"t": 3}, 0), (NO_BROKER, 0), ({"t": 4}, 1)])
def test_fresh_lags_are_not_read_again(sizes: dict[str, int] | EquilagError, asked: int) -> None:
    """Unless a topic has another size by now."""
    run = Run([joined("a", "b", "c")], offsets({"t": [9, 9, 9, 9]}), sizes)
    run.observe(HELD)
    assert run.go().reader.lag_requests == asked


@pytest.mark.parametrize("members", [HELD.members, []])
def test_carriers_lead_a_kip_848_group(members: list[DescribedMember]) -> None:
    """Also one without members, which is not joined: the next ones bring their kind with them."""
    run = Run([])
    run.observe(replace(HELD, kind="consumer", members=members))
    run.shared.send(Command.TRIGGER, reason="why")
    run.carriers.epochs = [7]
    turns = run.carriers.turn

    def turn(message: CommandMessage | None) -> int | None:
        epoch = turns(message)
        if epoch is None:
            assert (run.leader.leads, run.leader.generation) == (True, 7)
            run.shared.stop_all()
        return epoch

    run.carriers.turn = turn  # type: ignore[method-assign]
    run.go()
    assert not run.leader.leads
    assert run.carriers.messages[0] == CommandMessage(Command.TRIGGER, reason="why")
    assert run.state.facts.role == "leader"  # the shell says why it no longer does
    assert run.carriers.ended == [True]
    assert not run.membership.synced


def test_carriers_are_left_to_the_steward_that_takes_over() -> None:
    run = Run([])
    run.observe(replace(HELD, kind="consumer"))
    run.election.replaced = True
    run.carriers.turn = lambda message: run.shared.stop_all()  # type: ignore[method-assign]
    run.go()
    assert run.carriers.ended == [False]


def test_who_came_and_who_is_gone_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """And who had stopped committing."""
    run = Run([joined("a", "c")], offsets(LAGS))
    observation = run.observe(HELD)
    object.__setattr__(observation, "silent", {"b": 41.3})
    with caplog.at_level(logging.INFO, "equilag.steward"):
        run.go()
    (told,) = [vars(one)["fields"] for one in caplog.records if one.msg == "members"]
    assert told == {"reason": "gone: b (no commit for 41 s); new: c"}
