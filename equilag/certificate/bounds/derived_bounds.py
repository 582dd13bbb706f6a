"""Bounds on loads that follow from counting: by disjoint pairs, by folding, and on the excess.

Pairs: if all loads lay beyond a value, then every member that holds exactly two partitions would
hold a pair which does, and which a member may hold. Such pairs are a matching, and a set of
partitions without which the others fall apart shows how large a matching can be (Berge, "Sur le
couplage maximum d'un graphe"). docs/certificates.md words it.

Folding: with two places for each member that holds at most two partitions, empty ones included, lay
the lags in descending order and fold the list in the middle: the heaviest lies on the lightest, and
so on. Some member has at least the heaviest of these sums, some member at most the lightest.
docs/certificates.md has the proof.

docs/certificates.md defines the excess over the mean load.
"""

from __future__ import annotations

from math import ceil, floor
from typing import Final, Literal

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


def pairs_beyond(counting: Counting, value: Load, side: Side) -> Flags:
    """[F, F] pairs of free partitions that are heavier, or lighter, than `value` together, and that
    a member which may hold two may hold."""
    lag = counting.lag
    total = lag[:, None] + lag[None, :]
    two = (counting.lo <= 2) & (counting.hi >= 2)
    member_classes = np.unique(counting.group.class_of[two])
    takes = counting.constraint.face[counting.bucket][:, member_classes].astype(np.int32)
    beyond = total > floor(value) if side == "above" else total < ceil(value)
    found: Flags = (takes @ takes.T > 0) & beyond
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
