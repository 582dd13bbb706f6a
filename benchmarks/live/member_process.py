"""One member of a group, as a program; its arguments are the client and its settings as JSON.

Each event is a line on standard output, as of the Java members (`members.listening`). What was read
is printed before it can be committed, so that a member that is killed has committed nothing that
it did not report. The member leaves when standard input ends.
"""

from __future__ import annotations

import asyncio
import faulthandler
import json
import logging
import signal
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, Final, cast

SESSION_MS: Final = 6000
HEARTBEAT_MS: Final = 300
COMMIT_S: Final = 0.5
_METADATA_MS: Final = 2000

Record = tuple[str, int, int]
"""Topic, partition, offset."""


class Speaker:
    """Prints the lines of one member."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.stopped = threading.Event()
        self._lock = threading.Lock()
        threading.Thread(target=self._listen, daemon=True).start()

    def event(self, what: str, partitions: Iterable[tuple[str, int]] = ()) -> None:
        self._print(what, ",".join(f"{topic}-{number}" for topic, number in partitions))

    def read(self, records: Iterable[Record]) -> None:
        listed = ",".join(f"{topic}-{number}:{a}:{b}" for topic, number, a, b in runs_of(records))
        if listed:
            self._print("read", listed)

    def failed(self, error: BaseException) -> None:
        self._print("failed", "_".join(repr(error).split()))

    def _print(self, what: str, rest: str) -> None:
        with self._lock:
            sys.stdout.write(f"{int(time.time() * 1000)} {self.name} {what} {rest}\n")
            sys.stdout.flush()

    def _listen(self) -> None:
        sys.stdin.read()
        self.stopped.set()


def runs_of(records: Iterable[Record]) -> list[tuple[str, int, int, int]]:
    """Return runs of offsets: topic, partition, first, last. A partition that is lost and got back
    may start at an earlier offset."""
    runs: dict[tuple[str, int], list[list[int]]] = {}
    for topic, number, offset in records:
        theirs = runs.setdefault((topic, number), [])
        if theirs and theirs[-1][1] == offset - 1:
            theirs[-1][1] = offset
        else:
            theirs.append([offset, offset])
    return [(*place, first, last) for place, theirs in runs.items() for first, last in theirs]


def librdkafka(told: Speaker, settings: Mapping[str, Any]) -> None:
    from benchmarks.live.members import RdMember
    from benchmarks.live.processes import protocol_of

    log = SimpleNamespace(add=lambda _, what, pairs=(): told.event(what, pairs))
    read = SimpleNamespace(add=lambda place, first, _: told.read([(*place, first)]))
    member = RdMember(
        cast(Any, log), told.name, settings["bootstrap"], settings["group"], [settings["topic"]],
        None, cast(Any, read), **protocol_of(settings["strategy"]),
    )  # fmt: skip
    told.stopped.wait()
    member.stop()


def kafka_python(told: Speaker, settings: Mapping[str, Any]) -> None:
    from kafka import ConsumerRebalanceListener, KafkaConsumer
    from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
    from kafka.coordinator.assignors.range import RangePartitionAssignor
    from kafka.errors import KafkaError

    class Told(ConsumerRebalanceListener):  # type: ignore[misc]
        def on_partitions_revoked(self, revoked: Any) -> None:
            told.event("revoke", revoked)

        def on_partitions_assigned(self, assigned: Any) -> None:
            told.event("assign", assigned)

        def on_partitions_lost(self, lost: Any) -> None:
            told.event("lost", lost)

    strategies = {"range": RangePartitionAssignor, "cooperative-sticky": CooperativeStickyAssignor}
    consumer = KafkaConsumer(
        bootstrap_servers=settings["bootstrap"],
        group_id=settings["group"],
        client_id=told.name,
        partition_assignment_strategy=[strategies[settings["strategy"]]],
        session_timeout_ms=SESSION_MS,
        heartbeat_interval_ms=HEARTBEAT_MS,
        auto_offset_reset="earliest",
        auto_commit_interval_ms=int(1000 * COMMIT_S),
        metadata_max_age_ms=_METADATA_MS,
        reconnect_backoff_max_ms=1000,
    )
    consumer.subscribe([settings["topic"]], listener=Told())
    while not told.stopped.is_set():
        with suppress(KafkaError):
            polled = consumer.poll(timeout_ms=400)  # longer than the heartbeat interval
            told.read(
                (one.topic, one.partition, record.offset)
                for one, records in polled.items()
                for record in records
            )
    with suppress(KafkaError):
        consumer.close()


async def aio_kafka(told: Speaker, settings: Mapping[str, Any]) -> None:
    from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener
    from aiokafka.coordinator.assignors.range import RangePartitionAssignor
    from aiokafka.errors import IllegalStateError, KafkaError

    class Told(ConsumerRebalanceListener):  # type: ignore[misc]
        async def on_partitions_revoked(self, revoked: Any) -> None:
            told.event("revoke", revoked)

        async def on_partitions_assigned(self, assigned: Any) -> None:
            told.event("assign", assigned)

    assert settings["strategy"] == "range", "aiokafka has no cooperative protocol"
    consumer = AIOKafkaConsumer(
        bootstrap_servers=settings["bootstrap"],
        group_id=settings["group"],
        client_id=told.name,
        partition_assignment_strategy=(RangePartitionAssignor,),
        session_timeout_ms=SESSION_MS,
        heartbeat_interval_ms=HEARTBEAT_MS,
        auto_offset_reset="earliest",
        enable_auto_commit=False,  # it would commit what is not yet reported
        metadata_max_age_ms=_METADATA_MS,
    )
    consumer.subscribe([settings["topic"]], listener=Told())
    await consumer.start()
    committed = time.monotonic()
    while not told.stopped.is_set():
        with suppress(KafkaError, IllegalStateError):
            polled = await consumer.getmany(timeout_ms=200)
            told.read(
                (one.topic, one.partition, record.offset)
                for one, records in polled.items()
                for record in records
            )
            if time.monotonic() - committed >= COMMIT_S:
                committed = time.monotonic()
                await consumer.commit()
    with suppress(KafkaError):
        await consumer.stop()


def main() -> int:
    client, settings = sys.argv[1], json.loads(sys.argv[2])
    faulthandler.register(signal.SIGUSR1)  # to see where a member is stuck
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s %(message)s")
    told = Speaker(settings["name"])
    try:
        if client == "librdkafka":
            librdkafka(told, settings)
        elif client == "kafka-python":
            kafka_python(told, settings)
        else:
            asyncio.run(aio_kafka(told, settings))
    except Exception as error:  # noqa: BLE001 - whatever ends a member is an event
        told.failed(error)
        return 1
    if client != "librdkafka":  # which has told it
        told.event("closed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
