"""Bounds on loads from the heaviest partitions, which somebody has to hold; and on the excess.

docs/certificates.md defines them. `heaviest` is how many partitions are looked at, of those that
only the members of a set may take.
"""

from __future__ import annotations

from math import floor
from typing import Final, NamedTuple

import numpy as np

from equilag.certificate.bounds.counting import Counting, sums_of_lightest
from equilag.domain.columns import distinct
from equilag.domain.group.group import Flags, Ints
from equilag.domain.group.member_capacities import EXACT, Load, MemberCapacities
from equilag.domain.plan.metrics import fair_load

MAX_CASES: Final = 4_000_000
"""Sorts of members times partitions that each may hold, up to which `heavy` says anything: 0.2 s
and some 200 MB."""


def heavy(counting: Counting, members: Flags, heaviest: int) -> Load:
    """A lower bound on max λ: members must have room for the heaviest partitions, and for what the
    counts force beside them."""
    members = members & counting.active
    found = counting.top(members, heaviest) if members.any() else None
    if found is None:
        return 0
    top = np.zeros(len(counting.lag), np.bool_)
    top[found[0]] = True
    alike, capacities = counting.alike(members & counting.takers(found[0])), counting.capacities
    if len(alike.member) * min(heaviest, int(counting.hi[members].max())) > MAX_CASES:
        return 0
    member_class = counting.group.class_of[alike.member]
    parts = [
        _with_heaviest(counting, alike.member[mine], alike.number[mine], top)
        for mine in (member_class == k for k in distinct(member_class).tolist())
    ]
    lag, kind, number = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = capacities.order(lag, kind)
    enough = int(np.searchsorted(np.cumsum(number[order]), heaviest))
    if enough == len(order):  # no assignment has room for them
        return 0
    place = int(order[enough])
    bound = capacities.load(int(lag[place]), int(kind[place]))
    if counting.per_topic and heaviest == 1:
        bound = max(bound, _beside_in_topic(counting, members, int(found[0][0])))
    return bound


def _with_heaviest(
    counting: Counting, member: Ints, number: Ints, top: Flags
) -> tuple[Ints, Ints, Ints]:
    """What members of one class, one of each sort and the number of them, carry at least with one
    heaviest partition or more, with two or more and so on: lag, kind and number of members."""
    own = counting.within_reach(int(counting.group.class_of[member[0]]))
    least, most, kind = counting.lo[member], counting.hi[member], counting.kind[member]
    mine = sums_of_lightest(counting.lag[own[top[own]]], int(most.max()))
    own = own[~top[own]]
    sure = counting.lag[own[counting.alone[own]]]  # nobody else may take these
    others = sums_of_lightest(counting.lag[own[~counting.alone[own]]], int(least.max()))
    least = np.maximum(least - len(sure), 0)
    held = np.arange(1, len(mine))
    beside = np.minimum(np.maximum(least[:, None] - held, 0), len(others) - 1)
    lag = counting.base[member][:, None] + int(sure.sum()) + mine[1:] + others[beside]
    lag[held > most[:, None]] = EXACT
    lag = np.minimum.accumulate(lag[:, ::-1], axis=1)[:, ::-1]
    there = lag < EXACT
    sort = np.nonzero(there)[0]
    return lag[there], kind[sort], number[sort]


def _beside_in_topic(counting: Counting, members: Flags, heaviest: int) -> int:
    """The load with the heaviest partition at least, where every topic is balanced by itself."""
    topic, free = int(counting.bucket[heaviest]), counting.constraint.free_topics
    holders = np.flatnonzero(members)
    holders = holders[free.at(topic, holders).most > 0]
    if not len(holders):
        return 0
    fewest = free.level[:, distinct(free.place[holders])].min(axis=1)
    fewest[topic] = max(0, int(fewest[topic]) - 1)
    beside = counting.lag[counting.from_light < fewest[counting.bucket]]
    return int(counting.lag[heaviest]) + int(beside.sum())


