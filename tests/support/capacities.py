"""Groups whose members differ in capacity, with counts in intervals, and all their assignments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from support.groups import LAG_KINDS, random_group
from support.oracles import Assignments

from equilag.domain.constraint import CountConstraint
from equilag.domain.group.extended_columns import NO_LIMIT, ExtendedColumns, Stakes
from equilag.domain.group.group import NOBODY, Group, Index
from equilag.domain.group.member_capacities import MemberCapacities, decimal
from equilag.domain.reduction.reduce import whole_capacities

DECIMALS = ("0.1", "2.35", "0.001", "12345.678", "1e6", "1.000000001")
"""MemberCapacities that no common multiple of three digits has, a factor of 10^9 apart."""


def with_capacities(group: Group, capacity: Sequence[float | Fraction]) -> Group:
    """The group as a reduced one with capacities [M]."""
    exact = [one if isinstance(one, Fraction) else decimal(one) for one in capacity]
    shares, unit = whole_capacities([float(one) for one in exact])
    room = np.full(group.n_members, NO_LIMIT)
    return replace(group, extended=ExtendedColumns(shares, unit, MemberCapacities.of(exact), room))


def random_capacities(rng: np.random.Generator, group: Group) -> Group:
    """From 1 to 4, of three digits, or decimals that are far apart."""
    kind = rng.integers(4)
    if kind == 3:
        chosen = rng.choice(DECIMALS, group.n_members)
        return with_capacities(group, [Fraction(one) for one in chosen.tolist()])
    return with_capacities(
        group, rng.integers(1, 1_000 if kind == 2 else 5, group.n_members).tolist()
    )


def random_intervals(
    rng: np.random.Generator, group: Group
) -> tuple[CountConstraint, Assignments] | None:
    """Counts within 1 of those of some assignment, and all assignments that keep to them."""
    every = Assignments.all(group)
    if not len(every):
        return None
    counts = every.held.sum(axis=1)
    chosen = counts[rng.integers(len(every))]
    least = np.maximum(chosen - rng.integers(0, 2, group.n_members), 0)
    most = chosen + rng.integers(0, 2, group.n_members)
    keep = ((counts >= least) & (counts <= most)).all(axis=1)
    constraint = CountConstraint.by_intervals(group, least, most)
    return constraint, every.where(keep)


def exact_loads(group: Group, truth: Assignments) -> npt.NDArray[np.object_]:
    """[A, active] loads as they are compared, of the members that are not idle."""
    assert group.extended is not None
    capacities = group.extended.capacities
    rates = [Fraction(capacities.whole[-1], capacities.whole[k]) for k in capacities.kind_of]
    return (truth.loads.astype(object) * np.array(rates, dtype=object))[:, ~group.idle]


def capacity_cases(
    seed: int, n: int, stakes: bool = False
) -> Iterator[tuple[Group, CountConstraint, Index]]:
    """Up to `n` groups of members with capacities from 1 to 4, not all the same, and mixed
    subscriptions, intervals of counts around those of an assignment, and that assignment.
    With `stakes`, units have several owners."""
    rng = np.random.default_rng(seed)
    for number in range(n):
        plain = random_group(
            rng, topics=4, members=8, size=9, reads=(0.5, 1.0)[number % 2],
            kind=LAG_KINDS[number % len(LAG_KINDS)],
        )  # fmt: skip
        if plain.n_members < 2:
            continue
        capacity = rng.integers(1, 5, plain.n_members)
        capacity[:2] = 1, 3
        group = with_capacities(plain, capacity.tolist())
        if stakes:
            group = _with_stakes(rng, group)
        takers = group.may_hold(
            np.arange(group.n_partitions)[:, None], np.arange(group.n_members)[None, :]
        )
        assigned = np.where(
            takers.any(axis=1),
            np.where(takers, rng.random(takers.shape), -1).argmax(axis=1),
            NOBODY,
        ).astype(np.int32)
        counts = np.bincount(assigned[assigned != NOBODY], minlength=group.n_members)
        least = np.maximum(counts - rng.integers(0, 2, group.n_members), 0)
        most = counts + rng.integers(0, 2, group.n_members)
        yield group, CountConstraint.by_intervals(group, least, most), assigned


def _with_stakes(rng: np.random.Generator, group: Group) -> Group:
    """Every unit is of one to three partitions, each owned by some member or nobody."""
    units = np.repeat(np.arange(group.n_partitions), rng.integers(1, 4, group.n_partitions))
    members = rng.integers(NOBODY, group.n_members, len(units))
    held = np.flatnonzero(members != NOBODY)
    held = held[group.may_hold(units[held], members[held])]
    pairs, number = np.unique(
        np.stack((units[held], members[held]), axis=1), axis=0, return_counts=True
    )
    owner = np.full(group.n_partitions, NOBODY, np.int32)
    order = np.lexsort((number, pairs[:, 0]))
    owner[pairs[order, 0]] = pairs[order, 1]
    assert group.extended is not None
    stakes = Stakes(pairs[:, 0], pairs[:, 1], number)
    return replace(group, owner=owner, extended=group.extended._replace(stakes=stakes))
