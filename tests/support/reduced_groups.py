"""Reduced groups with capacities, rooms and instances, and the truth about their counts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from math import lcm
from random import Random

import numpy as np
from support.oracles import Assignments

from equilag.domain.constraint import CountConstraint
from equilag.domain.errors import InputError
from equilag.domain.group.extended_columns import NO_LIMIT, ExtendedColumns
from equilag.domain.group.group import Flags, Group, Index
from equilag.domain.group.member_capacities import MemberCapacities
from equilag.domain.group.partition_classes import PartitionClasses
from equilag.domain.policy.policy import Policy
from equilag.solver.counts.even_counts import balanced

CAPACITIES = ((1,), (1, 2), (1, 2, 3, 4), (37, 100, 250), (1, 999), (997, 998, 999))
"""MemberCapacities of one group are drawn from one of these."""


def extended_columns(n_members: int, **given: object) -> ExtendedColumns:
    """Columns that change nothing, but for those that are given."""
    ones = np.ones(n_members, np.int64)
    capacity = [Fraction(int(one)) for one in np.asarray(given.get("capacity", ones))]
    room = np.full(n_members, NO_LIMIT)
    columns = ExtendedColumns(ones, 1.0, MemberCapacities.of(capacity), room)
    return columns._replace(**given)


def random_reduced(rng: Random, members: int = 4, partitions: int = 6, mixed: bool = True) -> Group:
    """A small group with any of the fields; there may be too little room. With `mixed` the members
    of an instance may differ in what they may take."""
    n, size = rng.randint(2, members), rng.randint(1, partitions)
    names = [f"m{m}" for m in range(n)]
    topics = {"a": size - size // 2, "b": size // 2} if rng.random() < 0.7 else {"a": size}
    owned: dict[str, dict[str, list[int]]] = {name: {} for name in names}
    for topic, number in topics.items():
        for partition in range(number):
            if rng.random() < 0.7:
                owned[rng.choice(names)].setdefault(topic, []).append(partition)
    group = Group.build(
        name="g",
        topics=topics,
        members=names,
        subscriptions={name: list(topics) for name in names},
        owned=owned,
    )
    instance = np.array([rng.randrange(n) for _ in names], dtype=np.int32)
    instance = np.unique(instance, return_inverse=True)[1].astype(np.int32)
    group = _split(rng, group, instance, mixed)
    capacity = np.array([rng.choice(rng.choice(CAPACITIES)) for _ in names], dtype=np.int64)
    room = [rng.randint(0, size) if rng.random() < 0.2 else NO_LIMIT for _ in names]
    return replace(
        group,
        extended=extended_columns(
            n,
            capacity=capacity,
            room=np.array(room) if rng.random() < 0.5 else np.full(n, NO_LIMIT),
            instance_of=instance if rng.random() < 0.6 else None,
        ),
    )


def even_groups(
    rng: Random, number: int, members: int, partitions: int
) -> Iterator[tuple[Group, Index, CountConstraint]]:
    """Groups that have enough room, with an assignment that has the best counts."""
    while number:
        group = random_reduced(rng, members, partitions)
        with suppress(InputError):
            yield group, *balanced(group, Policy())
            number -= 1


def _split(rng: Random, group: Group, instance: np.ndarray, mixed: bool) -> Group:
    """The group with up to three partition classes, which some members may not take."""
    n_classes, n = rng.randint(1, 3), group.n_members
    table = np.array([[rng.random() < 0.7 for _ in range(n)] for _ in range(n_classes)])
    if not mixed:
        table = table[:, instance]
    table[~table.any(axis=1)] = True
    columns, class_of = np.unique(table, axis=1, return_inverse=True)
    of = np.array([rng.randrange(n_classes) for _ in range(group.n_partitions)], dtype=np.int32)
    owner = np.where(table[of, group.owner], group.owner, -1).astype(np.int32)
    return replace(
        group,
        class_of=class_of.ravel().astype(np.int32),
        class_topics=group.class_topics * columns.shape[1],
        partition_classes=PartitionClasses(of, columns),
        owner=owner,
    )


def best_counts(group: Group, every: Assignments) -> Flags:
    """[A] True for those that fit, and have the smallest Σ count² / capacity of all that do: by
    instance first, and then by member. Nothing is True if none fits."""
    assert group.extended is not None
    counts = every.counts().astype(object)
    fits: Flags = (counts <= group.extended.room).all(axis=1).astype(np.bool_)
    if not fits.any():
        return fits
    instance = group.extended.instance_of
    instance = np.arange(group.n_members) if instance is None else instance
    together = np.eye(int(instance.max()) + 1, dtype=object)[instance]
    goals = [
        _squares(counts @ together, (group.extended.capacity.astype(object) @ together).tolist()),
        _squares(counts, group.extended.capacity.tolist()),
    ]
    for goal in goals:
        fits &= (goal == goal[fits].min()).astype(np.bool_)
    return fits


def _squares(counts: np.ndarray, capacity: list[int]) -> np.ndarray:
    scale = lcm(*capacity)
    found: np.ndarray = (counts**2) @ np.array([scale // c for c in capacity], dtype=object)
    return found