def rest(
    counting: Counting, members: Flags, heaviest: int, below: Load | None = None
) -> Load | None:
    """An upper bound on min λ: what the holders of the heaviest partitions leave to the others.

    None if there is no such bound; one that is not below `below` may be None too.
    """
    members = members & counting.active
    found = counting.top(members, heaviest) if np.count_nonzero(members) > 1 else None
    if found is None:
        return None
    most = counting.exclusive(members).most
    if counting.capacities.are_equal:
        holders, carried = _carried_by_holders(counting, members, found)
        if not len(holders):
            return None
        left = int(np.count_nonzero(members)) - holders
        # Where nobody is left, all that can be said is the mean.
        bounds = np.where(left > 0, most - carried, most) // np.where(left > 0, left, holders)
        return max(0, int(bounds.max()))
    capacities, forced = counting.capacities, Holders.of(counting, members, found).forced
    last = counting.average(members)[1] + 1
    if below is not None:
        last = min(last, below)
        if forced(last) <= most:  # which takes one look
            return None
    kinds = distinct(counting.kind[members]).tolist()
    above = capacities.first(lambda level: forced(level) > most, kinds, 0, last)
    return capacities.before(above, kinds)


def _carried_by_holders(
    counting: Counting, members: Flags, found: tuple[Ints, Ints]
) -> tuple[Ints, Ints]:
    """Each number of members that may hold the heaviest partitions, and what they carry at least,
    whoever they are."""
    (top, others), size = found, int(np.count_nonzero(members))
    widest = max(1, int(counting.hi[members].max()))
    holders = np.arange(-(-len(top) // widest), min(len(top), size) + 1)
    fewest = np.cumsum(np.sort(counting.lo[members]))[holders - 1]
    forced = np.minimum(np.maximum(0, fewest - len(top)), len(others))
    below = np.concatenate(([0], np.cumsum(counting.lag[others])))
    base = np.cumsum(np.sort(counting.base[members]))[holders - 1]
    return holders, int(counting.lag[top].sum()) + base + below[forced]


def excess_by_average(counting: Counting, members: Flags) -> Load:
    """What a set of members carries at least above its fair share, or at most below it; rounded
    down.

    What some lack, others have too much. A lag above a fair one is a load of that over the
    member's capacity, so of that over the largest capacity at least.
    """
    members = members & counting.active
    if not members.any():
        return 0
    least, most = counting.load_range(members)
    fair = fair_load(counting.group) * counting.capacities.in_largest(counting.kind[members])
    return counting.at_fastest(max(0, floor(least - fair), floor(fair - most)))


def excess_by_heavy(counting: Counting, members: Flags, heaviest: int) -> Load:
    """What the holders of the heaviest partitions carry above their fair share, rounded down."""
    members = members & counting.active
    found = counting.top(members, heaviest) if np.count_nonzero(members) > 1 else None
    if found is None:
        return 0
    fair, scale = fair_load(counting.group), int(np.count_nonzero(counting.active))
    if counting.capacities.are_equal:
        holders, carried = _carried_by_holders(counting, members, found)
        whole, part = divmod(fair.numerator, fair.denominator)
        # Split, as a load times the number of members may pass 2^63.
        above = carried - holders * whole + (-holders * part) // fair.denominator
        return max(0, int(above.min())) if len(above) else 0
    holders_of = Holders.of(counting, members, found, scale)
    everybody = int((holders_of.wanted(fair * scale) * holders_of.number).sum())
    above_fair = holders_of.forced(fair * scale) - everybody
    return counting.at_fastest(max(0, floor(above_fair / scale)))


class Holders(NamedTuple):
    """What a set of members carries at least, by the holders of its heaviest partitions.

    Columns are by sort of member, of integers of any size where 63 bits might not do.
    """

    top: Ints
    """Lags of the heaviest partitions."""
    capacities: MemberCapacities
    kind: Ints
    fewest: Ints
    most: Ints
    base: Ints
    number: Ints
    over: int
    """Partitions that the members must take beyond the most of all of them: 0 or less."""
    others: Ints
    """Lags of the other partitions, ascending."""
    below: Ints
    """Their sums from the lightest on."""

    @staticmethod
    def of(counting: Counting, members: Flags, found: tuple[Ints, Ints], scale: int = 1) -> Holders:
        """Of the heaviest and the other partitions that `Counting.top` found; lags are times
        `scale`, for levels between two integers."""
        top, others = (counting.lag[part] for part in found)
        alike, size = counting.alike(members), int(np.count_nonzero(members))
        sums = (int(counting.group.lag.sum()) + 1) * scale * (size + len(top) + len(others))
        integer = object if sums >= EXACT else np.int64
        top, others = top.astype(integer) * scale, others.astype(integer) * scale
        columns = counting.lo, counting.hi, counting.base
        fewest, most, base = (column[alike.member].astype(integer) for column in columns)
        over = int(counting.shares(members).least.sum()) - int(counting.hi[members].sum())
        below = np.concatenate((np.zeros(1, integer), np.cumsum(others)))
        return Holders(
            top, counting.capacities, counting.kind[alike.member], fewest, most, base * scale,
            alike.number.astype(integer), over, others, below,
        )  # fmt: skip

    def wanted(self, level: Load) -> Ints:
        """[sorts] the least lag with which a load is `level` or more."""
        return self.capacities.weights_from(level)[self.kind].astype(self.number.dtype)

    def forced(self, level: Load) -> int:
        """The lag of the members together if every load is `level` at least.

        Members carry what is wanted for that level. Holders of the heaviest, at most one for each
        of these partitions, carry them and the lightest others that their counts force: their
        fewest, or what the most of the other members leaves. A holder of what is wanted w carries
        more than that by the lag of its heavy partitions and its others, less w.
        """
        wanted = self.wanted(level)
        sides = ((self.fewest, 0), (self.most, self.over))
        spared = max(self._spared(wanted, held, over) for held, over in sides)
        return int((wanted * self.number).sum()) + int(self.top.sum()) + spared

    def _spared(self, wanted: Ints, held: Ints, over: int) -> int:
        """The least lag of the others beside the heaviest, less what is wanted, over all sets of
        holders, who hold what each of them has of `held`, and `over` in all, at least.

        The sum of the lightest n others is convex in n, so it is nowhere below its tangents: with
        the price of a companion as the slope, each holder counts by itself, and the cheapest ones
        are taken. First the tangent of slope 0, then that at the number that follows from it.
        """
        saved, companions = self._taken(wanted - self.base, held)
        place = min(companions + over - len(self.top), len(self.others) - 1)
        if place < 0:
            return -saved
        price = int(self.others[place])
        tangent = int(self.below[place]) - price * (place + len(self.top) - over)
        return max(-saved, tangent - self._taken(wanted - self.base - price * held, held)[0])

    def _taken(self, saved: Ints, held: Ints) -> tuple[int, int]:
        """The holders that save the most, as far as they save anything: how much, and what they
        hold of `held`."""
        order = np.argsort(-saved, kind="stable")
        saved, number = saved[order], self.number[order]
        before = np.cumsum(number) - number
        taken = np.where(saved > 0, np.clip(len(self.top) - before, 0, number), 0)
        return int((saved * taken).sum()), int((held[order] * taken).sum())


def folded(counting: Counting, members: Flags) -> tuple[int, int] | None:
    """Bounds by folding, from the partitions of `members` [M], idle ones left out.

    With two places for each member that holds at most two partitions, empty ones included, lay the
    lags in descending order and fold the list in the middle: the heaviest lies on the lightest, and
    so on. Some member has at least the heaviest of these sums, some member at most the lightest.
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
