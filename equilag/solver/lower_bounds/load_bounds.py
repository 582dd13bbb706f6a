"""The search for the sets of members with the best counting bounds, as claims."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from equilag.certificate.bounds.counting import Counting
from equilag.certificate.bounds.heaviest import (
    excess_by_average,
    excess_by_heavy,
    folded,
    heavy,
    rest,
)
from equilag.domain.budget import limit_steps
from equilag.domain.group.group import Flags
from equilag.domain.group.loads import written
from equilag.domain.group.member_capacities import Load
from equilag.domain.plan.claim import Claim
from equilag.domain.policy.objective import EXCESS
from equilag.solver.lower_bounds.member_sets import EXTREMES, member_sets

MAX_VISITS: Final = 10_000_000
"""Partitions and pairs of classes visited over all sets: counted, so that runs are repeatable."""


@dataclass(slots=True)
class LoadBounds:
    """The best proved floors of the heaviest load and of the excess, and ceiling of the lightest
    load."""

    highest: Claim
    """max λ ≥ its value."""
    lowest: Claim
    """min λ ≤ its value."""
    excess: Claim

    @staticmethod
    def of(high: Load = 0, low: Load = 0) -> LoadBounds:
        """From the mean of all members."""
        data = {"members": "all"}
        return LoadBounds(
            Claim("max_load_at_least", high, "average", data),
            Claim("min_load_at_most", low, "average", data),
            Claim(EXCESS, 0, "average", data),
        )

    @property
    def spread(self) -> Load:
        return max(0, self.highest.value - self.lowest.value)

    def floor(self, high: Load, kind: str, data: Callable[[], dict[str, Any]]) -> None:
        """Keep a floor of the heaviest load if it is better; `data` makes that of its claim."""
        if high > self.highest.value:
            self.highest = replace(self.highest, value=high, kind=kind, data=data())

    def ceiling(self, low: Load, kind: str, data: Callable[[], dict[str, Any]]) -> None:
        """The same for a ceiling of the lightest load."""
        if low < self.lowest.value:
            self.lowest = replace(self.lowest, value=low, kind=kind, data=data())

    def uneven(self, excess: Load, kind: str, data: Callable[[], dict[str, Any]]) -> None:
        """The same for a floor of the excess."""
        if excess > self.excess.value:
            self.excess = replace(self.excess, value=excess, kind=kind, data=data())


NO_LAG: Final = LoadBounds.of()
"""Of a group without any lag."""


def load_bounds(
    counting: Counting, stop: Callable[[], bool], reached: Load | None = None
) -> LoadBounds | None:
    """The best bounds over sets of members; None without members.

    O(sets × partitions) for a limited number of sets. The set of all members is always tried; the
    search ends early if `stop` returns True or the bounds prove the spread that is `reached`.
    """
    best = overall_bounds(counting)
    if best is None or best.spread == reached:
        return best
    size = len(counting.lag) + len(counting.arcs[0]) + counting.group.n_members
    # A number of sets, so that bounds of large groups are repeatable.
    over = limit_steps(max(8, MAX_VISITS // size), stop)
    first, *others = crowded(counting, counting.active) or [0]

    def try_heaviest(number: int) -> None:
        about = _about(counting, counting.active, heaviest=number)
        best.floor(heavy(counting, counting.active, number), "heavy", about)

    if not over():
        try_heaviest(first)
        _try_rest(counting, best, counting.active)
        _try_folding(counting, best, counting.active)
    tried = {counting.active.tobytes(), bytes(counting.group.n_members)}
    for members in member_sets(counting):
        if over():
            break
        if members.tobytes() not in tried:
            tried.add(members.tobytes())
            _try_set(counting, best, members)
    for heaviest in others:  # these take long in large groups with capacities
        if over():
            break
        try_heaviest(heaviest)
    return best


def overall_bounds(counting: Counting) -> LoadBounds | None:
    """The bounds from the mean of all members; O(partitions)."""
    if not counting.active.any():
        return None
    return LoadBounds.of(*counting.average(counting.active))


def _about(counting: Counting, members: Flags, **more: int) -> Callable[[], dict[str, Any]]:
    """What makes the data of a claim about some members."""

    def data() -> dict[str, Any]:
        if np.array_equal(members, counting.active):
            return {"members": "all", **more}
        names = [counting.group.members[m].id for m in np.flatnonzero(members).tolist()]
        return {"members": names, **more}

    return data


def _try_set(counting: Counting, best: LoadBounds, members: Flags) -> None:
    high, low = counting.average(members, (best.highest.value, best.lowest.value))
    about = _about(counting, members)
    best.floor(high, "average", about)
    best.ceiling(low, "average", about)
    best.uneven(excess_by_average(counting, members), "average", about)
    _try_rest(counting, best, members)
    _try_folding(counting, best, members)


def _try_folding(counting: Counting, best: LoadBounds, members: Flags) -> None:
    found = folded(counting, members)
    if found is not None:
        best.floor(found[0], "folding", _about(counting, members))
        best.ceiling(found[1], "folding", _about(counting, members))


def _try_rest(counting: Counting, best: LoadBounds, members: Flags) -> None:
    heaviest = crowd(counting, members)
    low = rest(counting, members, heaviest, best.lowest.value)
    if low is not None:
        best.ceiling(low, "rest", _about(counting, members, heaviest=heaviest))


def crowd(counting: Counting, members: Flags) -> int:
    """The number of heaviest partitions whose holders leave the least to the others, 0 for none.

    By a rough bound for every number, as if each partition had a holder of its own, and those were
    of the largest capacities.
    """
    part, lag = counting.exclusive(members), counting.lag
    chosen = np.flatnonzero(members)
    chosen = chosen[np.lexsort((counting.lo[chosen], -counting.kind[chosen]))]
    n = np.arange(1, min(len(chosen), len(part.mine) + 1))
    if not len(n):
        return 0
    beside = np.clip(np.cumsum(counting.lo[chosen])[n - 1] - n, 0, len(part.order) - n)
    lightest = np.concatenate(([0], np.cumsum(lag[part.order])))
    carried = np.cumsum(lag[part.mine])[n - 1] + lightest[beside]
    capacity = 1.0 / counting.capacities.rate[chosen]
    # Summed from the end, what is left is above 0 however far capacities are apart.
    left = (part.most - carried) / np.cumsum(capacity[::-1])[::-1][n]
    return int(n[left.argmin()])


def crowded(counting: Counting, members: Flags) -> list[int]:
    """Numbers of heaviest partitions for `heavy`: one; so many that some member must hold two; and,
    where capacities differ, those that make a heavy load if the k-th heaviest partition is alone
    with the member of the k-th largest capacity."""
    found = {k for k in (1, int(np.count_nonzero(members)) + 1) if k <= len(counting.lag)}
    if not counting.capacities.are_equal:
        mine = counting.lag[counting.exclusive(members).mine]
        rate = np.sort(counting.capacities.rate[members])[: len(mine)]
        alone = mine[: len(rate)] * rate
        found.update((np.argsort(-alone, kind="stable")[:EXTREMES] + 1).tolist())
    return sorted(found)


def difference(bounds: LoadBounds) -> Claim:
    """The claim that the spread is at least the difference of both bounds."""
    data = {
        "max_load_at_least": written(bounds.highest.value),
        "min_load_at_most": written(bounds.lowest.value),
    }
    return Claim("spread_at_least", bounds.spread, "difference", data)


PARTS: Final = (1.0, 0.95, 0.9, 0.8, 0.7, 0.5)
"""Parts of the mean load from which on a partition may count among the heaviest: what counts force
beside it takes it above the mean."""


def excess_bound(counting: Counting, bounds: LoadBounds) -> Claim:
    """The best claim from the heaviest partitions, and from the member sets of `bounds`."""
    of, mine = counting.kind[counting.active], counting.exclusive(counting.active).mine
    mean = float(counting.capacities.fair(int(counting.lag.sum()), of) / counting.at_fastest(1))
    lags = counting.lag[mine]
    for heaviest in sorted({int(np.count_nonzero(lags > part * mean)) for part in PARTS} - {0}):
        value = excess_by_heavy(counting, counting.active, heaviest)
        bounds.uneven(value, "heavy", _about(counting, counting.active, heaviest=heaviest))
    return bounds.excess
