"""A classic group in virtual time, with the steward's own loops or with Kafka's assignor.

Members poll at intervals of their own, notice a rebalance by a heartbeat and join with the poll
after it, as Java's do. Records are a fluid. The steward's monitor loop and answers are the real
ones; of its leader loop this has only what commands make of it.
"""

from __future__ import annotations

import heapq
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final, cast

import numpy as np
import pytest
from support.steward_fakes import FakeMembership, FakeReader, Parts

from equilag.adapters.kafka.consumer_protocol import write_assignment, write_subscription
from equilag.adapters.kafka.described import DescribedMember, TemporarilyUnreadable
from equilag.adapters.kafka.group_reader import GroupReader
from equilag.adapters.kafka.reading import Reading, TopicOffsets
from equilag.live.rebalance.assignments import read_joined_members
from equilag.live.rebalance.decision import decide
from equilag.live.rebalance.joined_members import assignments_now, group_of
from equilag.live.steward.answer_maker import AnswerMaker
from equilag.live.steward.group_membership import GroupMembership, JoinResult
from equilag.live.steward.monitor_loop import MonitorLoop
from equilag.live.steward.shared_state import Command
from equilag.planner.assign import assign

HEARTBEAT_S: Final = 3.0
COMMIT_S: Final = 5.0
STEWARD: Final = "steward-1"


@dataclass(slots=True)
class Polling:
    """One member."""

    poll_s: float
    speed: float
    phase: float
    owned: list[int] = field(default_factory=list)
    """Applied by the member, ascending."""
    fetched: dict[int, float] = field(default_factory=dict)
    """Partition -> where the batch ends that it works on."""
    given: list[int] | None = None
    """An assignment that it has not applied yet."""
    generation: int = -1
    commits_at: float = 0.0
    gone: bool = False


