"""A real Kafka for tests and benchmarks: KRaft nodes on loopback, all their data in one folder.

The jars are fetched with Maven once for each version of `tests/support/kafka/pom.xml`, into
`.cache/kafka/` in the checkout. Needs Java 17 or newer; Maven only while the jars are not there.
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

CHECKOUT: Final = Path(__file__).resolve().parents[1]
POM: Final = CHECKOUT / "tests" / "support" / "kafka" / "pom.xml"
CACHE: Final = CHECKOUT / ".cache" / "kafka"

_FETCH_S: Final = 300
_START_S: Final = 180
_STOP_S: Final = 20
_LOG: Final = "broker.log"
_PROPERTIES: Final = "server.properties"
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
    """No broker can run here; the message is the reason to skip a test."""


@dataclass(slots=True)
class Broker:
    """A running broker; `bootstrap` is its `host:port`, `lib` the folder with Kafka's jars.

    Clients of `sasl`, another `host:port`, must log in (SASL_PLAINTEXT, SCRAM-SHA-256) and
    may do what ACLs allow; at `bootstrap` every client is a super user.
    """

    bootstrap: str
    sasl: str
    lib: Path
    folder: Path
    process: subprocess.Popen[bytes]

    @property
    def log(self) -> Path:
        """What the broker printed."""
        return self.folder / _LOG

    def stop(self) -> None:
        """End the broker and wait for its end; its data stay. A second call does nothing."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()

    def kill(self) -> None:
        """As if the machine had lost power."""
        self.process.kill()
        self.process.wait()

    def start_again(self) -> None:
        """With the data and the ports that it had. Raises RuntimeError if it does not start."""
        self.process = _launch(self.folder, self.lib)
        self.wait_until_started()

    def wait_until_started(self) -> None:
        """Raises RuntimeError if it does not start in time."""
        give_up = time.monotonic() + _START_S
        while _STARTED not in self.log.read_text("utf-8", errors="replace"):
            if self.process.poll() is not None or time.monotonic() > give_up:
                self.stop()
                raise RuntimeError(f"Kafka did not start: {self.log.read_text('utf-8')[-2000:]}")
            time.sleep(0.05)


def missing() -> str | None:
    """Why there can be no broker here, or None if there can (as far as is known offline)."""
    if problem := java_missing():
        return problem
    if not _lib().is_dir() and shutil.which("mvn") is None:
        return "Maven is not on PATH, and Kafka's jars have not been fetched before"
    return None


def start_broker(
    folder: Path, settings: Mapping[str, str] | None = None, lib: Path | None = None
) -> Broker:
    """A broker that serves requests, with new data in `folder`; `settings` go before the own ones.
    Its jars are those of `lib`, by default of `fetch_jars()`.

    Raises NoBroker if Java, Maven or the jars cannot be had, RuntimeError if it does not start.
    """
    return start_brokers(folder, 1, settings, lib)[0]


def start_brokers(
    folder: Path, number: int, settings: Mapping[str, str] | None = None, lib: Path | None = None
) -> list[Broker]:
    """A cluster of so many brokers, which are controllers too; raises as `start_broker`."""
    if reason := missing():
        raise NoBroker(reason)
    lib = lib or fetch_jars()
    try:
        return _start(folder, lib, number, settings or {})
    except RuntimeError:  # a free port can be taken by another before it is used
        return _start(folder, lib, number, settings or {})


def fetch_jars(version: str = "") -> Path:
    """The folder with the jars of this version of Kafka, by default the POM's; fetched now if need
    be. Raises NoBroker if Maven fails."""
    lib = _lib(version)
    other = [f"-Dkafka.version={version}"] if version else []

    def fetch(jars: Path) -> None:
        command = maven(POM, jars, *other)
        problem = failure("Maven", "fetch Kafka", command, jars.parent, _FETCH_S)
        if problem is None and not any(jars.glob("kafka_2.13-*.jar")):
            problem = "Maven cannot fetch Kafka: it says nothing"
        if problem is not None:
            raise NoBroker(problem)

    make_once(lib, fetch)
    return lib


def _lib(version: str = "") -> Path:
    return CACHE / hashlib.sha256(POM.read_bytes() + version.encode()).hexdigest()[:16]


