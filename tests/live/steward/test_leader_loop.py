"""The leader loop, with a coordinator that gives the answers that a test sets."""

from __future__ import annotations

import logging
import struct
import time
from dataclasses import replace
from typing import Any, cast

import pytest
from support.steward_fakes import FakeMembership, FakeReader, joined, offsets, reading

from equilag.adapters.kafka.codec.consumer_protocol import write_assignment, write_subscription
from equilag.adapters.kafka.described import ClientPlace
from equilag.adapters.kafka.group_reader import GroupReader, MissingRight, UnplannableGroup
from equilag.domain.errors import EquilagError
from equilag.domain.policy.policy import Policy
from equilag.live.rebalance.handouts import TargetAssignment
from equilag.live.rebalance.measured import Measured
from equilag.live.status.state_file import KeptState
from equilag.live.status.status import StewardStatus
from equilag.live.steward.group_membership import GroupMembership, JoinResult
from equilag.live.steward.leader_loop import LeaderLoop
from equilag.live.steward.membership_errors import Fenced, MembershipLost, Refused, Unreachable
from equilag.live.steward.observer import GroupObserver
from equilag.live.steward.shared_state import Command, SharedState
from equilag.live.steward.steward_options import StewardOptions

LAGS = {"t": [100, 60, 50]}


class Run:
    """Runs with these answers of the coordinator until there are no more."""

    def __init__(
        self, answers: list[JoinResult | EquilagError], reader: FakeReader, **options: Any
    ) -> None:
        self.state = StewardStatus(1.0, 10.0)
        self.reader = reader
        self.shared = SharedState(StewardOptions("g", **options), self.state)
        self.membership = FakeMembership(answers, self.shared.stop_all)
        self.leader = LeaderLoop(
            self.shared, cast(GroupMembership, self.membership), cast(GroupReader, reader)
        )

    def observed(self, reader: FakeReader) -> Run:
        """Record an observation, as the monitor loop does."""
        observer = GroupObserver(
            cast(GroupReader, reader),
            self.shared.options,
            KeptState(None, "g"),
        )
        assert self.shared.record_observation(observer.observe())
        return self

    def go(self) -> Run:
        self.leader.run()
        return self

    @property
    def sets(self) -> list[list[int]]:
        """The sets of partitions in the last assignment, without their members."""
        (last,) = self.membership.synced[-1:]
        return sorted(topics.get("t", []) for name, topics in last.items() if name != "steward-1")


def test_it_assigns_a_plan_and_leaves_at_the_end() -> None:
    run = Run([joined("a", "b")], FakeReader(lags=offsets(LAGS))).go()
    assert run.sets == [[0], [1, 2]]
    assert run.membership.synced[0]["steward-1"] == {}
    assert run.membership.calls[-2:] == ["leave", "close"]
    assert run.state.counters["handouts", "sticky"] == 1


def test_it_can_stay_a_member_at_the_end() -> None:
    run = Run([joined("a")], FakeReader(lags=offsets(LAGS)), keep_membership=True).go()
    assert "leave" not in run.membership.calls


def test_a_follower_assigns_nothing() -> None:
    run = Run([joined("a", leads=False)], FakeReader()).go()
    assert run.membership.synced == [{}]
    assert run.state.facts.role == "follower"


def test_a_restart_within_the_session_changes_nothing() -> None:
    run = Run([joined("a", "b", skip=True)], FakeReader()).go()
    assert run.membership.synced == [{}]
    assert run.state.facts.role == "leader"


def test_with_old_lag_counts_and_moves_decide() -> None:
    here = reading(LAGS, {"a": {"t": [0, 1]}, "b": {"t": [2]}})
    run = Run([joined("a", "b", "c")], FakeReader(lags=EquilagError("no broker answers")))
    run.observed(FakeReader(here))
    observation = run.shared.observation
    assert observation is not None
    object.__setattr__(observation, "at", observation.at - 1000)  # the lag is old
    run.go()
    assert run.state.counters["handouts", "sticky"] == run.state.counters["fallbacks", ""] == 1
    assert run.state.facts.last_fallback_reason == "no fresh lag: no broker answers"
    assert run.sets == [[0], [1], [2]]


