"""A group of mixed clients under a supervised steward, to which faults happen."""

from __future__ import annotations

import random
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from support.kafka_broker import Broker
from support.live_members import OffsetsRead
from support.live_processes import CLIENTS, MemberProcess
from support.live_topics import Traffic, add_partitions, admin_of, make_topic
from support.waiting import within

from benchmarks.live.assignment_log import Log
from benchmarks.live.steward_run import StewardRun

PARTITIONS: Final = 24
MOST_PARTITIONS: Final = 36
RATE: Final = 120.0
"""Records a second."""
BEHIND_S: Final = 2.0
"""A partition whose unread records are fewer than those of so many seconds is read again: clients
poll and report several times a second."""
HEARTBEAT_S: Final = 1.5
"""A steward whose last answered heartbeat is not older takes part in its group."""
STACKS_S: Final = 0.5
"""For a member to write where it is stuck."""
STEWARD: Final = ("--every", "2s", "--take-over")
"""As a supervisor would start it again and again; all else as users have it."""
SECOND: Final = ("--every", "2s")


class FaultGroup:
    """Two members of each client that has the protocol, on a topic with steady records."""

    def __init__(self, broker: Broker, folder: Path, strategy: str, stack: ExitStack) -> None:
        self.strategy, self.topic = strategy, f"faults-{strategy}"
        self.log, self.read = Log(), OffsetsRead()
        self.members: list[MemberProcess] = []
        self.lost: list[dict[str, Any]] = []
        """Processes that ended without being told to."""
        self.stuck: list[dict[str, Any]] = []
        """Members whose client never came back after an expulsion."""
        self._broker, self._folder, self._stack = broker, folder / strategy, stack
        self._started = 0
        make_topic(admin_of(broker.bootstrap), self.topic, PARTITIONS)
        self.steward = self.new_steward(*STEWARD)
        self.steward.has("leader", 60)
        for client in CLIENTS[strategy]:
            self.join(client)
            self.join(client)
        self.flow = Traffic(broker.bootstrap, self.topic, PARTITIONS, RATE)
        stack.enter_context(self.flow)

    def new_steward(self, *options: str) -> StewardRun:
        run = StewardRun(self._folder, self._broker.bootstrap, self.topic, *options)
        self._stack.callback(run.end)
        return run

    def restart_steward(self) -> None:
        self.steward = self.new_steward(*STEWARD)

    def join(self, client: str) -> str:
        self._started += 1
        name = f"{client}-{self._started}"
        group = (self._broker, self.topic, self.topic)
        notes = (self.log, self.read)
        member = MemberProcess(group, client, name, self.strategy, notes, self._folder)
        self._stack.callback(member.stop)
        self.members.append(member)
        return name

    def missing(self) -> list[str]:
        """Clients of which there are fewer than two members."""
        there = Counter(member.client for member in self.members)
        return [client for client in CLIENTS[self.strategy] if there[client] < 2]

    def take(self, chance: random.Random) -> MemberProcess:
        """Remove a random member from those that count, and return it."""
        return self.members.pop(chance.randrange(len(self.members)))

    def widen(self) -> None:
        """Two partitions more, up to a limit."""
        more = min(self.flow.partitions + 2, MOST_PARTITIONS)
        if more > self.flow.partitions:
            add_partitions(admin_of(self._broker.bootstrap), self.topic, more)
            self.flow.partitions = more

    def note_lost(self, at: float) -> None:
        """Find processes that ended by themselves; a steward is started again."""
        if (status := self.steward.process.poll()) is not None:
            log = self.steward.text.splitlines()[-8:]
            self.lost.append({"at_s": at, "what": "steward", "status": status, "log": log})
            self.restart_steward()
        for member in [one for one in self.members if not one.lives]:
            status = member.process.returncode
            self.lost.append({"at_s": at, "what": member.name, "status": status})
            self.log.add(member.name, "closed")
            self.members.remove(member)

    def end_stuck(self, at: float) -> list[str]:
        """Kill members that the coordinator does not have in the group, and return their names:
        their client hangs for good, and holds what it was expelled from."""
        admin = admin_of(self._broker.bootstrap)
        group = admin.describe_consumer_groups([self.topic])[self.topic].result()
        known = {member.client_id for member in group.members}
        stuck = [member for member in self.members if member.name not in known]
        for member in stuck:
            member.say_where()
            time.sleep(STACKS_S)  # nothing tells when they are written
            member.kill()
            self.members.remove(member)
            self.stuck.append({"at_s": at, "what": member.name})
        return [member.name for member in stuck]

    def shared(self) -> bool:
        """Has every partition one owner, and every member a share?"""
        every = {(self.topic, number) for number in range(self.flow.partitions)}
        return self.log.shared(every, {member.name for member in self.members})

    def read_again(self) -> bool:
        """Is no partition behind?"""
        most = max(2.0, BEHIND_S * RATE / self.flow.partitions)
        unread = self.read.unread_by_partition(self.flow.acked())
        return max(unread.values(), default=0) <= most

    def role(self) -> str:
        """The steward's role; "" while it does not take part in its group."""
        status = self.steward.status()
        age = status.get("last_heartbeat_age_s")
        takes_part = status.get("role") in ("leader", "follower", "standby", "passive")
        return status["role"] if takes_part and age is not None and age <= HEARTBEAT_S else ""

    def all_read_within(self, seconds: float) -> int:
        """After the end of the traffic: wait until all is read. Return the records that are not."""
        produced = self.flow.acked()
        within(lambda: not self.read.unread(produced), seconds, 0.2)
        return self.read.unread(produced)

    def last_step_within(self, seconds: float) -> str:
        """How far the steward's last plan has come, once its members have it or this time is up;
        "" in a classic group."""
        within(lambda: self.steward.status().get("plan_step") in ("", "owned"), seconds, 0.2)
        return str(self.steward.status().get("plan_step"))
