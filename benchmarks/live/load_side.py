"""One group of a load scenario on the broker: its members, and what leads them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.live.assigned_member import AssignedMember, ManualAssignment
from benchmarks.live.assignment_log import Log
from benchmarks.live.limited_member import LimitedMember
from benchmarks.live.load_scenarios import LoadScenario, Side
from benchmarks.live.steward_run import StewardRun
from equilag.domain.columns import Floats, Ints

CLASSIC: Final = {"partition.assignment.strategy": "cooperative-sticky"}
KIP_848: Final = {"group.protocol": "consumer"}
_LEADS_S: Final = 60
"""Seconds that a steward may take to start on a busy machine."""


class LiveSide:
    """Started at once. Members have librdkafka's defaults (commits every 5 s, heartbeats every
    3 s, sessions of 45 s), but for the assignor or the protocol, and the first offset."""

    def __init__(
        self, side: Side, scenario: LoadScenario, bootstrap: str, topic: str, folder: Path
    ) -> None:
        self.side = side
        self.log = Log()
        self.steward: StewardRun | None = None
        self.assignment = ManualAssignment(
            [number % len(scenario.speeds) for number in range(scenario.partitions)]
        )
        self._partitions = scenario.partitions
        self._topic = topic
        group = f"{topic}-{side.name}"
        settings: dict[str, str | int] = {
            "bootstrap.servers": bootstrap,
            "group.id": group,
            "auto.offset.reset": "earliest",
            **(KIP_848 if scenario.heartbeat_ms else CLASSIC),
        }
        if side.kind == "steward":
            self.steward = StewardRun(folder, bootstrap, group, *side.options)
            self.steward.has("leader", _LEADS_S)
        self.members: list[LimitedMember] = []
        for number, speed in enumerate(scenario.speeds):
            if side.kind == "hand":
                self.members.append(
                    AssignedMember(number, self.assignment, speed, topic, settings, self.log)
                )
                continue
            client = f"app-{scenario.process_of(number)}"
            own = {**settings, "client.id": client} if scenario.threads > 1 else settings
            self.members.append(LimitedMember(f"member-{number}", speed, topic, own, self.log))

    def complete(self) -> bool:
        """Has every partition one owner, and every member a partition?"""
        held = [member.held() for member in self.members]
        every = sorted(partition for theirs in held for partition in theirs)
        return all(held) and every == list(range(self._partitions))

    def owners(self) -> Ints:
        """Return [P] the member numbers; complete groups only."""
        owners = np.zeros(self._partitions, np.int64)
        for number, member in enumerate(self.members):
            owners[member.held()] = number
        return owners

    def busiest(self, rates: Floats) -> float:
        """Return the largest share of its time that a member needs for its partitions, at these
        rates [P]."""
        loads = [rates[member.held()].sum() / member.speed for member in self.members]
        return float(max(loads))

    def read(self) -> Ints:
        """Return [P] the offset after the last record that any member processed."""
        read = np.zeros(self._partitions, np.int64)
        for member in self.members:
            for partition, offset in list(member.read.items()):
                read[partition] = max(read[partition], offset)
        return read

    def assign(self, owners: Sequence[int]) -> None:
        """Assign by hand; groups that are led or left alone do not mind."""
        self.assignment.set(owners)

    def cpu_s(self) -> float:
        """Return the CPU time of the steward and of what it started, in seconds."""
        if self.steward is None:
            return 0.0
        return cpu_seconds(Path(f"/proc/{self.steward.process.pid}/stat").read_text("utf-8"))

    def counters(self) -> dict[str, Any]:
        """Return what the steward counted."""
        counters: dict[str, Any] = (
            {} if self.steward is None else self.steward.status().get("counters", {})
        )
        return counters

    def stop_members(self) -> None:
        """Make all members leave; a second call does nothing."""
        for member in self.members:
            member.stop(wait=False)
        for member in self.members:
            member.stop()

    def stop(self) -> None:
        """A second call does nothing."""
        self.stop_members()
        if self.steward is not None:
            self.steward.end()


def cpu_seconds(stat: str) -> float:
    """Return user and system time of a process and of its children that ended, from the text of
    /proc/PID/stat (proc(5): fields 14 to 17; the name in parentheses may hold blanks)."""
    fields = stat.rpartition(")")[2].split()
    ticks = sum(int(field) for field in fields[11:15])
    return ticks / os.sysconf("SC_CLK_TCK")