def test_sizes_alone_are_enough() -> None:
    """Sizes have their own time limit: without them the group would have to wait."""
    run = Run([joined("a", "b")], FakeReader(lags=EquilagError("too late"), sizes={"t": 3})).go()
    assert run.state.facts.last_fallback_reason == "no lag: too late"
    assert sorted(map(len, run.sets)) == [1, 2]


def test_without_the_right_to_read_topics_it_does_not_lead() -> None:
    forbidden = MissingRight("needs the right Describe on Topic 't'")
    run = Run([joined("a", "b")], FakeReader(lags=forbidden)).go()
    assert run.leader.failure is forbidden
    assert not run.membership.synced


def test_it_leaves_if_topics_stay_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equilag.live.steward.leader_loop._PASSIVE_S", 0.01)
    run = Run(
        [joined("a")] * 3, FakeReader(lags=EquilagError("no broker answers")), session=0.1
    ).go()
    assert run.membership.calls.index("leave") < run.membership.calls.index("close") - 1


def test_impossible_claims_are_ignored() -> None:
    owned = write_assignment({"t": [-1, 2]})[2:-4]
    entry = ("a", None, write_subscription(["t"])[:-4] + owned)
    run = Run([JoinResult(1, "range", True, False, (entry,))], FakeReader(lags=offsets(LAGS))).go()
    assert run.membership.synced[0]["a"] == {"t": [0, 1, 2]}


@pytest.mark.parametrize("protocol", ["range", "roundrobin"])
@pytest.mark.parametrize("mode", ["auto", "none"])
def test_under_range_topics_of_equal_size_stay_together(protocol: str, mode: str) -> None:
    entries = tuple((name, None, write_subscription(["t", "u"])) for name in ("a", "b", "c"))
    lags = {"t": [900, 10, 20, 30, 40, 50], "u": [7, 700, 8, 9, 600, 11]}
    answer = JoinResult(1, protocol, True, False, entries)
    run = Run([answer], FakeReader(lags=offsets(lags)), co_partition=mode, rebalance_limit=0.5)
    run.go()
    assert run.state.counters["handouts", "sticky"] == 1
    together = all(run.membership.synced[0][name]["t"] == run.membership.synced[0][name]["u"]
                   for name in ("a", "b", "c"))  # fmt: skip
    assert together == (protocol == "range" and mode == "auto")


def test_observed_lags_out_of_range_cause_a_fallback() -> None:
    here = reading({"t": [1]}, {"a": {"t": [0]}})
    run = Run([joined("a")], FakeReader(lags=EquilagError("no broker answers")))
    run.observed(FakeReader(here))
    observation = run.shared.observation
    assert observation is not None
    object.__setattr__(observation, "measured", Measured({"t": [2**60]}))
    run.shared.handouts.request(TargetAssignment({}, {}, {}), 0, time.monotonic())
    run.go()
    assert run.membership.synced[0]["a"] == {"t": [0]}
    assert run.state.counters["handouts", "sticky"] == run.state.counters["fallbacks", ""] == 1


def with_racks() -> FakeReader:
    read = offsets({"t": [5, 5, 5, 5]})
    read.racks = {"t": [("r1",), ("r1",), ("r2",), ("r2",)]}
    return FakeReader(lags=read)


def in_racks(**racks: str) -> JoinResult:
    """Members in racks, as their subscriptions of version 3 say."""
    entries = []
    for name, rack in racks.items():
        version = b"\x00\x03" + write_subscription(["t"])[2:-4]
        metadata = version + struct.pack(">iih", 0, -1, len(rack)) + rack.encode()
        entries.append((name, None, metadata))
    return JoinResult(1, "range", True, False, tuple(entries))


