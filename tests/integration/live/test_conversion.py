"""Members that change to KIP-848 one after the other, and back, under a steward and without one."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import pytest
from support.kafka_broker import plugged_brokers

from benchmarks.broker_plugin import KEY
from benchmarks.live.assignment_log import Log, change_figures
from benchmarks.live.members import OffsetsRead, RdMember
from benchmarks.live.run import keep
from benchmarks.live.steward_run import StewardRun
from benchmarks.live.topics import Traffic, admin_of, make_topic
from benchmarks.waiting import until

pytestmark = [pytest.mark.live, pytest.mark.broker]

TOPIC: Final = "t"
PARTITIONS, MEMBERS, RATE = 12, 4, 240.0
EVERY: Final = {(TOPIC, number) for number in range(PARTITIONS)}
KINDS: Final[dict[str, dict[str, Any]]] = {
    "consumer": {"group_protocol": "consumer"},
    "classic": {"partition_assignment_strategy": "range"},
}
AWAY_S: Final = 1.5
"""Between the end of a member and the start of its successor."""
QUIET_S: Final = 3.0


class Converting:
    """A group and its members."""

    def __init__(self, bootstrap: str, name: str, stack: ExitStack) -> None:
        self._bootstrap, self._name, self._stack = bootstrap, name, stack
        self.log, self.read = Log(), OffsetsRead()
        self.members: list[RdMember] = []
        self.left: dict[str, float] = {}

    def join(self, kind: str) -> None:
        name = f"m-{len(self.left) + len(self.members)}"
        member = RdMember(
            self.log, name, self._bootstrap, self._name, [TOPIC], None, self.read, **KINDS[kind]
        )
        self._stack.callback(member.stop)
        self.members.append(member)

    def leave(self) -> None:
        """The oldest member ends."""
        member = self.members.pop(0)
        self.left[member.name] = time.time()
        member.stop(wait=False)

    def settled(self) -> bool:
        here = {member.name for member in self.members}
        return self.log.shared(EVERY, here) and self.log.quiet_s() > QUIET_S


def test_a_group_converts_and_comes_back(tmp_path: Path) -> None:
    with ExitStack() as stack:
        bootstrap = plugged_brokers(stack, tmp_path)[0].bootstrap
        make_topic(admin_of(bootstrap), TOPIC, PARTITIONS)
        groups = [Converting(bootstrap, name, stack) for name in ("led", "alone")]
        key = tmp_path / "key"
        key.write_text(KEY, "utf-8")
        steward = StewardRun(tmp_path, bootstrap, "led", "--every", "2s", "--plan-key", str(key))
        stack.callback(steward.end)
        steward.has("leader", 60)
        flow = stack.enter_context(Traffic(bootstrap, TOPIC, PARTITIONS, RATE))
        for group in groups:
            for _ in range(MEMBERS):
                group.join("classic")
        until(lambda: all(group.settled() for group in groups), 90)
        for kind in KINDS:
            began = time.time()
            for _ in range(MEMBERS):
                for group in groups:
                    group.leave()
                time.sleep(AWAY_S)  # how long it is away is part of the test
                for group in groups:
                    group.join(kind)
                until(lambda: all(group.settled() for group in groups), 90)
            led, alone = (
                change_figures(group.log.events, began, time.time(), group.left) for group in groups
            )
            # Eager members that are still classic pause once more, for the plan after a join.
            figures = {"led": asdict(led), "alone": asdict(alone)}
            words = f"members change to {kind}"
            keep(f"carriers-conversion-{kind}", {"words": words, "changes": figures})
            assert led.two_owners == 0
            assert led.moves <= alone.moves
            steward.has("leader")
        flow.end()
        until(lambda: groups[0].read.unread(flow.acked()) == 0)
