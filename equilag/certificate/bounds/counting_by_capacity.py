"""The counting bounds where members differ in capacity; docs/certificates.md defines them.

A load of at most h is a lag of at most ⌊h · r⌋, and one of at least g a lag of at least ⌈g · r⌉,
where r is the member's capacity over the largest one. Each bound is the last h or g for which such
lags may still add up.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.certificate.bounds.counting import Counting
from equilag.certificate.bounds.free_of_topics import sums_of_lightest
from equilag.certificate.bounds.heavy_holders import Holders
from equilag.domain.columns import Floats
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import Flags, Group, Ints
from equilag.domain.group.member_capacities import EXACT, Load
from equilag.domain.plan.metrics import capacities_of, fair_load, has_capacities, mean_load

CROWDED: Final = 6
"""Numbers of heaviest partitions for which `heavy` is tried, beside those of equal capacities;
and capacities, the largest first, for which `rest` is."""


def counting_for(group: Group, constraint: CountConstraint) -> Counting:
    """The counting bounds of a group, whether or not its members differ in capacity."""
    if has_capacities(group):
        return CountingByCapacity(group, constraint)
    return Counting(group, constraint)


class Sorts(NamedTuple):
    """Members that differ in nothing that counts, [sorts]."""

    member: Ints
    """One of each."""
    number: Ints


class CountingByCapacity(Counting):
    """Bounds on loads per unit of capacity."""

    def __init__(self, group: Group, constraint: CountConstraint) -> None:
        super().__init__(group, constraint)
        self.capacities = capacities_of(group)
        self.kind: Ints = self.capacities.kind_of
        """[M]"""

    @property
    def greatest_load(self) -> Load:
        """No load is larger than this."""
        slowest = int(self.kind[self.active].min()) if self.active.any() else -1
        return self.capacities.load(int(self.group.lag.sum()), slowest)

    @property
    def greatest_fair_lag(self) -> float:
        """The lag of the member of the largest capacity if all are equally loaded."""
        fastest = int(self.kind[self.active].max())
        return mean_load(self.group) / float(self.capacities.rate_of_kind[fastest])

    def _numbers(self, members: Flags) -> Ints:
        """[kinds] how many of the members have each capacity."""
        return np.bincount(self.kind[members], minlength=len(self.capacities.whole))

    def average(self, members: Flags) -> tuple[Load, Load]:
        """Bounds from what a set of members carries together: see `Counting.average`."""
        members = members & self.active
        if not members.any():
            return 0, self.greatest_load
        least, most = self.load_range(members)
        capacities, numbers = self.capacities, self._numbers(members)
        kinds, size = np.flatnonzero(numbers).tolist(), int(numbers.sum())
        # Rounding changes less than one record of each member.
        of = self.kind[members]
        around = [capacities.fair(max(0, n), of) for n in (least, least + size, most - size)]
        above = capacities.fair(most + 1, of)

        def enough(h: Load) -> bool:
            return int((capacities.weights_upto(h) * numbers).sum()) >= least

        def too_much(g: Load) -> bool:
            return int((capacities.weights_from(g) * numbers).sum()) > most

        high = capacities.first(enough, kinds, around[0], around[1])
        low = capacities.before(capacities.first(too_much, kinds, around[2], above), kinds)
        return high, low

    def _sorts(self, members: Flags, *columns: Ints) -> Sorts:
        chosen = np.flatnonzero(members)
        rows = np.stack([column[chosen] for column in columns], axis=1)
        _, first, number = np.unique(rows, axis=0, return_index=True, return_counts=True)
        return Sorts(chosen[first], number)

    def heavy(self, members: Flags, heaviest: int) -> Load:
        """A lower bound on max λ: members with room for the heaviest partitions and what the
        counts force beside them must be many enough."""
        members = members & self.active
        found = self._top(members, heaviest) if members.any() else None
        if found is None:
            return 0
        top = np.zeros(len(self.lag), np.bool_)
        top[found[0]] = True
        columns = self.group.class_of.astype(np.int64), self.lo, self.hi, self.kind, self.base
        sorts, reach = self._sorts(members, *columns), dict[int, tuple[Ints, Ints]]()
        none = np.zeros(0, np.int64)
        first, values, numbers = list[int](), [none], [none]
        for member, number in zip(sorts.member.tolist(), sorts.number.tolist(), strict=True):
            member_class = int(self.group.class_of[member])
            if member_class not in reach:
                own = self.within_reach(member_class)
                parts = self.lag[own[top[own]]], self.lag[own[~top[own]]]
                reach[member_class] = sums_of_lightest(parts[0]), sums_of_lightest(parts[1])
            mine, others = reach[member_class]
            held = np.arange(min(len(mine) - 1, max(0, int(self.hi[member]))) + 1)
            beside = np.clip(int(self.lo[member]) - held, 0, len(others) - 1)
            lag = int(self.base[member]) + mine[held] + others[beside]
            lag = np.minimum.accumulate(lag[::-1])[::-1]  # with so many of them, or with more
            first.append(int(lag[0]))
            values.append(lag[1:])
            numbers.append(np.full(len(lag) - 1, number))
        lags, kinds = np.array(first), self.kind[sorts.member]
        place = self.capacities.heaviest(lags, kinds)
        bound = self.capacities.load(first[place], int(kinds[place]))
        kinds = np.repeat(kinds, [len(value) for value in values[1:]])
        lags, room = np.concatenate(values), np.concatenate(numbers)
        order = self.capacities.order(lags, kinds)
        enough = int(np.searchsorted(np.cumsum(room[order]), heaviest))
        if enough == len(order):
            return bound
        place = int(order[enough])
        return max(bound, self.capacities.load(int(lags[place]), int(kinds[place])))

    def rest(self, members: Flags, heaviest: int, below: Load | None = None) -> Load | None:
        """An upper bound on min λ: what the holders of the heaviest partitions leave to the others.

        None if there is no such bound, or none below `below`: to see that takes one look.
        """
        members = members & self.active
        found = self._top(members, heaviest) if np.count_nonzero(members) > 1 else None
        if found is None:
            return None
        top, others = found
        holders = self._holders(members, self.lag[top], self.lag[others])
        most, last = self.exclusive(members).most, self.average(members)[1] + 1
        if below is not None:
            last = min(last, below)
            if holders.forced(last) <= most:
                return None
        kinds = np.unique(self.kind[members]).tolist()
        above = self.capacities.first(lambda g: holders.forced(g) > most, kinds, 0, last)
        return self.capacities.before(above, kinds)

    def _holders(self, members: Flags, top: Ints, others: Ints) -> Holders:
        """Of the heaviest partitions, whose lags are `top`; beside `others`, ascending."""
        sorts = self._sorts(members, self.kind, self.lo, self.hi, self.base)
        size = int(np.count_nonzero(members))
        large = (int(self.group.lag.sum()) + 1) * (size + len(top) + len(others)) >= EXACT
        integer = object if large else np.int64
        columns = self.lo[sorts.member], self.hi[sorts.member], self.base[sorts.member]
        fewest, most, base, number = (c.astype(integer) for c in (*columns, sorts.number))
        over = int(self.shares(members).least.sum()) - int(self.hi[members].sum())
        kind, below = self.kind[sorts.member], sums_of_lightest(others)
        return Holders(top, self.capacities, kind, fewest, most, base, number, over, others, below)

    # The excess: a load is above the fair one by what the lag is above the member's fair lag, over
    # its capacity; so by that over the largest capacity at least.

    def _at_fastest(self, lag: int) -> Load:
        return self.capacities.load(lag, int(self.kind[self.active].max()))

    def excess_by_average(self, members: Flags) -> Load:
        """What a set of members carries at least above its fair lag, or at most below it."""
        least, most = self.load_range(members)
        upper, lower = self._fair_lags(members)
        everybody, _ = self._fair_lags(self.active)
        # What some lack, others have too much, but for what rounding takes from the fair lags.
        lacking = lower - most + int(self.group.lag[self.group.assignable].sum()) - everybody
        return self._at_fastest(max(0, least - upper, lacking))

    def excess_by_heavy(self, members: Flags, heaviest: int) -> Load:
        """What the holders of the heaviest partitions carry above their fair lag."""
        members = members & self.active
        found = self._top(members, heaviest) if members.any() else None
        if found is None:
            return 0
        top, others = found
        holders = self._holders(members, self.lag[top], self.lag[others])
        fair = fair_load(self.group)
        everybody = int((holders.wanted(fair) * holders.number).sum())
        return self._at_fastest(max(0, holders.forced(fair) - everybody))

    def _fair_lags(self, members: Flags) -> tuple[int, int]:
        """The lag that a set of members carries if all are equally loaded: each rounded up, and
        rounded down."""
        fair, numbers = fair_load(self.group), self._numbers(members)
        up, down = self.capacities.weights_from(fair), self.capacities.weights_upto(fair)
        return int((up * numbers).sum()), int((down * numbers).sum())

    def left_by_holders(self, members: Flags) -> tuple[Ints, Floats]:
        """See `Counting.left_by_holders`: the holders are those of the largest capacities."""
        part = self.exclusive(members)
        chosen = np.flatnonzero(members)
        chosen = chosen[np.argsort(-self.kind[chosen], kind="stable")]
        n = np.arange(1, min(len(chosen), len(part.mine) + 1))
        beside = np.clip(np.cumsum(self.lo[chosen])[n - 1] - n, 0, len(part.order) - n)
        carried = (
            np.cumsum(self.lag[part.mine])[n - 1] + sums_of_lightest(self.lag[part.order])[beside]
        )
        rate = 1.0 / self.capacities.rate[chosen]
        share = rate.sum() - np.cumsum(rate)[n - 1]
        return n, (part.most - carried) / share

    def crowds_at(self, members: Flags, level: Load) -> list[int]:
        """Numbers of partitions that are heavier than what a capacity carries at that level."""
        mine = np.sort(self.lag[self.exclusive(members).mine])
        largest = np.unique(self.kind[members])[::-1][:CROWDED]
        wanted = self.capacities.weights_upto(level)[largest].astype(np.float64)
        above = len(mine) - np.searchsorted(mine, wanted, side="right")
        return sorted({int(k) for k in above if k > 0})

    def crowded(self, members: Flags) -> list[int]:
        """Those that make a heavy load if the k-th heaviest partition is alone with the member of
        the k-th largest capacity; and what `Counting.crowded` has."""
        mine = self.lag[self.exclusive(members).mine]
        rate = np.sort(self.capacities.rate[members])
        n = min(len(mine), len(rate))
        alone = mine[:n] * rate[:n]
        heaviest = np.argsort(-alone, kind="stable")[:CROWDED] + 1
        return sorted({*heaviest.tolist(), *super().crowded(members)})