def test_members_read_in_their_racks() -> None:
    policy = Policy(rack_aware=True)
    run = Run([in_racks(a="r2", b="r1")], with_racks(), policy=policy).go()
    assert run.membership.synced[0]["a"] == {"t": [2, 3]}
    assert run.membership.synced[0]["b"] == {"t": [0, 1]}
    assert run.state.counters["handouts", "sticky"] == 1


@pytest.mark.parametrize("known", [True, False])
def test_threads_of_a_host_are_one_instance(known: bool, caplog: pytest.LogCaptureFixture) -> None:
    """The coordinator knows the hosts of members that are new; else each counts by itself."""
    reader = FakeReader(lags=offsets({"t": [5, 5, 5, 5]}))
    places = {name: ClientPlace("c", host) for name, host in zip("abc", "xxy", strict=True)}
    reader.client_places = places if known else EquilagError("no broker answers")
    policy = Policy(instances="host", max_partitions=3)
    run = Run([joined("a", "b", "c")], reader, policy=policy).go()
    logged = [vars(record).get("fields", {}).get("reason", "") for record in caplog.records]
    counts = {name: len(run.membership.synced[0][name].get("t", ())) for name in "abc"}
    assert sorted(counts.values()) == [1, 1, 2]
    assert counts["c"] == 1 or not known
    assert run.state.counters["handouts", "sticky"] == 1
    assert ("no member's host is known" in "".join(logged)) is not known


def test_an_observation_of_other_topics_is_not_used() -> None:
    here = reading({"u": [1]}, {"a": {"u": [0]}})
    run = Run([joined("a"), joined("a")], FakeReader(lags=EquilagError("no broker answers")))
    run.observed(FakeReader(here)).go()
    assert not run.membership.synced


def test_mostly_unknown_lag_causes_a_fallback() -> None:
    run = Run([joined("a", "b")], FakeReader(lags=offsets({"t": [100, None, None]}))).go()
    assert run.state.counters["handouts", "sticky"] == run.state.counters["fallbacks", ""] == 1
    assert run.state.facts.last_fallback_reason == "the lag of 2 of 3 partitions is unknown"


def test_unknown_topics_are_asked_for_again() -> None:
    run = Run([joined("a"), joined("a")], FakeReader(lags=EquilagError("no broker answers"))).go()
    assert run.membership.synced == []
    assert run.state.facts.role == "unreachable"
    assert len(run.membership.calls) == 4  # two joins, leave, close


@pytest.mark.parametrize(
    ("error", "forgets"), [(MembershipLost("x"), True), (Unreachable("x"), False)]
)
def test_transient_errors_are_retried(error: EquilagError, forgets: bool) -> None:
    run = Run([error, joined("a", "b")], FakeReader(lags=offsets(LAGS))).go()
    assert ("forget" in run.membership.calls) == forgets
    assert run.sets == [[0], [1, 2]]


def test_a_refusal_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equilag.live.steward.leader_loop._PASSIVE_S", 0.01)
    run = Run([Refused("no right"), Refused("no right")], FakeReader()).go()
    assert run.state.facts.role_reason == "no right"
    assert not run.membership.synced


def test_a_group_of_another_kind_is_never_joined() -> None:
    reader = FakeReader()
    reader.kind = UnplannableGroup("g", "classic-streams")
    run = Run([joined("a")], reader).go()
    assert "classic group of a Kafka Streams application" in str(run.leader.failure)
    assert run.shared.stop.is_set()
    assert not [call for call in run.membership.calls if call[0] == "join"]


