"""A group whose members come and go on command, with a steward or with its own assignor alone."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Literal

from benchmarks.kafka_broker import Broker
from benchmarks.live.assignment_log import Log, Partition
from benchmarks.live.members import JavaMembers, OffsetsRead, RdMember
from benchmarks.live.processes import committing_java
from benchmarks.live.steward_run import StewardRun

Client = Literal["librdkafka", "java"]
STEWARD: Final = ("--every", "2s")
"""All else as users have it."""


class ChurnGroup:
    """Members of one client that read some topics without delay."""

    def __init__(
        self,
        broker: Broker,
        name: str,
        client: Client,
        strategy: str,
        topics: Sequence[str],
        stack: ExitStack,
        *,
        static: bool = False,
        commits: bool = True,
    ) -> None:
        """Without `commits` Java members never commit: one that owns a deleted partition tries to
        commit it for the length of a rebalance timeout before it joins again."""
        self.name, self.client = name, client
        self.log, self.read = Log(), OffsetsRead()
        self.left: dict[str, float] = {}
        """Member -> when it was told to leave."""
        self.steward: StewardRun | None = None
        self._second: StewardRun | None = None
        self._broker, self._strategy, self._topics = broker, strategy, list(topics)
        self._static, self._commits, self._stack = static, commits, stack
        self._present: dict[str, RdMember | None] = {}
        """Those that are there; None for members in the JVM."""
        self._instances: dict[str, str] = {}
        """Member -> instance id, of static members."""
        self._java: JavaMembers | None = None

    def lead(self, folder: Path, *options: str) -> StewardRun:
        """Start a steward, before the members."""
        self.steward = self._new_steward(folder, *options)
        self.steward.has("leader", 60)
        return self.steward

    def _new_steward(self, folder: Path, *options: str) -> StewardRun:
        run = StewardRun(folder, self._broker.bootstrap, self.name, *STEWARD, *options)
        self._stack.callback(run.end)
        return run

    def second_steward_comes(self, folder: Path) -> None:
        if self.steward is not None:
            self._second = self._new_steward(folder)
            self._second.has("standby", 60)

    def second_steward_goes(self) -> None:
        if self._second is not None:
            self._second.end()

    def steward_restarts(self, folder: Path) -> None:
        """As after a crash: killed, and back within its session."""
        if self.steward is not None:
            self.steward.kill()
            self.steward = self._new_steward(folder)
            self.steward.has("leader", 60)

    @property
    def present(self) -> list[str]:
        return list(self._present)

    def join(self, instance: str = "") -> str:
        """One more member, whose name is returned; with `instance` a static one comes back under
        that id."""
        name = f"m-{len(self.left) + len(self._present)}"
        instance = instance or (name if self._static else "")
        if instance:
            self._instances[name] = instance
        if self.client == "java":
            self._jvm().start_member(name, instance)
            self._present[name] = None
            return name
        own = {"group_instance_id": instance} if instance else {}
        member = RdMember(
            self.log, name, self._broker.bootstrap, self.name, self._topics, None, self.read,
            partition_assignment_strategy=self._strategy, **own,
        )  # fmt: skip
        self._stack.callback(member.stop)
        self._present[name] = member
        return name

    def leave(self, name: str) -> str:
        """Close a member; does not wait for it. Return its instance id, "" if it has none."""
        self.left[name] = time.time()
        member = self._present.pop(name)
        if member is None:
            self._jvm().stop_member(name)
        else:
            member.stop(wait=False)
        return self._instances.get(name, "")

    def settled(self, expected: set[Partition], quiet: float = 0.0) -> bool:
        """Has every partition one owner, every member a share, and nobody anything new?"""
        return self.log.shared(expected, set(self._present)) and self.log.quiet_s() >= quiet

    def _jvm(self) -> JavaMembers:
        if self._java is None:
            settings = committing_java(self._strategy)
            settings["enable.auto.commit"] = str(self._commits).lower()
            if self._static:
                settings["group.instance.id"] = "{instance}"
            topics = ",".join(self._topics)
            self._java = JavaMembers(self.log, 0, self._broker, self.name, topics, settings)
            self._stack.callback(self._java.stop)
        return self._java
