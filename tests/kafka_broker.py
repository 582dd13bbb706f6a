"""A real Kafka for the tests: one KRaft node on loopback, all its data in a folder of the test.

The jars are fetched with Maven once for each version of `tests/kafka/pom.xml`, into `.cache/kafka/`
in the checkout. Needs Java 17 or newer; Maven only as long as the jars are not there.
"""

from __future__ import annotations

import atexit
import hashlib
import shutil
import socket
import subprocess
import time
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.toolchains import failure, java_missing, make_once, maven

CHECKOUT: Final = Path(__file__).resolve().parent.parent
POM: Final = CHECKOUT / "tests" / "kafka" / "pom.xml"
CACHE: Final = CHECKOUT / ".cache" / "kafka"

_FETCH_S: Final = 300
_START_S: Final = 60
_STOP_S: Final = 20
_STARTED: Final = "Kafka Server started"
# Small, and quick to start; logs only warnings and the line that is waited for.
_JVM: Final = (
    "-Xmx256m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Dorg.slf4j.simpleLogger.showDateTime=true",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
    "-Dorg.slf4j.simpleLogger.log.kafka.server.KafkaRaftServer=info",
)


class NoBroker(Exception):
    """There can be no broker here, and why: a reason to skip, not to fail."""


@dataclass(slots=True)
class Broker:
    """A running broker; `bootstrap` is its `host:port`, `lib` the folder with Kafka's jars."""

    bootstrap: str
    lib: Path
    folder: Path
    process: subprocess.Popen[bytes]

    @property
    def log(self) -> Path:
        """What the broker printed."""
        return self.folder / "broker.log"

    def stop(self) -> None:
        """End the broker and wait for its end; its data stay. A second call does nothing."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()


def missing() -> str | None:
    """Why there can be no broker here, or None if there can (as far as is known offline)."""
    if problem := java_missing():
        return problem
    if not _lib().is_dir() and shutil.which("mvn") is None:
        return "Maven is not on PATH, and Kafka's jars have not been fetched before"
    return None


def start_broker(folder: Path, settings: Mapping[str, str] | None = None) -> Broker:
    """A broker that serves requests, with new data in `folder`; `settings` go before the own ones.

    Raises NoBroker if Java, Maven or the jars cannot be had, RuntimeError if it does not start.
    """
    if reason := missing():
        raise NoBroker(reason)
    lib = fetch_jars()
    try:
        return _start(folder, lib, settings or {})
    except RuntimeError:  # a free port can be taken by another before it is used
        return _start(folder, lib, settings or {})


def fetch_jars() -> Path:
    """The folder with Kafka's jars, fetched now if need be. Raises NoBroker if Maven fails."""
    lib = _lib()

    def fetch(jars: Path) -> None:
        problem = failure("Maven", "fetch Kafka", maven(POM, jars), jars.parent, _FETCH_S)
        if problem is None and not any(jars.glob("kafka_2.13-*.jar")):
            problem = "Maven cannot fetch Kafka: it says nothing"
        if problem is not None:
            raise NoBroker(problem)

    make_once(lib, fetch)
    return lib


def _lib() -> Path:
    return CACHE / hashlib.sha256(POM.read_bytes()).hexdigest()[:16]


def _start(folder: Path, lib: Path, settings: Mapping[str, str]) -> Broker:
    data = folder / "data"
    if data.exists():
        shutil.rmtree(data)
    data.mkdir(parents=True)
    client, controller = _free_ports(2)
    file = folder / "server.properties"
    lines = {**_settings(client, controller, data), **settings}
    file.write_text("".join(f"{key}={value}\n" for key, value in lines.items()), "utf-8")
    java = ["java", *_JVM, "-cp", f"{lib}/*"]
    cluster = urlsafe_b64encode(uuid.uuid4().bytes).rstrip(b"=").decode()
    # A leading dash would be taken for an option.
    form = ["kafka.tools.StorageTool", "format", f"--cluster-id={cluster}", "-c", str(file)]
    done = subprocess.run([*java, *form], capture_output=True, timeout=_START_S, check=False)
    if done.returncode:
        raise RuntimeError(f"format failed: {(done.stdout + done.stderr).decode()[-2000:]}")
    log = folder / "broker.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*java, "kafka.Kafka", str(file)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    broker = Broker(f"127.0.0.1:{client}", lib, folder, process)
    atexit.register(broker.stop)  # for a run that is interrupted
    give_up = time.monotonic() + _START_S
    while _STARTED not in log.read_text("utf-8", errors="replace"):
        if process.poll() is not None or time.monotonic() > give_up:
            broker.stop()
            raise RuntimeError(f"Kafka did not start: {log.read_text('utf-8')[-2000:]}")
        time.sleep(0.05)
    return broker


def _free_ports(number: int) -> list[int]:
    """Ports that nobody listens on, all different."""
    sockets = [socket.socket() for _ in range(number)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def _settings(client: int, controller: int, data: Path) -> dict[str, str]:
    """One node that is broker and controller, without any waiting that tests have no use for."""
    return {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@127.0.0.1:{controller}",
        "listeners": f"PLAINTEXT://127.0.0.1:{client},CONTROLLER://127.0.0.1:{controller}",
        "advertised.listeners": f"PLAINTEXT://127.0.0.1:{client}",
        "controller.listener.names": "CONTROLLER",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "log.dirs": str(data),
        "auto.create.topics.enable": "false",
        "broker.rack": "here",
        "offsets.topic.replication.factor": "1",
        "offsets.topic.num.partitions": "4",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "transaction.state.log.num.partitions": "1",
        "share.coordinator.state.topic.replication.factor": "1",
        "share.coordinator.state.topic.min.isr": "1",
        "share.coordinator.state.topic.num.partitions": "1",
        "group.initial.rebalance.delay.ms": "0",
        "group.min.session.timeout.ms": "1000",
        "group.consumer.min.heartbeat.interval.ms": "200",
        "group.consumer.heartbeat.interval.ms": "300",
        "log.cleaner.dedupe.buffer.size": "4194304",
    }
