"""Groups as independent tests see them, units and members, and their best assignment by a flow.

`oracle_of` takes them from the columns of a group, `oracle_snapshots.read_group` from a snapshot. A
unit is what goes to one member as a whole: a partition by itself, or partition i of all topics of a
list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import lcm, prod
from typing import Any

import networkx as nx
import numpy as np

from equilag.domain.columns import NOBODY
from equilag.domain.group.group import Group

Partition = tuple[str, int]
Placed = Sequence[int]
"""The member number of each unit."""


@dataclass(frozen=True)
class OracleUnit:
    """What goes to one member as a whole."""

    partitions: tuple[Partition, ...]
    takers: tuple[int, ...]
    """The members that may take it."""
    weight: Fraction
    cross: tuple[int, ...]
    """[M] its partitions that this member would read across racks."""
    moves: tuple[int, ...]
    """[M] its partitions that another live subscriber owns."""

    @property
    def topic(self) -> str:
        return self.partitions[0][0]


@dataclass(frozen=True)
class OracleFigures:
    """What the goals of a plan are worth."""

    instances: Fraction
    """Σ count² / share over instances; a member without one is an instance by itself."""
    members: Fraction
    """Σ count² / share over members."""
    topics: Fraction
    """The same over topics and members; a co-partitioned list is one topic."""
    cross: int
    moves: int
    spread: Fraction
    """Heaviest less lightest load per unit of capacity, of members that are not idle."""


@dataclass(frozen=True)
class OracleGroup:
    """Members [M] and units of one snapshot."""

    members: tuple[str, ...]
    capacity: tuple[Fraction, ...]
    """[M] as written in the snapshot: what loads are divided by."""
    share: tuple[Fraction, ...]
    """[M] the same with 3 significant digits: what counts are in proportion to."""
    instance: tuple[int, ...]
    """[M] the number of the member's instance."""
    room: tuple[int, ...]
    """[M] most units."""
    units: tuple[OracleUnit, ...]
    unread: frozenset[Partition] = frozenset()
    """Partitions whose topics nobody subscribes to."""
    forced_moves: int = 0
    """Moves of every assignment, beside those of the units."""

    def of_units(self, units: Sequence[OracleUnit]) -> OracleGroup:
        """The same members with these units."""
        return replace(self, units=tuple(units))

    @cached_property
    def active(self) -> list[int]:
        """Members that may take a unit; the others are idle."""
        return sorted({m for unit in self.units for m in unit.takers} - {NOBODY})

    @property
    def n_assignments(self) -> int:
        return prod(len(unit.takers) for unit in self.units)

    @cached_property
    def member_factor(self) -> list[int]:
        """[M] integers in proportion to 1 / share; `scale` is the factor of share 1."""
        return [int(self.scale / share) for share in self.share]

    @cached_property
    def load_factor(self) -> list[int]:
        """[M] integers in proportion to 1 / capacity; `load_scale` is the factor of capacity 1."""
        return [int(self.load_scale / capacity) for capacity in self.capacity]

    @cached_property
    def load_scale(self) -> int:
        return lcm(*(capacity.numerator for capacity in self.capacity))

    @cached_property
    def instance_share(self) -> list[Fraction]:
        return [
            sum((c for c, i in zip(self.share, self.instance, strict=True) if i == number),
                Fraction(0))
            for number in range(max(self.instance, default=-1) + 1)
        ]  # fmt: skip

    @cached_property
    def instance_factor(self) -> list[int]:
        """Per instance an integer in proportion to 1 / share, of the same scale."""
        return [int(self.scale / share) for share in self.instance_share]

    @cached_property
    def weight_scale(self) -> int:
        """Weights times this are integers."""
        return lcm(*(unit.weight.denominator for unit in self.units))

    @cached_property
    def scale(self) -> int:
        shares = [*self.share, *self.instance_share]
        return lcm(*(share.numerator for share in shares))

    def figures(self, placed: Placed) -> OracleFigures:
        counts = [0] * len(self.members)
        loads = [Fraction(0)] * len(self.members)
        for unit, member in zip(self.units, placed, strict=True):
            counts[member] += 1
            loads[member] += unit.weight
        by_topic: dict[tuple[str, int], int] = {}
        for unit, member in zip(self.units, placed, strict=True):
            by_topic[unit.topic, member] = by_topic.get((unit.topic, member), 0) + 1
        sums = [0] * len(self.instance_share)
        for number, count in zip(self.instance, counts, strict=True):
            sums[number] += count
        per_capacity = [loads[m] / self.capacity[m] for m in self.active]
        return OracleFigures(
            instances=_squares(sums, self.instance_share),
            members=_squares(counts, self.share),
            topics=_squares([*by_topic.values()], [self.share[m] for _, m in by_topic]),
            cross=sum(unit.cross[m] for unit, m in zip(self.units, placed, strict=True)),
            moves=sum(unit.moves[m] for unit, m in zip(self.units, placed, strict=True)),
            spread=max(per_capacity, default=Fraction(0)) - min(per_capacity, default=Fraction(0)),
        )

    def placed(self, assignment: Mapping[str, Mapping[str, Iterable[int]]]) -> list[int]:
        """The member of each unit in a plan's `assignment`; AssertionError if it breaks a rule."""
        assert set(assignment) == set(self.members), "not the members of the group"
        taker: dict[Partition, int] = {}
        for number, member in enumerate(self.members):
            for topic, partitions in assignment[member].items():
                for partition in partitions:
                    assert (topic, partition) not in taker, f"{topic}-{partition} twice"
                    taker[topic, partition] = number
        placed = []
        for unit in self.units:
            holders = {taker.pop(partition, None) for partition in unit.partitions}
            assert len(holders) == 1, f"{unit.partitions} torn apart"
            (holder,) = holders
            assert holder in unit.takers, f"{unit.partitions} with {holder}"
            placed.append(holder)
        assert not taker, f"not to be assigned: {taker}"
        for number, member in enumerate(self.members):
            assert placed.count(number) <= self.room[number], f"too many for {member}"
        return placed


