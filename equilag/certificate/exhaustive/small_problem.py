"""A part of a group, or all of a small one, as items to be given to a few members."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, lcm
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import Ints
from equilag.domain.constraint import InstanceSums
from equilag.domain.group.group import Flags
from equilag.domain.group.loads import MemberLoads
from equilag.domain.group.member_capacities import Load, MemberCapacities

MAX_ITEMS: Final = 40
"""Most items of a search for any number of moves: each half of them has up to 2^20 subsets, which
are all listed."""
MAX_MEMBERS: Final = 8
"""Most members of such a search: the load limits of a node look at all 2^8 sets of members."""
MAX_ITEMS_MOVING: Final = 512
"""Most items of a search for few moves: beyond, even the pairs of items are too many to list."""
MAX_MEMBERS_MOVING: Final = 60
"""Most members of such a search: a set of members is one integer of 63 bits."""
MAX_SCALED: Final = 2**61
"""Scaled loads stay below this, so that the sum of two of them fits 63 bits."""


class ReadsAcross(NamedTuple):
    """A limit on partitions that are read across racks."""

    cost: Ints
    """[I, J] partitions of an item that a member reads across racks."""
    most: int
    """Of all items together."""


@dataclass(frozen=True, eq=False)
class SmallProblem:
    """A few members J and items I; the rest of the group stays as it is."""

    lag: Ints
    """[I]"""
    allowed: Flags
    """[I, J]"""
    base: Ints
    """[J] load of what a member holds beyond the items."""
    lo: Ints
    """[J] fewest items."""
    hi: Ints
    """[J] most items."""
    saved: Ints
    """[I, J] moves that an item saves by staying with a member."""
    capacities: MemberCapacities | None = None
    """Of the members J; None where they are equal. Lags and base loads are not per capacity."""
    moves_anyway: int = 0
    """Moves of every assignment, whoever gets the items."""
    sums: InstanceSums | None = None
    """Fewest and most items of the members of an instance; `of` is [J]."""
    reads: ReadsAcross | None = None
    """None where they are not limited, or `allowed` says as much."""
    topic: Ints | None = None
    """[I] topic number from 0; None unless counts are limited by topic."""
    topic_lo: Ints | None = None
    """[topics, J]"""
    topic_hi: Ints | None = None
    """[topics, J]"""

    @property
    def prices(self) -> Ints:
        """[I, J] moves of an item with each member, beside `moves_anyway`."""
        prices: Ints = self.saved.sum(axis=1, keepdims=True) - self.saved
        return prices

    @property
    def fits(self) -> bool:
        """True if the problem is small enough to be searched, and has no limit on reads."""
        if self.reads is not None:
            return False
        small = len(self.lag) <= MAX_ITEMS_MOVING and len(self.base) <= MAX_MEMBERS_MOVING
        return len(self.base) > 0 and (small or not len(self.lag))


UNLIMITED: Final = 2**62
"""No load reaches this: a group's lags together stay below 2^62."""


@dataclass(frozen=True, slots=True)
class SearchTarget:
    """All loads within `spread` of each other and inside [floor, cap]."""

    spread: Load
    floor: Load = 0
    cap: Load = UNLIMITED
    max_moves: int | None = None
    """Most items that may leave their owner."""
    move_cost: int = 0
    """Each move lowers the spread that is allowed by this much."""
    strict: bool = False
    """True if spread, floor and cap themselves are not allowed."""

    def most(self, load: Load) -> int:
        """The largest whole number that is allowed where `load` is the upper limit."""
        return ceil(load) - 1 if self.strict else floor(load)

    def least(self, load: Load) -> int:
        """The smallest whole number that is allowed where `load` is the lower limit."""
        return floor(load) + 1 if self.strict else ceil(load)

    def is_met(self, high: Load, low: Load, cost: Load) -> bool:
        """True if an assignment with these extremes and this cost of moves meets the target."""
        spread = high - low + cost
        if self.strict:
            return spread < self.spread and self.floor < low and high < self.cap
        return spread <= self.spread and self.floor <= low and high <= self.cap


