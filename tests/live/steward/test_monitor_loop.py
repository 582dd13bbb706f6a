"""The monitor loop: when it starts a rebalance, and when it only reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from support.steward_fakes import FakeReader, reading

from equilag.adapters.kafka.group_reader import (
    GroupReader,
    NoSuchGroup,
    Reading,
    TemporarilyUnreadable,
    UnplannableGroup,
)
from equilag.domain.errors import EquilagError
from equilag.domain.policy.policy import Policy
from equilag.live.rebalance.decision import decide
from equilag.live.rebalance.handouts import TargetAssignment
from equilag.live.rebalance.live_policy import live_policy
from equilag.live.status.state_file import KeptState
from equilag.live.status.status import StewardStatus
from equilag.live.steward.monitor_loop import MonitorLoop
from equilag.live.steward.observer import GroupObserver
from equilag.live.steward.shared_state import Command, CommandMessage, SharedState
from equilag.live.steward.steward_options import StewardOptions
from equilag.live.steward.take_over import TakeOver
from equilag.live.tracking.window_speed import WindowSpeed
from equilag.planner.worth.thresholds import Thresholds

UNEVEN = {"t": [100_000, 60_000, 50_000]}
RANGE = {"a": {"t": [0, 1]}, "b": {"t": [2]}}
BEST = {"a": {"t": [0]}, "b": {"t": [1, 2]}}


class Run:
    """Observes what a test puts into `reader`."""

    def __init__(self, leads: bool = True, **options: Any) -> None:
        self.state = StewardStatus(1.0, 10.0)
        chosen = {
            "thresholds": Thresholds(confirm=2, cooldown_s=0),
            "policy": live_policy(weight="lag"),
            **options,
        }
        self.shared = SharedState(StewardOptions("g", **chosen), self.state)
        self.reader = FakeReader()
        observer = GroupObserver(
            cast(GroupReader, self.reader),
            self.shared.options,
            KeptState(None, "g"),
        )
        self.monitor = MonitorLoop(self.shared, observer, decide, lambda: (leads, 5))

    def sees(self, *readings: Reading | EquilagError) -> Run:
        for one in readings:
            self.reader.group = one
            self.monitor.run_once()
        return self

    @property
    def commands(self) -> list[CommandMessage]:
        found = []
        while not self.shared.messages.empty():
            found.append(self.shared.messages.get())
        return found


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
    target = run.shared.handouts.known.target
    assert target is not None
    assert target.assignment == BEST


def test_given_capacities_stand_in_for_measured_speeds() -> None:
    run = Run(policy=live_policy(weight="lag", capacity={"*": 1}))
    tracker = run.monitor._observer._tracker
    tracker._speeds.speeds = {"a": WindowSpeed(10.0, 0.1, 1e12)}
    run.sees(uneven())
    assert {one.speed for one in run.state.facts.by_member} == {None}
    run = Run()
    run.monitor._observer._tracker._speeds.speeds = tracker._speeds.speeds
    by_member = run.sees(uneven()).state.facts.by_member
    assert {one.name: one.speed for one in by_member} == {"a": 10.0, "b": 10.0}


def test_by_work_it_waits_for_rates() -> None:
    run = Run(policy=live_policy()).sees(uneven(), uneven())
    assert run.commands == []
    assert run.state.facts.decision == "measuring"
    assert run.state.counters["decisions", "measuring"] == 2


def test_a_leader_whose_group_gets_no_assignment_is_not_healthy() -> None:
    run = Run()
    run.state.set(role="leader")
    run.state.heartbeat_answered()
    run.sees(*[TemporarilyUnreadable("rebalancing", "PreparingRebalance")] * 9)
    run.state.observed()
    assert run.state.facts.problem is None
    run.sees(reading({"t": [1, 1, 1, 1]}, RANGE))
    assert run.state.facts.problem == "the group has no complete assignment in 10 observations"
    run.sees(uneven())
    assert run.state.facts.problem is None


def test_a_dry_run_only_reports() -> None:
    run = Run(leads=False, dry_run=True).sees(uneven(), uneven(), uneven())
    assert run.commands == []
    assert run.state.counters["would_trigger", ""] == 1
    assert run.state.facts.role == "dry-run"
    figures = run.state.facts
    assert (figures.lag_spread, figures.lag_spread_would_be) == (110_000, 10_000)
    assert figures.heaviest_percent == round(100 * 160 / 105, 1)
    assert figures.heaviest_percent_would_be == round(100 * 110 / 105, 1)
    assert figures.decision == "even"  # as it would be


HIDDEN = {"t": [100_000, *[0] * 3, *[20_000] * 4, *[0] * 16]}
"""Nobody can help the member that has partition 0; four others could take one of 4 to 7 each."""
PILED = {f"m{i}": {"t": [4 * i + k for k in range(4)]} for i in range(6)}
"""m1 has all of 4 to 7, and four members have nothing to do."""
SPREAD_OUT = {"m0": {"t": [0, 1, 2, 3]}} | {
    f"m{i}": {"t": [3 + i, *(8 + 3 * (i - 1) + k for k in range(3))]} for i in range(1, 5)
}
SPREAD_OUT["m5"] = {"t": [20, 21, 22, 23]}


def test_a_member_is_relieved_where_the_spread_cannot_get_smaller() -> None:
    run = Run().sees(*[reading(HIDDEN, PILED)] * 2)
    figures = run.state.facts
    assert figures.heaviest_percent == figures.heaviest_percent_planned  # partition 0
    assert figures.moves_planned == 6  # three given away, and as many taken for even counts
    assert [message.command for message in run.commands] == [Command.TRIGGER]
    target = run.shared.handouts.known.target
    assert target is not None
    assert target.assignment["m0"] == PILED["m0"]
    assert sorted(len({4, 5, 6, 7} & {*m["t"]}) for m in target.assignment.values()) == [
        0, 0, 1, 1, 1, 1,
    ]  # fmt: skip


def test_a_follower_starts_nothing() -> None:
    run = Run(leads=False).sees(uneven(), uneven(), uneven())
    assert run.commands == []
    assert run.shared.state.facts.decision_reason == "another member leads"


def test_with_take_over_it_asks_for_leadership() -> None:
    run = Run(leads=False, take_over=True).sees(uneven())
    assert run.commands == [CommandMessage(Command.TAKE_OVER, 5)]


def test_partitions_without_an_owner_start_a_rebalance() -> None:
    lags = {"t": [1, 1, 1, 1]}
    run = Run().sees(*[reading(lags, RANGE)] * 2)
    (message,) = run.commands
    assert message.reason == "1 partition without an owner"
    run.sees(*[reading(lags, RANGE)] * 5)
    assert run.commands == []  # the repair needs time


def test_a_repair_keeps_to_the_capacities_in_force() -> None:
    """The assignment was planned with them; a speed measured since is no reason to move more."""
    run = Run()
    held = {"a": {"t": [0, 1, 2, 3, 4]}, "b": {"t": [5, 6]}}
    planned = TargetAssignment({}, {}, {}, {"a": 3.0, "b": 1.0})
    run.shared.handouts.record(planned, True, 0.0)
    run.sees(*[reading({"t": [1] * 8}, held)] * 2)
    target = run.shared.handouts.known.target
    assert target is not None
    assert {name: len(topics["t"]) for name, topics in target.assignment.items()} == {
        "a": 6,
        "b": 2,
    }


def test_while_a_take_over_waits_nothing_is_repaired() -> None:
    """Partitions of members that are not back have no owner on purpose."""
    run = Run()
    run.shared.take_over = TakeOver([], until=0.0)
    assert run.sees(*[reading({"t": [1, 1, 1, 1]}, RANGE)] * 3).commands == []
    assert run.state.facts.decision_reason == "a take-over waits for removed members"
    assert run.shared.rebalance_pending


def test_one_observation_without_an_owner_starts_nothing() -> None:
    lags = {"t": [1, 1, 1, 1]}
    complete = {"a": {"t": [0, 1]}, "b": {"t": [2, 3]}}
    assert Run().sees(reading(lags, RANGE), reading(lags, complete)).commands == []


def test_deleted_partitions_start_a_rebalance() -> None:
    run = Run().sees(*[reading({"t": [1, 1]}, RANGE)] * 2)
    (message,) = run.commands
    assert message.reason == "1 owned partition is gone"


EQUAL = {"t": [5, 5], "u": [5, 5]}
TORN = {"a": {"t": [0], "u": [1]}, "b": {"t": [1], "u": [0]}}
TOGETHER = {"a": {"t": [0], "u": [0]}, "b": {"t": [1], "u": [1]}}


def test_topics_that_are_torn_apart_start_a_rebalance() -> None:
    run = Run(policy=Policy(co_partition=[["t", "u"]])).sees(*[reading(EQUAL, TORN)] * 2)
    (message,) = run.commands
    assert message.reason == "2 partitions break rules of the policy"
    target = run.shared.handouts.known.target
    assert target is not None
    assert all(topics["t"] == topics["u"] for topics in target.assignment.values())


def test_an_assignment_that_breaks_rules_is_no_target() -> None:
    run = Run(policy=Policy(co_partition=[["t", "u"]])).sees(reading(EQUAL, TORN))
    assert run.shared.handouts.known.target is None
    assert run.shared.handouts.known.held == TORN
    run.sees(*[reading(EQUAL, TOGETHER)] * 3)
    assert run.commands == []
    assert run.shared.handouts.known.target is not None
    assert run.shared.handouts.known.target.assignment == TOGETHER


def test_what_no_plan_puts_right_starts_nothing() -> None:
    """A pin to a member that is away, and room that is too little, are no rules now."""
    policy = Policy(pin={("t", 0): "away"}, max_partitions=1)
    run = Run(policy=policy).sees(*[reading(EQUAL, TORN)] * 3)
    assert run.commands == []
    assert run.shared.handouts.known.target is not None


def test_other_members_restart_the_confirmation() -> None:
    other = {"a": {"t": [0, 1]}, "c": {"t": [2]}}
    run = Run().sees(uneven(), uneven(other))
    assert run.commands == []
    run.sees(uneven(other))
    assert [message.command for message in run.commands] == [Command.TRIGGER]


def test_a_kip_848_group() -> None:
    run = Run().sees(*[uneven(kind="consumer")] * 3)
    assert {message.command for message in run.commands} == {Command.RECONSIDER}


def test_after_failures_it_goes_on() -> None:
    run = Run().sees(
        EquilagError("no broker answers"),
        TemporarilyUnreadable("rebalancing", "PreparingRebalance"),
    )
    assert run.state.counters["observations", "failed"] == 1
    assert run.state.counters["observations", "rebalancing"] == 1
    run.sees(uneven(), uneven())
    assert [message.command for message in run.commands] == [Command.TRIGGER]


def test_an_observation_during_a_rebalance_is_dropped() -> None:
    run = Run(thresholds=Thresholds(confirm=1, cooldown_s=0))

    class Overtaken(FakeReader):
        def read(self, group: str) -> Reading:
            run.shared.handouts.begin()
            return uneven()

    run.monitor._observer._reader = cast(GroupReader, Overtaken())
    run.monitor.run_once()
    assert run.commands == []
    assert run.shared.observation is None
    assert run.shared.handouts.known.target is None


def test_a_group_that_no_longer_exists() -> None:
    run = Run().sees(uneven(kind="consumer"))
    assert run.shared.observation is not None
    run.sees(NoSuchGroup("there is no group"))
    assert run.shared.observation is None
    assert {message.command for message in run.commands} == {Command.RECONSIDER}


def test_a_group_that_becomes_one_of_another_kind() -> None:
    run = Run().sees(uneven())
    run.sees(UnplannableGroup("g", "streams"))
    assert "It is a streams group (KIP-1071)" in str(run.monitor.failure)
    assert run.shared.stop.is_set()


def test_a_group_without_members() -> None:
    run = Run().sees(reading({}, {}))
    assert run.commands == []
    assert run.state.facts.members == 0
