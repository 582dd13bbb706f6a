"""120 Java members on 1,200 partitions in a KIP-848 group: what a carrier costs, and what a member
that joins or leaves moves."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import pytest
from support.kafka_broker import plugged_brokers

from benchmarks.broker_plugin import KEY
from benchmarks.live.assignment_log import Log, change_figures, given_back
from benchmarks.live.load_side import cpu_seconds
from benchmarks.live.members import JavaMembers
from benchmarks.live.processes import KIP_848_MEMBER
from benchmarks.live.run import keep
from benchmarks.live.steward_run import StewardRun
from benchmarks.live.topics import Traffic, admin_of, make_topic
from benchmarks.waiting import until, within

pytestmark = [pytest.mark.live, pytest.mark.broker]

TOPIC: Final = "big"
WORDS: Final = "120 Java members on 1,200 partitions, heartbeats every 5 s"
MEMBERS, PARTITIONS, RATE = 120, 1200, 600.0
EVERY: Final = {(TOPIC, number) for number in range(PARTITIONS)}
STEADY_S: Final = float(os.environ.get("LIVE_SOAK_S", "300"))
PATIENCE_S: Final = 300.0
HEARTBEAT_S: Final = 5.0
"""Of the members; the brokers' default."""
OWNED_S: Final = 2 * HEARTBEAT_S + 1
CPU_PERCENT: Final = 2.0
"""Of a core, by the busiest thread: one keeps the carriers, one observes."""
SMALL: Final[dict[str, str | int]] = {"fetch.max.bytes": 100_000, "metadata.max.age.ms": 300_000}


def threads_s(steward: StewardRun) -> dict[str, float]:
    """CPU time of each thread of the steward, in seconds."""
    tasks = Path(f"/proc/{steward.process.pid}/task").iterdir()
    return {task.name: cpu_seconds(task.joinpath("stat").read_text("utf-8")) for task in tasks}


def test_a_big_group_is_led(tmp_path: Path) -> None:
    with ExitStack() as stack:
        (broker,) = plugged_brokers(stack, tmp_path)
        make_topic(admin_of(broker.bootstrap), TOPIC, PARTITIONS)
        key = tmp_path / "key"
        key.write_text(KEY, "utf-8")
        log = Log()
        java = JavaMembers(log, MEMBERS, broker, TOPIC, TOPIC, {**KIP_848_MEMBER, **SMALL})
        stack.callback(java.stop)
        steward = StewardRun(tmp_path, broker.bootstrap, TOPIC, "--plan-key", str(key))
        stack.callback(steward.end)
        stack.enter_context(Traffic(broker.bootstrap, TOPIC, PARTITIONS, RATE))

        def settled(members: int) -> bool:
            owned = steward.status().get("plan_step") == "owned"
            return owned and log.shared(EVERY, members) and log.quiet_s() > HEARTBEAT_S

        until(lambda: settled(MEMBERS), PATIENCE_S)
        began, before = time.time(), threads_s(steward)
        within(lambda: False, STEADY_S)
        percent = {
            thread: round(100 * (used - before.get(thread, 0.0)) / (time.time() - began), 2)
            for thread, used in threads_s(steward).items()
        }
        changes = {}
        for name, change, members in (
            ("one joins", lambda: java.start_member("new"), MEMBERS + 1),
            ("one leaves", lambda: java.stop_member("java-7"), MEMBERS),
        ):
            began = time.time()
            change()
            until(lambda: settled(members), PATIENCE_S)  # noqa: B023
            figures = change_figures(log.events, began, time.time(), {"java-7": began})
            changes[name] = {
                **asdict(figures),
                "seconds": round(log.events[-1].at - began, 1),
                "given_back": given_back(log.since(began)),
            }
        found: dict[str, Any] = {"cpu_percent": round(sum(percent.values()), 2), "threads": percent}
        found |= {"words": WORDS, "full": STEADY_S >= 120, "changes": changes}
        keep("carriers-big", found)
    assert max(percent.values()) <= CPU_PERCENT
    for figures in changes.values():
        assert figures["seconds"] <= OWNED_S
        assert (figures["given_back"], figures["two_owners"]) == (0, 0)
