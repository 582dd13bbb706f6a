"""Extended groups as independent tests see them: units and members, read from a snapshot alone.

Nothing in here, in `extended_flow` or in `extended_enumeration` uses code of equilag. A unit is
what goes to one member as a whole: a partition by itself, or partition i of all topics of a list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import lcm
from statistics import median
from typing import Any

Snapshot = Mapping[str, Any]
Partition = tuple[str, int]
Weights = Mapping[Partition, Fraction]
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


@dataclass(frozen=True)
class OracleFigures:
    """What the goals of a plan are worth."""

    instances: Fraction
    """Σ count² / share over instances; a member without one is an instance by itself."""
    members: Fraction
    """Σ count² / share over members."""
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
    unread: frozenset[Partition] = field(default_factory=frozenset)
    """Partitions whose topics nobody subscribes to."""

    @property
    def active(self) -> list[int]:
        """Members that may take a unit; the others are idle."""
        return sorted({m for unit in self.units for m in unit.takers})

    @cached_property
    def member_factor(self) -> list[int]:
        """[M] integers in proportion to 1 / share; `scale` is the factor of share 1."""
        return [int(self.scale / share) for share in self.share]

    @cached_property
    def load_factor(self) -> list[int]:
        """[M] integers in proportion to 1 / capacity."""
        scale = lcm(*(capacity.numerator for capacity in self.capacity))
        return [int(scale / capacity) for capacity in self.capacity]

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
        sums = [0] * len(self.instance_share)
        for number, count in zip(self.instance, counts, strict=True):
            sums[number] += count
        per_capacity = [loads[m] / self.capacity[m] for m in self.active]
        return OracleFigures(
            instances=_squares(sums, self.instance_share),
            members=_squares(counts, self.share),
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


def read_group(snapshot: Snapshot, weights: Weights | None = None) -> OracleGroup:
    """The units and members of a snapshot; topics with co-partitioned lists become units.

    `weights` of partitions stand in for their lag."""
    if weights is None:
        weights = lags_of(snapshot)
    members = sorted(snapshot["members"], key=lambda member: member["id"])
    reads = [_subscription(snapshot, member) for member in members]
    lists = [tuple(topics) for topics in snapshot.get("co_partitioned", ())]
    joined = {topic for topics in lists for topic in topics}
    lists += [(topic,) for topic in snapshot["topics"] if topic not in joined]
    owner = _owners(snapshot, members, reads)
    no_limit = sum(snapshot["topics"].values())
    room = [member.get("max_partitions") for member in members]
    units, unread = [], set()
    for topics in lists:
        for number in range(snapshot["topics"][topics[0]]):
            partitions = tuple((topic, number) for topic in topics)
            if not any(topic in reading for topic in topics for reading in reads):
                unread |= set(partitions)
                continue
            takers = [
                m
                for m, member in enumerate(members)
                if reads[m].issuperset(topics)
                and room[m] != 0
                and all(_allowed(snapshot, partition, member["id"]) for partition in partitions)
            ]
            units.append(
                OracleUnit(
                    partitions,
                    tuple(takers),
                    sum((weights[partition] for partition in partitions), Fraction(0)),
                    tuple(
                        sum(_across(snapshot, partition, member) for partition in partitions)
                        for member in members
                    ),
                    tuple(
                        sum(owner.get(partition, m) != m for partition in partitions)
                        for m in range(len(members))
                    ),
                )
            )
    return OracleGroup(
        members=tuple(member["id"] for member in members),
        capacity=(capacity := _capacities(members)),
        share=tuple(map(_three_digits, capacity)),
        instance=_instances(members),
        room=tuple(no_limit if most is None else most for most in room),
        units=tuple(units),
        unread=frozenset(unread),
    )


def lags_of(snapshot: Snapshot) -> dict[Partition, Fraction]:
    """The lag of each partition, of those in `lags` alone; 0 for the others."""
    lags = snapshot.get("lags", {})
    return {
        (topic, number): Fraction(lags[topic][number] if topic in lags else 0)
        for topic, size in snapshot["topics"].items()
        for number in range(size)
    }


def _subscription(snapshot: Snapshot, member: Mapping[str, Any]) -> frozenset[str]:
    given = member["subscription"]
    return frozenset(snapshot["subscriptions"][given] if isinstance(given, str) else given)


def _allowed(snapshot: Snapshot, partition: Partition, member: str) -> bool:
    topic, number = partition
    named = snapshot.get("allowed", {}).get(topic, {}).get(str(number))
    return named is None or member in named


def _across(snapshot: Snapshot, partition: Partition, member: Mapping[str, Any]) -> bool:
    topic, number = partition
    replicas = snapshot.get("racks", {}).get(topic)
    rack = member.get("rack")
    return bool(rack and replicas and replicas[number]) and rack not in replicas[number]


def _owners(
    snapshot: Snapshot, members: Sequence[Mapping[str, Any]], reads: Sequence[frozenset[str]]
) -> dict[Partition, int]:
    """Partition -> the member whose claim is the newest, if it is one and still subscribes."""
    claims: dict[Partition, dict[int, set[int]]] = {}
    for number, member in enumerate(members):
        generation = member.get("generation", snapshot.get("generation", -1))
        for topic, partitions in member.get("owned", {}).items():
            for partition in partitions:
                by_generation = claims.setdefault((topic, partition), {})
                by_generation.setdefault(generation, set()).add(number)
    owners = {}
    for partition, by_generation in claims.items():
        newest = by_generation[max(by_generation)]
        (first, *others) = newest
        if not others and partition[0] in reads[first]:
            owners[partition] = first
    return owners


def _capacities(members: Sequence[Mapping[str, Any]]) -> tuple[Fraction, ...]:
    given = [member.get("capacity") for member in members]
    known = [Fraction(str(capacity)) for capacity in given if capacity is not None]
    unknown = median(known) if known else Fraction(1)
    return tuple(unknown if c is None else Fraction(str(c)) for c in given)


def _three_digits(number: Fraction) -> Fraction:
    return Fraction(f"{float(number):.3g}")


def _instances(members: Sequence[Mapping[str, Any]]) -> tuple[int, ...]:
    number: dict[tuple[bool, str], int] = {}
    return tuple(
        number.setdefault(
            (True, member["instance"]) if member.get("instance") else (False, member["id"]),
            len(number),
        )
        for member in members
    )
