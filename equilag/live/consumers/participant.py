"""One consumer's part in its group: leading with lags that are measured, or following."""

from __future__ import annotations

import logging
import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from equilag.live.consumers.lag_source import (
    Background,
    LagSample,
    LagSource,
    LiveLag,
    Sizes,
    checked,
)
from equilag.live.consumers.leader import Leader, LeaderSettings
from equilag.live.consumers.options import AssignorOptions
from equilag.live.consumers.sampler import LagSampler, MeasureProbe, Probe
from equilag.live.consumers.user_data import BadUserData, OwnedPartitions, decode
from equilag.live.rebalance.joined_members import JoinedMember
from equilag.live.rebalance.member_assignments import MemberAssignments

log: Final = logging.getLogger("equilag.consumers")

Class = TypeVar("Class")

NAMELESS: Final = "(unknown)"


@dataclass(frozen=True, slots=True)
class ConsumerHandle:
    """What a client tells of a consumer. The functions keep no reference to it."""

    group: str
    session: float
    """Its timeout in seconds."""
    coordinator: Callable[[], Any | None]
    """The client's coordinator, None when it is gone."""
    ask: Callable[[], None]
    """Ask for a rebalance, if it leads; from a thread that may wait."""
    alive: Callable[[], bool]
    open_probe: Callable[[str | None], Callable[[], Probe]]
    """How to open a connection that measures lag, for a reset policy or the consumer's own."""


class GroupParticipant:
    """Lag source, leader and sampler of one consumer; None where the consumer was not found.

    `patience` is how long an answer may wait for the solver, in seconds; None: until it is done.
    """

    def __init__(
        self,
        options: AssignorOptions,
        consumer: ConsumerHandle | None,
        cooperative: bool,
        patience: float | None = None,
    ) -> None:
        self._consumer = consumer
        self._led = False
        self._sampler: LagSampler | None = None
        name = consumer.group if consumer else NAMELESS
        limit = options.limit(consumer.session if consumer else None)
        source = self._source(options, consumer, name)
        ask = consumer.ask if consumer else _nothing
        self._leader = Leader(
            options, LeaderSettings(name, limit, cooperative, patience), source, ask
        )

    def coordinator(self) -> Any | None:
        """The client's coordinator, where it was found and still is."""
        return self._consumer.coordinator() if self._consumer else None

    def lead(self, members: Sequence[JoinedMember], sizes: Sizes) -> MemberAssignments:
        """What each member is given; the lags of these topics are measured from now on."""
        self._led = True
        handed = self._leader.assign(members, sizes)
        if self._sampler:
            self._sampler.watch(sizes, leading=True)
        return handed

    def follow(self, sizes: Sizes) -> None:
        """After an assignment: whoever did not lead may have to next time."""
        led, self._led = self._led, False
        if self._sampler and not led:
            self._sampler.watch(sizes, leading=False)

    def _source(
        self, options: AssignorOptions, consumer: ConsumerHandle | None, name: str
    ) -> LagSource:
        lag = checked(options.lag)
        if not isinstance(lag, (LiveLag, Background)):
            return lag
        if isinstance(lag, Background):
            function = lag.measure
            open_probe: Callable[[], Probe] = lambda: MeasureProbe(function)  # noqa: E731
        elif consumer is not None:
            open_probe = consumer.open_probe(lag.auto_offset_reset)
        else:
            return NoLagSource()
        weak = weakref.ref(self)

        def found() -> None:
            if (me := weak()) is not None:
                me._leader.reconsider()

        alive = consumer.alive if consumer else (lambda: weak() is not None)
        self._sampler = LagSampler(open_probe, lag.every, alive, found, name)
        return self._sampler


class NoLagSource:
    """The lag source of an assignor that does not know its consumer."""

    def lags(self, topics: Sizes) -> LagSample | None:
        """Raises LookupError, which the log then shows."""
        raise LookupError("the consumer was not found, so its lag cannot be measured")


def configured_assignor(
    assignor: type[Class], name: str | None, options: AssignorOptions
) -> type[Class]:
    """A subclass with other options, and under another protocol name if there is one."""
    body: dict[str, Any] = {"options": options, "__doc__": assignor.__doc__}
    if name is not None:
        body["name"] = name
    return type(assignor.__name__, (assignor,), body)


def read_owned(member: str, data: bytes | None) -> OwnedPartitions:
    """What a member of an eager group held; nothing if that is unreadable, which the log says."""
    try:
        return decode(data)
    except BadUserData as error:
        log.warning("what member %s held cannot be read: %s", member, error)
        return OwnedPartitions()


def known_sizes(cluster: Any, topics: Iterable[str]) -> dict[str, int]:
    """Partitions of those topics of which the client's metadata tell any."""
    numbers = {topic: cluster.partitions_for_topic(topic) for topic in sorted(topics)}
    return {topic: max(found) + 1 for topic, found in numbers.items() if found}


def _nothing() -> None:
    """Nobody to ask."""
