"""What the assignors of all clients share: what they know of their consumer, members and racks."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any, ClassVar, Final, Self

from equilag.adapters.kafka.reading import distinct_racks
from equilag.live.consumers.lag_source import Sizes
from equilag.live.consumers.options import AssignorOptions
from equilag.live.consumers.sampler import Probe
from equilag.live.consumers.user_data import BadUserData, MemberData, decode
from equilag.live.rebalance.joined_members import JoinedMember
from equilag.live.rebalance.measured import Racks

log: Final = logging.getLogger("equilag.consumers")


@dataclass(frozen=True, slots=True)
class ConsumerHandle:
    """What a client tells about a consumer. The functions hold no reference to it."""

    group: str
    session: float
    """Session timeout in seconds."""
    coordinator: Callable[[], Any | None]
    """Returns the client's coordinator, None once it is gone."""
    request_rebalance: Callable[[], None]
    """Requests a rebalance, if the consumer leads; for a thread that may block."""
    alive: Callable[[], bool]
    settled: Callable[[], bool]
    """Returns False while the consumer takes part in a rebalance."""
    open_probe: Callable[[], Probe]
    """Opens a connection that reads offsets."""
    reset: str | None
    """The consumer's `auto.offset.reset`; None if it is unknown."""


class ConfiguredAssignor:
    """An assignor with options."""

    name: ClassVar[str]
    options: ClassVar[AssignorOptions] = AssignorOptions()

    @classmethod
    def configured(cls, *, name: str | None = None, **settings: Any) -> type[Self]:
        """Return this class with other settings: the fields of `AssignorOptions`.

        `name` is the protocol name. Members whose assignors share a name share a group, and the
        assignor of the leader decides. So with the name of a built-in eager assignor (`roundrobin`,
        `range`) members can be replaced one by one without offering two strategies. Raises
        InputError, TypeError.
        """
        body = {"options": AssignorOptions(**settings), "name": name or cls.name}
        return type(cls.__name__, (cls,), {**body, "__doc__": cls.__doc__})


def eager_member(
    member: str, topics: Iterable[str], data: bytes | None, instance_id: str | None = None
) -> JoinedMember:
    """Return a member of an eager group from its join request; without what it owned, with a log
    line, if its user data are unreadable."""
    try:
        held, rack = decode(data)
    except BadUserData as error:
        log.warning("the owned partitions of member %s cannot be read: %s", member, error)
        held, rack = MemberData()
    return JoinedMember(
        member, tuple(topics), {}, held.generation, instance_id, rack, held.partitions
    )


def known_sizes(cluster: Any, topics: Iterable[str]) -> dict[str, int]:
    """Return the number of partitions of those topics that the client's metadata contain."""
    numbers = {topic: cluster.partitions_for_topic(topic) for topic in sorted(topics)}
    return {topic: max(found) + 1 for topic, found in numbers.items() if found}


def known_racks(cluster: Any, replicas: str, broker_id: str, sizes: Sizes) -> Racks:
    """Return the racks that hold a replica, of each partition of topics with these sizes.

    `replicas` and `broker_id` name the attributes of partitions and brokers in the client's
    metadata.
    """
    rack_of = {getattr(one, broker_id): one.rack for one in cluster.brokers()}

    def racks(topic: str, number: int) -> Sequence[str]:
        partition = cluster._partitions.get(topic, {}).get(number)  # there is no public way
        brokers = () if partition is None else getattr(partition, replicas)
        return distinct_racks(map(rack_of.get, brokers))

    return {topic: [racks(topic, n) for n in range(size)] for topic, size in sizes.items()}


MAX_FRAMES: Final = 8
"""Frames to search: the coordinator's is the third or fourth one up (kafka-python 3.0.12, aiokafka
0.14). Twice that leaves room for users' subclasses."""


def find_caller(kinds: tuple[type, ...]) -> Any | None:
    """Return the nearest `self` on the call stack that is one of `kinds`, or None.

    Neither client tells an assignor which consumer it works for: kafka-python creates it without
    arguments, aiokafka calls class methods. But planning needs the group's name and a connection
    that measures lag, and users should not have to configure both twice. Both clients call from a
    method of the coordinator, so its frame has it. Only `self` is read there.
    """
    frame: FrameType | None = sys._getframe(1)
    for _ in range(MAX_FRAMES):
        if frame is None:
            return None
        found = frame.f_locals.get("self")
        if isinstance(found, kinds):
            return found
        frame = frame.f_back
    return None
