"""Rebalance listeners that clean up and initialise only what changes (KIP-54, KIP-429).

A sticky assignment leaves most partitions where they are. An eager consumer is nevertheless told
that all partitions are revoked, then that all are assigned. So on revocation a listener only
commits; after the assignment it cleans up and initialises the difference::

    consumer.subscribe(topics, listener=kafka_python_listener(load, drop, commit))
    consumer.subscribe(topics, listener=aiokafka_listener(load, drop, commit))
    consumer.subscribe(topics, **ConfluentListener(load, drop, commit).callbacks)

Every function gets `(topic, partition)` pairs in ascending order, at least one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from inspect import isawaitable
from typing import Any, TypeAlias

from equilag.adapters.kafka.client_config import quietly
from equilag.domain.errors import MissingExtra
from equilag.domain.plan.assignment import TopicPartition

OnPartitions: TypeAlias = Callable[[list[TopicPartition]], Awaitable[None] | None]
Commit: TypeAlias = Callable[[], Awaitable[None] | None]
Step: TypeAlias = Callable[[], Awaitable[None] | None]
"""One call of a user's function."""


class StateKeeper:
    """Knows which partitions have their state loaded, and what each event of a rebalance requires.

    `cooperative` describes the consumer's protocol: True if events name only changes, as with
    cooperative assignors and KIP-848 groups; False if they name all partitions. Each event returns
    the calls to make, in order. They are not repeated if one fails.
    """

    def __init__(
        self,
        initialise: OnPartitions,
        clean_up: OnPartitions,
        commit: Commit | None = None,
        *,
        cooperative: bool = False,
    ) -> None:
        self._initialise, self._clean_up, self._commit = initialise, clean_up, commit
        self._cooperative = cooperative
        self.held: frozenset[TopicPartition] = frozenset()
        """The partitions whose state is loaded."""

    def assigned(self, partitions: Iterable[Any]) -> list[Step]:
        """After an assignment: of all partitions, or of the new ones of a cooperative consumer."""
        given = _pairs(partitions)
        return self._become(self.held | given if self._cooperative else given)

    def revoked(self, partitions: Iterable[Any]) -> list[Step]:
        """Before a revocation: final in a cooperative group; in an eager one partitions may come
        back."""
        gone = _pairs(partitions)
        steps: list[Step] = [self._commit] if self._commit is not None and gone else []
        if self._cooperative:
            steps += self._become(self.held - gone)
        return steps

    def lost(self, partitions: Iterable[Any]) -> list[Step]:
        """After partitions were lost: other members may own them already, so nothing is
        committed."""
        gone = _pairs(partitions) if self._cooperative else self.held
        return self._become(self.held - gone)

    def closed(self) -> list[Step]:
        """After the consumer was closed: it holds nothing."""
        return self._become(frozenset())

    def _become(self, new: frozenset[TopicPartition]) -> list[Step]:
        held, self.held = self.held, new
        changes = (self._clean_up, held - new), (self._initialise, new - held)
        return [partial(call, sorted(partitions)) for call, partitions in changes if partitions]


class _AsyncEvents:
    """The events of clients whose listeners are asynchronous."""

    def __init__(self, keeper: StateKeeper) -> None:
        self.keeper = keeper

    async def on_partitions_revoked(self, revoked: Any) -> None:
        await _await_all(self.keeper.revoked(revoked))

    async def on_partitions_assigned(self, assigned: Any) -> None:
        await _await_all(self.keeper.assigned(assigned))

    async def on_partitions_lost(self, lost: Any) -> None:
        await _await_all(self.keeper.lost(lost))


def kafka_python_listener(
    initialise: OnPartitions,
    clean_up: OnPartitions,
    commit: Commit | None = None,
    *,
    cooperative: bool = False,
) -> Any:
    """Return an AsyncConsumerRebalanceListener of kafka-python, with `keeper` and `close()` added.

    The functions may be `async`. They run on kafka-python's I/O thread, where nothing may wait for
    a broker: commit with `consumer.commit_async()`. With `enable_auto_commit` no commit is needed:
    kafka-python has committed by then. Raises MissingExtra.
    """
    try:
        with quietly():
            from kafka.consumer.subscription_state import AsyncConsumerRebalanceListener
    except ImportError as error:
        problem = "kafka-python is not installed: pip install 'equilag[kafka-python]'"
        raise MissingExtra(problem) from error

    class KafkaPythonListener(_AsyncEvents, AsyncConsumerRebalanceListener):  # type: ignore[misc]
        def close(self) -> None:
            """Clean up everything after the consumer's close(). Not for `async` functions."""
            _call_all(self.keeper.closed())

    keeper = StateKeeper(initialise, clean_up, commit, cooperative=cooperative)
    return KafkaPythonListener(keeper)


def aiokafka_listener(
    initialise: OnPartitions, clean_up: OnPartitions, commit: Commit | None = None
) -> Any:
    """Return a ConsumerRebalanceListener of aiokafka, with `keeper` and `close()` added.

    The functions may be `async`. aiokafka supports eager rebalances only, and does not report lost
    partitions; a commit then fails, which aiokafka logs. Raises MissingExtra.
    """
    try:
        from aiokafka import ConsumerRebalanceListener
    except ImportError as error:
        problem = "aiokafka is not installed: pip install 'equilag[aiokafka]'"
        raise MissingExtra(problem) from error

    class AiokafkaListener(_AsyncEvents, ConsumerRebalanceListener):  # type: ignore[misc]
        async def close(self) -> None:
            """Clean up everything after the consumer's stop()."""
            await _await_all(self.keeper.closed())

    return AiokafkaListener(StateKeeper(initialise, clean_up, commit))


class ConfluentListener(StateKeeper):
    """For confluent-kafka: `consumer.subscribe(topics, **listener.callbacks)`.

    `cooperative` is for `cooperative-sticky` and for `group.protocol=consumer`. librdkafka assigns
    by itself after each callback.
    """

    @property
    def callbacks(self) -> dict[str, Callable[[Any, list[Any]], None]]:
        """The arguments `on_assign`, `on_revoke` and `on_lost` of `subscribe`."""
        return {
            "on_assign": lambda _consumer, partitions: _call_all(self.assigned(partitions)),
            "on_revoke": lambda _consumer, partitions: _call_all(self.revoked(partitions)),
            "on_lost": lambda _consumer, partitions: _call_all(self.lost(partitions)),
        }

    def close(self) -> None:
        """Clean up everything; call it after the consumer's close()."""
        _call_all(self.closed())


def _call_all(steps: Iterable[Step]) -> None:
    for step in steps:
        step()


async def _await_all(steps: Iterable[Step]) -> None:
    for step in steps:
        result = step()
        if isawaitable(result):
            await result


def _pairs(partitions: Iterable[Any]) -> frozenset[TopicPartition]:
    """Return (topic, partition) pairs from any client's partitions, or from pairs."""
    return frozenset(
        (one[0], one[1]) if isinstance(one, tuple) else (one.topic, one.partition)
        for one in partitions
    )
