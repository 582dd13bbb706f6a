"""Rebalance listeners that clean up and initialise only what changes (KIP-54, KIP-429).

A sticky assignment leaves most partitions where they are. An eager consumer is nevertheless told
that all are revoked, and then that all are assigned. So on revocation there is only a commit; the
state of partitions goes by the difference between the last assignment and the new one::

    consumer.subscribe(topics, listener=kafka_python_listener(load, drop, commit))
    consumer.subscribe(topics, listener=aiokafka_listener(load, drop, commit))
    consumer.subscribe(topics, **ConfluentListener(load, drop, commit).callbacks)

All functions get plain `(topic, partition)` pairs, ascending, never none at all.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from inspect import isawaitable
from typing import Any, TypeAlias

from equilag.diff import RebalanceDiff, TopicPartition
from equilag.errors import MissingExtra

OnPartitions: TypeAlias = Callable[[list[TopicPartition]], Awaitable[None] | None]
Commit: TypeAlias = Callable[[], Awaitable[None] | None]
Step: TypeAlias = Callable[[], Awaitable[None] | None]
"""One call of a user's function."""


class StateKeeper:
    """Knows whose state is there, and what each event of a rebalance asks for.

    `cooperative` is what the consumer's protocol is: whether it is told of everything each time or
    of changes only, as with cooperative assignors and with groups of KIP-848. What an event asks
    for comes as calls to make in turn; they are not repeated if one of them fails.
    """

    def __init__(
        self,
        initialise: OnPartitions,
        clean_up: OnPartitions,
        commit: Commit | None = None,
        *,
        cooperative: bool = False,
    ) -> None:
        self._initialise = initialise
        self._clean_up = clean_up
        self._commit = commit
        self._cooperative = cooperative
        self._held: frozenset[TopicPartition] = frozenset()

    @property
    def held(self) -> frozenset[TopicPartition]:
        """The partitions whose state is there."""
        return self._held

    def assigned(self, partitions: Iterable[Any]) -> list[Step]:
        """After an assignment: of everything, or of what is new to a cooperative consumer."""
        given = _pairs(partitions)
        return self._become(self._held | given if self._cooperative else given)

    def revoked(self, partitions: Iterable[Any]) -> list[Step]:
        """Before partitions go: for good in a cooperative group, else perhaps to come back."""
        gone = _pairs(partitions)
        steps: list[Step] = [self._commit] if self._commit is not None and gone else []
        if self._cooperative:
            steps += self._become(self._held - gone)
        return steps

    def lost(self, partitions: Iterable[Any]) -> list[Step]:
        """After others may have the partitions already: too late to commit."""
        gone = _pairs(partitions) if self._cooperative else self._held
        return self._become(self._held - gone)

    def closed(self) -> list[Step]:
        """After the consumer is closed: nothing is held any more."""
        return self._become(frozenset())

    def _become(self, new: frozenset[TopicPartition]) -> list[Step]:
        difference = RebalanceDiff.of(_by_topic(self._held), _by_topic(new))
        self._held = new
        steps: list[Step] = []
        for function, partitions in (
            (self._clean_up, difference.clean_up),
            (self._initialise, difference.initialise),
        ):
            if partitions:
                steps.append(_call(function, sorted(partitions)))
        return steps


