"""The assignors in real consumers on a real broker: what they hand out, and what they survive."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
import warnings
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any, Final

import pytest
from aiokafka import AIOKafkaConsumer
from aiokafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor as AioRoundRobin
from confluent_kafka import Consumer

from benchmarks.kafka_broker import Broker
from benchmarks.live.topics import admin_of, commit, fill, make_topic
from benchmarks.waiting import AtRest, aio_until, until

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from kafka import KafkaConsumer
    from kafka.consumer.subscription_state import ConsumerRebalanceListener
    from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
    from kafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor

from benchmarks.live.assignment_log import Log
from equilag.domain.group.group import Group
from equilag.domain.policy.policy import Policy
from equilag.live.consumers import aiokafka as in_aiokafka
from equilag.live.consumers import kafka_python as in_kafka_python
from equilag.live.consumers.lag_source import LiveLag, StaticLag
from equilag.live.consumers.listener import ConfluentListener, kafka_python_listener
from equilag.live.rebalance import decision, sticky_plan
from equilag.live.rebalance.decision import Decision, PlanSettings
from equilag.live.tracking.load_tracker import LoadTracker
from equilag.live.tracking.tracked_state import TrackingSettings
from equilag.planner.worth.thresholds import Thresholds

pytestmark = [pytest.mark.broker]

LAGS: Final = (9000, 8000, 7000, 100, 90, 80, 70, 6000, 50, 40, 3000, 2000)
"""Of a topic's partitions; no two members share them evenly by number alone."""
SIZE: Final = len(LAGS)
QUICK: Final = {"heartbeat_interval_ms": 200, "session_timeout_ms": 6000}
LIVE: Final = {
    "lag": LiveLag(every=0.3),
    "policy": Policy(tolerance=0),
    "rejoin": Thresholds(cooldown_s=1.0, min_gain=0),  # see `even`
}


def lagging_topic(broker: Broker, name: str, commits: bool = True) -> None:
    """A topic whose group of the same name lags by LAGS; a new group without `commits`."""
    admin = admin_of(broker.bootstrap)
    make_topic(admin, name, SIZE)
    fill(broker.bootstrap, name, LAGS)
    if commits:
        commit(admin, name, {name: [0] * SIZE})


