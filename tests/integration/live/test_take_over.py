"""A steward that takes over a group whose members read all the time."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

import pytest

from benchmarks.kafka_broker import Broker
from benchmarks.live.assignment_log import Log, change_figures
from benchmarks.live.members import JavaMembers, RdMember
from benchmarks.live.processes import committing_java
from benchmarks.live.run import keep
from benchmarks.live.steward_run import StewardRun
from benchmarks.live.topics import Traffic, admin_of, make_topic
from benchmarks.waiting import until

pytestmark = [pytest.mark.live, pytest.mark.broker]

MEMBERS = 8
"""Of each of two clients."""
PARTITIONS = 48
RATE = 480.0
HEARTBEATS_MS = (300, 3000)
"""Of Java and librdkafka members: how late a member may learn that it was removed. The first ones
are back while others, on Kafka's default, do not know it yet."""
SESSION_MS = 10_000
COMMIT_MS = 5000
"""Kafka's default, of librdkafka members: a commit tells a member too that it was removed."""
QUIET_S = 6.0
PATIENCE_S = 90.0


@pytest.mark.parametrize("strategy", ["cooperative-sticky", "range"])
def test_no_two_owners(broker: Broker, tmp_path: Path, strategy: str) -> None:
    topic = group = f"take-over-{strategy}"
    make_topic(admin_of(broker.bootstrap), topic, PARTITIONS)
    log = Log()
    every = {(topic, number) for number in range(PARTITIONS)}

    def shared(quiet: float) -> bool:
        return log.shared(every, 2 * MEMBERS) and log.quiet_s() >= quiet

    with ExitStack() as stack:
        settings: dict[str, str | int] = {
            **committing_java(strategy),
            "heartbeat.interval.ms": HEARTBEATS_MS[0],
            "session.timeout.ms": SESSION_MS,
        }
        java = JavaMembers(log, MEMBERS, broker, group, topic, settings)
        stack.callback(java.stop)
        for number in range(MEMBERS):
            member = RdMember(
                log, f"rd-{number}", broker.bootstrap, group, [topic], None,
                partition_assignment_strategy=strategy, heartbeat_interval_ms=HEARTBEATS_MS[1],
                session_timeout_ms=SESSION_MS, auto_commit_interval_ms=COMMIT_MS,
            )  # fmt: skip
            stack.callback(member.stop)
        stack.enter_context(Traffic(broker.bootstrap, topic, PARTITIONS, RATE))
        until(lambda: shared(QUIET_S), PATIENCE_S)
        began = time.time()
        steward = StewardRun(tmp_path, broker.bootstrap, group, "--every", "2s", "--take-over")
        stack.callback(steward.end)
        steward.has("leader", 60)
        leads = time.time() - began
        until(lambda: len(log.since(began)) > 2 * MEMBERS and shared(QUIET_S), PATIENCE_S)
        figures = asdict(change_figures(log.events, began, time.time(), {}))
        keep(
            f"take-over-{strategy}",
            {
                "members": 2 * MEMBERS,
                "partitions": PARTITIONS,
                "leads_after_s": round(leads, 1),
                "settled_after_s": round(log.events[-1].at - began, 1),
                **figures,
            },
        )
    assert figures["two_owners"] == 0