def _start(folder: Path, lib: Path, number: int, settings: Mapping[str, str]) -> list[Broker]:
    ports = _free_ports(3 * number)
    nodes = [tuple(ports[3 * at : 3 * at + 3]) for at in range(number)]
    voters = ",".join(f"{at}@127.0.0.1:{node[2]}" for at, node in enumerate(nodes, 1))
    cluster = urlsafe_b64encode(uuid.uuid4().bytes).rstrip(b"=").decode()
    brokers = []
    try:
        for at, (client, sasl, controller) in enumerate(nodes, 1):
            home = folder if number == 1 else folder / f"broker-{at}"
            lines = {
                "node.id": str(at),
                "controller.quorum.voters": voters,
                **_settings(client, sasl, controller, home / "data", min(3, number)),
                **settings,
            }
            _format(home, lib, cluster, lines)
            process = _launch(home, lib)
            broker = Broker(f"127.0.0.1:{client}", f"127.0.0.1:{sasl}", lib, home, process)
            atexit.register(broker.stop)  # for a run that is interrupted
            brokers.append(broker)
        for broker in brokers:
            broker.wait_until_started()
    except RuntimeError:
        for broker in brokers:
            broker.stop()
        raise
    return brokers


def _format(folder: Path, lib: Path, cluster: str, lines: Mapping[str, str]) -> None:
    """New and empty data. Raises RuntimeError."""
    data = folder / "data"
    if data.exists():
        shutil.rmtree(data)
    data.mkdir(parents=True)
    file = folder / _PROPERTIES
    file.write_text("".join(f"{key}={value}\n" for key, value in lines.items()), "utf-8")
    # A leading dash would be taken for an option.
    form = ["kafka.tools.StorageTool", "format", f"--cluster-id={cluster}", "-c", str(file)]
    done = subprocess.run([*_java(lib), *form], capture_output=True, timeout=_START_S, check=False)
    if done.returncode:
        raise RuntimeError(f"format failed: {(done.stdout + done.stderr).decode()[-2000:]}")


def _launch(folder: Path, lib: Path) -> subprocess.Popen[bytes]:
    with (folder / _LOG).open("wb") as output:
        return subprocess.Popen(
            [*_java(lib), "kafka.Kafka", str(folder / _PROPERTIES)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            process_group=0,  # Ctrl-C is for us, who stop it after its clients
        )


def _java(lib: Path) -> list[str]:
    return ["java", *_JVM, "-cp", f"{lib}/*"]


def _free_ports(number: int) -> list[int]:
    """Return different ports that are free."""
    sockets = [socket.socket() for _ in range(number)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def _settings(client: int, sasl: int, controller: int, data: Path, copies: int) -> dict[str, str]:
    """A node that is broker and controller, without any waiting that tests have no use for."""
    clients = f"PLAINTEXT://127.0.0.1:{client},SASL://127.0.0.1:{sasl}"
    return {
        "process.roles": "broker,controller",
        "listeners": f"{clients},CONTROLLER://127.0.0.1:{controller}",
        "advertised.listeners": clients,
        "controller.listener.names": "CONTROLLER",
        "listener.security.protocol.map":
            "PLAINTEXT:PLAINTEXT,SASL:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT",
        "sasl.enabled.mechanisms": "SCRAM-SHA-256",
        "listener.name.sasl.scram-sha-256.sasl.jaas.config":
            "org.apache.kafka.common.security.scram.ScramLoginModule required;",
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:ANONYMOUS",
        "log.dirs": str(data),
        "auto.create.topics.enable": "false",
        "broker.rack": "here",
        "offsets.topic.replication.factor": str(copies),
        "offsets.topic.num.partitions": "4",
        "transaction.state.log.replication.factor": str(copies),
        "transaction.state.log.min.isr": "1",
        "transaction.state.log.num.partitions": "1",
        "share.coordinator.state.topic.replication.factor": str(copies),
        "share.coordinator.state.topic.min.isr": "1",
        "share.coordinator.state.topic.num.partitions": "1",
        "group.initial.rebalance.delay.ms": "0",
        "group.min.session.timeout.ms": "1000",
        "group.consumer.min.heartbeat.interval.ms": "200",
        "group.consumer.heartbeat.interval.ms": "300",
        "log.cleaner.dedupe.buffer.size": "4194304",
    }  # fmt: skip
