"""A group of mixed clients, under two stewards or alone, to which faults happen."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from confluent_kafka import KafkaException

from benchmarks.kafka_broker import Broker
from benchmarks.live.assignment_log import Log
from benchmarks.live.members import OffsetsRead
from benchmarks.live.processes import CLIENTS, MemberProcess
from benchmarks.live.steward_run import StewardRun
from benchmarks.live.topics import Traffic, add_partitions, admin_of, make_topic
from benchmarks.waiting import within

PARTITIONS: Final = 24
MOST_PARTITIONS: Final = 36
RATE: Final = 120.0
"""Records a second."""
BEHIND_S: Final = 2.0
"""A partition whose unread records are fewer than those of so many seconds is read again: clients
poll and report several times a second."""
HEARTBEAT_S: Final = 1.5
"""A steward whose last answered heartbeat is not older leads."""
STACKS_S: Final = 0.5
"""For a member to write where it is stuck."""
STEWARD: Final = ("--every", "2s")
"""All else as users have it."""


class FaultGroup:
    """Two members of each client that has the protocol, on a topic with steady records."""

    def __init__(
        self, broker: Broker, folder: Path, strategy: str, stack: ExitStack, *, led: bool = True
    ) -> None:
        self.strategy, self.name = strategy, strategy if led else f"{strategy}, alone"
        self.topic = f"faults-{strategy}{'' if led else '-alone'}"
        self.log, self.read = Log(), OffsetsRead()
        self.members: list[MemberProcess] = []
        self.lost: list[dict[str, Any]] = []
        """Processes that ended without being told to."""
        self.stuck: list[dict[str, Any]] = []
        """Members whose client never came back after an expulsion."""
        self._broker, self._folder, self._stack = broker, folder / self.topic, stack
        self._started = 0
        make_topic(admin_of(broker.bootstrap), self.topic, PARTITIONS)
        self.led, self.stewards = led, list[StewardRun]()
        if led:
            self.start_steward().has("leader", 60)
            self.start_steward().has("standby", 60)
        for client in CLIENTS[strategy]:
            self.join(client)
            self.join(client)
        self.flow = Traffic(broker.bootstrap, self.topic, PARTITIONS, RATE)
        stack.enter_context(self.flow)

    def start_steward(self) -> StewardRun:
        run = StewardRun(self._folder, self._broker.bootstrap, self.topic, *STEWARD)
        self._stack.callback(run.end)
        self.stewards.append(run)
        return run

    @property
    def steward(self) -> StewardRun:
        """The one that leads, else the one that runs longest; of a group that has some."""
        return next(filter(_leads, self.stewards), self.stewards[0])

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

    def take(self, member: MemberProcess) -> MemberProcess:
        """Remove a member from those that count, and return it."""
        self.members.remove(member)
        return member

    def widen(self) -> None:
        """Two partitions more, up to a limit."""
        more = min(self.flow.partitions + 2, MOST_PARTITIONS)
        if more > self.flow.partitions:
            add_partitions(admin_of(self._broker.bootstrap), self.topic, more)
            self.flow.partitions = more

    def note_lost(self, at: float) -> None:
        """Find processes that ended by themselves; a steward is started again."""
        for one in list(self.stewards):
            if (status := one.process.poll()) is not None:
                log = one.text.splitlines()[-8:]
                self.lost.append({"at_s": at, "what": "steward", "status": status, "log": log})
                self.stewards.remove(one)
                self.start_steward()
        for member in [one for one in self.members if not one.lives]:
            status = member.process.returncode
            self.lost.append({"at_s": at, "what": member.name, "status": status})
            self.log.add(member.name, "closed")
            self.members.remove(member)

    def end_stuck(self, at: float) -> list[str]:
        """Kill members that the coordinator does not have in the group, and return their names:
        their client hangs for good, and holds what it was expelled from. None while the coordinator
        does not answer."""
        admin = admin_of(self._broker.bootstrap)
        try:
            group = admin.describe_consumer_groups([self.topic])[self.topic].result()
        except KafkaException:
            return []
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
        """ "leader" while a steward leads, "alone" where there is none to lead; else ""."""
        if not self.led:
            return "alone"
        return "leader" if any(map(_leads, self.stewards)) else ""

    def guarded(self) -> bool:
        """Does a steward stand by, where some are?"""
        roles = [one.status().get("role") for one in self.stewards]
        return not self.led or "standby" in roles

    def complete_s(self, since: float) -> float:
        """Return the seconds from then until now in which every partition had an owner."""
        now, ended = time.time(), since
        gaps = [gap for each in self.log.gaps().values() for gap in each]
        incomplete = 0.0
        for begin, end in sorted(gaps):
            incomplete += max(0.0, end - max(begin, ended))
            ended = max(ended, end)
        return round(now - since - incomplete, 1)

    def all_read_within(self, seconds: float) -> int:
        """After the end of the traffic: wait until all is read. Return the records that are not."""
        produced = self.flow.acked()
        within(lambda: not self.read.unread(produced), seconds, 0.2)
        return self.read.unread(produced)

    def last_step_within(self, seconds: float) -> str:
        """How far the steward's last plan has come, once its members have it or this time is up;
        "" in a classic group and without a steward."""
        if not self.led:
            return ""
        within(lambda: self.steward.status().get("plan_step") in ("", "owned"), seconds, 0.2)
        return str(self.steward.status().get("plan_step"))


def _leads(steward: StewardRun) -> bool:
    status = steward.status()
    age = status.get("last_heartbeat_age_s")
    return status.get("role") == "leader" and age is not None and age <= HEARTBEAT_S