def test_a_kind_that_is_unknown_delays_the_join(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = FakeReader(lags=offsets(LAGS))
    kinds: list[EquilagError | None] = [EquilagError("loading"), MissingRight("needs Describe")]

    def next_kind(_: str) -> None:
        if kinds and (kind := kinds.pop(0)) is not None:
            raise kind

    monkeypatch.setattr(reader, "check_kind", next_kind)
    monkeypatch.setattr("equilag.live.steward.leader_loop._RETRY_S", 0.01)
    run = Run([joined("a", "b")], reader).go()
    assert not kinds
    assert run.sets == [[0], [1, 2]]


def test_a_refusal_names_the_protocol_of_the_members(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equilag.live.steward.leader_loop._PASSIVE_S", 0.01)
    run = Run([Refused("nothing in common")], FakeReader())
    run.observed(FakeReader(replace(reading(LAGS, {"a": {"t": [0, 1, 2]}}), protocol="own")))
    run.go()
    assert run.state.facts.role_reason == "nothing in common; they use 'own'"


def test_a_fenced_steward_ends() -> None:
    run = Run([Fenced("another one")], FakeReader()).go()
    assert str(run.leader.failure) == "another one"
    assert run.shared.stop.is_set()
    assert "forget" in run.membership.calls


def test_the_next_rebalance_leads_to_the_target() -> None:
    before = reading(LAGS, {"a": {"t": [0, 1]}, "b": {"t": [2]}})
    run = Run([joined("a", "b"), joined("a", "b", generation=2)], FakeReader(lags=offsets(LAGS)))
    run.observed(FakeReader(before))
    run.shared.send(Command.TRIGGER, 7, "of another generation")
    run.shared.send(Command.TRIGGER, 1, "a gain")
    run.go()
    # The first rebalance of a group that has not changed leaves everything as it is.
    assert [one["a"] for one in run.membership.synced] == [{"t": [0, 1]}] * 2
    assert run.membership.calls[1] == ("join", "equilag steward: a gain")


def test_take_over_removes_the_others_once() -> None:
    here = reading(LAGS, {"a": {"t": [0, 1]}, "b": {"t": [2]}})
    answers: list[JoinResult | EquilagError] = [
        joined(leads=False), joined(leads=False, generation=2), joined("a", "b", generation=3)
    ]  # fmt: skip
    run = Run(answers, FakeReader(lags=offsets(LAGS)), take_over=True)
    run.observed(FakeReader(here))
    nowhere = ClientPlace(None, None)
    run.reader.client_places = dict.fromkeys(("a", "b", "steward-1", "steward-2"), nowhere)
    run.shared.send(Command.TAKE_OVER)
    run.shared.send(Command.TAKE_OVER)
    run.shared.send(Command.REBALANCE, 2)
    run.go()
    assert run.membership.calls.count(("remove", ["a", "b", "steward-2"])) == 1
    assert run.state.facts.role == "leader"


def taking_over(answers: list[JoinResult | EquilagError], **options: Any) -> Run:
    """A follower with --take-over in a group whose members a and b hold two and one partition."""
    here = reading(LAGS, {"a": {"t": [0, 2]}, "b": {"t": [1]}})
    run = Run(
        [joined(leads=False), *answers],
        FakeReader(lags=offsets(LAGS), sizes={"t": 3}),
        take_over=True,
        **options,
    )
    places = {name: ClientPlace(name[0], "host") for name in ("a", "b", "a-2", "b-2", "c")}
    run.reader.client_places = places
    run.observed(FakeReader(here))
    assert run.shared.observation is not None
    members = run.shared.observation.members
    members[:] = [replace(one, client_id=one.id, host="host") for one in members]
    run.shared.send(Command.TAKE_OVER)
    return run


def test_after_a_take_over_nobody_gets_what_missing_members_held() -> None:
    run = taking_over(
        [joined("c"), joined("c", "b-2", generation=2), joined("c", "b-2", "a-2", generation=3)]
    )
    waited: list[int] = []
    run.shared.send(Command.REBALANCE, 1)
    run.shared.send(Command.REBALANCE, 2)
    sync = run.membership.sync

    def noted(given: Any) -> None:
        sync(given)
        waited.append(run.state.facts.take_over_waits_for)

    run.membership.sync = noted  # type: ignore[method-assign]
    run.go()
    follower, first, second, third = run.membership.synced
    assert (follower, first["c"]) == ({}, {})
    assert (second["c"], second["b-2"]) == ({}, {"t": [1]})
    assert third["b-2"] == {"t": [1]}
    assert sorted([*third["c"]["t"], *third["a-2"]["t"]]) == [0, 2]
    assert waited == [0, 0, 2, 1]  # as it was before each answer was recorded
    assert run.state.facts.take_over_waits_for == 0
    assert run.shared.take_over is None
    assert run.shared.handouts.known.target is not None


def test_a_take_over_does_not_wait_forever(caplog: pytest.LogCaptureFixture) -> None:
    run = taking_over([joined("b-2"), joined("b-2", generation=2)], take_over_wait=0.05)
    run.leader._next_message = (  # type: ignore[method-assign]
        lambda seconds: LeaderLoop._next_message(run.leader, min(seconds, 0.1))
    )
    with caplog.at_level(logging.INFO, "equilag.steward"):
        run.go()
    assert run.membership.synced[1]["b-2"] == {"t": [1]}
    assert sorted(run.membership.synced[2]["b-2"]["t"]) == [0, 1, 2]
    reason = "the equilag steward waits no longer for removed members"
    assert run.membership.calls[3] == ("join", reason)
    (done,) = [vars(one)["fields"] for one in caplog.records if one.msg == "take-over-done"]
    assert done == {"missing": 1, "reason": "not all members are back in time"}


def test_a_take_over_ends_if_another_member_leads() -> None:
    run = taking_over([joined("b-2"), joined(leads=False, generation=2)])
    run.shared.send(Command.REBALANCE, 1)
    run.go()
    assert run.membership.synced[1]["b-2"] == {"t": [1]}
    assert run.shared.take_over is None
    assert run.state.facts.take_over_waits_for == 0


def test_a_member_that_joins_has_a_capacity_from_then_on() -> None:
    """As fast as the fastest, as nothing is measured; the others keep what was planned with."""
    run = Run([joined("a", "b", "c")], FakeReader(lags=offsets({"t": [0] * 10})))
    planned_with = {"a": 2.0, "b": 1.0, "gone": 1.0}
    run.shared.handouts.record(TargetAssignment({}, {}, {}, planned_with), True, 0.0)
    run.go()
    counts = {name: len(run.membership.synced[0][name]["t"]) for name in "abc"}
    assert counts == {"a": 4, "b": 2, "c": 4}
    assert run.shared.handouts.known.capacities == {"a": 2.0, "b": 1.0, "c": 2.0}


def test_fresh_lags_are_not_read_again() -> None:
    """Unless a topic has another size by now."""
    here = reading(LAGS, {"a": {"t": [0, 1]}, "b": {"t": [2]}})
    for sizes, expected in (({"t": 3}, 0), (EquilagError("no broker answers"), 0), ({"t": 4}, 1)):
        reader = FakeReader(lags=offsets({"t": [9, 9, 9, 9]}), sizes=sizes)
        Run([joined("a", "b", "c")], reader).observed(FakeReader(here)).go()
        assert reader.lag_requests == expected


def test_it_is_passive_in_a_kip_848_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equilag.live.steward.leader_loop._PASSIVE_S", 0.01)
    here = reading(LAGS, {"a": {"t": [0, 1]}}, kind="consumer")
    run = Run([], FakeReader()).observed(FakeReader(here))
    run.shared.send(Command.RECONSIDER)
    run.membership.leave = run.shared.stop_all  # type: ignore[method-assign]
    run.go()
    assert run.state.facts.role == "passive"
    assert not run.membership.synced


def test_lags_out_of_range_cause_a_fallback() -> None:
    run = Run([joined("a", "b")], FakeReader(lags=offsets({"t": [2**60, 1, 1]})))
    run.go()
    assert run.state.counters["handouts", "sticky"] == run.state.counters["fallbacks", ""] == 1
    assert run.state.facts.last_fallback_reason.startswith("the lags cannot be used: ")
