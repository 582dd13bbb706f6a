"""What joins, leaves and restarts cost a group with next to no lag, with a steward and without."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from benchmarks.kafka_broker import Broker
from benchmarks.live.assignment_log import Partition, change_figures
from benchmarks.live.churn_group import ChurnGroup, Client
from benchmarks.live.membership_table import more_moves
from benchmarks.live.run import keep
from benchmarks.live.topics import Traffic, add_partitions, admin_of, delete_topic, make_topic
from benchmarks.waiting import until

pytestmark = [pytest.mark.live, pytest.mark.broker]

STRATEGIES = ("cooperative-sticky", "range")
MEMBERS = 8
PARTITIONS = 24
ADDED = 8
RATE = 240.0
"""Records a second, the same in every partition: there is nothing to gain from any move."""
QUIET_S = 6.0
"""Without a new assignment for so long, a change is over: the steward judges plans every 2 s, and
wants three observations that agree."""
RESTART_S = 1.5
"""Between the end of a member and its return."""
AWAY_QUIET_S = 1.5
"""Of a rolling restart: before a member is stopped, and before it comes back."""
PATIENCE_S = 90.0
TIMES = 5
"""How often members join and leave: in a group with eager members what one rebalance costs
depends most on the moments of heartbeats."""


class Stage:
    """The same changes in several groups that read the same topics, side by side."""

    def __init__(self, broker: Broker, folder: Path, prefix: str, stack: ExitStack) -> None:
        self.broker, self.folder, self.prefix, self.stack = broker, folder, prefix, stack
        self.admin = admin_of(broker.bootstrap)
        self.sizes: dict[str, int] = {}
        self.groups: list[ChurnGroup] = []
        self.figures: dict[str, dict[str, Any]] = {}
        """Group -> change -> figures."""

    def begin(self, strategy: str, sizes: dict[str, int], **settings: bool) -> None:
        """Make topics and groups, and wait until all partitions are shared."""
        self.sizes = {f"{self.prefix}-{topic}": size for topic, size in sizes.items()}
        for topic, size in self.sizes.items():
            make_topic(self.admin, topic, size)
        clients: tuple[Client, ...] = ("librdkafka", "java")
        for client in clients:
            for led in (True, False):
                name = f"{self.prefix}-{client}-{'steward' if led else 'alone'}"
                group = ChurnGroup(
                    self.broker, name, client, strategy, list(self.sizes), self.stack, **settings
                )
                if led:
                    group.lead(self.folder / name)
                self.groups.append(group)
                self.figures[f"{client}, {'steward' if led else 'alone'}"] = {}
        for group in self.groups:
            for _ in range(MEMBERS):
                group.join()
        self.settle(QUIET_S)

    def expected(self) -> set[Partition]:
        return {(topic, number) for topic, size in self.sizes.items() for number in range(size)}

    def settle(self, quiet: float) -> None:
        """Wait until nothing has happened for `quiet` seconds, from now on."""
        since = time.time()
        until(
            lambda: (
                time.time() - since >= quiet
                and all(one.settled(self.expected(), quiet) for one in self.groups)
            ),
            PATIENCE_S,
        )

    def change(
        self, name: str, act: Callable[[ChurnGroup], object], quiet: float = QUIET_S
    ) -> None:
        """Let `act` change each group, wait until all are settled, and note the figures,
        summed over changes of the same name."""
        self.measure(name, lambda: [act(group) for group in self.groups], quiet)

    def measure(self, name: str, act: Callable[[], object], quiet: float = QUIET_S) -> None:
        topics = set(self.sizes)
        began = time.time()
        act()
        self.settle(quiet)
        ended = time.time()
        for group, figures in zip(self.groups, self.figures.values(), strict=True):
            one = change_figures(
                group.log.events, began, ended, group.left, topics - set(self.sizes)
            )
            new = [event.at for event in group.log.since(began)]
            row = {**asdict(one), "seconds": round(max(new, default=began) - began, 2)}
            before = figures.get(name, dict.fromkeys(row, 0))
            figures[name] = {
                key: max(value, before[key])
                if key.startswith(("longest", "seconds"))
                else round(value + before[key], 2)
                for key, value in row.items()
            }

    def rolling_restart(self) -> None:
        for number in range(MEMBERS):
            instances = [group.leave(group.present[0]) for group in self.groups]
            time.sleep(RESTART_S)  # how long they are away is part of the test
            if not instances[0]:  # others take over meanwhile
                self.settle(AWAY_QUIET_S)
            for group, instance in zip(self.groups, instances, strict=True):
                group.join(instance)
            if number < MEMBERS - 1:
                self.settle(AWAY_QUIET_S)


@pytest.fixture
def stage(broker: Broker, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Stage]:
    name = request.node.name.replace("test_", "").replace("[", "-").replace("]", "")
    with ExitStack() as stack:
        yield Stage(broker, tmp_path, name.replace("_", "-"), stack)


def kept(stage: Stage, name: str, strategy: str) -> None:
    figures: dict[str, Any] = {
        "strategy": strategy,
        "members": MEMBERS,
        "partitions": sum(stage.sizes.values()),
    }
    figures["groups"] = stage.figures
    keep(f"membership-{name}-{strategy}", figures)
    if strategy == "cooperative-sticky":
        twice = {
            (group, change): one["two_owners"]
            for group, changes in stage.figures.items()
            for change, one in changes.items()
            if one["two_owners"]
        }
        assert not twice
    # Nothing is to be gained, so no move is paid for.
    assert more_moves([figures]) == []


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_dynamic(stage: Stage, strategy: str) -> None:
    stage.begin(strategy, {"t": PARTITIONS})
    topic = f"{stage.prefix}-t"
    with Traffic(stage.broker.bootstrap, topic, PARTITIONS, RATE) as flow:
        for _ in range(TIMES):
            stage.change(f"two join, {TIMES} times", lambda one: [one.join(), one.join()])
            stage.change(
                f"two leave, {TIMES} times", lambda one: [one.leave(one.present[2]) for _ in "12"]
            )
        stage.change("a second steward comes", lambda one: one.second_steward_comes(stage.folder))
        stage.change("the second steward goes", ChurnGroup.second_steward_goes)
        stage.measure("rolling restart", stage.rolling_restart)
        stage.change("the steward restarts", lambda group: group.steward_restarts(stage.folder))

        def widen() -> None:
            add_partitions(stage.admin, topic, PARTITIONS + ADDED)
            stage.sizes[topic] = flow.partitions = PARTITIONS + ADDED

        stage.measure("partitions added", widen)
    kept(stage, "dynamic", strategy)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_static(stage: Stage, strategy: str) -> None:
    stage.begin(strategy, {"t": PARTITIONS}, static=True)
    with Traffic(stage.broker.bootstrap, f"{stage.prefix}-t", PARTITIONS, RATE):
        stage.measure("rolling restart, static members", stage.rolling_restart)
    kept(stage, "static", strategy)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_deleted(stage: Stage, strategy: str) -> None:
    stage.begin(strategy, {"stays": 30, "goes": 10}, commits=False)
    with Traffic(stage.broker.bootstrap, f"{stage.prefix}-stays", 30, RATE):

        def delete() -> None:
            topic = f"{stage.prefix}-goes"
            delete_topic(stage.admin, topic)
            del stage.sizes[topic]

        stage.measure("a topic of 10 deleted beside one of 30", delete)
    kept(stage, "deleted", strategy)
