"""What the heartbeats tell the leader loop."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from support.steward_fakes import FakeReader, reading

from equilag.adapters.kafka.group_reader import GroupReader, Reading
from equilag.live.status.state_file import KeptState
from equilag.live.status.status import StewardStatus
from equilag.live.steward.group_membership import GroupMembership, HeartbeatResult
from equilag.live.steward.heartbeat_loop import HeartbeatLoop
from equilag.live.steward.leader_loop import LeaderLoop
from equilag.live.steward.observer import GroupObserver
from equilag.live.steward.shared_state import Command, SharedState
from equilag.live.steward.steward_options import StewardOptions

FINE, SILENT = HeartbeatResult.FINE, HeartbeatResult.SILENT


class Run:
    """The coordinator answers with what a test gives; the generation is 5."""

    def __init__(self, group: Reading | None = None) -> None:
        self.shared = SharedState(StewardOptions("g"), StewardStatus(1.0, 10.0))
        if group is not None:
            fake = cast(GroupReader, FakeReader(group))
            observer = GroupObserver(fake, self.shared.options, KeptState(None, "g"))
            self.shared.record_observation(observer.observe())
        self.leader = SimpleNamespace(generation=5, joining=False)
        self.aborted = 0

    def heard(self, *results: HeartbeatResult) -> list[Command]:
        answers = list(results)
        membership = SimpleNamespace(heartbeat=lambda: answers.pop(0), is_member=True)
        loop = HeartbeatLoop(
            self.shared, cast(GroupMembership, membership), cast(LeaderLoop, self.leader)
        )
        for _ in results:
            loop.send()
        found = []
        while not self.shared.messages.empty():
            found.append(self.shared.messages.get().command)
        return found


def test_answers_become_commands() -> None:
    assert Run().heard(FINE, FINE) == []
    assert Run().heard(HeartbeatResult.REBALANCE) == [Command.REBALANCE]
    assert Run().heard(HeartbeatResult.LOST, HeartbeatResult.FENCED) == [
        Command.LOST,
        Command.FENCED,
    ]


def test_alone_it_joins_again_once_a_silent_coordinator_answers() -> None:
    """It may have restarted, and know only the protocol that was in use."""
    alone = Run(reading({}, {}))
    assert alone.heard(FINE, SILENT, SILENT, FINE, FINE) == [Command.REBALANCE]


def test_with_members_it_does_not_join_again() -> None:
    group = Run(reading({"t": [1]}, {"a": {"t": [0]}}))
    assert group.heard(SILENT, FINE, FINE) == []
