"""Counting bounds on loads per unit of capacity, against all assignments."""

from __future__ import annotations

import numpy as np
from support.groups import small_groups
from support.oracles import Assignments
from support.reduced_groups import near_counts, with_capacities

from equilag.certificate.bounds.counting_by_capacity import counting_for
from equilag.certificate.bounds.derived_bounds import excess_by_average, excess_by_heavy
from equilag.domain.plan.metrics import excess, fair_load


def test_never_beyond_the_truth() -> None:
    rng = np.random.default_rng(5)
    for plain in small_groups(seed=5, n=50):
        # To 4, or of three digits, so that factors are rounded for large lags.
        most = 5 if rng.random() < 0.8 else 1_000
        group = with_capacities(plain, rng.integers(1, most, plain.n_members))
        assert group.extended is not None
        if group.idle.all():
            continue
        every = Assignments.all(group)
        counts = every.counts()
        constraint = near_counts(rng, group, counts[rng.integers(len(every))])
        least, most = constraint.counts_of()
        every = every.where(((counts >= least) & (counts <= most)).all(axis=1))
        counting = counting_for(group, constraint)
        loads = (every.loads * group.extended.load_factor)[:, ~group.idle]
        highest, lowest = int(loads.max(axis=1).min()), int(loads.min(axis=1).max())
        fair = fair_load(group)
        least_excess = min(excess(row, fair) for row in loads)
        for number in range(4):
            members = rng.random(group.n_members) < 0.6 if number else counting.active
            high, low = counting.average(members)
            assert high <= highest
            assert lowest <= low
            assert excess_by_average(counting, members) <= least_excess + 1e-6 * least_excess
            for heaviest in range(5):
                assert counting.heavy(members, heaviest) <= highest
                left = counting.rest(members, heaviest)
                assert left is None or lowest <= left
                above = excess_by_heavy(counting, members, heaviest)
                assert above <= least_excess + 1e-6 * least_excess
