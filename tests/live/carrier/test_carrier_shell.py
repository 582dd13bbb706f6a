"""The steward's turns in a KIP-848 group, with a coordinator and carriers that a test sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast
from uuid import UUID

import pytest
from support.steward_fakes import FakeReader, Parts, reading

from equilag.adapters.kafka.described import Described, DescribedMember, ReadFailure
from equilag.adapters.kafka.group_reader import GroupReader
from equilag.adapters.kafka.reading import NamedTopics
from equilag.domain.errors import EquilagError
from equilag.live.carrier import carrier_shell
from equilag.live.carrier.carrier_shell import CarrierShell
from equilag.live.carrier.plug_in import NoPlugIn
from equilag.live.status.steward_facts import PlanStep
from equilag.live.steward.membership_errors import Fenced, Refused, Unreachable
from equilag.live.steward.shared_state import Command, CommandMessage

ID = UUID(int=1)
HELD = {"a": {"t": [0, 1]}, "b": {"t": [2]}}
TRIGGER = CommandMessage(Command.TRIGGER)


class Scene(Parts):
    """A group of the topic `t`, its carriers, and who leads it."""

    number = 1
    reached: PlanStep = "owned"

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **options: Any) -> None:
        super().__init__(**options)
        self.done: list[Any] = []
        self.problem: EquilagError | None = None
        """Raised when brokers are asked for the plug-in."""
        self.fenced = False
        self.client = self
        self.group: Described | ReadFailure = ReadFailure("not set")
        self.epoch = 4
        self.reader = FakeReader()
        topics = NamedTopics({"t": {0: 1, 1: 1, 2: 1}}, ids={ID: "t"})
        for name, fake in {
            "PlainClient": lambda config, timeout: self,
            "GroupCarriers": lambda client, group, key, least: self,
            "read_topics": lambda client, names: topics,
        }.items():
            monkeypatch.setattr(carrier_shell, name, fake)
        self.shell = CarrierShell(
            self.shared, {"bootstrap.servers": "b:1"}, cast(GroupReader, self.reader), self.permit
        )

    def holds(self, owned: dict[str, dict[str, list[int]]], protocol: str = "equilag") -> None:
        """The group has these members now."""
        self.epoch += 1
        members = [DescribedMember(name, ("t",), owned=held) for name, held in owned.items()]
        self.group = Described("consumer", "Stable", protocol, 1, members, self.epoch)
        self.reader.group = reading({"t": [5, 5, 5]}, owned, "consumer")
        self.reader.partitions = {"t": 3}
        self.reader.offsets = self.reader.group.offsets

    def permit(self) -> None:
        if self.fenced:
            raise Fenced("another one")

    def check_brokers(self) -> None:
        if self.problem is not None:
            raise self.problem

    def describe(self, groups: dict[str, bool]) -> dict[str, Described | ReadFailure]:
        return dict.fromkeys(groups, self.group)

    def bring(self, assigned: Any, topics: Any, number: int) -> None:
        assert topics == {ID: 3}
        self.done.append({one: sorted(share.get(ID, [])) for one, share in assigned.items()})

    def step(self) -> PlanStep:
        return self.reached

    def outvote(self, workers: int) -> None:
        self.number = workers + 1

    def keep(self) -> None:
        self.done.append("keep")

    def leave(self) -> None:
        self.done.append("leave")

    def close(self) -> None:
        self.done.append("close")

    def turn(self, message: CommandMessage | None = None) -> tuple[int | None, list[Any]]:
        """The epoch, and what the carriers did."""
        self.done.clear()
        return self.shell.turn(message), list(self.done)


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Scene:
    made = Scene(monkeypatch)
    made.holds(HELD)
    return made


def test_an_answer_for_other_members_and_heartbeats_in_between(here: Scene) -> None:
    assert here.turn() == (5, [{"a": [0, 1], "b": [2]}])
    assert here.turn() == (5, ["keep"])
    assert here.turn(CommandMessage(Command.RECONSIDER)) == (5, ["keep"])
    assert here.turn(TRIGGER) == (5, [{"a": [0, 1], "b": [2]}])
    here.holds({"a": {"t": [0, 1, 2]}, "c": {}})
    epoch, (brought,) = here.turn()
    assert epoch == 6
    assert sorted(map(len, brought.values())) == [1, 2]
    assert here.state.facts.counters["handouts:sticky"] >= 1


def test_carriers_leave_with_the_last_worker(here: Scene) -> None:
    here.turn()
    here.group = Described("consumer", "Stable", "equilag", 1, [], 6)
    assert here.turn() == (6, ["leave", "close"])
    here.number = 0
    assert here.turn() == (6, [])
    assert here.state.facts.plan_step == ""


def test_a_plan_is_followed_until_its_members_own_what_it_gives(here: Scene) -> None:
    steps: list[PlanStep] = ["brought", "assigned", "assigned", "owned"]
    here.turn()
    for step in steps:
        assert here.shared.rebalance_pending
        here.reached = step
        assert here.turn() == (5, ["keep"])
        assert here.state.facts.plan_step == step
    assert not here.shared.rebalance_pending
    assert not here.shared.control.handouts.known.unfinished
    assert here.shared.control.controller.rounds.applied_s > 0


def test_a_plan_that_brokers_refuse_is_brought_again_and_then_the_group_is_theirs(
    here: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """New members would have nothing, as the plug-in holds the group."""
    monkeypatch.setattr(carrier_shell, "_TAKEN_S", 0.0)
    plan = {"a": [0, 1], "b": [2]}
    here.turn()
    here.reached = "brought"
    assert [here.turn() for _ in range(2)] == [(5, ["keep", plan])] * 2
    assert here.turn() == (None, ["keep", "leave", "close"])
    assert here.state.facts.role_reason.endswith("is --plan-key what they have?")
    assert here.turn(TRIGGER) == (None, [])
    monkeypatch.setattr(here.shell, "_refused_until", 0.0)
    assert here.turn() == (5, [plan])


def test_members_that_name_another_assignor_outvote_it(here: Scene) -> None:
    here.turn()
    here.holds(HELD, "uniform")
    assert here.turn() == (None, ["keep"])
    reason = "; its members name the assignor 'uniform'; --outvote would lead it with 3 carriers"
    assert here.state.facts.role_reason.endswith(reason)
    here.holds(HELD)
    assert here.turn() == (7, ["keep"])
    here.holds(HELD, "uniform")
    here.turn()
    here.holds({"c": {"t": [0, 1, 2]}})
    assert here.turn() == (9, [{"c": [0, 1, 2]}])  # those who outvoted it are gone
    here.holds({"c": {"t": [0, 1, 2]}}, "uniform")
    here.turn()
    here.group = Described("consumer", "Stable", "equilag", 1, [], 9)
    assert here.turn()[0] == 9  # nobody is left who could outvote it


def test_on_request_carriers_outvote_the_members(monkeypatch: pytest.MonkeyPatch) -> None:
    here = Scene(monkeypatch, outvote=True)
    here.holds(HELD, "uniform")
    here.turn()
    assert here.turn() == (None, ["keep", {"a": [0, 1], "b": [2]}])
    assert here.number == 3
    assert here.turn() == (None, ["keep"])  # it is no matter of numbers
    here.holds(HELD)
    assert here.turn() == (6, ["keep"])


def test_on_request_a_classic_group_has_carriers(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked for as either kind; brokers that do not convert it say so."""
    here = Scene(monkeypatch, convert=True)
    here.holds(HELD)
    kinds = list[bool | None]()

    def describe(groups: dict[str, bool | None]) -> dict[str, Described | ReadFailure]:
        kinds.extend(groups.values())
        return dict.fromkeys(groups, here.group)

    monkeypatch.setattr(here, "describe", describe)
    here.problem = Refused("it cannot be converted")
    assert here.turn()[0] is None
    assert here.state.facts.role_reason == "it cannot be converted"
    here.problem = None
    assert here.turn() == (5, [{"a": [0, 1], "b": [2]}])
    assert kinds == [None]


