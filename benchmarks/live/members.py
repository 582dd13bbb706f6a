"""Members of live groups that log what they own and read.

Librdkafka's are threads of this process, Java's are in a JVM.
"""

from __future__ import annotations

import hashlib
import subprocess
import threading
import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
from confluent_kafka import Consumer, KafkaException, TopicPartition

from benchmarks.kafka_broker import CACHE, Broker, NoBroker
from benchmarks.live.assignment_log import Log, Partition
from benchmarks.toolchains import failure, make_once
from equilag.domain.columns import Ints

SOURCES: Final = Path(__file__).parent / "java"
_BUILD_S: Final = 300
_STOP_S: Final = 20
CLASSIC: Final = {"session.timeout.ms": 6000, "heartbeat.interval.ms": 300}
"""In a KIP-848 group brokers set both."""
QUICK: Final = {
    "auto.offset.reset": "earliest",
    "topic.metadata.refresh.interval.ms": 2000,
    "fetch.wait.max.ms": 50,
    "reconnect.backoff.max.ms": 1000,  # as Java has it; 10 s are longer than a session
}


class RdMember:
    """A librdkafka consumer on a thread, started at once. `rate` is the records per second that it
    can process; None for no limit, 0 for a member that reads nothing. Members may share `read`."""

    def __init__(
        self,
        log: Log,
        name: str,
        bootstrap: str,
        group: str,
        topics: Sequence[str],
        rate: float | None = 0,
        read: OffsetsRead | None = None,
        **settings: Any,
    ) -> None:
        self.name = name
        self.read = read or OffsetsRead()
        self._log = log
        self._rate = rate
        self._stop = threading.Event()
        self._topics = list(topics)
        dotted = {key.replace("_", "."): value for key, value in settings.items()}
        self._consumer = Consumer(
            {
                "bootstrap.servers": bootstrap,
                "group.id": group,
                "client.id": name,
                "enable.auto.commit": bool(rate is None or rate),
                "auto.commit.interval.ms": 500,
                "enable.auto.offset.store": False,  # it would be committed before it is noted
                "log_level": 0,
                **({} if dotted.get("group.protocol") == "consumer" else CLASSIC),
                **QUICK,
                **dotted,
            }
        )
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def stop(self, wait: bool = True) -> None:
        """Leave the group."""
        self._stop.set()
        if wait:
            self._thread.join(_STOP_S)

    def _run(self) -> None:
        consumer = self._consumer
        consumer.subscribe(
            self._topics,
            on_assign=lambda _, tps: self._log.add(self.name, "assign", _pairs(tps)),
            on_revoke=lambda _, tps: self._log.add(self.name, "revoke", _pairs(tps)),
            on_lost=lambda _, tps: self._log.add(self.name, "lost", _pairs(tps)),
        )
        while not self._stop.is_set():
            with suppress(KafkaException):  # such as a broker that is down
                self._work(consumer)
        with suppress(KafkaException):
            consumer.close()
        self._log.add(self.name, "closed")

    def _work(self, consumer: Consumer) -> None:
        if self._rate == 0:
            assigned = consumer.assignment()
            if assigned:
                consumer.pause(assigned)
            consumer.poll(0.05)
            return
        began = time.monotonic()
        most = 500 if self._rate is None else max(1, int(self._rate * 0.1))
        for message in consumer.consume(most, 0.1):
            topic, partition, offset = message.topic(), message.partition(), message.offset()
            if message.error() or topic is None or partition is None or offset is None:
                continue
            self.read.add((topic, partition), offset, offset)
            with suppress(KafkaException):  # no longer its own
                consumer.store_offsets(message)
        if self._rate is not None:
            self._stop.wait(max(0.0, 0.1 - (time.monotonic() - began)))


def _pairs(partitions: Sequence[TopicPartition]) -> list[Partition]:
    return [(one.topic, one.partition) for one in partitions]


