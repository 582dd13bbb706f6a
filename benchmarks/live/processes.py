"""Members of all clients in processes of their own, which can be killed and made to hang."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

from benchmarks.kafka_broker import CHECKOUT, Broker
from benchmarks.live.assignment_log import Log
from benchmarks.live.members import JavaMembers, OffsetsRead, end_by_input, listening

JAVA_ASSIGNORS: Final = {
    "range": "org.apache.kafka.clients.consumer.RangeAssignor",
    "cooperative-sticky": "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
}
KIP_848: Final = "KIP-848"
"""As a protocol: its members are assigned by the brokers."""
CLIENTS: Final = {
    "range": ("librdkafka", "java", "kafka-python", "aiokafka"),
    "cooperative-sticky": ("librdkafka", "java", "kafka-python"),
    KIP_848: ("librdkafka", "java"),
}
"""Protocol -> the clients that have it."""
SESSION_S: Final = 6.0
"""Of all members here; the setting in member_process.py and of JavaMembers."""
KIP_848_SESSIONS: Final = {
    "group.consumer.min.session.timeout.ms": f"{1000 * SESSION_S:.0f}",
    "group.consumer.session.timeout.ms": f"{1000 * SESSION_S:.0f}",
    "group.consumer.min.heartbeat.interval.ms": "1000",
    "group.consumer.heartbeat.interval.ms": "1000",
}
"""Settings of brokers, for members of KIP-848 groups and their carriers."""
_PROGRAM: Final = "benchmarks.live.member_process"
_STOP_S: Final = 20


KIP_848_MEMBER: Final = {"group.protocol": "consumer"}


def protocol_of(strategy: str) -> dict[str, str]:
    """Settings of librdkafka members, which have assignors of these names."""
    return KIP_848_MEMBER if strategy == KIP_848 else {"partition.assignment.strategy": strategy}


def committing_java(strategy: str) -> dict[str, str | int]:
    """Settings of Java members that commit twice a second what they read."""
    assignor = JAVA_ASSIGNORS.get(strategy)
    return {
        **({"partition.assignment.strategy": assignor} if assignor else KIP_848_MEMBER),
        "enable.auto.commit": "true",
        "auto.commit.interval.ms": 500,
        "max.poll.records": 500,
    }


class MemberProcess:
    """A member that reads all it gets and commits twice a second, started at once."""

    def __init__(
        self,
        group: tuple[Broker, str, str],
        client: str,
        name: str,
        strategy: str,
        notes: tuple[Log, OffsetsRead],
        folder: Path,
    ) -> None:
        """`group` is the broker, the group's name and its topic. What a member in Python writes to
        standard error is kept in `folder`. Raises NoBroker."""
        self.client, self.name = client, name
        self._log, read = notes
        if client == "java":
            broker, group_id, topic = group
            settings = committing_java(strategy)
            java = JavaMembers(self._log, 0, broker, group_id, topic, settings, read)
            java.start_member(name)
            self.process, self._reader = java.process, java.reader
        else:
            self.process = _python(client, name, group, strategy, folder / f"{name}.log")
            self._reader = listening(self.process, self._log, read)

    @property
    def lives(self) -> bool:
        return self.process.poll() is None

    def kill(self) -> None:
        """As `kill -9`."""
        self.process.kill()
        self.process.wait()
        self._log.add(self.name, "closed")

    def hang(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def expelled(self) -> None:
        """Note that it hangs for longer than its session: it cannot know that it owns nothing."""
        self._log.add(self.name, "frozen")

    def wake(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def say_where(self) -> None:
        """Make a member in Python write the stacks of its threads to its log."""
        if self.client != "java":
            self.process.send_signal(signal.SIGUSR1)

    def stop(self) -> None:
        """Make it leave the group, and wait for its end."""
        if self.lives:
            self.wake()
        end_by_input(self.process)
        self._reader.join(_STOP_S)


def _python(
    client: str, name: str, group: tuple[Broker, str, str], strategy: str, log: Path
) -> subprocess.Popen[bytes]:
    broker, group_id, topic = group
    settings = {
        "name": name,
        "bootstrap": broker.bootstrap,
        "group": group_id,
        "topic": topic,
        "strategy": strategy,
    }
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as errors:
        return subprocess.Popen(
            [sys.executable, "-m", _PROGRAM, client, json.dumps(settings)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=CHECKOUT,
        )
