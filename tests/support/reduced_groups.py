"""Reduced groups: random ones with capacities, rooms and instances, and counts that they allow."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import numpy.typing as npt
from support.extended_groups import ExtendedShape, extended_snapshot
from support.oracles import Assignments

from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.constraint import CountConstraint
from equilag.domain.errors import InputError
from equilag.domain.group.extended_columns import NO_LIMIT, ExtendedColumns
from equilag.domain.group.group import NOBODY, Flags, Group, Index, Ints
from equilag.domain.group.member_capacities import MemberCapacities, decimal
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import reduce_group, whole_capacities
from equilag.solver.counts.even_counts import balanced

DECIMALS = ("0.1", "2.35", "0.001", "12345.678", "1e6", "1.000000001")
"""Capacities that no common multiple of three digits has, a factor of 10^9 apart."""


def extended_columns(n_members: int, **given: object) -> ExtendedColumns:
    """Columns that change nothing, but for those that are given."""
    ones = np.ones(n_members, np.int64)
    capacity = [Fraction(int(one)) for one in np.asarray(given.get("capacity", ones))]
    room = np.full(n_members, NO_LIMIT)
    columns = ExtendedColumns(ones, 1.0, MemberCapacities.of(capacity), room)
    return columns._replace(**given)


def with_capacities(group: Group, capacity: Sequence[float | Fraction]) -> Group:
    """The group as a reduced one with capacities [M]."""
    exact = [one if isinstance(one, Fraction) else decimal(one) for one in capacity]
    shares, unit = whole_capacities([float(one) for one in exact])
    room = np.full(group.n_members, NO_LIMIT)
    return replace(group, reduced=ExtendedColumns(shares, unit, MemberCapacities.of(exact), room))


def exact_loads(group: Group, truth: Assignments) -> npt.NDArray[np.object_]:
    """[A, active] loads as they are compared, of the members that are not idle."""
    capacities = group.extended.capacities
    rates = [Fraction(capacities.whole[-1], capacities.whole[k]) for k in capacities.kind_of]
    return (truth.loads.astype(object) * np.array(rates, dtype=object))[:, ~group.idle]


def drawn_reduced(
    rng: Random, members: int, units: int, fields: Collection[str], policy: Policy | None = None
) -> Group:
    """A random group with some of the fields that is no plain one, reduced."""
    while True:
        snapshot = extended_snapshot(rng, ExtendedShape(members, units, frozenset(fields)))
        with suppress(InputError):  # a unit that nobody may take
            group = reduce_group(load_snapshot(snapshot), policy or Policy()).group
            if group.reduced is not None:
                return group


def random_reduced(rng: Random, members: int = 4, partitions: int = 6, mixed: bool = True) -> Group:
    """A small group with any of the fields; there may be too little room. With `mixed` the members
    of an instance may differ in what they may take."""
    fields = {name for name in ("capacity", "room", "instance") if rng.random() < 0.6}
    differ = {"subscriptions", *(["allowed"] if mixed else [])}
    return drawn_reduced(rng, members, partitions, {*fields, "capacity"} | differ)


def even_groups(
    rng: Random, number: int, members: int, partitions: int
) -> Iterator[tuple[Group, Index, CountConstraint]]:
    """Groups that have enough room, with an assignment that has the best counts."""
    while number:
        group = random_reduced(rng, members, partitions)
        with suppress(InputError):
            assigned, counts = balanced(group, Policy())
            yield group, assigned, counts()
            number -= 1


def best_counts(group: Group, every: Assignments) -> Flags:
    """[A] True for those of all assignments of the group that have the best counts."""
    assert every.oracle.members == tuple(member.id for member in group.members)
    return every.even("total")


def near_counts(rng: np.random.Generator, group: Group, counts: Ints) -> CountConstraint:
    """Counts within 1 of the given ones."""
    least = np.maximum(counts - rng.integers(0, 2, group.n_members), 0)
    return CountConstraint.by_intervals(group, least, counts + rng.integers(0, 2, group.n_members))


def random_capacities(rng: np.random.Generator, group: Group) -> Group:
    """From 1 to 4, of three digits, or decimals that are far apart."""
    kind = rng.integers(4)
    if kind == 3:
        chosen = rng.choice(DECIMALS, group.n_members)
        return with_capacities(group, [Fraction(one) for one in chosen.tolist()])
    chosen = rng.integers(1, 1_000 if kind == 2 else 5, group.n_members)
    return with_capacities(group, chosen.tolist())


def random_counts(rng: np.random.Generator, group: Group) -> tuple[CountConstraint, Assignments]:
    """Counts within 1 of those of some assignment, and all assignments that keep to them."""
    every = Assignments.all(group)
    counts = every.counts()
    constraint = near_counts(rng, group, counts[rng.integers(len(every))])
    least, most = constraint.counts_of()
    return constraint, every.where(((counts >= least) & (counts <= most)).all(axis=1))


def capacity_cases(
    seed: int, n: int, stakes: bool = False
) -> Iterator[tuple[Group, CountConstraint, Index]]:
    """`n` groups of at least five members with different capacities and subscriptions, with counts
    near those of an assignment, and that. With `stakes`, units have several owners."""
    rng = np.random.default_rng(seed)
    draw = Random(seed)
    fields = {"capacity", "subscriptions", *(["co_partitioned"] if stakes else [])}
    while n:
        group = drawn_reduced(draw, 8, 24, fields)
        few = np.count_nonzero(~group.idle) < 5
        if few or group.extended.equal_capacities or stakes == (group.extended.stakes is None):
            continue
        takers = group.may_hold(np.arange(group.n_partitions)[:, None], np.arange(group.n_members))
        chosen = np.where(takers, rng.random(takers.shape), -1).argmax(axis=1)
        assigned = np.where(takers.any(axis=1), chosen, NOBODY).astype(np.int32)
        counts = np.bincount(assigned[assigned != NOBODY], minlength=group.n_members)
        yield group, near_counts(rng, group, counts), assigned
        n -= 1
