"""The counting bounds where members differ in capacity; docs/certificates.md defines them.

Loads that are compared are scaled: a member's lag times its factor. So a scaled load of at most h
is a lag of at most ⌊h / factor⌋, and one of at least g a lag of at least ⌈g / factor⌉. Each bound
is the last h or g for which such lags may still add up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from equilag.certificate.bounds.counting import Counting
from equilag.certificate.bounds.free_of_topics import sums_of_lightest
from equilag.domain.columns import Floats
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import Flags, Group, Ints
from equilag.domain.plan.metrics import fair_load, load_factor, mean_load

PRICES: Final = 4
"""Prices of a companion that are tried for one level: each follows from the holders chosen at the
one before, and the fourth seldom differs from the third."""
CROWDED: Final = 6
"""Numbers of heaviest partitions for which `heavy` is tried, beside those of equal capacities;
and capacities, the largest first, for which `rest` is."""
EXACT: Final = 2**62
"""Sums below it are exact in 63 bits; larger ones take integers of any size."""


def counting_for(group: Group, constraint: CountConstraint) -> Counting:
    """The counting bounds of a group, whether or not its members differ in capacity."""
    factor = load_factor(group)
    if factor is None:
        return Counting(group, constraint)
    return CountingByCapacity(group, constraint, factor)


class Sorts(NamedTuple):
    """Members that differ in nothing that counts, [sorts]."""

    member: Ints
    """One of each."""
    number: Ints


class CountingByCapacity(Counting):
    """Bounds on scaled loads."""

    def __init__(self, group: Group, constraint: CountConstraint, factor: Ints) -> None:
        super().__init__(group, constraint)
        self.factor = factor
        """[M]"""

    @property
    def greatest_load(self) -> int:
        """No load is larger than this."""
        return super().greatest_load * int(self.factor[self.active].max(initial=1))

    @property
    def greatest_fair_lag(self) -> float:
        """The lag of the member of the largest capacity if all are equally loaded."""
        return mean_load(self.group) / int(self.factor[self.active].min())

    def average(self, members: Flags) -> tuple[int, int]:
        """Bounds from what a set of members carries together: see `Counting.average`."""
        members = members & self.active
        if not members.any():
            return 0, self.greatest_load
        least, most = self.load_range(members)
        factors, numbers = np.unique(self.factor[members], return_counts=True)
        sorts = list(zip(factors.tolist(), numbers.tolist(), strict=True))
        widest = int(factors[-1])
        high = _first(lambda h: sum(h // f * n for f, n in sorts) >= least, least * widest)
        above = _first(lambda g: sum(-(-g // f) * n for f, n in sorts) > most, (most + 1) * widest)
        return high, above - 1

    def _sorts(self, members: Flags, *columns: Ints) -> Sorts:
        chosen = np.flatnonzero(members)
        rows = np.stack([column[chosen] for column in columns], axis=1)
        _, first, number = np.unique(rows, axis=0, return_index=True, return_counts=True)
        return Sorts(chosen[first], number)

    def heavy(self, members: Flags, heaviest: int) -> int:
        """A lower bound on max λ: members with room for the heaviest partitions and what the
        counts force beside them must be many enough."""
        members = members & self.active
        found = self._top(members, heaviest) if members.any() else None
        if found is None:
            return 0
        top = np.zeros(len(self.lag), np.bool_)
        top[found[0]] = True
        columns = self.group.class_of.astype(np.int64), self.lo, self.hi, self.factor, self.base
        sorts, reach = self._sorts(members, *columns), dict[int, tuple[Ints, Ints]]()
        bound, values, numbers = 0, [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for member, number in zip(sorts.member.tolist(), sorts.number.tolist(), strict=True):
            member_class = int(self.group.class_of[member])
            if member_class not in reach:
                own = self.within_reach(member_class)
                parts = self.lag[own[top[own]]], self.lag[own[~top[own]]]
                reach[member_class] = sums_of_lightest(parts[0]), sums_of_lightest(parts[1])
            mine, others = reach[member_class]
            held = np.arange(min(len(mine) - 1, max(0, int(self.hi[member]))) + 1)
            beside = np.clip(int(self.lo[member]) - held, 0, len(others) - 1)
            load = (int(self.base[member]) + mine[held] + others[beside]) * self.factor[member]
            load = np.minimum.accumulate(load[::-1])[::-1]  # with so many of them, or with more
            bound = max(bound, int(load[0]))
            values.append(load[1:])
            numbers.append(np.full(len(load) - 1, number))
        value, room = np.concatenate(values), np.concatenate(numbers)
        order = np.argsort(value, kind="stable")
        enough = np.searchsorted(np.cumsum(room[order]), heaviest)
        return max(bound, int(value[order[enough]])) if enough < len(order) else bound

    def rest(self, members: Flags, heaviest: int, below: int | None = None) -> int | None:
        """An upper bound on min λ: what the holders of the heaviest partitions leave to the others.

        None if there is no such bound, or none below `below`: to see that takes one look.
        """
        members = members & self.active
        found = self._top(members, heaviest) if np.count_nonzero(members) > 1 else None
        if found is None:
            return None
        top, others = found
        holders = Holders.of(self, members, self.lag[top], self.lag[others])
        most, last = self.exclusive(members).most, self.average(members)[1] + 1
        if below is not None:
            last = min(last, below)
            if holders.forced(last) <= most:
                return None
        return _first(lambda g: holders.forced(g) > most, last) - 1

    # The excess: a scaled load of factor × lag is above the fair load by factor × the lag above
    # the member's fair lag, so by the least factor of all times that at least.

    def excess_by_average(self, members: Flags) -> int:
        """What a set of members carries at least above its fair lag, or at most below it."""
        least, most = self.load_range(members)
        upper, lower = self._fair_lags(members)
        everybody, _ = self._fair_lags(self.active)
        # What some lack, others have too much, but for what rounding takes from the fair lags.
        lacking = lower - most + int(self.group.lag[self.group.assignable].sum()) - everybody
        return max(0, least - upper, lacking) * int(self.factor[self.active].min())

    def excess_by_heavy(self, members: Flags, heaviest: int) -> int:
        """What the holders of the heaviest partitions carry above their fair lag."""
        members = members & self.active
        found = self._top(members, heaviest) if members.any() else None
        if found is None:
            return 0
        top, others = found
        holders = Holders.of(self, members, self.lag[top], self.lag[others])
        fair = fair_load(self.group)
        level = -(-fair.numerator // fair.denominator)
        everybody = int((-(-level // holders.factor) * holders.number).sum())
        above = holders.forced(level) - everybody
        return max(0, above) * int(self.factor[self.active].min())

    def _fair_lags(self, members: Flags) -> tuple[int, int]:
        """The lag that a set of members carries if all are equally loaded: each rounded up, and
        rounded down."""
        fair = fair_load(self.group)
        factors, numbers = np.unique(self.factor[members], return_counts=True)
        parts = [
            (divmod(fair.numerator, fair.denominator * f), n)
            for f, n in zip(factors.tolist(), numbers.tolist(), strict=True)
        ]
        down = sum(whole * n for (whole, _), n in parts)
        return down + sum(n for (_, rest), n in parts if rest), down

    def left_by_holders(self, members: Flags) -> tuple[Ints, Floats]:
        """See `Counting.left_by_holders`: the holders are those of the largest capacities."""
        part = self.exclusive(members)
        chosen = np.flatnonzero(members)
        chosen = chosen[np.argsort(self.factor[chosen], kind="stable")]
        n = np.arange(1, min(len(chosen), len(part.mine) + 1))
        beside = np.clip(np.cumsum(self.lo[chosen])[n - 1] - n, 0, len(part.order) - n)
        carried = (
            np.cumsum(self.lag[part.mine])[n - 1] + sums_of_lightest(self.lag[part.order])[beside]
        )
        rate = 1.0 / self.factor[chosen]
        share = rate.sum() - np.cumsum(rate)[n - 1]
        return n, (part.most - carried) / share

    def crowds_at(self, members: Flags, level: int) -> list[int]:
        """Numbers of partitions that are heavier than what a capacity carries at that level."""
        mine = np.sort(self.lag[self.exclusive(members).mine])
        wanted = level // np.unique(self.factor[members])[:CROWDED]
        above = len(mine) - np.searchsorted(mine, wanted, side="right")
        return sorted({int(k) for k in above if k > 0})

    def crowded(self, members: Flags) -> list[int]:
        """Those that make a heavy load if the k-th heaviest partition is alone with the member of
        the k-th largest capacity; and what `Counting.crowded` has."""
        mine = self.lag[self.exclusive(members).mine]
        factor = np.sort(self.factor[members])
        n = min(len(mine), len(factor))
        alone = mine[:n].astype(np.float64) * factor[:n]
        heaviest = np.argsort(-alone, kind="stable")[:CROWDED] + 1
        return sorted({*heaviest.tolist(), *super().crowded(members)})


class Holders(NamedTuple):
    """What a set of members carries at least, by the holders of its heaviest partitions.

    Columns are by sort of member, of integers of any size where 63 bits might not do.
    """

    top: Ints
    """Lags of the heaviest partitions."""
    factor: Ints
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
    def of(counting: CountingByCapacity, members: Flags, top: Ints, others: Ints) -> Holders:
        columns = counting.factor, counting.lo, counting.hi, counting.base
        sorts = counting._sorts(members, *columns)
        size = int(np.count_nonzero(members))
        large = (int(counting.group.lag.sum()) + 1) * (size + len(top) + len(others)) >= EXACT
        kind = object if large else np.int64
        factor, fewest, most, base = (column[sorts.member].astype(kind) for column in columns)
        number = sorts.number.astype(kind)
        over = int(counting.shares(members).least.sum()) - int(counting.hi[members].sum())
        below = sums_of_lightest(others)
        return Holders(top, factor, fewest, most, base, number, over, others, below)

    def forced(self, level: int) -> int:
        """The lag of the members together if every load is `level` at least.

        Members carry what is wanted for that level. Holders of the heaviest, at most one for each
        of these partitions, carry them and the lightest others that their counts force. A holder
        of what is wanted w carries more than that by the lag of its heavy partitions and its
        others, less w; and by the parts of its heavy partitions above some lag, and its others,
        less the part of w above that lag.
        """
        wanted = -(-level // self.factor)
        everybody = int((wanted * self.number).sum())
        lightest = int(self.top.min())
        below = wanted[wanted <= lightest]
        thresholds = [0, *([int(below.max())] if len(below) else [])]
        return everybody + max(
            int(self.top.sum())
            - len(self.top) * threshold
            + self._spared(np.maximum(wanted - threshold, 0), held, over)
            for threshold in thresholds
            for held, over in ((self.fewest, 0), (self.most, self.over))
        )

    def _spared(self, wanted: Ints, held: Ints, over: int) -> int:
        """The least lag of the others beside the heaviest, less what is wanted, over all sets of
        holders. They hold what each of them has of `held`, and `over` in all, at least: their
        fewest, or all that the most of the other members leaves.

        The sum of the lightest n others is convex in n, so it is nowhere below its tangents: with
        the price of a companion as the slope, each holder counts by itself, and the cheapest ones
        are taken.
        """
        heaviest = len(self.top)
        # The sum of no others at all is not below 0: the tangent of slope 0.
        price, tangent, best = 0, 0, 0
        for attempt in range(PRICES):
            saved = wanted - self.base - price * held
            order = np.argsort(-saved, kind="stable")
            before = np.cumsum(self.number[order]) - self.number[order]
            taken = np.clip(heaviest - before, 0, self.number[order])
            taken = np.where(saved[order] > 0, taken, 0)
            least = tangent - int((saved[order] * taken).sum())
            best = least if attempt == 0 else max(best, least)
            companions = int((held[order] * taken).sum()) + over - heaviest
            if companions < 0 or not len(self.others):
                break
            companions = min(companions, len(self.others) - 1)
            price = int(self.others[companions])
            tangent = int(self.below[companions]) - price * (companions + heaviest - over)
        return best


def _first(holds: Callable[[int], bool], last: int) -> int:
    """The least number from 0 on for which something holds, as it does from there to `last`."""
    low, high = 0, last
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low
