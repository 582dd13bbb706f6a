"""What joins, leaves and restarts cost a group with next to no lag, with a steward and without."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from benchmarks.kafka_broker import Broker
from benchmarks.live.churn_group import MEMBERS, ChurnGroup, Stage, take_over
from benchmarks.live.membership_table import more_moves
from benchmarks.live.run import keep
from benchmarks.live.topics import Traffic, add_partitions, delete_topic

pytestmark = [pytest.mark.live, pytest.mark.broker]

STRATEGIES = ("cooperative-sticky", "range")
PARTITIONS = 24
ADDED = 8
RATE = 240.0
"""Records a second, the same in every partition: there is nothing to gain from any move."""
TIMES = 5
"""How often members join and leave: in a group with eager members what one rebalance costs
depends most on the moments of heartbeats."""


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


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_take_over_has_no_two_owners(broker: Broker, tmp_path: Path, strategy: str) -> None:
    with ExitStack() as stack:
        figures = take_over(broker, strategy, tmp_path, stack)
        keep(f"take-over-{strategy}", figures)
    assert figures["two_owners"] == 0