def _squares(counts: Sequence[int], capacities: Sequence[Fraction]) -> Fraction:
    return sum((x * x / c for x, c in zip(counts, capacities, strict=True)), Fraction(0))


def oracle_of(group: Group) -> OracleGroup:
    """The partitions and members of a group, as its columns have them, or the units of a reduced
    one. NOBODY takes what nobody may take."""
    every = np.arange(group.n_members)
    extended = group.extended
    owned = (group.owner[:, None] == every).astype(np.int64)
    if extended.stakes is not None:
        owned[:] = 0
        np.add.at(owned, (extended.stakes.unit, extended.stakes.member), extended.stakes.number)
    cross = np.zeros(group.eligible.shape, int) if extended.cross is None else extended.cross
    units = []
    for p, of in enumerate(group.partition_class.tolist()):
        readers = group.may_hold(np.array([p]), every)
        takers = np.flatnonzero(readers & (extended.room > 0)) if readers.any() else [NOBODY]
        units.append(
            OracleUnit(
                (group.partition_name(p),),
                tuple(map(int, takers)),
                Fraction(int(group.lag[p])),
                tuple(cross[of, group.class_of].tolist()),
                tuple((owned[p].sum() - owned[p]).tolist()),
            )
        )
    capacities, instance = extended.capacities, extended.instance_of
    return OracleGroup(
        members=tuple(member.id for member in group.members),
        capacity=tuple(capacities.whole[k] * capacities.unit for k in capacities.kind_of),
        share=tuple(Fraction(int(one)) for one in extended.capacity),
        instance=tuple((every if instance is None else instance).tolist()),
        room=tuple(extended.room.tolist()),
        units=tuple(units),
        forced_moves=extended.forced_moves,
    )


def cheapest_assignment(
    group: OracleGroup, rack_aware: bool = False, counted: bool = True, then_topics: bool = False
) -> list[int] | None:
    """The member of each unit in one best assignment, by one min-cost flow; None if not all fit.

    The goals in their order: counts by instance and by member if `counted`, counts of topics if
    `then_topics`, cross-rack reads if `rack_aware`, moves. A member's k-th unit costs
    (2k − 1) / capacity, an instance's and a topic's likewise, so that the sums are
    Σ count² / capacity. Each goal is weighed more than all that come after it together; integers
    of any size keep that exact.
    """
    n, racks = len(group.units), int(rack_aware)
    unit_bound = 1 + sum(max(unit.moves, default=0) for unit in group.units)
    topic_price = 1 + racks * sum(max(unit.cross, default=0) for unit in group.units)
    # Σ (2k − 1) over at most n units is at most n².
    count_bound = 1 + n * n * max(group.member_factor, default=0)
    cross_bound = topic_price * (count_bound if then_topics else 1)
    graph: Any = nx.MultiDiGraph()
    graph.add_node("sink", demand=n)
    alike: dict[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], str], list[int]] = {}
    for number, unit in enumerate(group.units):
        topic = unit.topic if then_topics else ""
        alike.setdefault((unit.takers, unit.cross, unit.moves, topic), []).append(number)
    for place, ((takers, cross, moves, topic), numbers) in enumerate(alike.items()):
        graph.add_node(("units", place), demand=-len(numbers))
        for m in takers:
            cost = racks * unit_bound * cross[m] + moves[m]
            graph.add_edge(("units", place), (topic, m), weight=cost)
            for k in range(n if not graph.has_edge((topic, m), m) else 0):
                price = then_topics * unit_bound * topic_price * group.member_factor[m]
                graph.add_edge((topic, m), m, capacity=1, weight=price * (2 * k + 1))
    for m, factor in enumerate(group.member_factor):
        for k in range(min(group.room[m], n)):
            price = counted * unit_bound * cross_bound * factor * (2 * k + 1)
            graph.add_edge(m, ("instance", group.instance[m]), capacity=1, weight=price)
    shared = len(group.instance_factor) < len(group.members)
    for place, factor in enumerate(group.instance_factor):
        for k in range(n):
            price = counted * shared * count_bound * unit_bound * cross_bound * factor * (2 * k + 1)
            graph.add_edge(("instance", place), "sink", capacity=1, weight=price)
    try:
        _, flow = nx.network_simplex(graph)
    except nx.NetworkXUnfeasible:
        return None
    placed = [NOBODY] * n
    for place, numbers in enumerate(alike.values()):
        arcs = flow["units", place].items()
        members = [m for (_, m), edges in arcs for _ in range(sum(edges.values()))]
        for number, m in zip(numbers, members, strict=True):
            placed[number] = m
    return placed
