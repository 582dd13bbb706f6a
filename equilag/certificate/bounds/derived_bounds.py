"""Bounds on loads that follow from counting: by folding, and on the excess.

Folding: with two places for each member that holds at most two partitions, empty ones included, lay
the lags in descending order and fold the list in the middle: the heaviest lies on the lightest, and
so on. Some member has at least the heaviest of these sums, some member at most the lightest.
docs/certificates.md has the proof.

docs/certificates.md defines the excess over the mean load.
"""

from __future__ import annotations

import numpy as np

from equilag.certificate.bounds.counting import Counting
from equilag.certificate.bounds.counting_by_capacity import CountingByCapacity
from equilag.domain.group.group import Flags, Ints
from equilag.domain.group.member_capacities import Load


def excess_by_average(counting: Counting, members: Flags) -> Load:
    """What a set of members carries at least above its fair share, or at most below it.

    What some lack, others have too much: the loads below the mean miss as much as the others exceed
    it.
    """
    members = members & counting.active
    size = int(np.count_nonzero(members))
    if not size:
        return 0
    if isinstance(counting, CountingByCapacity):
        return counting.excess_by_average(members)
    least, most = counting.load_range(members)
    total, active = _total(counting)
    return max(
        0, (least * active - size * total) // active, (size * total - most * active) // active
    )


def excess_by_heavy(counting: Counting, members: Flags, heaviest: int) -> Load:
    """What the holders of the heaviest partitions carry above their fair share, rounded down."""
    if isinstance(counting, CountingByCapacity):
        return counting.excess_by_heavy(members, heaviest)
    found = counting.carried_by_holders(members, heaviest)
    if found is None:
        return 0
    holders, carried = found
    total, active = _total(counting)
    whole, part = divmod(total, active)
    # Split, as a load times the number of members may pass 2^63.
    above = carried - holders * whole + (-holders * part) // active
    return max(0, int(above.min()))


def _total(counting: Counting) -> tuple[int, int]:
    """The load of all members that are not idle, and their number."""
    total = int(counting.lag.sum()) + int(counting.base[counting.active].sum())
    return total, int(np.count_nonzero(counting.active))


def folded(counting: Counting, members: Flags) -> tuple[int, int] | None:
    """Bounds from the folded list of the partitions of `members` [M], idle ones left out.

    Returns (a lower bound on max λ, an upper bound on min λ), λ being the members' loads; None if
    there are no members, if one may hold more than two free partitions, or has a pinned load, and
    where members differ in capacity.
    O(P log P).
    """
    if isinstance(counting, CountingByCapacity):
        return None
    members = members & counting.active
    size = int(np.count_nonzero(members))
    if not size or int(counting.hi[members].max()) > 2 or counting.base[members].any():
        return None
    share = counting.shares(members)
    only = counting.lag[share.exclusive[counting.bucket]]
    may = counting.lag[share.most[counting.bucket] > 0]
    return int(_sums(only, size).max()), int(_sums(may, size).min())


def _sums(lags: Ints, size: int) -> Ints:
    """[size] the sums of the folded list of the 2 × `size` heaviest, or of all and empty places."""
    places = np.zeros(2 * size, np.int64)
    heaviest = np.sort(lags)[::-1][: 2 * size]
    places[: len(heaviest)] = heaviest
    sums: Ints = places[:size] + places[: size - 1 : -1]
    return sums
