"""120 members on 1,200 partitions, led, beside a twin that reads the same records with its own
assignor."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.kafka_broker import Broker
from benchmarks.live.assignment_log import Log, change_figures
from benchmarks.live.load_side import cpu_seconds
from benchmarks.live.members import JavaMembers, OffsetsRead
from benchmarks.live.processes import JAVA_ASSIGNORS
from benchmarks.live.steward_run import StewardRun
from benchmarks.live.topics import Traffic, admin_of, make_topic
from benchmarks.waiting import until, within
from equilag.domain.columns import Ints

MEMBERS: Final = 120
PARTITIONS: Final = 1200
RATE: Final = 1200.0
STEADY_RATE: Final = 240.0
"""Records a second, the same in every partition."""
PATIENCE_S: Final = 300.0
LOOK_S: Final = 10.0
MANY: Final[dict[str, str | int]] = {"work.ms": "1000-5000", "max.poll.records": 500}
USUAL: Final[dict[str, str | int]] = {"work.ms": "1000+333", "max.poll.records": 15}
LESS: Final[dict[str, str | int]] = {"work.ms": "1000+833", "max.poll.records": 6}
"""Three records a second, and a slow member's 1.2: a poll takes 5 s at most."""
SETTINGS: Final[dict[str, str | int]] = {
    "partition.assignment.strategy": JAVA_ASSIGNORS["cooperative-sticky"],
    "enable.auto.commit": "true",
    "session.timeout.ms": 45_000,
    "heartbeat.interval.ms": 3000,
    "metadata.max.age.ms": 300_000,
}
"""Java's defaults, but for the assignor."""


class BigGroup:
    """120 members, of which some may read fewer records in each poll; led or not."""

    def __init__(
        self, broker: Broker, folder: Path, topic: str, led: bool, slow: int, stack: ExitStack
    ) -> None:
        self.name = f"{topic}-{'led' if led else 'alone'}"
        self.every = {(topic, number) for number in range(PARTITIONS)}
        self.log, self.read = Log(), OffsetsRead()
        self.left: dict[str, float] = {}
        self.steward: StewardRun | None = None
        if led:
            self.steward = StewardRun(folder, broker.bootstrap, self.name)
            stack.callback(self.steward.end)
            self.steward.has("leader", 60)
        here = (broker, self.name, topic)
        usual = {**SETTINGS, **(USUAL if slow else MANY)}
        self._java = JavaMembers(self.log, 0, *here, usual, self.read)
        self._slow = JavaMembers(self.log, 0, *here, {**SETTINGS, **LESS}, self.read)
        for java in (self._java, self._slow):
            stack.callback(java.stop)
        self.present: list[str] = []
        for number in range(MEMBERS):
            self.join(self._slow if number < slow else None)

    def join(self, java: JavaMembers | None = None) -> None:
        name = f"m-{len(self.left) + len(self.present)}"
        (java or self._java).start_member(name)
        self.present.append(name)

    def leave(self) -> None:
        name = self.present.pop(len(self.present) // 2)
        self.left[name] = time.time()
        self._java.stop_member(name)

    def shared(self) -> bool:
        return self.log.shared(self.every, set(self.present))

    def ages_s(self, since: float) -> tuple[float, float]:
        """Median and 90th percentile of how old records were when a member got them."""
        ages: list[Ints] = [ages for at, ages in list(self.read.ages) if at >= since]
        p50, p90 = np.percentile(np.concatenate(ages), (50, 90)) / 1000
        return round(float(p50), 2), round(float(p90), 2)

    def used(self) -> tuple[float, float]:
        """The steward's CPU time in seconds and the most memory that it had, in MiB."""
        if self.steward is None:
            return 0.0, 0.0
        process = Path(f"/proc/{self.steward.process.pid}")
        peak = process.joinpath("status").read_text("utf-8").partition("VmHWM:")[2].split()[0]
        return cpu_seconds(process.joinpath("stat").read_text("utf-8")), int(peak) / 1024


class BigStage:
    """The group, its twin and the records of both."""

    def __init__(
        self, broker: Broker, folder: Path, topic: str, slow: int, stack: ExitStack
    ) -> None:
        make_topic(admin_of(broker.bootstrap), topic, PARTITIONS)
        self.groups = [BigGroup(broker, folder, topic, led, slow, stack) for led in (True, False)]
        until(lambda: all(group.shared() for group in self.groups), PATIENCE_S)
        rate = STEADY_RATE if slow else RATE
        self.flow = Traffic(broker.bootstrap, topic, PARTITIONS, rate)
        stack.enter_context(self.flow)
        within(lambda: False, LOOK_S)
        self.began = time.time()
        self._cpu_s = [group.used()[0] for group in self.groups]

    def changed(self, seconds: float) -> list[dict[str, Any]]:
        """Follow a change that began now; return what it cost each group."""
        began = time.time()
        twice = [group.read.twice for group in self.groups]
        settled = {}

        def over() -> bool:
            for group in self.groups:
                if group.name not in settled and group.shared():
                    settled[group.name] = time.time()
            return len(settled) == len(self.groups) and time.time() >= began + seconds

        within(over, PATIENCE_S, 0.5)
        ended = time.time()
        found = []
        for group, before in zip(self.groups, twice, strict=True):
            figures = asdict(change_figures(group.log.events, began, ended, group.left))
            last = max((event.at for event in group.log.since(began)), default=began)
            median, p90 = group.ages_s(began)
            found.append({
                **figures,
                "complete": group.name in settled, "quiet_after_s": round(last - began, 1),
                "twice": group.read.twice - before, "delay_p50_s": median, "delay_p90_s": p90,
            })  # fmt: skip
        return found

    def used(self) -> dict[str, float]:
        cpu_s, memory = self.groups[0].used()
        percent = 100 * (cpu_s - self._cpu_s[0]) / (time.time() - self.began)
        return {"cpu_percent": round(percent, 2), "memory_mib": round(memory, 1)}
