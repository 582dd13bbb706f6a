"""Bounds for members of two partitions each, by disjoint pairs.

If all loads lay beyond a value, then every member that holds exactly two partitions would hold a
pair which does, and which a member may hold. Such pairs are a matching, and a set of partitions
without which the others fall apart shows how large a matching can be (Berge, "Sur le couplage
maximum d'un graphe"). docs/certificates.md words it.
"""

from __future__ import annotations

from typing import Final, Literal

import numpy as np

from equilag.certificate.bounds.counting import Counting
from equilag.certificate.bounds.counting_by_capacity import CountingByCapacity
from equilag.domain.group.group import Flags

MAX_FREE: Final = 150
"""Free partitions up to which pairs are considered: finding a maximum matching of so many takes
about 0.05 s."""

Side = Literal["above", "below"]


def pairs_needed(counting: Counting) -> int:
    """How many members hold exactly two free partitions in any plan, at least; 0 if unknown, and
    where members differ in capacity."""
    if isinstance(counting, CountingByCapacity):
        return 0
    constraint, lo, hi = counting.constraint, counting.lo, counting.hi
    if counting.per_topic or constraint.has_pinned or len(counting.lag) > MAX_FREE:
        return 0
    one_or_two, two_or_three = (lo == 1) & (hi == 2), (lo == 2) & (hi == 3)
    if ((lo < hi) & ~one_or_two & ~two_or_three).any():
        return 0
    # As if all of them held two: what is over, or lacking, lies with those that hold 3, or 1.
    as_two = np.where(lo < hi, 2, lo)
    over = len(counting.lag) - int(as_two.sum())
    few, many = int(one_or_two.sum()), int(two_or_three.sum())
    with_one = min(few, many - over)
    return int((as_two == 2).sum()) - with_one - (with_one + over)


def pairs_beyond(counting: Counting, value: int, side: Side) -> Flags:
    """[F, F] pairs of free partitions that are heavier, or lighter, than `value` together, and that
    a member which may hold two may hold."""
    lag = counting.lag
    total = lag[:, None] + lag[None, :]
    two = (counting.lo <= 2) & (counting.hi >= 2)
    member_classes = np.unique(counting.group.class_of[two])
    takes = counting.constraint.face[counting.bucket][:, member_classes].astype(np.int32)
    found: Flags = (takes @ takes.T > 0) & (total > value if side == "above" else total < value)
    np.fill_diagonal(found, False)
    return found


def most_disjoint(pairs: Flags, apart: Flags) -> int:
    """No more than so many disjoint pairs, by a set of partitions [F] to be set apart.

    Each odd component of the others leaves one partition over, or pairs it with one set apart.
    """
    left = ~apart
    odd = 0
    while left.any():
        component = np.zeros(len(left), dtype=np.bool_)
        component[left.argmax()] = True
        size = 0
        while size < (size := int(component.sum())):
            component |= pairs[component].any(axis=0) & left
        left &= ~component
        odd += size % 2
    return (len(left) + int(apart.sum()) - odd) // 2
