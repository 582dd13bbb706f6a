"""Two stewards of one group, of which one leads and may fail, beside a twin of the group without
them."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import asdict
from pathlib import Path
from threading import Timer
from typing import Any, Final

from benchmarks.broker_plugin import key_file
from benchmarks.kafka_broker import Broker
from benchmarks.live.assignment_log import Log, change_figures
from benchmarks.live.members import RdMember
from benchmarks.live.processes import KIP_848, protocol_of
from benchmarks.live.steward_run import StewardRun
from benchmarks.live.topics import Traffic, admin_of, make_topic
from benchmarks.waiting import until, within
from equilag.adapters.kafka.client_config import kafka_config, plain_config
from equilag.adapters.kafka.described import Described
from equilag.adapters.kafka.plain.plain_client import PlainClient

TOPIC, GROUP = "t", "pair"
ALONE: Final = "unled"
"""The twin. Its commits are in the same one of the four partitions that the test's brokers have for
them, so that both groups have the same coordinator at all times."""
PARTITIONS: Final = 12
MEMBERS: Final = 4
RATE: Final = 120.0
EVERY: Final = {(TOPIC, number) for number in range(PARTITIONS)}
AFTER_S: Final = 4.0
"""How long effects of a fault may take to show after a steward leads again."""
SESSION_MS: Final = 6000
"""Of the members: when a coordinator dies some of them lose it, and with it their partitions."""
Fault = Callable[[StewardRun], None]


class Pair:
    """A group of librdkafka members with two stewards, as their users run them."""

    def __init__(
        self, brokers: list[Broker], folder: Path, strategy: str, stack: ExitStack
    ) -> None:
        self._servers = ",".join(broker.bootstrap for broker in brokers)
        self._brokers, self._folder, self._stack = brokers, folder, stack
        self._dead: Broker | None = None
        self._fresh_s = 3.0 if strategy == KIP_848 else 1.0
        """The age of an answered heartbeat: every 0.1 s, of carriers every second."""
        self._key = key_file(folder)
        settings: dict[str, Any] = dict(protocol_of(strategy))
        if strategy != KIP_848:
            settings["session_timeout_ms"] = SESSION_MS
        self.log, self.twin = Log(), Log()
        make_topic(admin_of(self._servers), TOPIC, PARTITIONS, len(brokers))
        self.stewards: list[StewardRun] = []
        self._paused: StewardRun | None = None
        self.start()
        until(lambda: self.leader is not None, 60)
        self.start()
        members: list[RdMember] = []
        for log, group in ((self.log, GROUP), (self.twin, ALONE)):
            for number in range(MEMBERS):
                member = RdMember(
                    log, f"rd-{number}", self._servers, group, [TOPIC], None, **settings
                )
                members.append(member)
                stack.callback(member.stop)

        def tell_all() -> None:  # each would wait for the others' part in a rebalance
            for member in members:
                member.stop(wait=False)

        stack.callback(tell_all)
        stack.enter_context(Traffic(self._servers, TOPIC, PARTITIONS, RATE))
        until(self.rests, 60)

    def start(self) -> None:
        options = ("--every", "2s", "--plan-key", self._key)
        run = StewardRun(self._folder, self._servers, GROUP, *options)
        self._stack.callback(run.end)
        self.stewards.append(run)

    def statuses(self) -> list[dict[str, Any]]:
        return [one.status() for one in self.stewards]

    @property
    def leader(self) -> StewardRun | None:
        """The steward that leads and whose heartbeats are answered."""
        return next(
            (
                one for one in self.stewards
                if (status := one.status()).get("role") == "leader"
                and status["last_heartbeat_age_s"] < self._fresh_s
            ),
            None,
        )  # fmt: skip

    def rests(self) -> bool:
        """Whether one steward leads, the other one stands by, and nobody waits for anything."""
        roles = sorted(status.get("role", "") for status in self.statuses())
        return (
            roles == ["leader", "standby"]
            and all(log.shared(EVERY, MEMBERS) for log in (self.log, self.twin))
            and min(self.log.quiet_s(), self.twin.quiet_s()) > 2
        )

    def fails(self, fault: Fault) -> dict[str, Any]:
        """Let the leader fail; return what that cost, once two stewards are at work again."""
        if self._dead is not None:
            self._dead.start_again()
            self._dead = None
        until(self.rests, 120)
        leader = self.leader
        assert leader is not None
        generation, began = leader.status()["generation"], time.time()
        fault(leader)
        leads = within(lambda: self.leader is not None, 60)
        leads_s = time.time() - began
        if leader not in (*self.stewards, self._paused):
            self.start()
        rests = within(self.rests, 120)
        within(lambda: time.time() - began > leads_s + AFTER_S, AFTER_S)
        now = self.leader
        after = generation if now is None else now.status()["generation"]
        led, alone = (
            asdict(change_figures(log.events, began, time.time(), {}))
            for log in (self.log, self.twin)
        )
        return {
            "leads_s": round(leads_s, 2) if leads else None,
            "rests": rests,
            "rebalances": after - generation,
            **led,
            "alone": alone,
        }

    def killed(self, leader: StewardRun) -> None:
        leader.kill()
        self.stewards.remove(leader)

    def ended(self, leader: StewardRun) -> None:
        """As SIGTERM; the next one leads before this one has ended."""
        leader.process.send_signal(signal.SIGTERM)
        self.stewards.remove(leader)

    def paused(self, leader: StewardRun, seconds: float) -> None:
        """Let it go on in the background after so many seconds."""
        leader.process.send_signal(signal.SIGSTOP)
        self.stewards.remove(leader)
        self._paused = leader

        def goes_on() -> None:
            leader.process.send_signal(signal.SIGCONT)
            self._paused = None
            self.stewards.append(leader)

        timer = Timer(seconds, goes_on)
        self._stack.callback(timer.join)
        timer.start()

    def without_coordinator(self, leader: StewardRun, group: str) -> None:
        """The coordinator of a group dies; it is back when the next fault is due."""
        with closing(self._client()) as client:
            node = client.coordinator(group)
        assert isinstance(node, int)
        self._dead = self._brokers[node - 1]
        self._dead.kill()
        within(lambda: False, self._fresh_s)  # until one was due that nobody answers

    def without_broker(self, _: StewardRun, number: int) -> None:
        """As in a rolling restart: a broker stops; it is back when the next fault is due."""
        self._dead = self._brokers[number]
        self._dead.stop()
        within(lambda: False, self._fresh_s)

    def assignor(self) -> str:
        """Of the group, as its coordinator says."""
        with closing(self._client()) as client:
            found = client.describe({GROUP: None})[GROUP]
        assert isinstance(found, Described)
        return found.protocol

    def _client(self) -> PlainClient:
        return PlainClient(plain_config(kafka_config(self._servers)), 8)
