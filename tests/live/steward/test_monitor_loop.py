"""The thread that watches: when it starts a rebalance, and when it only says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from support.steward_fakes import FakeReader, reading

from equilag.adapters.kafka.group_reader import (
    GroupReader,
    NoSuchGroup,
    Reading,
    TemporarilyUnreadable,
)
from equilag.errors import EquilagError
from equilag.live.rebalance.decision import decide
from equilag.live.rebalance.gain import Thresholds
from equilag.live.steward.commands import Command, CommandMessage
from equilag.live.steward.monitor_loop import MonitorLoop
from equilag.live.steward.observer import Observer
from equilag.live.steward.shared_state import SharedState
from equilag.live.steward.status import StewardStatus
from equilag.live.steward.steward_options import StewardOptions

UNEVEN = {"t": [100_000, 60_000, 50_000]}
RANGE = {"a": {"t": [0, 1]}, "b": {"t": [2]}}
BEST = {"a": {"t": [0]}, "b": {"t": [1, 2]}}


class Run:
    """Looks at what the test puts into `reader`."""

    def __init__(self, leads: bool = True, **options: Any) -> None:
        self.state = StewardStatus(1.0, 10.0)
        chosen = {"thresholds": Thresholds(confirm=2, min_interval_s=0), **options}
        self.shared = SharedState(StewardOptions("g", **chosen), self.state)
        self.reader = FakeReader()
        observer = Observer(
            cast(GroupReader, self.reader),
            "g",
            frozenset({"equilag-steward"}),
            "latest",
            self.shared.options.thresholds,
            lambda group, fallback_reason: decide(
                group, self.shared.options.in_advance, fallback_reason
            ),
        )
        self.monitor = MonitorLoop(self.shared, observer, lambda: (leads, 5))

    def sees(self, *readings: Reading | EquilagError) -> Run:
        for one in readings:
            self.reader.group = one
            self.monitor.run_once()
        return self

    @property
    def calls(self) -> list[CommandMessage]:
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
    assert run.calls == []
    run.sees(uneven())
    (call,) = run.calls
    assert (call.call, call.generation) == (Command.TRIGGER, 5)
    assert call.reason.startswith("lag spread 110,000 to 10,000")
    target = run.shared.target
    assert target is not None
    assert target.assignment == BEST


def test_what_it_aims_at_stays_until_it_is_there() -> None:
    run = Run().sees(uneven(), uneven())
    before = run.shared.target
    run.sees(uneven())  # the rebalance has not come to it yet
    assert run.shared.target == before


def test_an_even_group_is_left_alone_and_costs_no_plan() -> None:
    run = Run().sees(*[reading({"t": [500, 500]}, {"a": {"t": [0]}, "b": {"t": [1]}})] * 3)
    assert run.calls == []
    assert run.shared.observation is not None
    assert run.shared.observation.decision is None
    assert run.state.figures.verdict == "no plan could be worth a rebalance"


def test_small_lag_is_left_alone() -> None:
    run = Run().sees(*[reading({"t": [500, 400, 0]}, {"a": {"t": [0, 1]}, "b": {"t": [2]}})] * 4)
    assert run.calls == []


def test_in_a_dry_run_it_only_says_so() -> None:
    run = Run(leads=False, dry_run=True).sees(uneven(), uneven(), uneven())
    assert run.calls == []
    assert run.state.counters["would_trigger", ""] == 1
    assert run.state.figures.role == "dry-run"
    assert run.state.figures.lag_spread_would_be == 10_000


def test_a_follower_starts_nothing() -> None:
    assert Run(leads=False).sees(uneven(), uneven(), uneven()).calls == []


def test_told_to_it_asks_for_the_lead() -> None:
    run = Run(leads=False, take_over=True).sees(uneven())
    assert run.calls == [CommandMessage(Command.TAKE_OVER, 5)]


def test_partitions_without_an_owner_are_shared_out() -> None:
    lags = {"t": [1, 1, 1, 1]}
    run = Run().sees(*[reading(lags, RANGE)] * 2)
    (call,) = run.calls
    assert call.reason == "1 partitions without an owner"
    run.sees(*[reading(lags, RANGE)] * 5)
    assert run.calls == []  # not again before it had time to come about


def test_one_look_without_an_owner_is_a_rebalance_of_others() -> None:
    lags = {"t": [1, 1, 1, 1]}
    complete = {"a": {"t": [0, 1]}, "b": {"t": [2, 3]}}
    assert Run().sees(reading(lags, RANGE), reading(lags, complete)).calls == []


def test_partitions_that_are_gone_are_taken_back() -> None:
    run = Run().sees(*[reading({"t": [1, 1]}, RANGE)] * 2)
    (call,) = run.calls
    assert call.reason == "1 partitions are gone"


def test_other_members_start_the_count_anew() -> None:
    other = {"a": {"t": [0, 1]}, "c": {"t": [2]}}
    run = Run().sees(uneven(), uneven(other))
    assert run.calls == []
    run.sees(uneven(other))
    assert [call.call for call in run.calls] == [Command.TRIGGER]


def test_a_group_of_the_new_protocol() -> None:
    run = Run().sees(*[uneven(kind="consumer")] * 3)
    assert {call.call for call in run.calls} == {Command.RECONSIDER}


def test_failures_pass() -> None:
    run = Run().sees(
        EquilagError("nobody answers"), TemporarilyUnreadable("rebalancing", "PreparingRebalance")
    )
    assert run.state.counters["observations", "failed"] == 1
    assert run.state.counters["observations", "rebalancing"] == 1
    run.sees(uneven(), uneven())
    assert [call.call for call in run.calls] == [Command.TRIGGER]


def test_a_balanced_look_rearms_the_trigger() -> None:
    run = Run(thresholds=Thresholds(gain_percent=60, confirm=1, min_interval_s=0))
    run.sees(uneven())
    assert [call.call for call in run.calls] == [Command.TRIGGER]
    run.shared.record_assignment(run.shared.target, complete=True)  # type: ignore[arg-type]
    run.sees(reading({"t": [500, 250, 250]}, BEST))
    run.sees(uneven())  # less than twice the threshold
    assert [call.call for call in run.calls] == [Command.TRIGGER]


def test_a_look_that_a_rebalance_overtook_counts_for_nothing() -> None:
    run = Run(thresholds=Thresholds(confirm=1, min_interval_s=0))

    class Overtaken(FakeReader):
        def read(self, group: str) -> Reading:
            run.shared.count_rebalance()
            return uneven()

    run.monitor._observer._reader = cast(GroupReader, Overtaken())
    run.monitor.run_once()
    assert run.calls == []
    assert run.shared.observation is None
    assert run.shared.target is None


def test_a_group_that_is_gone_is_forgotten() -> None:
    run = Run().sees(uneven(kind="consumer"))
    assert run.shared.observation is not None
    run.sees(NoSuchGroup("there is no group"))
    assert run.shared.observation is None
    assert {call.call for call in run.calls} == {Command.RECONSIDER}


def test_a_group_without_members() -> None:
    run = Run().sees(reading({}, {}))
    assert run.calls == []
    assert run.state.figures.members == 0
