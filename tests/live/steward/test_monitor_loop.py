"""The monitor loop: when it starts a rebalance, and when it only reports."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import pytest
from support.steward_fakes import FakeReader, Parts, reading

from equilag.adapters.kafka.described import NoSuchGroup, TemporarilyUnreadable, UnplannableGroup
from equilag.adapters.kafka.group_reader import GroupReader
from equilag.adapters.kafka.reading import Reading
from equilag.domain.errors import EquilagError
from equilag.domain.policy.policy import Policy
from equilag.live.rebalance.decision import decide
from equilag.live.rebalance.handouts import TargetAssignment
from equilag.live.rebalance.live_policy import live_policy
from equilag.live.steward.monitor_loop import MonitorLoop
from equilag.live.steward.shared_state import Command, CommandMessage
from equilag.live.steward.take_over import TakeOver
from equilag.live.tracking.tracked_state import MeasuredSpeed
from equilag.planner.worth.thresholds import Thresholds, VerdictLimits

UNEVEN = {"t": [100_000, 60_000, 50_000]}
RANGE = {"a": {"t": [0, 1]}, "b": {"t": [2]}}
BEST = {"a": {"t": [0]}, "b": {"t": [1, 2]}}
WITH_ONE_MORE = {"t": [1, 1, 1, 1]}
REBALANCING = TemporarilyUnreadable("rebalancing", "PreparingRebalance")
BY_LAG = live_policy(weight="lag")


class Run(Parts):
    """Observes what a test puts into `reader`."""

    def __init__(self, leads: bool = True, policy: Policy = BY_LAG, **options: Any) -> None:
        limits = VerdictLimits(Thresholds(confirm=2, cooldown_s=0))
        super().__init__(**{"limits": limits, "policy": policy, **options})
        self.reader = FakeReader()
        observer = self.observer(self.reader)
        self.monitor = MonitorLoop(self.shared, observer, decide, lambda: (leads, 5))

    def sees(self, *readings: Reading | EquilagError) -> Run:
        for one in readings:
            self.reader.group = one
            self.monitor.run_once()
        return self

    @property
    def asked(self) -> list[Command]:
        return [message.command for message in self.commands]


def uneven(
    owned: Mapping[str, Mapping[str, Sequence[int]]] = RANGE, kind: str = "classic"
) -> Reading:
    return reading(UNEVEN, owned, kind)


def test_a_gain_that_is_confirmed_starts_a_rebalance() -> None:
    run = Run().sees(uneven())
    assert run.commands == []
    run.sees(uneven())
    (message,) = run.commands
    assert (message.command, message.generation) == (Command.TRIGGER, 5)
    assert message.reason.startswith("relieves a member by 48 % of a fair share; heaviest member ")
    assert run.target == BEST
    figures = run.state.facts
    assert (figures.moves_planned, figures.heaviest_percent_planned) == (1, round(11000 / 105, 1))


@pytest.mark.parametrize(
    ("policy", "speeds"),
    [
        (BY_LAG, {"a": 10.0, "b": 10.0}),
        (live_policy(weight="lag", capacity={"*": 1}), {"a": None, "b": None}),
    ],
)
def test_given_capacities_stand_in_for_measured_speeds(
    policy: Policy, speeds: dict[str, float | None]
) -> None:
    run = Run(policy=policy)
    run.monitor._observer._tracker._speeds.speeds = {"a": MeasuredSpeed(10.0, 0.1, 1e12)}
    by_member = run.sees(uneven()).state.facts.by_member
    assert {one.name: one.speed for one in by_member} == speeds


def test_by_work_it_waits_for_rates() -> None:
    run = Run(policy=live_policy()).sees(uneven(), uneven())
    assert run.commands == []
    assert run.state.facts.decision == "measuring"
    assert run.state.facts.counters["decisions:measuring"] == 2


def test_a_leader_whose_group_gets_no_assignment_is_not_healthy() -> None:
    run = Run()
    run.state.set(role="leader")
    run.state.heartbeat_answered()
    run.sees(*[REBALANCING] * 9)
    run.state.observed()
    assert run.state.facts.problem is None
    run.sees(reading(WITH_ONE_MORE, RANGE))
    assert run.state.facts.problem == "the group has no complete assignment in 10 observations"
    assert run.sees(uneven()).state.facts.problem is None


def test_a_dry_run_only_reports() -> None:
    run = Run(leads=False, dry_run=True).sees(uneven(), uneven(), uneven())
    assert run.commands == []
    assert run.state.facts.counters["would_trigger"] == 1
    assert len(run.state.history.rebalances) == 1
    figures = run.state.facts
    assert (figures.role, figures.decision) == ("dry-run", "even")  # as it would be
    assert (figures.lag_spread, figures.lag_spread_would_be) == (110_000, 10_000)
    assert figures.heaviest_percent == round(100 * 160 / 105, 1)
    assert figures.heaviest_percent_would_be == round(100 * 110 / 105, 1)


@pytest.mark.parametrize(
    ("take_over", "commands"), [(False, []), (True, [CommandMessage(Command.TAKE_OVER, 5)] * 3)]
)
def test_a_follower_starts_nothing(take_over: bool, commands: list[CommandMessage]) -> None:
    run = Run(leads=False, take_over=take_over).sees(uneven(), uneven(), uneven())
    assert run.commands == commands
    assert run.state.facts.decision_reason == "another member leads"


@pytest.mark.parametrize(
    ("lags", "reason"),
    [(WITH_ONE_MORE, "1 partition without an owner"), ({"t": [1, 1]}, "1 owned partition is gone")],
)
def test_added_and_deleted_partitions_start_a_rebalance(
    lags: dict[str, list[int]], reason: str
) -> None:
    run = Run().sees(*[reading(lags, RANGE)] * 2)
    (message,) = run.commands
    assert message.reason == reason
    run.sees(*[reading(lags, RANGE)] * 5)
    assert run.commands == []  # the repair needs time
    assert run.state.facts.decision == "settling"


def test_partitions_that_are_added_are_seen_at_once() -> None:
    """Also soon after others; what a repair did not put right waits."""
    run = Run().sees(uneven(BEST))
    handouts = run.shared.control.handouts
    for size in (4, 5):
        lags = {"t": [1] * size}
        assert run.sees(reading(lags, BEST)).asked == [Command.TRIGGER]
        assert handouts.known.target is not None
        handouts.record(handouts.known.target, True, 0.0)
        assert run.sees(*[reading(lags, BEST)] * 3).asked == []


def test_a_repair_keeps_to_the_shares_in_force() -> None:
    """A speed measured since is no reason to move more."""
    run = Run()
    planned = TargetAssignment({}, {}, {}, {"a": 3.0, "b": 1.0})
    run.shared.control.handouts.record(planned, True, 0.0)
    run.sees(*[reading({"t": [1] * 8}, {"a": {"t": [0, 1, 2, 3, 4]}, "b": {"t": [5, 6]}})] * 2)
    assert run.target is not None
    assert {name: len(held["t"]) for name, held in run.target.items()} == {"a": 6, "b": 2}


def test_while_a_take_over_waits_nothing_is_repaired() -> None:
    """Partitions of members that are not back have no owner on purpose."""
    run = Run()
    run.shared.take_over = TakeOver([], until=0.0)
    assert run.sees(*[reading(WITH_ONE_MORE, RANGE)] * 3).commands == []
    assert run.state.facts.decision_reason == "a take-over waits for removed members"
    assert run.shared.rebalance_pending


EQUAL = {"t": [5, 5], "u": [5, 5]}
TORN = {"a": {"t": [0], "u": [1]}, "b": {"t": [1], "u": [0]}}
TOGETHER = {"a": {"t": [0], "u": [0]}, "b": {"t": [1], "u": [1]}}
KEPT_TOGETHER = Policy(co_partition=[["t", "u"]])


def test_topics_that_are_torn_apart_start_a_rebalance() -> None:
    run = Run(policy=KEPT_TOGETHER).sees(*[reading(EQUAL, TORN)] * 2)
    (message,) = run.commands
    assert message.reason == "2 partitions break rules of the policy"
    assert run.target is not None
    assert all(topics["t"] == topics["u"] for topics in run.target.values())


def test_an_assignment_that_breaks_rules_is_no_target() -> None:
    run = Run(policy=KEPT_TOGETHER).sees(reading(EQUAL, TORN))
    assert run.target is None
    assert run.shared.control.handouts.known.held == TORN
    run.sees(*[reading(EQUAL, TOGETHER)] * 3)
    assert run.commands == []
    assert run.target == TOGETHER


def test_what_members_hold_before_they_have_their_share_is_no_target() -> None:
    """In a KIP-848 group the first member has everything until its next heartbeat."""
    first = {"a": {"t": [0, 1, 2, 3]}, "b": {"t": list[int]()}}
    seen = reading({"t": [9, 9, 9, 9]}, first, kind="consumer")
    run = Run().sees(replace(seen, state="Reconciling"))
    assert run.target is None
    assert run.shared.control.handouts.known.held == first
    assert run.sees(seen).target == first


def test_what_no_plan_puts_right_starts_nothing() -> None:
    """A pin to a member that is away, and room that is too little, are no rules now."""
    policy = Policy(pin={("t", 0): "away"}, max_partitions=1)
    run = Run(policy=policy).sees(*[reading(EQUAL, TORN)] * 3)
    assert run.commands == []
    assert run.target is not None


def test_other_members_restart_the_confirmation() -> None:
    other = {"a": {"t": [0, 1]}, "c": {"t": [2]}}
    run = Run().sees(uneven(), uneven(other))
    assert run.commands == []
    assert run.sees(uneven(other)).asked == [Command.TRIGGER]


@pytest.mark.parametrize(("leads", "asked"), [(False, Command.RECONSIDER), (True, Command.TRIGGER)])
def test_a_kip_848_group(leads: bool, asked: Command) -> None:
    """Carriers may lead it; without them the leader loop has to know."""
    assert set(Run(leads).sees(*[uneven(kind="consumer")] * 3).asked) == {asked}


def test_after_failures_it_goes_on() -> None:
    run = Run().sees(EquilagError("no broker answers"), REBALANCING)
    assert run.state.facts.counters["observations:failed"] == 1
    assert run.state.facts.counters["observations:rebalancing"] == 1
    assert run.sees(uneven(), uneven()).asked == [Command.TRIGGER]


def test_an_observation_during_a_rebalance_is_dropped() -> None:
    run = Run(limits=VerdictLimits(Thresholds(confirm=1, cooldown_s=0)))

    class Overtaken(FakeReader):
        def read(self, group: str) -> Reading:
            run.shared.control.handouts.begin()
            return uneven()

    run.monitor._observer._reader = cast(GroupReader, Overtaken())
    run.monitor.run_once()
    assert run.commands == []
    assert (run.shared.observation, run.target) == (None, None)


def test_a_group_that_no_longer_exists() -> None:
    run = Run().sees(uneven(kind="consumer"))
    assert run.shared.observation is not None
    run.sees(NoSuchGroup("there is no group"))
    assert run.shared.observation is None
    assert set(run.asked) == {Command.RECONSIDER}


def test_a_group_that_becomes_one_of_another_kind() -> None:
    run = Run().sees(uneven(), UnplannableGroup("g", "streams"))
    assert "It is a streams group (KIP-1071)" in str(run.shared.failure)
    assert run.shared.stop.is_set()


def test_a_plan_for_few_partitions_takes_less_work() -> None:
    options = Parts().shared.options
    efforts = [options.in_advance(partitions).effort for partitions in (24, 90, 10_000)]
    assert efforts == pytest.approx([0.34, 1.0, 1.0])


def test_a_group_is_looked_at_twice_as_often_after_a_rebalance(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    run, often = Run().sees(uneven()), Run(observe_every=2.0).sees(uneven())
    assert run.monitor.pause_s == 5.0
    for one in (run, often):
        one.shared.control.handouts.confirm(now)
    assert (run.monitor.pause_s, often.monitor.pause_s) == (2.5, 2.0)
    run.sees(uneven({"a": {"t": [0, 1]}}))  # somebody is away
    assert run.monitor.pause_s == 5.0
    run.sees(uneven())
    now += 61.0
    assert run.monitor.pause_s == 5.0
