"""Faults of live groups, one after another: each kind once, then random ones from a seed."""

from __future__ import annotations

import json
import random
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from benchmarks.kafka_broker import Broker
from benchmarks.live.fault_group import FaultGroup
from benchmarks.live.processes import SESSION_S
from benchmarks.live.steward_run import StewardRun
from benchmarks.waiting import within

OUTAGES_S: Final = (4.0, 16.0, 52.0)
"""Of the only broker: within a member's session, beyond it, and beyond a rebalance's timeouts."""
PAUSE_S: Final = 2.0
"""A member that stops for so long keeps its session."""
HANG_S: Final = SESSION_S + 4.0
STEWARD_AWAY_S: Final = 14.0
"""Longer than the election's session of 6 s."""
PATIENCE_S: Final = 120.0
"""After that a group counts as not settled, and the next fault follows."""
LOOK_S: Final = 0.2
JOIN_SHARE: Final = 0.6
"""Of the random steps, while somebody is missing: a member joins."""

Fault = Callable[["FaultScene"], None]


@dataclass
class FaultScene:
    """Groups on one broker, and what happened to them."""

    broker: Broker
    groups: list[FaultGroup]
    seed: int
    chance: random.Random = field(init=False)
    """Of the kinds of faults."""
    began: float = field(default_factory=time.time)
    steps: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)

    @property
    def same(self) -> random.Random:
        """Chooses the same in each group of a step, as long as a group and its twin have as many
        members."""
        return random.Random(f"{self.seed}-{len(self.steps)}")

    @property
    def led(self) -> list[FaultGroup]:
        return [group for group in self.groups if group.led]

    def run(self, kinds: Sequence[str], seconds: float, progress: Path) -> None:
        """Each of these kinds once, then random ones until the time is up. `progress` gets a line
        of JSON for each."""
        end = time.monotonic() + seconds
        self._settle()
        for kind in self._order(kinds):
            if time.monotonic() >= end:
                break
            began = time.time()
            FAULTS[kind](self)
            self.steps.append({"kind": kind, "at_s": round(began - self.began, 1)})
            self.steps[-1]["groups"] = self._settle()
            with progress.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(self.steps[-1]) + "\n")

    def _order(self, kinds: Sequence[str]) -> Iterator[str]:
        yield from kinds
        while True:
            joins = "a member joins" in kinds and any(group.missing() for group in self.groups)
            few = min(len(group.members) for group in self.groups) < 2  # one may not be taken
            if joins and (few or self.chance.random() < JOIN_SHARE):
                yield "a member joins"
            else:
                yield self.chance.choice(kinds)

    def _settle(self) -> dict[str, dict[str, Any]]:
        """Wait until all groups are as they should be. Return the seconds that each took from now
        on; None for what did not happen in time."""
        healed = time.time()
        found: dict[str, dict[str, Any]] = {
            group.name: {"role": "", "role_s": None, "shared_s": None, "read_s": None}
            for group in self.groups
        }

        def healthy() -> bool:
            for group in self.groups:
                group.note_lost(round(time.time() - self.began, 1))
                _look(group, found[group.name], time.time() - healed)
            if not all(one["read_s"] is not None and one["role"] for one in found.values()):
                return False
            return all(group.guarded() for group in self.groups)

        within(healthy, PATIENCE_S, LOOK_S)
        for group in self.groups:
            if found[group.name]["read_s"] is None:
                at = round(time.time() - self.began, 1)
                found[group.name]["stuck"] = group.end_stuck(at)
        return found

    def two_owners(self) -> dict[str, list[dict[str, Any]]]:
        """Group -> times with two owners, with the fault before; but for members that hung for
        good, which cannot know that they were expelled."""
        return {
            group.name: [
                {
                    "kind": self._kind_at(one.begin),
                    "at_s": round(one.begin - self.began, 1),
                    "partition": one.partition[1],
                    "members": list(one.members),
                    "seconds": round(one.end - one.begin, 3),
                }
                for one in group.log.twice()
                if not {stuck["what"] for stuck in group.stuck} & set(one.members)
            ]
            for group in self.groups
        }

    def _kind_at(self, at: float) -> str:
        before = [step["kind"] for step in self.steps if step["at_s"] <= at - self.began]
        return str(before[-1]) if before else "the start"


