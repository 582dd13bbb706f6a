"""What members that share their capacity fairly read of each partition."""

from __future__ import annotations

import numpy as np

from equilag.domain.columns import NOBODY, Floats, Index


def member_sums(values: Floats, owner: Index, n_members: int) -> Floats:
    """[M] the sum of a column [P] over the partitions of each member; without what nobody owns."""
    held = owner != NOBODY
    if held.all():
        return np.bincount(owner, values, n_members).astype(np.float64)
    return np.bincount(owner[held], values[held], n_members).astype(np.float64)


def fair_shares(demand: Floats, owner: Index, budget: Floats) -> Floats:
    """[P] the max-min fair shares of the members' budgets [M] in the demands [P].

    A member with budget for all of its demands meets them. Any other one has a level: it gives each
    of its partitions the level, or the demand where that is less, and so spends its whole budget.
    What nobody owns gets nothing.

    Progressive filling: demands below an equal share are met, the others share what is left, until
    no demand is below. A round takes O(P); shares approach the level so fast that three to six
    rounds do, and each sum is over one member alone, so that large groups are as exact as small
    ones.
    """
    n_members = len(budget)
    shares = np.where(owner == NOBODY, 0.0, demand)
    short = budget < member_sums(demand, owner, n_members)
    rest = np.flatnonzero(np.append(short, False)[owner])  # the last one is NOBODY's
    left = budget.copy()
    while len(rest):
        member = owner[rest]
        number = np.bincount(member, minlength=n_members)
        level = (np.maximum(left, 0.0) / np.maximum(number, 1))[member]
        met = demand[rest] < level
        if not met.any():
            shares[rest] = level
            break
        left -= np.bincount(member[met], demand[rest[met]], n_members)
        rest = rest[~met]
    return shares
