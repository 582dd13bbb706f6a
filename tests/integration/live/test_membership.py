"""What joins, leaves and restarts cost a group with next to no lag, with a steward and without."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from support.kafka_broker import running_brokers
from support.steward_scene import QUICKLY

from benchmarks.kafka_broker import Broker
from benchmarks.live.churn_group import MEMBERS, ChurnGroup, Stage, take_over
from benchmarks.live.membership_table import more_moves
from benchmarks.live.run import keep
from benchmarks.live.topics import Traffic, add_partitions, admin_of, delete_topic, make_topic
from benchmarks.waiting import until

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


def test_members_join_a_steward_that_was_alone_when_the_broker_restarted(tmp_path: Path) -> None:
    """The coordinator has forgotten all of its protocols but the one in use, `range`."""

    def silent(status: dict[str, Any]) -> int:
        """Heartbeats that nobody answered."""
        return int(status["counters"].get("heartbeats:silent", 0))

    with ExitStack() as stack:
        (broker,) = running_brokers(stack, tmp_path, 1)
        make_topic(admin_of(broker.bootstrap), "t", PARTITIONS)
        group = ChurnGroup(broker, "g", "librdkafka", "cooperative-sticky", ["t"], stack)
        steward = group.lead(tmp_path, *QUICKLY, "--session-timeout", "6s")
        before = steward.status()
        broker.stop()
        # It cannot know of a restart between two of its heartbeats.
        steward.wait_for(lambda status: silent(status) > silent(before), 60)
        broker.start_again()
        steward.wait_for(
            lambda status: (
                status["role"] == "leader"
                and status["generation"] > before["generation"]  # joined anew, with all protocols
                and status["last_heartbeat_age_s"] < 1
            ),
            60,
        )
        group.join()
        until(lambda: group.settled({("t", number) for number in range(PARTITIONS)}), 60)
