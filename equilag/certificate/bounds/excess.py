"""Bounds on the excess over the mean load, by counting; docs/certificates.md defines them."""

from __future__ import annotations

import numpy as np

from equilag.certificate.bounds.counting import Counting
from equilag.certificate.bounds.counting_by_capacity import CountingByCapacity
from equilag.domain.group.group import Flags


def excess_by_average(counting: Counting, members: Flags) -> int:
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


def excess_by_heavy(counting: Counting, members: Flags, heaviest: int) -> int:
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
