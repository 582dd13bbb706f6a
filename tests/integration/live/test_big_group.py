"""120 members on 1,200 partitions that take seconds for each poll, led and beside a twin that reads
the same records with its own assignor."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from benchmarks.kafka_broker import Broker
from benchmarks.live.assignment_log import Log, change_figures
from benchmarks.live.load_side import cpu_seconds
from benchmarks.live.members import JavaMembers, OffsetsRead
from benchmarks.live.processes import JAVA_ASSIGNORS
from benchmarks.live.run import OUT, keep
from benchmarks.live.steward_run import StewardRun
from benchmarks.live.topics import Traffic, admin_of, make_topic
from benchmarks.waiting import until, within
from equilag.domain.columns import Ints

pytestmark = [pytest.mark.live, pytest.mark.broker]

MEMBERS: Final = 120
PARTITIONS: Final = 1200
RATE: Final = 1200.0
STEADY_RATE: Final = 240.0
"""Records a second, the same in every partition."""
SOAK_S: Final = float(os.environ.get("LIVE_SOAK_S", "300"))
STEADY_S: Final = 6 * SOAK_S
WINDOW_S: Final = SOAK_S / 4
"""A change is followed for so long, and until every partition has an owner."""
TIMES: Final = 3
"""How often members leave and join."""
AT_ONCE: Final = 5
SLOW: Final = 20
PATIENCE_S: Final = 300.0
LOOK_S: Final = 10.0
MANY: Final = {"work.ms": "1000-5000", "max.poll.records": 500}
USUAL: Final = {"work.ms": "1000+333", "max.poll.records": 15}
LESS: Final = {"work.ms": "1000+833", "max.poll.records": 6}
"""Three records a second, and a slow member's 1.2: a poll takes 5 s at most."""
SETTINGS: Final[dict[str, str | int]] = {
    "partition.assignment.strategy": JAVA_ASSIGNORS["cooperative-sticky"],
    "enable.auto.commit": "true",
    "session.timeout.ms": 45_000,
    "heartbeat.interval.ms": 3000,
    "metadata.max.age.ms": 300_000,
}
"""Java's defaults, but for the assignor."""
MORE: Final = 1.1
"""What joins and leaves may cost, in parts of what they cost the twin."""
LAG_SHARE: Final = 1 / 3
CPU_PERCENT: Final = 5.0
MEMORY_MIB: Final = 150.0


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


@pytest.fixture
def logs(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    for log in tmp_path.glob("steward-*.log"):
        shutil.copy(log, OUT / f"{tmp_path.name}.log")


def test_members_leave_and_join(broker: Broker, logs: Path) -> None:
    with ExitStack() as stack:
        stage = BigStage(broker, logs, "big-changes", 0, stack)
        steps: dict[str, list[Any]] = {"before": [stage.changed(WINDOW_S)]}
        for _ in range(TIMES):
            for name, act in (("five leave", BigGroup.leave), ("five join", BigGroup.join)):
                for group in stage.groups:
                    for _ in range(AT_ONCE):
                        act(group)
                steps.setdefault(name, []).append(stage.changed(WINDOW_S))
                keep("big-changes", {"steps": steps, "full": WINDOW_S >= 60, **stage.used()})
        used = stage.used()
    for name in ("unowned_partition_s", "twice", "delay_p90_s"):
        led, alone = (
            sum(each[side][name] for step in steps.values() for each in step) for side in (0, 1)
        )
        assert led <= MORE * alone, (name, led, alone)
    assert used["cpu_percent"] <= CPU_PERCENT
    assert used["memory_mib"] <= MEMORY_MIB


def test_slow_members_in_steady_traffic(broker: Broker, logs: Path) -> None:
    with ExitStack() as stack:
        stage = BigStage(broker, logs, "big-steady", SLOW, stack)
        lags: list[list[int]] = [[], []]

        def look() -> bool:
            for group, theirs in zip(stage.groups, lags, strict=True):
                theirs.append(group.read.unread(stage.flow.acked()))
            return False

        within(look, STEADY_S, LOOK_S)
        figures = [
            {"lag_mean": round(float(np.mean(theirs))), "lag_end": theirs[-1], **costs}
            for theirs, costs in zip(lags, stage.changed(0.0), strict=True)
        ]
        used = stage.used()
        what = {"seconds": STEADY_S, "full": STEADY_S >= 900, "groups": figures, "lags": lags}
        keep("big-steady", {**what, **used})
    led, alone = (one["lag_mean"] for one in figures)
    assert led <= LAG_SHARE * alone
    assert used["cpu_percent"] <= CPU_PERCENT
    assert used["memory_mib"] <= MEMORY_MIB
