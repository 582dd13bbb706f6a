"""Members that come, go and hang, and a steward that dies, while records flow."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from support.kafka_broker import Broker
from support.live_figures import keep
from support.live_members import JavaMembers, RdMember
from support.live_topics import admin_of, commit, fill, make_topic
from support.live_traffic import Traffic
from support.waiting import until, within

from benchmarks.live.assignment_log import Log
from benchmarks.live.steward_run import StewardRun

pytestmark = [pytest.mark.live, pytest.mark.broker]

SECONDS = float(os.environ.get("EQUILAG_SOAK_S", "300"))
PARTITIONS = 24
QUIET_S = 2.0
"""Without a new assignment for so long, a group is settled."""
QUICKLY = ("--every", "1s", "--confirm", "2", "--cooldown", "10s")


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def shared(log: Log, topic: str, members: int | None = None) -> bool:
    """Has every partition one owner?"""
    owners = log.owners()
    every = {(topic, number) for number in range(PARTITIONS)}
    return (
        set(owners) == every
        and all(len(one) == 1 for one in owners.values())
        and (members is None or len(log.held()) == members)
    )


@pytest.mark.parametrize("strategy", ["cooperative-sticky", "range"])
def test_members_come_and_go(
    broker: Broker, tmp_path: Path, stack: ExitStack, strategy: str
) -> None:
    topic = f"churn-{strategy}"
    make_topic(admin_of(broker.bootstrap), topic, PARTITIONS)
    steward = StewardRun(tmp_path, broker.bootstrap, topic, *QUICKLY)
    stack.callback(steward.end)
    steward.has("leader")
    log, chance = Log(), random.Random(1)
    everybody: list[RdMember] = []
    present: list[RdMember] = []

    def joins() -> None:
        member = RdMember(
            log, f"rd-{len(everybody)}", broker.bootstrap, topic, [topic], None,
            partition_assignment_strategy=strategy,
        )  # fmt: skip
        stack.callback(member.stop)
        everybody.append(member)
        present.append(member)

    for _ in range(6):
        joins()
    until(lambda: shared(log, topic, 6), 60)
    with Traffic(broker.bootstrap, topic, PARTITIONS, 300.0, 60.0, 60.0, 3) as flow:
        end = time.monotonic() + SECONDS
        changes = 0
        while time.monotonic() < end:
            if len(present) < 3 or (len(present) < 10 and chance.random() < 0.5):
                joins()
            else:
                present.pop(chance.randrange(len(present))).stop(wait=False)
            changes += 1
            time.sleep(chance.uniform(0.5, 6.0))  # when members come and go is part of the test
    settling = time.monotonic()
    until(lambda: shared(log, topic, len(present)), 60)
    settled = time.monotonic() - settling

    def not_read() -> int:
        lost = 0
        for number, produced in enumerate(flow.produced.tolist()):
            read: set[int] = set()
            for member in everybody:
                for first, last in member.read[(topic, number)]:
                    read.update(range(first, last + 1))
            lost += produced - len(read)
        return lost

    within(lambda: not not_read(), 5)
    lost = not_read()
    figures = {
        "seconds": SECONDS,
        "joins_and_leaves": changes,
        "records": int(flow.produced.sum()),
        "records_not_read": lost,
        "two_owners": len(log.twice()),
        "settled_after_the_last_s": round(settled, 1),
        "counters": steward.status()["counters"],
    }
    keep(f"churn-{strategy}", figures)
    assert lost == 0
    assert not log.twice()
    assert steward.status()["role"] == "leader"


def test_a_member_hangs(broker: Broker, tmp_path: Path, stack: ExitStack) -> None:
    topic = "hang"
    make_topic(admin_of(broker.bootstrap), topic, PARTITIONS)
    steward = StewardRun(tmp_path, broker.bootstrap, topic, *QUICKLY)
    stack.callback(steward.end)
    steward.has("leader")
    log = Log()
    strategy = "org.apache.kafka.clients.consumer.CooperativeStickyAssignor"
    java = JavaMembers(log, 1, broker, topic, topic, {"partition.assignment.strategy": strategy})
    stack.callback(java.stop)
    stack.callback(java.process.send_signal, signal.SIGCONT)
    for number in range(3):
        member = RdMember(
            log, f"rd-{number}", broker.bootstrap, topic, [topic], None,
            partition_assignment_strategy="cooperative-sticky",
        )  # fmt: skip
        stack.callback(member.stop)
    until(lambda: shared(log, topic, 4), 60)
    java.process.send_signal(signal.SIGSTOP)
    log.add("java-0", "frozen")
    hung = time.monotonic()
    until(lambda: shared(log, topic, 3), 60)
    taken = time.monotonic() - hung
    java.process.send_signal(signal.SIGCONT)
    back = time.monotonic()
    until(lambda: shared(log, topic, 4), 60)
    returned = time.monotonic() - back
    keep(
        "member-hangs",
        {
            "session_of_members_s": 6,
            "others_have_all_s": round(taken, 1),
            "back_in_s": round(returned, 1),
            "two_owners": len(log.twice()),
        },
    )
    assert not log.twice()


def test_the_steward_ends(broker: Broker, tmp_path: Path, stack: ExitStack) -> None:
    """How long members wait for an assignment when it is killed or told to stop; and how long
    nobody notices at all."""
    topic = "ends"
    admin = admin_of(broker.bootstrap)
    make_topic(admin, topic, PARTITIONS)
    fill(broker.bootstrap, topic, [1000 * number for number in range(PARTITIONS)])
    figures: dict[str, object] = {"session_s": 10}
    for way in ("kill", "end"):
        for strategy in ("range", "cooperative-sticky"):
            group, log = f"ends-{way}-{strategy}", Log()
            commit(admin, group, {topic: [0] * PARTITIONS})
            steward = StewardRun(tmp_path, broker.bootstrap, group, *QUICKLY)
            stack.callback(steward.end)
            steward.has("leader")
            members = [
                RdMember(
                    log, f"rd-{number}", broker.bootstrap, group, [topic],
                    partition_assignment_strategy=strategy,
                )
                for number in range(4)
            ]  # fmt: skip
            for member in members:
                stack.callback(member.stop)
            until(lambda log=log: shared(log, topic, 4), 60)  # type: ignore[misc]
            until(lambda log=log: time.time() - log.events[-1].at > QUIET_S, 60)  # type: ignore[misc]
            before = len(log.events)
            began = time.time()
            getattr(steward, way)()
            until(
                lambda log=log, before=before: (
                    len(log.events) > before  # type: ignore[misc]
                    and shared(log, topic, 4)
                ),
                60,
            )
            until(lambda log=log: time.time() - log.events[-1].at > QUIET_S, 60)  # type: ignore[misc]
            new = log.since(began)
            gaps = [b - a for each in log.gaps().values() for a, b in each if a >= began]
            figures[f"{way}-{strategy}"] = {
                "nobody_noticed_s": round(new[0].at - began, 1),
                "new_assignment_s": round(new[-1].at - began, 1),
                "longest_without_owner_s": round(max(gaps, default=0.0), 2),
                "two_owners": len(log.twice()),
            }
            for member in members:
                member.stop()
    keep("steward-ends", figures)