class VirtualGroup:
    """`rates` [P] in records per second; from the start on nobody reads. `led`: by a steward."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, rates: Any, led: bool, seed: int, **options: Any
    ) -> None:
        self.now = 10.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        self.rates = np.asarray(rates, dtype=np.float64)
        self.n = len(self.rates)
        self.seed = np.random.default_rng(seed)
        self.members: dict[str, Polling] = {}
        self.led = led
        self.position = np.zeros(self.n)
        self.committed = np.zeros(self.n)
        self.log_end = np.zeros(self.n)
        self.began = self.now
        self.assigned: dict[str, list[int]] = {}
        """By the coordinator."""
        self.joined: set[str] | None = None
        """Who has joined the rebalance that is under way."""
        self.noticed: dict[str, float] = {}
        self.generation = 0
        self.unowned_s = 0.0
        self.lag_s = 0.0
        """Records that were produced and not processed, times seconds."""
        self.delays: list[tuple[float, float]] = []
        """Seconds of delay, and records that had it."""
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._number = count()
        self._had: dict[int, str] = {}
        """Partition -> its last reader."""
        self.moves = 0
        self._last = self.now
        if led:
            # What the status shows of causes and sizes takes longer than all that is tested here.
            monkeypatch.setattr(MonitorLoop, "_judge", lambda *_: None)
            self._lead(options)

    def _lead(self, options: dict[str, Any]) -> None:
        parts = Parts(**options)
        self.shared, self.state = parts.shared, parts.state
        reader = _Reader(self)
        self.answer_maker = AnswerMaker(self.shared, cast(GroupReader, reader))
        observer = parts.observer(reader)
        self.monitor = MonitorLoop(self.shared, observer, decide, lambda: (True, self.generation))
        self.at(self.now + 5.0, self._observe)

    def at(self, when: float, act: Callable[[], None]) -> None:
        heapq.heappush(self._events, (when, next(self._number), act))

    def run(self, seconds: float) -> None:
        end = self.now + seconds
        while self._events and self._events[0][0] <= end:
            when, _, act = heapq.heappop(self._events)
            self._advance(max(when, self.now))
            act()
        self._advance(end)

    def _advance(self, when: float) -> None:
        free, since = self.n - sum(len(one.owned) for one in self.members.values()), when - self.now
        lag = float((self.log_end - self.position).sum())
        self.unowned_s += free * since
        self.lag_s += since * (lag + float(self.rates.sum()) * since / 2)
        self.log_end += self.rates * since
        self.now = when

    def figures(self) -> dict[str, float]:
        """What has been since the last call."""
        since, self._last = self.now - self._last, self.now
        delay, number = np.array(self.delays or [(0.0, 1.0)]).T
        p90 = float(np.quantile(delay, 0.9, weights=number, method="inverted_cdf"))
        found = {
            "moves": self.moves,
            "unowned": round(self.unowned_s, 1),
            "lag": round(self.lag_s / since, 1),
            "p90": round(p90, 2),
        }
        self.moves, self.unowned_s, self.lag_s, self.delays = 0, 0.0, 0.0, []
        return found

    def join(self, name: str, poll_s: float, speed: float) -> None:
        member = Polling(poll_s, speed, float(self.seed.uniform(0, HEARTBEAT_S)))
        member.commits_at = self.now + COMMIT_S
        self.members[name] = member
        self._begin(name)
        self.at(self.now + float(self.seed.uniform(0, poll_s)), lambda: self._poll(name, member))

    def leave(self, name: str) -> None:
        member = self.members.pop(name)
        member.gone = True
        self.committed[member.owned] = self.position[member.owned]
        self.assigned.pop(name, None)
        self._begin("")

    def _poll(self, name: str, member: Polling) -> None:
        if member.gone:
            return
        for partition in member.owned:
            end = member.fetched.get(partition)
            if end is not None and end > self.position[partition]:
                number = end - self.position[partition]
                middle = (end + self.position[partition]) / 2 / self.rates[partition]
                self.delays.append((self.now - self.began - middle, number))
                self.position[partition] = end
        if self.now >= member.commits_at:
            self.committed[member.owned] = self.position[member.owned]
            member.commits_at = self.now + COMMIT_S
        self._protocol(name, member)
        owned = member.owned
        if owned:
            behind = self.log_end[owned] - self.position[owned]
            most, total = member.speed * member.poll_s, float(behind.sum())
            share = min(1.0, most / total) if total else 1.0
            ends = self.position[owned] + share * behind
            member.fetched = dict(zip(owned, ends.tolist(), strict=True))
        pause = member.poll_s * float(self.seed.uniform(0.9, 1.1))
        self.at(self.now + pause, lambda: self._poll(name, member))

    def _protocol(self, name: str, member: Polling) -> None:
        if member.given is not None:
            lost = sorted(set(member.owned) - set(member.given))
            gained = sorted(set(member.given) - set(member.owned))
            self.committed[lost] = self.position[lost]
            self.position[gained] = self.committed[gained]
            for partition in gained:
                before = self._had.get(partition)
                self.moves += before is not None and before != name and before in self.members
                self._had[partition] = name
            member.owned, member.given = sorted(member.given), None
            member.generation = self.generation
            if lost:
                self._begin(name)
        waits = self.joined is not None and name not in self.joined
        if waits and self.now >= self.noticed.get(name, np.inf):
            self._joins(name)

    def _begin(self, name: str) -> None:
        """A member joins; "" for one that left."""
        if self.joined is None:
            self.joined = set()
            self.noticed = {
                other: self.now + (one.phase - self.now) % HEARTBEAT_S
                for other, one in self.members.items()
            }
            if self.led:
                self.at(self.now + 0.15, lambda: self._joins(STEWARD))
        if name:
            self._joins(name)

    def _joins(self, name: str) -> None:
        if self.joined is None:
            return
        self.joined.add(name)
        if self.joined >= {*self.members, *([STEWARD] if self.led else [])}:
            self.joined = None
            self.generation += 1
            given = self._by_steward() if self.led else self._by_kafka()
            for other, one in self.members.items():
                one.given = sorted(given.get(other, {}).get("t", []))
                self.assigned[other] = one.given

    @property
    def _entries(self) -> tuple[tuple[str, None, bytes], ...]:
        return tuple((name, None, _metadata(one)) for name, one in self.members.items())

    def _by_kafka(self) -> dict[str, dict[str, list[int]]]:
        joined = read_joined_members("cooperative-sticky", self._entries, {})
        group = group_of("g", joined.members, {"t": self.n})
        return assignments_now(group, assign(group, "constrained-sticky").assigned, True)

    def _by_steward(self) -> dict[str, dict[str, list[int]]]:
        leads = JoinResult(self.generation, "cooperative-sticky", True, False, self._entries)
        membership = FakeMembership([], lambda: None)
        self.shared.control.handouts.begin(True)
        self.answer_maker.assign(leads, cast(GroupMembership, membership))
        self.state.set(role="leader")
        return membership.synced[0]

    def _observe(self) -> None:
        self.state.heartbeat_answered()
        self.monitor.run_once()
        while not self.shared.messages.empty():
            message = self.shared.messages.get()
            if message.command is Command.TRIGGER and message.generation == self.generation:
                self._begin(STEWARD)
        self.at(self.now + 5.0, self._observe)


class _Reader(FakeReader):
    """Of the group as it is now."""

    def __init__(self, group: VirtualGroup) -> None:
        super().__init__(sizes={"t": group.n})
        self._seen = group

    def lags(self, group: str, topics: Any, timeout: float | None = None) -> TopicOffsets:
        seen = self._seen
        return TopicOffsets(
            sizes={"t": seen.n},
            log_start={"t": [0] * seen.n},
            log_end={"t": seen.log_end.astype(int).tolist()},
            committed={"t": seen.committed.astype(int).tolist()},
        )

    def read(self, group: str) -> Reading:
        if self._seen.joined is not None:
            raise TemporarilyUnreadable("rebalancing", "PreparingRebalance")
        members = [
            DescribedMember(one, ("t",), owned={"t": self._seen.assigned.get(one, [])})
            for one in self._seen.members
        ]
        state = "classic", "Stable", "cooperative-sticky", "2026-11-22T00:00:00Z"
        return Reading("g", *state, members, self.lags(group, ()))


def _metadata(member: Polling) -> bytes:
    owned = write_assignment({"t": member.owned} if member.owned else {})[2:-4]
    head = b"\x00\x02" + write_subscription(["t"])[2:-4]
    return head + owned + struct.pack(">i", member.generation)
