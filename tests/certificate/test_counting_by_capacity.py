"""Counting bounds on loads per unit of capacity, against all assignments."""

from __future__ import annotations

import numpy as np
from support.groups import small_groups
from support.reduced_groups import exact_loads, random_capacities, random_counts

from equilag.certificate.bounds.counting import Counting
from equilag.certificate.bounds.heaviest import excess_by_average, excess_by_heavy, heavy, rest
from equilag.domain.plan.metrics import fair_load


def test_never_beyond_the_truth() -> None:
    rng = np.random.default_rng(5)
    for plain in small_groups(seed=5, n=50):
        group = random_capacities(rng, plain)
        if group.idle.all():
            continue
        constraint, every = random_counts(rng, group)
        counting = Counting(group, constraint)
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
                assert heavy(counting, members, heaviest) <= highest
                left = rest(counting, members, heaviest)
                assert left is None or lowest <= left
                above = excess_by_heavy(counting, members, heaviest)
                assert above <= least_excess
