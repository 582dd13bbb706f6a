"""Groups whose members come and go on command, with a steward or with their own assignor alone,
and the same changes in several of them side by side."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, Literal

from benchmarks.kafka_broker import Broker
from benchmarks.live.assignment_log import Log, Partition, change_figures
from benchmarks.live.members import JavaMembers, OffsetsRead, RdMember
from benchmarks.live.processes import committing_java, protocol_of
from benchmarks.live.steward_run import StewardRun
from benchmarks.live.topics import Traffic, admin_of, make_topic
from benchmarks.waiting import until

Client = Literal["librdkafka", "java"]
STEWARD: Final = ("--every", "2s")
"""All else as users have it."""
MEMBERS: Final = 8
QUIET_S: Final = 6.0
"""Without a new assignment for so long, a change is over: the steward judges plans every 2 s, and
wants three observations that agree."""
RESTART_S: Final = 1.5
"""Between the end of a member and its return."""
AWAY_QUIET_S: Final = 1.5
"""Of a rolling restart: before a member is stopped, and before it comes back."""
HEARTBEAT_S: Final = 0.3
"""Of members, which are in step after a rebalance: what the next change costs depends on whether it
comes just before their heartbeats or just after, so that it comes at a moment drawn at random."""
PATIENCE_S: Final = 90.0


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
        self.strategy = strategy
        """Of members that join."""
        self._broker, self._topics = broker, list(topics)
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
            **protocol_of(self.strategy), **own,
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
            settings = committing_java(self.strategy)
            settings["enable.auto.commit"] = str(self._commits).lower()
            if self._static:
                settings["group.instance.id"] = "{instance}"
            topics = ",".join(self._topics)
            self._java = JavaMembers(self.log, 0, self._broker, self.name, topics, settings)
            self._stack.callback(self._java.stop)
        return self._java


class Stage:
    """The same changes in several groups that read the same topics, side by side."""

    def __init__(self, broker: Broker, folder: Path, prefix: str, stack: ExitStack) -> None:
        self.broker, self.folder, self.prefix, self.stack = broker, folder, prefix, stack
        self._chance = random.Random(os.environ.get("LIVE_SEED", "1"))
        self.admin = admin_of(broker.bootstrap)
        self.sizes: dict[str, int] = {}
        self.groups: list[ChurnGroup] = []
        self.figures: dict[str, dict[str, Any]] = {}
        """Group -> change -> figures."""

    def begin(self, strategy: str, sizes: dict[str, int], **settings: bool) -> None:
        """Make topics and groups, and wait until all partitions are shared."""
        self.sizes = {f"{self.prefix}-{topic}": size for topic, size in sizes.items()}
        for topic, size in self.sizes.items():
            make_topic(self.admin, topic, size)
        clients: tuple[Client, ...] = ("librdkafka", "java")
        for client in clients:
            for led in (True, False):
                name = f"{self.prefix}-{client}-{'steward' if led else 'alone'}"
                group = ChurnGroup(
                    self.broker, name, client, strategy, list(self.sizes), self.stack, **settings
                )
                if led:
                    group.lead(self.folder / name)
                self.groups.append(group)
                self.figures[f"{client}, {'steward' if led else 'alone'}"] = {}
        for group in self.groups:
            for _ in range(MEMBERS):
                group.join()
        self.settle(QUIET_S)

    def expected(self) -> set[Partition]:
        return {(topic, number) for topic, size in self.sizes.items() for number in range(size)}

    def settle(self, quiet: float) -> None:
        """Wait until nothing has happened for `quiet` seconds and up to a heartbeat's interval,
        from now on."""
        since, quiet = time.time(), quiet + self._chance.uniform(0, HEARTBEAT_S)
        until(
            lambda: (
                time.time() - since >= quiet
                and all(one.settled(self.expected(), quiet) for one in self.groups)
            ),
            PATIENCE_S,
        )

    def change(
        self, name: str, act: Callable[[ChurnGroup], object], quiet: float = QUIET_S
    ) -> None:
        """Let `act` change each group, wait until all are settled, and note the figures,
        summed over changes of the same name."""
        self.measure(name, lambda: [act(group) for group in self.groups], quiet)

    def measure(self, name: str, act: Callable[[], object], quiet: float = QUIET_S) -> None:
        topics = set(self.sizes)
        began = time.time()
        act()
        self.settle(quiet)
        ended = time.time()
        for group, figures in zip(self.groups, self.figures.values(), strict=True):
            one = change_figures(
                group.log.events, began, ended, group.left, topics - set(self.sizes)
            )
            new = [event.at for event in group.log.since(began)]
            row = {**asdict(one), "seconds": round(max(new, default=began) - began, 2)}
            before = figures.get(name, dict.fromkeys(row, 0))
            figures[name] = {
                key: max(value, before[key])
                if key.startswith(("longest", "seconds"))
                else round(value + before[key], 2)
                for key, value in row.items()
            }

    def rolling_restart(self) -> None:
        for number in range(MEMBERS):
            instances = [group.leave(group.present[0]) for group in self.groups]
            time.sleep(RESTART_S)  # how long they are away is part of the test
            if not instances[0]:  # others take over meanwhile
                self.settle(AWAY_QUIET_S)
            for group, instance in zip(self.groups, instances, strict=True):
                group.join(instance)
            if number < MEMBERS - 1:
                self.settle(AWAY_QUIET_S)


TAKEN_MEMBERS: Final = 8
"""Of each of two clients."""
TAKEN_PARTITIONS, TAKEN_RATE = 48, 480.0
HEARTBEATS_MS: Final = (300, 3000)
"""Of Java and librdkafka members: how late a member may learn that it was removed. The first ones
are back while others, on Kafka's default, do not know it yet."""
SESSION_MS: Final = 10_000
COMMIT_MS: Final = 5000
"""Kafka's default, of librdkafka members: a commit tells a member too that it was removed."""