class JavaMembers:
    """`number` Java consumers in one JVM, called java-0 and so on. `topics` are separated by
    commas, or a pattern after "~". With `enable.auto.commit` they note in `read` what they read.
    Raises NoBroker if the program cannot be compiled."""

    def __init__(
        self,
        log: Log,
        number: int,
        broker: Broker,
        group: str,
        topics: str,
        settings: Mapping[str, str | int],
        read: OffsetsRead | None = None,
    ) -> None:
        own: dict[str, str | int] = {
            "bootstrap.servers": broker.bootstrap,
            "group.id": group,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": "false",
            "max.poll.records": 1,
            "metadata.max.age.ms": 2000,
            **settings,
        }
        if own.get("group.protocol") != "consumer":
            own = {**CLASSIC, **own}
        command = ["java", "-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        command += ["-Dorg.slf4j.simpleLogger.defaultLogLevel=error"]
        command += ["-cp", f"{_classes()}:{broker.lib}/*", "equilag.tests.Members"]
        command += [str(number), topics, *(f"{key}={value}" for key, value in own.items())]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.reader = listening(self.process, log, read)

    def start_member(self, name: str, instance: str = "") -> None:
        """Start one more member; `{instance}` in the settings becomes `instance`."""
        self._say(f"start {name} {instance}")

    def stop_member(self, name: str) -> None:
        """Close one member; does not wait for it."""
        self._say(f"stop {name}")

    def _say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()

    def stop(self) -> None:
        """Make all members leave the group."""
        end_by_input(self.process)
        self.reader.join(_STOP_S)


def end_by_input(process: subprocess.Popen[bytes]) -> None:
    """Close its standard input and wait for its end; kill it if that takes long."""
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.close()
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _classes() -> Path:
    """The compiled program, made once for each version of its sources."""
    files = sorted(path for path in SOURCES.rglob("*") if path.is_file())
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]
    built = CACHE.parent / "java-members" / digest

    def build(folder: Path) -> None:
        pom = SOURCES / "pom.xml"
        command = ["mvn", "-B", "-q", "-f", str(pom), f"-Dout={folder}", "compile"]
        problem = failure("Maven", "compile the Java members", command, folder, _BUILD_S)
        if problem is not None:
            raise NoBroker(problem)

    make_once(built, build)
    return built / "classes"


class OffsetsRead:
    """The offsets that members read, as disjoint runs by partition; several threads may write."""

    def __init__(self) -> None:
        self._runs: dict[Partition, list[tuple[int, int]]] = defaultdict(list)
        """Partition -> (first, last), ascending, neither overlapping nor adjacent."""
        self._lock = threading.Lock()
        self.records = 0
        """Records read, those read again included."""
        self.ages: list[tuple[float, Ints]] = []
        """When a member got records, and how many milliseconds old they were, if it says so."""

    def add(self, partition: Partition, first: int, last: int) -> None:
        with self._lock:
            self.records += last - first + 1
            runs = self._runs[partition]
            at = bisect_left(runs, first - 1, key=lambda run: run[1])
            while at < len(runs) and runs[at][0] <= last + 1:
                first, last = min(first, runs[at][0]), max(last, runs[at][1])
                del runs[at]
            runs.insert(at, (first, last))

    @property
    def twice(self) -> int:
        """Records that were read once more."""
        with self._lock:
            runs = [run for each in self._runs.values() for run in each]
            return self.records - sum(last - first + 1 for first, last in runs)

    def unread_by_partition(self, produced: Mapping[Partition, int]) -> dict[Partition, int]:
        """Records that nobody has read, of so many from offset 0 on in each partition."""
        with self._lock:
            return {
                partition: number
                - sum(
                    min(last, number - 1) - first + 1
                    for first, last in self._runs.get(partition, ())
                    if first < number
                )
                for partition, number in produced.items()
            }

    def unread(self, produced: Mapping[Partition, int]) -> int:
        return sum(self.unread_by_partition(produced).values())


def listening(
    process: subprocess.Popen[bytes], log: Log, read: OffsetsRead | None
) -> threading.Thread:
    """A thread that notes what members in another process print until its end: lines of
    `MILLISECONDS MEMBER WHAT [PARTITION,…]`. One on what was read has PARTITION:FIRST:LAST."""

    records = OffsetsRead() if read is None else read

    def listen() -> None:
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                if line.endswith(b"\n"):  # not the torn last line of a process that was killed
                    _note(line.decode(), log, records)

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    return thread


def _note(line: str, log: Log, read: OffsetsRead) -> None:
    at, member, what, *rest = line.split()
    names = rest[0].split(",") if rest and what != "failed" else []
    if what == "ages":
        read.ages.append((int(at) / 1000, np.array(names, np.int64)))
        return
    if what != "read":
        partitions = [_partition(name) for name in names]
        log.add(member, what, partitions, int(at) / 1000)  # type: ignore[arg-type]
        return
    for name in names:
        partition, first, last = name.split(":")
        read.add(_partition(partition), int(first), int(last))


def _partition(name: str) -> Partition:
    topic, _, number = name.rpartition("-")
    return topic, int(number)
