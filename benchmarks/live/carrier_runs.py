"""KIP-848 groups that carriers lead: what 120 members cost, and members that change to KIP-848 one
after the other, and back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from benchmarks.broker_plugin import key_file
from benchmarks.kafka_broker import Broker
from benchmarks.live.assignment_log import ChangeFigures, Log, change_figures, given_back
from benchmarks.live.churn_group import ChurnGroup
from benchmarks.live.load_side import cpu_seconds
from benchmarks.live.members import JavaMembers
from benchmarks.live.processes import KIP_848, KIP_848_MEMBER
from benchmarks.live.steward_run import StewardRun
from benchmarks.live.topics import Traffic, admin_of, make_topic
from benchmarks.waiting import until, within

BIG: Final = "big"
BIG_WORDS: Final = "120 Java members on 1,200 partitions, heartbeats every 5 s"
BIG_MEMBERS, BIG_PARTITIONS, BIG_RATE = 120, 1200, 600.0
BIG_PATIENCE_S: Final = 300.0
HEARTBEAT_S: Final = 5.0
"""Of the members; the brokers' default."""
SMALL: Final[dict[str, str | int]] = {"fetch.max.bytes": 100_000, "metadata.max.age.ms": 300_000}


def threads_s(steward: StewardRun) -> dict[str, float]:
    """CPU time of each thread of the steward, in seconds."""
    tasks = Path(f"/proc/{steward.process.pid}/task").iterdir()
    return {task.name: cpu_seconds(task.joinpath("stat").read_text("utf-8")) for task in tasks}


def big_group(broker: Broker, folder: Path, stack: ExitStack, steady_s: float) -> dict[str, Any]:
    """Percent of a core that each thread of the steward takes in so many steady seconds, and what
    a member that joins or leaves costs."""
    make_topic(admin_of(broker.bootstrap), BIG, BIG_PARTITIONS)
    log, every = Log(), {(BIG, number) for number in range(BIG_PARTITIONS)}
    java = JavaMembers(log, BIG_MEMBERS, broker, BIG, BIG, {**KIP_848_MEMBER, **SMALL})
    stack.callback(java.stop)
    steward = StewardRun(folder, broker.bootstrap, BIG, "--plan-key", key_file(folder))
    stack.callback(steward.end)
    stack.enter_context(Traffic(broker.bootstrap, BIG, BIG_PARTITIONS, BIG_RATE))

    def settled(members: int) -> bool:
        owned = steward.status().get("plan_step") == "owned"
        return owned and log.shared(every, members) and log.quiet_s() > HEARTBEAT_S

    until(lambda: settled(BIG_MEMBERS), BIG_PATIENCE_S)
    began, before = time.time(), threads_s(steward)
    within(lambda: False, steady_s)
    percent = {
        thread: round(100 * (used - before.get(thread, 0.0)) / (time.time() - began), 2)
        for thread, used in threads_s(steward).items()
    }
    changes = {}
    acts: list[tuple[str, Callable[[], None], int]] = [
        ("one joins", lambda: java.start_member("new"), BIG_MEMBERS + 1),
        ("one leaves", lambda: java.stop_member("java-7"), BIG_MEMBERS),
    ]
    for name, change, members in acts:
        began = time.time()
        change()
        until(lambda: settled(members), BIG_PATIENCE_S)  # noqa: B023
        changes[name] = {
            **asdict(change_figures(log.events, began, time.time(), {"java-7": began})),
            "seconds": round(log.events[-1].at - began, 1),
            "given_back": given_back(log.since(began)),
        }
    return {
        "cpu_percent": round(sum(percent.values()), 2), "threads": percent, "words": BIG_WORDS,
        "full": steady_s >= 120, "changes": changes,
    }  # fmt: skip


TOPIC: Final = "t"
PARTITIONS, MEMBERS, RATE = 12, 4, 240.0
EVERY: Final = {(TOPIC, number) for number in range(PARTITIONS)}
KINDS: Final = {"consumer": KIP_848, "classic": "range"}
AWAY_S: Final = 1.5
"""Between the end of a member and the start of its successor."""
QUIET_S: Final = 3.0


def conversions(
    broker: Broker, folder: Path, stack: ExitStack
) -> Iterator[tuple[str, ChangeFigures, ChangeFigures]]:
    """What all members that change to a kind cost the led group and its twin, for each kind.

    Waits at the end until all is read."""
    make_topic(admin_of(broker.bootstrap), TOPIC, PARTITIONS)
    groups = [
        ChurnGroup(broker, name, "librdkafka", "range", [TOPIC], stack) for name in ("led", "alone")
    ]
    steward = groups[0].lead(folder, "--plan-key", key_file(folder))
    flow = stack.enter_context(Traffic(broker.bootstrap, TOPIC, PARTITIONS, RATE))
    for group in groups:
        for _ in range(MEMBERS):
            group.join()
    until(lambda: all(group.settled(EVERY, QUIET_S) for group in groups), 90)
    for kind, strategy in KINDS.items():
        began = time.time()
        for _ in range(MEMBERS):
            for group in groups:
                group.leave(group.present[0])
            time.sleep(AWAY_S)  # how long it is away is part of the run
            for group in groups:
                group.strategy = strategy
                group.join()
            until(lambda: all(group.settled(EVERY, QUIET_S) for group in groups), 90)
        led, alone = (
            change_figures(group.log.events, began, time.time(), group.left) for group in groups
        )
        yield kind, led, alone
        steward.has("leader")
    flow.end()
    until(lambda: groups[0].read.unread(flow.acked()) == 0)
