"""Extended groups, read from a snapshot alone, and what their partitions weigh.

Nothing in here uses code of equilag.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from random import Random
from statistics import median
from typing import Any, Final

from support.oracle_groups import OracleGroup, OracleUnit, Partition

Snapshot = Mapping[str, Any]
Weights = Mapping[Partition, Fraction]
HEAVY: Final = 10**6
"""What a unit of `move_weights` counts beside a move: more than a group has partitions."""


def read_group(snapshot: Snapshot, weights: Weights | None = None) -> OracleGroup:
    """The units and members of a snapshot; topics with co-partitioned lists become units.

    `weights` of partitions stand in for their lag. With `move_weights` a move of weight w counts
    HEAVY × w + 1."""
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
                        sum(
                            price_of(snapshot, partition)
                            for partition in partitions
                            if owner.get(partition, m) != m
                        )
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


def price_of(snapshot: Snapshot, partition: Partition) -> int:
    """What a move of the partition counts."""
    given, (topic, number) = snapshot.get("move_weights", {}), partition
    return 1 + (HEAVY * given[topic][number] if topic in given else 0)


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


KINDS: Final = ("lag", "rate", "work", "given")


def rates_of(snapshot: Snapshot) -> dict[Partition, Fraction]:
    """The rate of each partition; of an unknown one the mean of its topic, else of all, else 0."""
    given = snapshot.get("rates", {})
    rows = {t: given.get(t, [None] * size) for t, size in snapshot["topics"].items()}
    known = {t: [Fraction(rate) for rate in row if rate is not None] for t, row in rows.items()}
    usual = _mean([rate for row in known.values() for rate in row], Fraction(0))
    return {
        (topic, number): _mean(known[topic], usual) if rate is None else Fraction(rate)
        for topic, row in rows.items()
        for number, rate in enumerate(row)
    }


def _mean(rates: list[Fraction], otherwise: Fraction) -> Fraction:
    return sum(rates, Fraction(0)) / len(rates) if rates else otherwise


def weights_of(snapshot: Snapshot, kind: str, horizon: float = 300) -> dict[Partition, Fraction]:
    """What each partition weighs, without rounding."""
    if kind == "lag":
        return lags_of(snapshot)
    if kind == "given":
        given = snapshot["weights"]
        return {(t, n): Fraction(given[t][n] if t in given else 0) for t, n in lags_of(snapshot)}
    rates = rates_of(snapshot)
    if kind == "rate":
        return rates
    lags = lags_of(snapshot)
    return {one: lags[one] + rate * Fraction(horizon) for one, rate in rates.items()}


def give_move_weights(rng: Random, snapshot: dict[str, Any]) -> dict[str, Any]:
    """The snapshot with weights of moves: none, few different ones, or large ones."""
    most = rng.choice((0, 1, 3, 1000, 10**10))
    topics = {topic: size for topic, size in snapshot["topics"].items() if rng.random() < 0.9}
    rows = {topic: [rng.randint(0, most) for _ in range(size)] for topic, size in topics.items()}
    return {**snapshot, "move_weights": rows}


def give_weights(rng: Random, snapshot: dict[str, Any]) -> None:
    """Rates with one decimal, some of them unknown, and weights of the user's own."""
    for field in ("rates", "weights"):
        snapshot[field] = {}
        for topic, size in snapshot["topics"].items():
            if rng.random() < 0.9:
                row = [rng.choice((0, 1, 10, 100)) * rng.random() for _ in range(size)]
                some = rng.random() < 0.5
                snapshot[field][topic] = (
                    [round(w) for w in row]
                    if field == "weights"
                    else [None if some and rng.random() < 0.3 else round(r, 1) for r in row]
                )
