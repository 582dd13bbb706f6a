"""The group of the broker part: six members, one at a third of the speed, on 24 partitions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Final

import numpy as np

from benchmarks.live.limited_member import LimitedMember
from benchmarks.live.scheduled_traffic import ScheduledTraffic
from benchmarks.live.topics import admin_of, make_topic
from benchmarks.waiting import until
from equilag.domain.columns import Floats, Ints

PARTITIONS: Final = 24
SPEEDS: Final = (100.0, 300.0, 300.0, 300.0, 300.0, 300.0)
"""Records per second of each member."""
USED: Final = 0.8
"""Records produced, as a share of what all members can process."""
SIGMA: Final = 1.0
"""Of the lognormal rates."""
SEED: Final = 1
BACKLOG: Final = 4_500
"""Records in each partition at the start: all members have a backlog for 80 s and more, in which
their speeds can be measured."""
TOPIC: Final = "orders"
GROUP: Final = "orders-service"
RESET: Final = "earliest"
_SETTLED_S: Final = 60
CONSUMER: Final[dict[str, str | int]] = {
    "group.id": GROUP,
    "auto.offset.reset": RESET,
    "auto.commit.interval.ms": 5_000,
    "session.timeout.ms": 10_000,
    "heartbeat.interval.ms": 1_000,
}
"""Settings of the members beside the assignor; all others are librdkafka's own."""


@dataclass
class LiveGroup:
    bootstrap: str
    rates: Floats
    """[P] records produced per second."""
    members: list[LimitedMember]
    traffic: ScheduledTraffic

    def lag(self) -> Ints:
        """[P] records produced and not yet processed."""
        read = np.zeros(PARTITIONS, np.int64)
        for member in self.members:
            for partition, offset in list(member.read.items()):
                read[partition] = max(read[partition], offset)
        lag: Ints = self.traffic.produced - read
        return np.maximum(lag, 0)


def drawn_rates() -> Floats:
    weights = np.random.default_rng(SEED).lognormal(0.0, SIGMA, PARTITIONS)
    rates: Floats = weights * (USED * sum(SPEEDS) / weights.sum())
    return rates


@contextmanager
def live_group(bootstrap: str, assignor: str) -> Iterator[LiveGroup]:
    """A group of subscribing members with traffic, once every partition has an owner."""
    make_topic(admin_of(bootstrap), TOPIC, PARTITIONS)
    settings = {
        **CONSUMER, "bootstrap.servers": bootstrap, "partition.assignment.strategy": assignor,
    }  # fmt: skip
    rates = drawn_rates()
    with ExitStack() as stack:
        members = []
        for number, speed in enumerate(SPEEDS):
            members.append(LimitedMember(f"member-{number}", speed, TOPIC, settings))
            stack.callback(members[-1].stop)
        every = list(range(PARTITIONS))
        until(lambda: sorted(p for one in members for p in one.held()) == every, _SETTLED_S)
        traffic = stack.enter_context(
            ScheduledTraffic(
                bootstrap, TOPIC, lambda seconds: BACKLOG + (rates * seconds).astype(np.int64)
            )
        )
        yield LiveGroup(bootstrap, rates, members, traffic)