def kafka_python_listener(
    initialise: OnPartitions,
    clean_up: OnPartitions,
    commit: Commit | None = None,
    *,
    cooperative: bool = False,
) -> Any:
    """An AsyncConsumerRebalanceListener of kafka-python, with `keeper` and `close()` as extras.

    The functions may be `async`. They run on kafka-python's I/O thread, where nothing may wait for
    a broker: commit with `consumer.commit_async()`, or not at all with `enable_auto_commit`, since
    kafka-python has committed by itself then. Raises MissingExtra.
    """
    try:
        from kafka.consumer.subscription_state import AsyncConsumerRebalanceListener
    except ImportError as error:
        problem = "kafka-python is not installed: pip install 'equilag[kafka-python]'"
        raise MissingExtra(problem) from error

    class Listener(AsyncConsumerRebalanceListener):  # type: ignore[misc]
        def __init__(self) -> None:
            self.keeper = StateKeeper(initialise, clean_up, commit, cooperative=cooperative)

        async def on_partitions_revoked(self, revoked: Any) -> None:
            await _await_all(self.keeper.revoked(revoked))

        async def on_partitions_assigned(self, assigned: Any) -> None:
            await _await_all(self.keeper.assigned(assigned))

        async def on_partitions_lost(self, lost: Any) -> None:
            await _await_all(self.keeper.lost(lost))

        def close(self) -> None:
            """Clean up everything, once the consumer is closed; not for `async` functions."""
            _call_all(self.keeper.closed())

    return Listener()


def aiokafka_listener(
    initialise: OnPartitions, clean_up: OnPartitions, commit: Commit | None = None
) -> Any:
    """A ConsumerRebalanceListener of aiokafka, with `keeper` and `close()` as extras.

    The functions may be `async`. aiokafka knows eager rebalances only, and does not tell when
    partitions are lost; a commit fails then, which aiokafka logs. Raises MissingExtra.
    """
    try:
        from aiokafka import ConsumerRebalanceListener
    except ImportError as error:
        problem = "aiokafka is not installed: pip install 'equilag[aiokafka]'"
        raise MissingExtra(problem) from error

    class Listener(ConsumerRebalanceListener):  # type: ignore[misc]
        def __init__(self) -> None:
            self.keeper = StateKeeper(initialise, clean_up, commit)

        async def on_partitions_revoked(self, revoked: Any) -> None:
            await _await_all(self.keeper.revoked(revoked))

        async def on_partitions_assigned(self, assigned: Any) -> None:
            await _await_all(self.keeper.assigned(assigned))

        async def close(self) -> None:
            """Clean up everything, once the consumer is stopped."""
            await _await_all(self.keeper.closed())

    return Listener()


class ConfluentListener:
    """For confluent-kafka: `consumer.subscribe(topics, **listener.callbacks)`.

    `cooperative` is for `cooperative-sticky` and for `group.protocol=consumer`. librdkafka assigns
    by itself after each callback.
    """

    def __init__(
        self,
        initialise: OnPartitions,
        clean_up: OnPartitions,
        commit: Commit | None = None,
        *,
        cooperative: bool = False,
    ) -> None:
        self.keeper = StateKeeper(initialise, clean_up, commit, cooperative=cooperative)

    @property
    def callbacks(self) -> dict[str, Callable[[Any, list[Any]], None]]:
        """`on_assign`, `on_revoke` and `on_lost`."""
        keeper = self.keeper
        return {
            "on_assign": lambda _consumer, partitions: _call_all(keeper.assigned(partitions)),
            "on_revoke": lambda _consumer, partitions: _call_all(keeper.revoked(partitions)),
            "on_lost": lambda _consumer, partitions: _call_all(keeper.lost(partitions)),
        }

    def close(self) -> None:
        """Clean up everything, once the consumer is closed."""
        _call_all(self.keeper.closed())


def _call(function: OnPartitions, partitions: list[TopicPartition]) -> Step:
    return lambda: function(partitions)


def _call_all(steps: Iterable[Step]) -> None:
    for step in steps:
        step()


async def _await_all(steps: Iterable[Step]) -> None:
    for step in steps:
        result = step()
        if isawaitable(result):
            await result


def _pairs(partitions: Iterable[Any]) -> frozenset[TopicPartition]:
    """Of any client's partitions, or of plain pairs."""
    return frozenset(
        (one[0], one[1]) if isinstance(one, tuple) else (one.topic, one.partition)
        for one in partitions
    )


def _by_topic(pairs: Iterable[TopicPartition]) -> dict[str, list[int]]:
    topics: dict[str, list[int]] = {}
    for topic, partition in pairs:
        topics.setdefault(topic, []).append(partition)
    return topics
