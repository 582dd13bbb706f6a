"""A consumer group as the benchmarks define it, in names and columns, for all assignors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from equilag.domain.building.group_input import ClaimColumns, GroupInput
from equilag.domain.group.group import NOBODY, Group, Index, Ints, Member

GENERATION: Final = 7
"""The generation in which all owners claim their partitions; any positive number would do."""

Value = TypeVar("Value")
Assignment: TypeAlias = dict[str, dict[str, list[int]]]
"""Member -> topic -> partition numbers."""


class Racks(NamedTuple):
    """The racks of a case; "" for a member without one."""

    of_member: tuple[str, ...]
    """[M]"""
    of_partition: tuple[tuple[str, ...], ...]
    """[P] those that hold a replica, the leader's first."""


@dataclass(frozen=True, eq=False)
class Case:
    """A group. Shapes: M members, T topics, S subscriptions, P partitions numbered topic by topic.

    Members and topics are sorted by name. `owner` has member numbers, or NOBODY; every owner
    subscribes to the topics of its partitions.
    """

    name: str
    family: str
    members: tuple[str, ...]
    topics: tuple[str, ...]
    sizes: tuple[int, ...]
    """[T] partitions of each topic."""
    subscriptions: tuple[tuple[int, ...], ...]
    """[S] distinct ones, as ascending topic numbers."""
    subscription_of: npt.NDArray[np.int32]
    """[M]"""
    owner: npt.NDArray[np.int32]
    """[P]"""
    lag: npt.NDArray[np.int64] | None = None
    """[P] records, or None if the case measures only counts and moves."""
    lags: str = "none"
    """The lag family that `lag` was drawn from."""
    time_limit: float = 60.0
    """Seconds for an assignor with a time limit; by default, enough for an exact result."""
    racks: Racks | None = None
    capacities: tuple[int, ...] | None = None
    """[M] known to equilag only; None if all members are equally fast."""

    @property
    def n_members(self) -> int:
        return len(self.members)

    @property
    def n_partitions(self) -> int:
        return sum(self.sizes)

    @property
    def owned(self) -> bool:
        """True if any partition has an owner."""
        return bool((self.owner != NOBODY).any())

    @property
    def kind(self) -> str:
        """``one`` for a single subscription, otherwise ``mixed``."""
        return "one" if len(self.subscriptions) == 1 else "mixed"

    @cached_property
    def start(self) -> Ints:
        """[T + 1] number of each topic's first partition; the last entry is P."""
        return np.concatenate([[0], np.cumsum(self.sizes, dtype=np.int64)]).astype(np.int64)

    @cached_property
    def topic_of(self) -> Index:
        """[P] topic of each partition."""
        return np.repeat(np.arange(len(self.sizes), dtype=np.int32), self.sizes)

    def group(self) -> Group:
        """The group as the planner takes it, without a detour through text."""
        partitions = self._by_owner()
        read = [[self.topics[t] for t in topics] for topics in self.subscriptions]
        subscription_of = self.subscription_of.tolist()
        unknown = [None] * self.n_members
        racks = unknown if self.racks is None else self.racks.of_member
        given: GroupInput = {
            "name": self.name,
            "topics": dict(zip(self.topics, self.sizes, strict=True)),
            "members": [
                Member(name, generation=GENERATION, rack=rack, capacity=capacity)
                for name, rack, capacity in zip(
                    self.members, racks, self.capacities or unknown, strict=True
                )
            ],
            "subscriptions": {
                name: read[number]
                for name, number in zip(self.members, subscription_of, strict=True)
            },
            "owned": ClaimColumns(self.owner[partitions], partitions),
            "generation": GENERATION,
        }
        if self.lag is not None:
            given["lags"] = self.lag
        if self.racks is not None:
            given["racks"] = self.racks_by_topic()
        return Group.build(**given)

    def snapshot(self) -> dict[str, Any]:
        """Return the same group as an `equilag/snapshot/1`."""
        owned = self.assignment(self.owner)
        document: dict[str, Any] = {
            "format": "equilag/snapshot/1",
            "group": self.name,
            "topics": dict(zip(self.topics, self.sizes, strict=True)),
            "subscriptions": {
                f"s{number}": [self.topics[t] for t in topics]
                for number, topics in enumerate(self.subscriptions)
            },
            "members": [
                {"id": name, "subscription": f"s{subscription}", "owned": owned[name]}
                for name, subscription in zip(
                    self.members, self.subscription_of.tolist(), strict=True
                )
            ],
            "generation": GENERATION,
        }
        if self.lag is not None:
            document["lags"] = self.lags_by_topic()
        return document

    def lags_by_topic(self) -> dict[str, list[int]]:
        """Topic -> lags, for every topic; the lists are empty if the case has no lags."""
        if self.lag is None:
            return {topic: [] for topic in self.topics}
        return self._by_topic(self.lag.tolist())

    def racks_by_topic(self) -> dict[str, list[tuple[str, ...]]]:
        """Topic -> racks of each partition; empty if the case has none."""
        return {} if self.racks is None else self._by_topic(self.racks.of_partition)

    def assignment(self, assigned: npt.NDArray[np.int32]) -> Assignment:
        """Convert an assignment [P] to names; every member has an entry."""
        result: Assignment = {name: {} for name in self.members}
        held = np.flatnonzero(assigned != NOBODY)
        order = held[np.argsort(assigned[held], kind="stable")]
        member, topic = assigned[order], self.topic_of[order]
        numbers = (order - self.start[topic]).tolist()
        new = np.append(True, (member[1:] != member[:-1]) | (topic[1:] != topic[:-1]))
        edges = [*(np.flatnonzero(new).tolist() if len(order) else []), len(order)]
        for a, b in pairwise(edges):
            result[self.members[int(member[a])]][self.topics[int(topic[a])]] = numbers[a:b]
        return result

    def _by_topic(self, values: Sequence[Value]) -> dict[str, list[Value]]:
        """Cut a column [P] into the topics."""
        edges = zip(self.topics, pairwise(self.start.tolist()), strict=True)
        return {topic: list(values[a:b]) for topic, (a, b) in edges}

    def _by_owner(self) -> Ints:
        """Return the owned partitions, sorted by owner and then by number."""
        held = np.flatnonzero(self.owner != NOBODY)
        return held[np.argsort(self.owner[held], kind="stable")].astype(np.int64)
