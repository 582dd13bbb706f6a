"""The truth about small groups, by trying every valid assignment, and about larger ones, by flows.

Nothing in here uses equilag's own algorithms: only a group's columns, and networkx.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from equilag.domain.group.group import NOBODY, Flags, Group, Index, Ints
from equilag.domain.policy.policy import Policy


@dataclass(frozen=True, eq=False)
class Assignments:
    """Some valid assignments of a group, one per row [A, P], with what they are worth."""

    group: Group
    rows: Index

    @staticmethod
    def all(group: Group, keep_owned: bool = False) -> Assignments:
        """Every valid assignment; with `keep_owned` only those without a move."""
        choices = []
        for partition in range(group.n_partitions):
            owner = int(group.owner[partition])
            readers = np.flatnonzero(may_take(group)[partition]).tolist()
            choices.append([owner] if keep_owned and owner != NOBODY else readers or [NOBODY])
        rows = np.array(list(product(*choices)), dtype=np.int32)
        return Assignments(group, rows.reshape(len(rows), group.n_partitions))

    def __len__(self) -> int:
        return len(self.rows)

    def where(self, keep: Flags) -> Assignments:
        return Assignments(self.group, self.rows[keep])

    def __contains__(self, assigned: object) -> bool:
        return bool((self.rows == np.asarray(assigned)).all(axis=1).any())

    @cached_property
    def held(self) -> Flags:
        """[A, P, M] who has what."""
        held: Flags = self.rows[:, :, None] == np.arange(self.group.n_members)
        return held

    @cached_property
    def loads(self) -> Ints:
        """[A, M]"""
        lag = np.where(self.held, self.group.lag[None, :, None], 0)
        return lag.sum(axis=1)

    @cached_property
    def active(self) -> list[int]:
        """The members that may take a partition."""
        found: list[int] = np.flatnonzero(may_take(self.group).any(axis=0)).tolist()
        return found

    @cached_property
    def highest(self) -> Ints:
        """[A] the heaviest load; 0 without members that are not idle."""
        return self.loads[:, self.active].max(axis=1, initial=0)

    @cached_property
    def lowest(self) -> Ints:
        """[A] the lightest load of those members."""
        if not self.active:
            return np.zeros(len(self), dtype=np.int64)
        return self.loads[:, self.active].min(axis=1)

    @cached_property
    def spread(self) -> Ints:
        return self.highest - self.lowest

    @cached_property
    def excesses(self) -> npt.NDArray[np.float64]:
        """[A] what lies above the mean load, summed over the members."""
        number = max(1, len(self.active))
        above = [
            sum(max(0, load * number - sum(loads)) for load in loads) / number
            for loads in self.loads[:, self.active].tolist()
        ]
        return np.array(above, dtype=np.float64)

    @property
    def least_excess(self) -> int:
        """The least of all that lies above the mean load, rounded down."""
        return math.floor(self.excesses.min())

    @cached_property
    def moves(self) -> Ints:
        """[A] partitions that leave their owner."""
        owner = self.group.owner
        return ((self.rows != owner) & (owner != NOBODY)).sum(axis=1)

    def counts(self, partitions: Flags | None = None) -> Ints:
        """[A, M] how many of the partitions [P] each member has."""
        held = self.held if partitions is None else self.held[:, partitions]
        return held.sum(axis=1)

    def balanced(self, balance: str) -> Assignments:
        """Those whose counts are as even as the balance asks for; there is always one."""
        columns = []
        if balance == "none":
            return self
        if balance != "total":
            for topic in range(len(self.group.topics)):
                mine = self.counts(self.group.topic_of == topic)[:, _readers(self.group, topic)]
                columns.append(np.sort(mine, axis=1)[:, ::-1])
        if balance != "per-topic":
            columns.append(np.sort(self.counts(), axis=1)[:, ::-1])
        keys = np.concatenate([np.zeros((len(self), 1), np.int64), *columns], axis=1)
        keep = np.ones(len(self), dtype=np.bool_)
        for column in keys.T:  # lexicographically smallest
            keep &= column == column[keep].min()
        return self.where(keep)

    def front(self) -> list[tuple[int, int]]:
        """(moves, spread) of those that no other one beats in both."""
        points: list[tuple[int, int]] = []
        order = np.lexsort((self.spread, self.moves))
        for moves, spread in zip(
            self.moves[order].tolist(), self.spread[order].tolist(), strict=True
        ):
            if not points or spread < points[-1][1]:
                points.append((moves, spread))
        return points


@dataclass(frozen=True, eq=False)
class Truth:
    """What a policy asks for on a small group, goal by goal in its order."""

    balanced: Assignments
    """All that meet the counts (and keep what is owned, where the policy says so)."""
    eligible: Assignments
    """Those of them that meet the goals up to the lag spread: moves or a limit on them."""
    fewest_moves: int
    """Of the balanced ones, owners as they are."""
    move_cost: int
    fresh: bool
    tolerance: float = 0.0

    @staticmethod
    def of(group: Group, policy: Policy) -> Truth:
        balanced = Assignments.all(group, policy.name == "sticky-yet-fair" and not policy.fresh)
        balanced = balanced.balanced(policy.balance)
        fewest = int(balanced.moves.min())
        moves_first = policy.name in ("fair-yet-sticky", "sticky-yet-fair")
        limit = fewest if moves_first else policy.max_moves
        eligible = balanced
        if limit is not None and not policy.fresh:
            eligible = balanced.where(balanced.moves <= limit)
        cost = 0 if moves_first or policy.fresh else policy.move_cost
        return Truth(balanced, eligible, fewest, cost, policy.fresh, policy.tolerance)

    @property
    def cost(self) -> Ints:
        """[A] spread + move cost × moves of the eligible."""
        return self.eligible.spread + self.move_cost * self.eligible.moves

    @property
    def best(self) -> Assignments:
        """All optimal assignments."""
        return self.eligible.where(self.cost == self.cost.min())

    @property
    def allowance(self) -> int:
        """Records of spread that the tolerance gives away."""
        active = self.eligible.active
        lag = sum(int(x) for x in self.eligible.loads[0])
        return int(lag / len(active) * self.tolerance / 100) if active else 0

    def is_optimal(self, assigned: Index) -> bool:
        """Is it eligible, with a cost within the tolerance of the best."""
        if not len(self.eligible):
            return False
        cost = self.cost
        return assigned in self.eligible.where(cost <= cost.min() + self.allowance)


def may_take(group: Group) -> Flags:
    """[P, M] True if the member may take the partition."""
    classes = group.partition_classes
    if classes is None:
        return group.reads[group.topic_of][:, group.class_of]
    return classes.eligible[classes.of_partition][:, group.class_of]


def _readers(group: Group, topic: int) -> Ints:
    return np.flatnonzero(group.reads[topic][group.class_of])


@dataclass(frozen=True, slots=True)
class FlowOptimum:
    counts: list[int]
    """Descending."""
    moves: int


def most_even_flow(group: Group) -> FlowOptimum:
    """Decreasingly minimal total counts and, under them, the fewest moves: one min-cost flow.

    The k-th partition of a member costs 2k − 1 times more than all moves together, so that the
    cheapest flow has the least sum of squared counts (which is what dec-min assignments are,
    Frank and Murota) and then the fewest partitions off their owners.
    """
    readers = {t: _readers(group, t).tolist() for t in range(len(group.topics))}
    supply = {t: int(group.topic_size[t]) if readers[t] else 0 for t in readers}
    total = sum(supply.values())
    graph: Any = nx.MultiDiGraph()
    graph.add_node("sink", demand=total)
    for topic, n in supply.items():
        graph.add_node(("topic", topic), demand=-n)
        for member in readers[topic]:
            own = int(np.count_nonzero((group.owner == member) & (group.topic_of == topic)))
            graph.add_edge(("topic", topic), member, capacity=own, weight=0)
            graph.add_edge(("topic", topic), member, capacity=n, weight=1)
    for member in range(group.n_members):
        most = sum(n for topic, n in supply.items() if member in readers[topic])
        for k in range(1, most + 1):
            graph.add_edge(member, "sink", capacity=1, weight=(total + 1) * (2 * k - 1))
        graph.add_node(member)
    _, flow = nx.network_simplex(graph)
    counts = [sum(flow[m].get("sink", {}).values()) for m in range(group.n_members)]
    kept = sum(flow["topic", t][m][0] for t in readers for m in readers[t])
    owned = int(np.count_nonzero(group.owner != NOBODY))
    return FlowOptimum(sorted(counts, reverse=True), owned - kept)