def test_more_members_than_carriers_can_outvote(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carrier_shell, "MAX_PIECES", 2)
    here = Scene(monkeypatch, outvote=True)
    here.holds(HELD, "uniform")
    here.turn()
    assert here.turn() == (None, ["keep"])
    assert here.number == 1
    assert here.state.facts.role_reason.endswith("they are more than 2 carriers can outvote")


def test_a_right_that_is_missing_is_named(here: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden() -> str:
        assert here.turn()[0] is None
        assert here.state.facts.role == "passive"
        return here.state.facts.role_reason.rpartition("; ")[2]

    topics = NamedTopics({}, forbidden=["t"])
    monkeypatch.setattr(carrier_shell, "read_topics", lambda client, names: topics)
    assert forbidden() == "needs the right Describe on Topic 't'"
    here.group = ReadFailure("no right", transient=False, forbidden="Group")
    assert forbidden() == "needs the right Describe on Group 'g'"


def unreadable(here: Scene) -> None:
    here.group = ReadFailure("moving")


def fenced(here: Scene) -> None:
    here.fenced = True


@pytest.mark.parametrize(
    ("happens", "role"),
    [
        (NoPlugIn("broker 2"), "passive"),
        (Refused("the group is full"), "passive"),
        (Unreachable("broker 1"), "unreachable"),
        (EquilagError("no broker answers"), "unreachable"),
        (unreadable, "unreachable"),
        (fenced, "starting"),
    ],
)
def test_what_keeps_it_from_leading(
    here: Scene, happens: EquilagError | Callable[[Scene], None], role: str
) -> None:
    """It says so, leaves nothing, and goes on with an answer for all once that is over."""
    here.turn()
    if isinstance(happens, EquilagError):
        here.problem = happens
    else:
        happens(here)
    assert here.turn() == (None, ["close"])
    assert here.state.facts.role == role
    assert here.shell.pause_s == {"passive": 5, "unreachable": 0.3}.get(role, 1)
    here.problem, here.fenced = None, False
    here.holds(HELD)
    assert here.turn() == (6, [{"a": [0, 1], "b": [2]}])
    assert here.shell.pause_s == 1


def test_an_end_without_a_right_to_act_leaves_nothing(here: Scene) -> None:
    here.turn()
    here.fenced = True
    here.done.clear()
    here.shell.end(leave=True)
    assert here.done == ["close"]
