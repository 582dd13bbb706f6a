"""The search for the best bound on the excess over the mean load, as a claim."""

from __future__ import annotations

from typing import Final

import numpy as np

from equilag.certificate.bounds.counting import Counting
from equilag.certificate.bounds.excess import excess_by_average, excess_by_heavy
from equilag.domain.plan.claim import Claim
from equilag.domain.policy.objective import EXCESS
from equilag.solver.lower_bounds.load_bounds import LoadBounds

PARTS: Final = (1.0, 0.95, 0.9, 0.8, 0.7, 0.5)
"""Parts of the mean load from which on a partition may count among the heaviest: what counts force
beside it takes it above the mean."""


def excess_bound(counting: Counting, bounds: LoadBounds) -> Claim:
    """The best claim from the heaviest partitions, and from the member sets of `bounds`."""
    best = Claim(EXCESS, 0, "average", {"members": "all"})
    for known in (bounds.highest, bounds.lowest):
        names = known.data.get("members", "all")
        if names != "all":
            chosen = set(names)
            members = np.array([m.id in chosen for m in counting.group.members], dtype=np.bool_)
            value = excess_by_average(counting, members)
            if value > best.value:
                best = Claim(EXCESS, value, "average", {"members": names})
    mine = counting.exclusive(counting.active).mine
    lags, mean = counting.lag[mine], counting.greatest_fair_lag
    for heaviest in sorted({int(np.count_nonzero(lags > part * mean)) for part in PARTS}):
        value = excess_by_heavy(counting, counting.active, heaviest) if heaviest else 0
        if value > best.value:
            best = Claim(EXCESS, value, "heavy", {"members": "all", "heaviest": heaviest})
    return best
