"""Counting bounds on loads per unit of capacity, against all assignments."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from support.groups import small_groups
from support.oracles import Assignments
from support.reduced_groups import exact_loads, near_counts, with_capacities

from equilag.certificate.bounds.counting_by_capacity import counting_for
from equilag.certificate.bounds.derived_bounds import excess_by_average, excess_by_heavy
from equilag.domain.group.group import Group
from equilag.domain.plan.metrics import fair_load

DECIMALS = ("0.1", "2.35", "0.001", "12345.678", "1e6", "1.000000001")
"""Capacities that no common multiple of three digits has, a factor of 10^9 apart."""


def random_capacities(rng: np.random.Generator, group: Group) -> Group:
    """From 1 to 4, of three digits, or decimals that are far apart."""
    kind = rng.integers(4)
    if kind == 3:
        chosen = rng.choice(DECIMALS, group.n_members)
        return with_capacities(group, [Fraction(one) for one in chosen.tolist()])
    chosen = rng.integers(1, 1_000 if kind == 2 else 5, group.n_members)
    return with_capacities(group, chosen.tolist())


def test_never_beyond_the_truth() -> None:
    rng = np.random.default_rng(5)
    for plain in small_groups(seed=5, n=50):
        group = random_capacities(rng, plain)
        if group.idle.all():
            continue
        every = Assignments.all(group)
        counts = every.counts()
        constraint = near_counts(rng, group, counts[rng.integers(len(every))])
        least, most = constraint.counts_of()
        every = every.where(((counts >= least) & (counts <= most)).all(axis=1))
        counting = counting_for(group, constraint)
        loads = exact_loads(group, every)
        highest, lowest = loads.max(axis=1).min(), loads.min(axis=1).max()
        fair = fair_load(group)
        least_excess = np.maximum(loads - fair, 0).sum(axis=1).min()
        for number in range(4):
            members = rng.random(group.n_members) < 0.6 if number else counting.active
            high, low = counting.average(members)
            assert high <= highest
            assert lowest <= low
            assert excess_by_average(counting, members) <= least_excess
            for heaviest in range(5):
                assert counting.heavy(members, heaviest) <= highest
                left = counting.rest(members, heaviest)
                assert left is None or lowest <= left
                above = excess_by_heavy(counting, members, heaviest)
                assert above <= least_excess