@pytest.fixture(autouse=True)
def quick_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rates are known after a second, not after ten."""
    settings = TrackingSettings(least_window=1.0, spacing=0.2)
    monkeypatch.setattr(
        "equilag.live.consumers.sampler.LoadTracker", partial(LoadTracker, settings)
    )


class Noted(ConsumerRebalanceListener):
    """Notes what a member holds, from its own events."""

    def __init__(self, name: str, log: Log) -> None:
        self.name, self.log = name, log

    def on_partitions_revoked(self, revoked: Any) -> None:
        self.log.add(self.name, "revoke", [tuple(tp) for tp in revoked])

    def on_partitions_assigned(self, assigned: Any) -> None:
        self.log.add(self.name, "assign", [tuple(tp) for tp in assigned])


class Members:
    """Consumers of kafka-python in one group, each polled by a thread."""

    def __init__(self, broker: Broker, topic: str) -> None:
        self.bootstrap, self.topic = broker.bootstrap, topic
        self.log = Log()
        self.running: dict[str, tuple[KafkaConsumer, threading.Event, threading.Thread]] = {}
        self.errors: list[BaseException] = []

    def add(
        self, name: str, strategy: Sequence[Any], listener: Any = None, commits: bool = False
    ) -> None:
        consumer = KafkaConsumer(
            bootstrap_servers=self.bootstrap,
            client_id=name,
            group_id=self.topic,
            partition_assignment_strategy=list(strategy),
            auto_offset_reset="earliest",
            enable_auto_commit=commits,
            auto_commit_interval_ms=200,
            **QUICK,
        )
        consumer.subscribe([self.topic], listener=listener or Noted(name, self.log))
        end = threading.Event()

        def poll() -> None:
            try:
                while not end.is_set():
                    consumer.poll(timeout_ms=100)
            except BaseException as error:  # noqa: BLE001  shown by the test's own thread
                self.errors.append(error)

        thread = threading.Thread(target=poll, daemon=True)
        self.running[name] = (consumer, end, thread)
        thread.start()

    def remove(self, name: str) -> None:
        consumer, end, thread = self.running.pop(name)
        end.set()
        thread.join(10)
        consumer.close()

    def assigned(self) -> dict[str, list[int]]:
        """Partitions of each member, by its name."""
        return {
            name: sorted(tp.partition for tp in consumer.assignment())
            for name, (consumer, _, _) in self.running.items()
        }

    def protocols(self) -> set[str | None]:
        return {c._coordinator._generation.protocol for c, _, _ in self.running.values()}

    def complete(self) -> bool:
        assigned = self.assigned()
        return whole(assigned) and all(assigned.values())

    def generations(self) -> set[int]:
        return {c._coordinator._generation.generation_id for c, _, _ in self.running.values()}


def no_thread_is_left(topic: str) -> None:
    """Those that measured lag end with their consumers, or soon after."""
    until(lambda: f"equilag-lag-{topic}" not in {thread.name for thread in threading.enumerate()})


@contextmanager
def members(broker: Broker, topic: str) -> Iterator[Members]:
    group = Members(broker, topic)
    try:
        yield group
    finally:
        # At once: one that closes in the middle of a rebalance waits for the others, up to 30 s.
        with ThreadPoolExecutor(max(1, len(group.running))) as pool:
            list(pool.map(group.remove, list(group.running)))
    assert not group.errors
    no_thread_is_left(topic)


def even(assigned: Mapping[str, Sequence[int]]) -> bool:
    """Has everybody a part of LAGS, as even as the rule for rebalances makes it: no relief of 10 %
    of a fair share is left."""
    if not whole(assigned) or not all(assigned.values()):
        return False
    best = BEST if len(assigned) == 5 else 0
    return spread(assigned) <= best + 0.2 * sum(LAGS) / len(assigned)


def spread(assigned: Mapping[str, Sequence[int]]) -> int:
    loads = [sum(LAGS[p] for p in numbers) for numbers in assigned.values()]
    return max(loads) - min(loads)


BEST: Final = 3940
"""The least spread of LAGS over five members with two or three partitions each."""


@pytest.mark.parametrize(
    "assignor",
    [
        pytest.param(in_kafka_python.EquilagAssignor, marks=pytest.mark.long),
        in_kafka_python.CooperativeEquilagAssignor,
    ],
    ids=lambda assignor: assignor.name,
)
def test_five_members_of_kafka_python(broker: Broker, assignor: Any) -> None:
    topic = f"kp-{assignor.name}"
    lagging_topic(broker, topic)
    with members(broker, topic) as group:
        for number in range(5):
            group.add(f"m{number}", [assignor.configured(**LIVE)])

        def settled() -> bool:  # members hear of the same rebalance one after the other
            return even(group.assigned()) and len(group.generations()) == 1

        until(AtRest(settled, group.generations, 1.5))  # three samples later nobody rejoined
        assert group.protocols() == {assignor.name}
        if assignor.cooperative:
            assert not group.log.twice()
        group.remove("m0")  # perhaps the leader, whose successor has measured, too
        until(group.complete)
        if assignor.cooperative:
            assert not group.log.twice()


@pytest.mark.long
def test_the_bare_class(broker: Broker, caplog: pytest.LogCaptureFixture) -> None:
    lagging_topic(broker, "kp-bare")
    with members(broker, "kp-bare") as group, caplog.at_level(logging.INFO, "equilag"):
        for number in range(2):
            group.add(f"m{number}", [in_kafka_python.EquilagAssignor])
        until(group.complete)
    assert "a sticky plan answers" in caplog.text
    assert "measured:" not in caplog.text  # no lag could not be measured


@pytest.mark.long
def test_rates_that_shift(broker: Broker, caplog: pytest.LogCaptureFixture) -> None:
    """A rebalance by rates, long before any lag, and not only once after the first sample."""
    admin = admin_of(broker.bootstrap)
    make_topic(admin, "shifts", SIZE)
    assignor = in_kafka_python.EquilagAssignor.configured(
        lag=LiveLag(every=0.4), rejoin=Thresholds(cooldown_s=1.0)
    )
    with members(broker, "shifts") as group, caplog.at_level(logging.INFO, "equilag"):
        for number in range(3):
            group.add(f"m{number}", [assignor], commits=True)
        until(group.complete)
        for _ in range(2):
            heavy = group.assigned()["m0"][:2]
            rates = [100 if p in heavy else 10 for p in range(SIZE)]

            def apart(heavy: Sequence[int] = heavy, rates: Sequence[int] = rates) -> bool:
                fill(broker.bootstrap, "shifts", rates)
                held = group.assigned().values()
                return not any(set(heavy) <= set(one) for one in held) and group.complete()

            until(apart)
    assert caplog.text.count("requesting a rebalance") >= 2


@pytest.mark.long
@pytest.mark.parametrize(
    ("assignor", "built_in"),
    [
        (in_kafka_python.EquilagAssignor, RoundRobinPartitionAssignor),
        (in_kafka_python.CooperativeEquilagAssignor, CooperativeStickyAssignor),
    ],
    ids=["eager", "cooperative"],
)
def test_a_mixed_rollout(broker: Broker, assignor: Any, built_in: Any) -> None:
    """Members with equilag and a built-in assignor join those that have only that, then are all."""
    topic = f"mixed-{assignor.name}"
    lagging_topic(broker, topic)
    both = [assignor.configured(**LIVE), built_in]
    with members(broker, topic) as group:
        group.add("old0", [built_in])
        group.add("old1", [built_in])
        group.add("new0", both)
        until(lambda: group.complete() and group.protocols() == {built_in.name})
        group.add("new1", both)
        group.remove("old0")
        until(lambda: group.complete() and group.protocols() == {built_in.name})
        group.remove("old1")
        until(lambda: group.complete() and group.protocols() == {assignor.name})
        if assignor.cooperative:
            assert not group.log.twice()


@pytest.mark.long
def test_listeners_hear_of_the_difference_only(broker: Broker) -> None:
    """Of an eager kafka-python member and of a cooperative one of librdkafka, while others join."""
    lagging_topic(broker, "listened")
    heard: list[tuple[str, int]] = []
    functions = (
        lambda partitions: heard.append(("initialise", len(partitions))),
        lambda partitions: heard.append(("clean up", len(partitions))),
        lambda: heard.append(("commit", 0)),
    )
    lag = StaticLag({"listened": [1] * SIZE})
    with members(broker, "listened") as group:
        assignor = in_kafka_python.EquilagAssignor.configured(lag=lag)
        listener = kafka_python_listener(*functions)
        group.add("m0", [assignor], listener)
        until(group.complete)
        group.add("m1", [assignor])
        until(group.complete)
        assert heard == [("initialise", 12), ("commit", 0), ("clean up", 6)]
        group.remove("m0")
        listener.close()
        assert heard[3:] == [("commit", 0), ("clean up", 6)]
    heard.clear()
    settings = {
        "bootstrap.servers": broker.bootstrap,
        "group.id": "listened-too",
        "partition.assignment.strategy": "cooperative-sticky",
        "enable.auto.commit": False,
        "heartbeat.interval.ms": 200,
    }
    one, other = Consumer(settings), Consumer(settings)
    one.subscribe(["listened"], **ConfluentListener(*functions, cooperative=True).callbacks)

    def polled(*counts: int) -> bool:
        for consumer in (one, other):
            consumer.poll(0.02)
        return tuple(len(consumer.assignment()) for consumer in (one, other)) == counts

    until(lambda: polled(12, 0))
    other.subscribe(["listened"])
    until(lambda: polled(6, 6))
    one.close()
    other.close()
    assert heard == [
        ("initialise", 12),
        ("commit", 0),
        ("clean up", 6),
        ("commit", 0),
        ("clean up", 6),
    ]


@asynccontextmanager
async def aio_members(
    broker: Broker, topic: str, strategy: Sequence[Any], number: int, group: str | None = None
) -> AsyncIterator[list[AIOKafkaConsumer]]:
    """Consumers of aiokafka in one group and on one event loop, which read nothing."""
    consumers = [
        AIOKafkaConsumer(
            bootstrap_servers=broker.bootstrap,
            client_id=f"a{n}",
            group_id=group or topic,
            partition_assignment_strategy=list(strategy),
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            **QUICK,
        )
        for n in range(number)
    ]
    try:
        for consumer in consumers:
            consumer.subscribe([topic])
        await asyncio.gather(*(consumer.start() for consumer in consumers))
        yield consumers
    finally:
        await asyncio.gather(*(consumer.stop() for consumer in consumers))
        if strategy != [AioRoundRobin]:
            await asyncio.to_thread(no_thread_is_left, topic)


def aio_assigned(consumers: Sequence[AIOKafkaConsumer]) -> dict[str, list[int]]:
    return {
        f"a{n}": sorted(tp.partition for tp in consumer.assignment())
        for n, consumer in enumerate(consumers)
    }


def whole(assigned: Mapping[str, Sequence[int]]) -> bool:
    return sorted(p for held in assigned.values() for p in held) == list(range(SIZE))


def test_a_new_group_of_aiokafka(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    """It starts at `earliest` without any commit. The event loop waits for a plan no longer than
    its limit; another thread makes the plan."""
    waits: list[float] = []
    planners: set[int] = set()
    decide, decide_within = decision.decide, decision.decide_within

    def noting_wait(group: Group, settings: PlanSettings, patience: float) -> Decision:
        waits.append(patience)
        return decide_within(group, settings, patience)

    def noting_search(*args: Any) -> Decision:
        planners.add(threading.get_ident())
        return decide(*args)

    monkeypatch.setattr(sticky_plan, "decide_within", noting_wait)
    monkeypatch.setattr(sticky_plan, "repaired", lambda *_: None)  # which needs no search
    monkeypatch.setattr(decision, "decide", noting_search)
    lagging_topic(broker, "aio-five", commits=False)
    limit = 0.1
    assignor = in_aiokafka.EquilagAssignor.configured(**LIVE, loop_limit=limit)

    async def run() -> None:
        async with aio_members(broker, "aio-five", [assignor], 5) as consumers:

            def generations() -> set[Any]:
                return {consumer._coordinator.generation for consumer in consumers}

            def settled() -> bool:  # members hear of the same rebalance one after the other
                return even(aio_assigned(consumers)) and len(generations()) == 1

            await aio_until(AtRest(settled, generations, 1.5))
            assert planners
            assert threading.get_ident() not in planners

    asyncio.run(run())
    assert min(waits) == limit


@pytest.mark.long
def test_a_solver_that_takes_too_long_for_the_event_loop(
    broker: Broker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from equilag.planner.solve import solve

    def slowly(*args: Any, **kwargs: Any) -> Any:
        time.sleep(0.6)  # longer than the loop may wait
        return solve(*args, **kwargs)

    monkeypatch.setattr("equilag.planner.solve.solve", slowly)
    monkeypatch.setattr(sticky_plan, "repaired", lambda *_: None)  # which needs no solver
    lagging_topic(broker, "aio-slow")
    assignor = in_aiokafka.EquilagAssignor.configured(
        lag=StaticLag({"aio-slow": LAGS}), time_limit=3.0
    )

    async def run() -> None:
        async with aio_members(broker, "aio-slow", [assignor], 5) as consumers:
            await aio_until(lambda: even(aio_assigned(consumers)))

    with caplog.at_level(logging.INFO, "equilag"):
        asyncio.run(run())
    assert "no plan within 0.1 s" in caplog.text
    assert "the plan made in advance answers" in caplog.text


@pytest.mark.long
def test_a_mixed_rollout_of_aiokafka(broker: Broker) -> None:
    """Under the name of what was there before: see `EquilagAssignor.configured`."""
    lagging_topic(broker, "aio-mixed")
    lag = StaticLag({"aio-mixed": LAGS})
    new = in_aiokafka.EquilagAssignor.configured(name="roundrobin", lag=lag, loop_limit=1.0)

    async def run() -> None:
        async with aio_members(broker, "aio-mixed", [new], 2) as second:
            async with aio_members(broker, "aio-mixed", [AioRoundRobin], 2) as first:
                await aio_until(lambda: whole(aio_assigned([*first, *second])))
                assert {len(held) for held in aio_assigned([*first, *second]).values()} == {3}
            await aio_until(lambda: even(aio_assigned(second)))

    asyncio.run(run())


@pytest.mark.long
@pytest.mark.parametrize("first", ["kafka-python", "aiokafka"])
def test_both_clients_in_one_group(
    broker: Broker, first: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A new group that starts at `earliest`; the client of the first member leads it."""
    topic = f"both-{first}"
    lagging_topic(broker, topic, commits=False)
    plain = in_kafka_python.EquilagAssignor.configured(**LIVE)
    aio = in_aiokafka.EquilagAssignor.configured(**LIVE)

    async def run(group: Members) -> None:
        if first == "kafka-python":
            group.add("p0", [plain])
            await aio_until(lambda: whole(group.assigned()))
        async with aio_members(broker, topic, [aio], 3) as consumers:
            for number in range(2):
                if f"p{number}" not in group.running:
                    group.add(f"p{number}", [plain])

            def everything() -> dict[str, list[int]]:
                return {**group.assigned(), **aio_assigned(consumers)}

            await aio_until(lambda: len(everything()) == 5 and even(everything()))
            before = aio_assigned(consumers)
            for name in list(group.running):
                await asyncio.to_thread(group.remove, name)
            await aio_until(lambda: whole(aio_assigned(consumers)))
            after = aio_assigned(consumers)
            lost = sum(len(set(held) - set(after[name])) for name, held in before.items())
            assert lost <= 3  # what the leavers held is nobody's; the rest was told

    with caplog.at_level(logging.INFO, "equilag"), members(broker, topic) as group:
        asyncio.run(run(group))
    assert "cannot be read" not in caplog.text
