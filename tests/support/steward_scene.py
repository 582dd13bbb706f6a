"""A group on a real broker with the steward that leads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest

from benchmarks.kafka_broker import Broker, NoBroker
from benchmarks.live.assignment_log import Log, Partition
from benchmarks.live.members import JavaMembers, RdMember
from benchmarks.live.steward_run import StewardRun
from benchmarks.waiting import until

QUICKLY: Final = ("--every", "1s", "--session-timeout", "3s", "--confirm", "2", "--cooldown", "5s")


class Scene:
    """One group: a steward for it, members, and all of them ended with the test."""

    def __init__(self, broker: Broker, group: str, folder: Path, stack: ExitStack) -> None:
        self.broker, self.group, self.log = broker, group, Log()
        self._folder, self._stack = folder, stack

    def steward(self, *options: str, bootstrap: str = "") -> StewardRun:
        servers = bootstrap or self.broker.bootstrap
        run = StewardRun(self._folder, servers, self.group, *QUICKLY, *options)
        self._stack.callback(run.end)
        return run

    def member(
        self, name: str, topics: str | Sequence[str], strategy: str, **settings: object
    ) -> RdMember:
        chosen = {"partition_assignment_strategy": strategy, **settings}
        listed = [topics] if isinstance(topics, str) else topics
        made = RdMember(self.log, name, self.broker.bootstrap, self.group, listed, **chosen)
        self._stack.callback(made.stop)
        return made

    def java(self, number: int, topics: str, **settings: str | int) -> JavaMembers:
        dotted = {key.replace("_", "."): value for key, value in settings.items()}
        try:
            made = JavaMembers(self.log, number, self.broker, self.group, topics, dotted)
        except NoBroker as error:
            pytest.skip(str(error))
        self._stack.callback(made.stop)
        return made

    def ends_with(self, sets: list[set[Partition]], patience: float = 30) -> None:
        """Wait until the members hold these sets of partitions, in any order."""
        expected = sorted(map(sorted, sets))
        until(lambda: sorted(map(sorted, self.log.held().values())) == expected, patience)

    def all_owned(self, topic: str, partitions: int, members: int) -> None:
        """Wait until every partition has one owner and the counts are even."""
        every = {(topic, number) for number in range(partitions)}

        def shared() -> bool:
            counts = [len(theirs) for theirs in self.log.held().values()]
            return self.log.shared(every, members) and max(counts) - min(counts) <= 1

        until(shared)


@pytest.fixture
def scene(
    broker: Broker, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Callable[[], Scene]]:
    with ExitStack() as stack:
        name = request.node.name.replace("[", "-").replace("]", "").replace("_", "-")
        yield lambda: Scene(broker, name, tmp_path, stack)