def take_over(broker: Broker, strategy: str, folder: Path, stack: ExitStack) -> dict[str, Any]:
    """What it costs that a steward takes over a group whose members read all the time."""
    topic = group = f"take-over-{strategy}"
    make_topic(admin_of(broker.bootstrap), topic, TAKEN_PARTITIONS)
    log = Log()
    every = {(topic, number) for number in range(TAKEN_PARTITIONS)}

    def shared() -> bool:
        return log.shared(every, 2 * TAKEN_MEMBERS) and log.quiet_s() >= QUIET_S

    settings: dict[str, str | int] = {
        **committing_java(strategy),
        "heartbeat.interval.ms": HEARTBEATS_MS[0],
        "session.timeout.ms": SESSION_MS,
    }
    java = JavaMembers(log, TAKEN_MEMBERS, broker, group, topic, settings)
    stack.callback(java.stop)
    for number in range(TAKEN_MEMBERS):
        member = RdMember(
            log, f"rd-{number}", broker.bootstrap, group, [topic], None, None,
            **protocol_of(strategy),
            heartbeat_interval_ms=HEARTBEATS_MS[1], session_timeout_ms=SESSION_MS,
            auto_commit_interval_ms=COMMIT_MS,
        )  # fmt: skip
        stack.callback(member.stop)
    stack.enter_context(Traffic(broker.bootstrap, topic, TAKEN_PARTITIONS, TAKEN_RATE))
    until(shared, PATIENCE_S)
    began = time.time()
    steward = StewardRun(folder, broker.bootstrap, group, *STEWARD, "--take-over")
    stack.callback(steward.end)
    steward.has("leader", 60)
    leads = time.time() - began
    until(lambda: len(log.since(began)) > 2 * TAKEN_MEMBERS and shared(), PATIENCE_S)
    return {
        "members": 2 * TAKEN_MEMBERS,
        "partitions": TAKEN_PARTITIONS,
        "leads_after_s": round(leads, 1),
        "settled_after_s": round(log.events[-1].at - began, 1),
        **asdict(change_figures(log.events, began, time.time(), {})),
    }
