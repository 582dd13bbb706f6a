"""Bounds on loads by folding.

With two places for each member that holds at most two partitions, empty ones included, lay
the lags in descending order and fold the list in the middle: the heaviest lies on the lightest, and
so on. Some member has at least the heaviest of these sums, some member at most the lightest.
docs/certificates.md has the proof.
"""

from __future__ import annotations

import numpy as np

from equilag.certificate.bounds.counting import Counting
from equilag.domain.group.group import Flags, Ints


def folded(counting: Counting, members: Flags) -> tuple[int, int] | None:
    """Bounds from the folded list of the partitions of `members` [M], idle ones left out.

    Returns (a lower bound on max λ, an upper bound on min λ), λ being the members' loads; None if
    there are no members, if one may hold more than two free partitions, or has a pinned load, and
    where members differ in capacity.
    O(P log P).
    """
    if not counting.capacities.are_equal:
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
