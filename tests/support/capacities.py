"""Groups whose members differ in capacity, with counts in intervals, and all their assignments."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from support.oracles import Assignments

from equilag.constraint import CountConstraint
from equilag.group import Group, Ints
from equilag.real_columns import NO_LIMIT, RealColumns, load_factors


def with_capacities(group: Group, capacity: Ints) -> Group:
    """The group as a reduced one with whole capacities [M]."""
    capacity = capacity // max(1, int(np.gcd.reduce(capacity)))
    factor, scale = load_factors(capacity, int(group.lag.sum()))
    room = np.full(group.n_members, NO_LIMIT)
    return replace(group, real=RealColumns(capacity, 1.0, factor, scale, room))


def random_capacities(rng: np.random.Generator, group: Group) -> Group:
    """From 1 to 4, or of three digits, so that factors are rounded for large lags."""
    most = 5 if rng.random() < 0.8 else 1_000
    return with_capacities(group, rng.integers(1, most, group.n_members))


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


def scaled_loads(group: Group, truth: Assignments) -> Ints:
    """[A, active] loads as they are compared, of the members that are not idle."""
    assert group.real is not None
    return (truth.loads * group.real.load_factor)[:, ~group.idle]