@dataclass(frozen=True, eq=False, slots=True)
class ScaledLoads:
    """Loads of a small problem as integers: a lag times the factor of its member.

    They are exact where the common multiple of the capacities is small enough. Elsewhere factors
    are rounded down, a scaled load is less than `slack` too small, and what a search finds has to
    be compared exactly.
    """

    capacities: MemberCapacities | None
    factor: Ints
    """[J]"""
    one: Fraction
    """The scaled load of a load of 1."""
    slack: int
    """0 where factors are exact."""
    total: int
    """No scaled load is larger."""

    @staticmethod
    def of(problem: SmallProblem) -> ScaledLoads:
        total, members = int(problem.lag.sum() + problem.base.sum()), len(problem.base)
        capacities = problem.capacities
        if capacities is None:
            return ScaledLoads(None, np.ones(members, np.int64), Fraction(1), 0, total)
        mine = [capacities.whole[kind] for kind in capacities.kind_of.tolist()]
        scale, most = lcm(*mine), MAX_SCALED // max(1, total)
        slack = 0
        if scale > most * min(mine):
            scale, slack = most * min(mine), total
        factor = np.array([scale // whole for whole in mine], dtype=np.int64)
        one = Fraction(scale, capacities.whole[-1])
        return ScaledLoads(capacities, factor, one, slack, total * int(factor.max(initial=1)))

    @property
    def kinds(self) -> list[int]:
        """[J] the capacity of each member."""
        if self.capacities is None:
            return [0] * len(self.factor)
        return list(self.capacities.kind_of.tolist())

    @property
    def fits(self) -> bool:
        """False if lags and capacities are too far apart for 63 bits."""
        return bool(self.factor.all())

    def accept(self, target: SearchTarget, lags: Ints, cost: Load) -> bool:
        """True if members with these lags [J], whose scaled loads meet a target, meet it exactly;
        `cost` is that of the moves."""
        if self.capacities is None or not self.slack:
            return True
        loads = MemberLoads(lags, self.capacities, np.arange(len(lags), dtype=np.int32))
        return target.is_met(loads.max, loads.min, cost)

    def target(self, problem: SmallProblem, target: SearchTarget) -> ScaledTarget:
        """The target for scaled loads: no assignment that meets it misses this one."""
        one, slack, cost = self.one, self.slack, target.move_cost
        forced, price = problem.moves_anyway, problem.prices.max(axis=1, initial=0)
        most = everything = int(price.sum())
        if target.max_moves is not None:
            most = min(most, target.max_moves - forced)
        # Prices of moves are too many for a table; without a cost one entry says it all.
        table = range(most + 1) if cost else range(min(1, most + 1))
        allowed = [target.most((target.spread - cost * (forced + n)) * one) for n in table]
        kept = [min(self.total, spread + slack) for spread in allowed if spread + slack >= 0]
        return ScaledTarget(
            target.least(target.floor * one) - slack,
            min(self.total, target.most(target.cap * one)),
            2 * (min(most, len(kept) - 1) if cost or not kept else most),
            cost > 0 or most < everything,
            np.array(kept, dtype=np.int64),
        )


@dataclass(frozen=True, eq=False, slots=True)
class ScaledTarget:
    """A target for the scaled loads of one problem."""

    floor: int
    cap: int
    most_ends: int
    """Most ends of moves beside those of every assignment, two for each move; below 0 where nothing
    meets the target."""
    moves_matter: bool
    allowed: Ints
    """The spread allowed by the number of such moves. A table, since a cost of moves times moves
    need not fit 64 bits. [1] where moves cost nothing."""

    def spread_with(self, ends: Ints) -> Ints:
        """[n] the spread allowed with so many ends of moves, `most_ends` at most."""
        found: Ints = self.allowed[np.minimum((ends + 1) // 2, len(self.allowed) - 1)]
        return found