def _look(group: FaultGroup, found: dict[str, Any], seconds: float) -> None:
    """Note when the role, the shares and the records were first as they should be."""
    if not found["role"] and (role := group.role()):
        found["role"], found["role_s"] = role, round(seconds, 1)
    if found["read_s"] is None and group.shared():
        if found["shared_s"] is None:
            found["shared_s"] = round(seconds, 1)
        if group.read_again():
            found["read_s"] = round(seconds, 1)


def _member_killed(scene: FaultScene) -> None:
    for group in scene.groups:
        group.take(scene.same.choice(group.members)).kill()


def _member_leaves(scene: FaultScene) -> None:
    for group in scene.groups:
        group.take(scene.same.choice(group.members)).stop()


def _member_joins(scene: FaultScene) -> None:
    for group in scene.groups:
        if missing := group.missing():
            group.join(scene.same.choice(missing))


def _member_pauses(scene: FaultScene) -> None:
    paused = [scene.same.choice(group.members) for group in scene.groups]
    for member in paused:
        member.hang()
    time.sleep(PAUSE_S)
    for member in paused:
        member.wake()


def _member_hangs(scene: FaultScene) -> None:
    hung = [scene.same.choice(group.members) for group in scene.groups]
    for member in hung:
        member.hang()
        member.expelled()
    time.sleep(HANG_S)
    for member in hung:
        member.wake()


def _steward_killed(scene: FaultScene, away: float) -> None:
    for group in scene.led:
        _taken(group).kill()
    time.sleep(away)
    for group in scene.led:
        group.start_steward()


def _steward_stopped(scene: FaultScene) -> None:
    for group in scene.led:
        _taken(group).end()
        group.start_steward()


def _steward_paused(scene: FaultScene) -> None:
    paused = [group.steward for group in scene.led]
    for one in paused:
        one.process.send_signal(signal.SIGSTOP)
    time.sleep(STEWARD_AWAY_S)
    for one in paused:
        one.process.send_signal(signal.SIGCONT)


def _taken(group: FaultGroup) -> StewardRun:
    """The steward that leads, no longer counted."""
    steward = group.steward
    group.stewards.remove(steward)
    return steward


def _outage(scene: FaultScene, seconds: float) -> None:
    scene.broker.stop()
    time.sleep(seconds)
    try:
        scene.broker.start_again()
    except RuntimeError:  # somebody had its port
        time.sleep(PAUSE_S)
        scene.broker.start_again()


def _partitions_added(scene: FaultScene) -> None:
    for group in scene.groups:
        group.widen()


FAULTS: Final[dict[str, Fault]] = {
    "a member is killed (kill -9)": _member_killed,
    "a member joins": _member_joins,
    f"a member hangs for {HANG_S:.0f} s": _member_hangs,
    f"a member pauses for {PAUSE_S:.0f} s": _member_pauses,
    "a member leaves": _member_leaves,
    "the steward is killed and back after 1 s": partial(_steward_killed, away=1.0),
    f"the steward is killed and back after {STEWARD_AWAY_S:.0f} s": partial(
        _steward_killed, away=STEWARD_AWAY_S
    ),
    "the steward is stopped and started": _steward_stopped,
    f"the steward pauses for {STEWARD_AWAY_S:.0f} s": _steward_paused,
    "partitions are added": _partitions_added,
    **{f"the only broker is down for {s:.0f} s": partial(_outage, seconds=s) for s in OUTAGES_S},
}
"""Kind -> the fault, which has ended when the function returns."""
ONLY_OUTAGES: Final = tuple(kind for kind in FAULTS if kind.startswith("the only broker"))
