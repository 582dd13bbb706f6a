"""Exhaustive search for an assignment whose loads fit one window; no solver, and repeatable.

Used to find the most even plan of a few members and few partitions, and to prove that there is
none more even: whoever checks such a claim runs the same search again. Each member's possible
shares ("patterns") are limited to the loads that the remaining members leave open, and members are
taken most constrained first (exact cover by branch and bound).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from equilag.exhaustive.patterns import (
    Budget,
    Half,
    Join,
    Limits,
    OutOfBudget,
    Patterns,
    Subsets,
    subsets,
)
from equilag.group import Flags, Ints

__all__ = [
    "FAR",
    "MAX_ITEMS",
    "MAX_MEMBERS",
    "Budget",
    "OutOfBudget",
    "Search",
    "SmallProblem",
    "Target",
]

MAX_ITEMS: Final = 40
MAX_MEMBERS: Final = 8
LISTED: Final = 200_000
"""Patterns of all members together from which on lists are filtered instead of joined anew."""
BESIDE: Final = 3_000
"""Patterns of one member with which all those of another are put side by side at most."""
PAIRS: Final = 500_000
FAR: Final = 2**62


@dataclass(frozen=True, eq=False)
class SmallProblem:
    """A few members J and items I; everything else of the group is fixed around them."""

    lag: Ints
    """[I]"""
    allowed: Flags
    """[I, J]"""
    base: Ints
    """[J] load that a member carries besides."""
    lo: Ints
    """[J] fewest items."""
    hi: Ints
    """[J] most items."""
    owner: Ints
    """[I] who owns the item: a member of J, −1 for nobody, −2 for somebody outside."""
    topic: Ints | None = None
    """[I] topic number from 0, where topics count one by one."""
    topic_lo: Ints | None = None
    """[topics, J]"""
    topic_hi: Ints | None = None

    @property
    def fits(self) -> bool:
        small = len(self.lag) <= MAX_ITEMS and len(self.base) <= MAX_MEMBERS
        return len(self.base) > 0 and (small or not len(self.lag))


@dataclass(frozen=True, slots=True)
class Target:
    """What is looked for: loads within `spread` of each other, all inside [floor, cap]."""

    spread: int
    floor: int = 0
    cap: int = FAR
    max_moves: int | None = None
    """Most items that may leave their owner."""
    move_cost: int = 0
    """Each move makes the spread allowed narrower by so much."""


@dataclass(frozen=True, slots=True)
class _State:
    free: int
    members: tuple[int, ...]
    low: int
    high: int
    kept: int


class _Sets(NamedTuple):
    """All non-empty sets of some members, with what their members have in common."""

    mask: Ints
    size: Ints
    base: Ints
    lo: Ints
    hi: Ints
    holding: list[Flags]
    """For each of the members, which sets it is in."""

    @staticmethod
    def of(problem: SmallProblem, members: tuple[int, ...]) -> _Sets:
        columns = np.array(members)
        inside = (np.arange(1, 1 << len(members))[:, None] >> np.arange(len(members))) & 1
        sums = (inside @ a[columns] for a in (problem.base, problem.lo, problem.hi))
        base, lo, hi = sums
        holding = [inside[:, place] == 1 for place in range(len(members))]
        return _Sets(inside @ (1 << columns), inside.sum(axis=1), base, lo, hi, holding)


class Search:
    """One small problem, prepared once and searched for any number of targets."""

    def __init__(self, problem: SmallProblem, budget: Budget) -> None:
        """Raises OutOfBudget if the problem is too large."""
        if not problem.fits:
            raise OutOfBudget
        self.problem = p = problem
        self.budget = budget
        if not len(p.lag):
            return
        n, members = len(p.lag), range(len(p.base))
        self.order = np.argsort(-p.lag, kind="stable")
        self._bits = np.arange(n)
        self._lag = p.lag[self.order]
        self._everything = int(self._lag.sum() + p.base.sum())
        weight = np.int64(1) << self._bits
        self._eligible = [int((weight * p.allowed[self.order, j]).sum()) for j in members]
        self._own = [int((weight * (p.owner[self.order] == j)).sum()) for j in members]
        self._owned = int((p.owner != -1).sum())
        self._readers = (p.allowed[self.order] * (1 << np.arange(len(p.base)))).sum(axis=1)
        self._limits = [self._limits_of(j) for j in members]
        n_topics = 1 if p.topic_lo is None else len(p.topic_lo)
        topic = np.zeros(n, np.int64) if p.topic is None else p.topic[self.order]
        most = int(p.hi.max(initial=0))
        self._halves: list[Subsets] = [
            subsets(self._lag, topic, n_topics, list(range(part, n, 2)), most, budget)
            for part in (0, 1)
        ]
        self._keyed: dict[int, tuple[Half, Half]] = {}
        self._pairs: dict[tuple[Limits, int], list[tuple[int, int]]] = {}
        self._sets: dict[tuple[int, ...], _Sets] = {}

    def _limits_of(self, member: int) -> Limits:
        p = self.problem
        lo, hi = int(p.lo[member]), int(p.hi[member])
        if p.topic_lo is None or p.topic_hi is None:
            return Limits(lo, hi, None, None)
        return Limits(
            lo, hi, tuple(p.topic_lo[:, member].tolist()), tuple(p.topic_hi[:, member].tolist())
        )

    def find(self, target: Target) -> Ints | None:
        """[I] member per item of an assignment that meets the target; None if there is none.

        Raises OutOfBudget when neither could be decided.
        """
        if not len(self.problem.lag):
            return self._nothing(target)
        # No spread beyond all there is, so that nothing below comes near 2^63.
        widest = self._everything + target.move_cost * self._owned
        self._target = target = replace(target, spread=min(target.spread, widest))
        self._need = 0 if target.max_moves is None else self._owned - target.max_moves
        self._track = self._need > 0 or target.move_cost > 0
        everything = (1 << len(self._bits)) - 1
        members = tuple(range(len(self.problem.base)))
        start = _State(everything, members, FAR, -FAR, 0)
        found = self._descend(start, None)
        if found is None:
            return None
        result = np.full(len(self._bits), -1, dtype=np.int64)
        for member, mask in found.items():
            result[self.order[(mask >> self._bits) & 1 == 1]] = member
        return result

    def _nothing(self, target: Target) -> Ints | None:
        """No item to give out: the loads are what they are."""
        p = self.problem
        low = int(p.base.min())
        high = int(p.base.max())
        fits = high - low <= target.spread and target.floor <= low and high <= target.cap
        return np.zeros(0, np.int64) if fits and not (p.lo > 0).any() else None

    def _allowed_spread(self, kept: int) -> int:
        """The spread allowed if `kept` items stay in the end."""
        return self._target.spread - self._target.move_cost * (self._owned - kept)

    def _hope(self, state: _State) -> int:
        """Most items that can stay in the end."""
        return state.kept + sum(self._still(state, member) for member in state.members)

    def _still(self, state: _State, member: int) -> int:
        return min((state.free & self._own[member]).bit_count(), self._limits[member].hi)

    def _descend(self, state: _State, lists: dict[int, Patterns] | None) -> dict[int, int] | None:
        if not state.members:
            return {} if not state.free else None
        self.budget.enter()
        hope = self._hope(state) if self._track else self._owned
        spread = self._allowed_spread(hope)
        if hope < self._need or spread < 0 or state.high - state.low > spread:
            return None
        free = (state.free >> self._bits) & 1 == 1
        readers = self._readers & sum(1 << member for member in state.members)
        if (readers[free] == 0).any():
            return None
        windows = self._windows(state, spread, free, readers)
        if windows is None:
            return None
        forced = {m: self._forced(state, m, free, readers) for m in self._candidates(state)}
        if lists is None:
            lists = self._listed(state, windows, hope)
        if lists is not None:
            choice = self._pick_listed(state, lists, windows, forced)
        else:
            choice = self._pick_joined(state, windows, forced, hope)
        if choice is None:
            return None
        return self._branch(state, *choice, lists)

    def _listed(
        self, state: _State, windows: dict[int, tuple[int, int]], hope: int
    ) -> dict[int, Patterns] | None:
        """All patterns of all members, if they are few enough to be written out."""
        joins = {}
        for member in self._candidates(state):
            joins[member] = self._join(state, member, windows[member], 0, hope)
            if sum(join.total for join in joins.values()) > LISTED:
                return None
        alike = {self._likeness(member): join.patterns() for member, join in joins.items()}
        return {member: alike[self._likeness(member)] for member in state.members}

    def _pick_listed(
        self,
        state: _State,
        lists: dict[int, Patterns],
        windows: dict[int, tuple[int, int]],
        forced: dict[int, int],
    ) -> tuple[int, Patterns] | None:
        best: tuple[int, Patterns] | None = None
        for member, must in forced.items():
            patterns, (low, high) = lists[member], windows[member]
            self.budget.spend(len(patterns.mask))
            keep = (patterns.mask & ~state.free == 0) & (patterns.mask & must == must)
            patterns = patterns.where(keep & (patterns.load >= low) & (patterns.load <= high))
            if best is None or len(patterns.mask) < len(best[1].mask):
                best = member, patterns
            if not len(best[1].mask):
                return None
        return best

    def _pick_joined(
        self,
        state: _State,
        windows: dict[int, tuple[int, int]],
        forced: dict[int, int],
        hope: int,
    ) -> tuple[int, Patterns] | None:
        best: tuple[int, Join] | None = None
        for member, must in forced.items():
            join = self._join(state, member, windows[member], must, hope)
            if best is None or join.total < best[1].total:
                best = member, join
            if not best[1].total:
                return None
        if best is None:
            return None
        self.budget.spend(best[1].total * 6)
        return best[0], best[1].patterns()

    def _branch(
        self, state: _State, member: int, patterns: Patterns, lists: dict[int, Patterns] | None
    ) -> dict[int, int] | None:
        rest = tuple(m for m in state.members if m != member)
        kept = state.kept + np.bitwise_count(patterns.mask & self._own[member]).astype(np.int64)
        fits = np.ones(len(kept), dtype=np.bool_)
        if len(rest) == 1:
            base, ends = int(self.problem.base[member]), (patterns.load, patterns.load)
            fits = self._last_fits(state, rest[0], patterns, base, kept, ends)
        if self._track:
            fits &= kept + sum(self._still(state, m) for m in rest) >= self._need
        total = self._free_load(state) + int(self.problem.base[list(state.members)].sum())
        if len(rest) > 1:
            fits &= self._rest_fits(state, len(rest), total, patterns.load)
        mask, load, kept = patterns.mask[fits], patterns.load[fits], kept[fits]
        middle = total // len(state.members)
        if lists is not None and len(rest) > 1:
            lists = {m: self._still_open(lists[m], state) for m in rest}
        if lists is not None and len(rest) == 2:
            fits = self._two_fit(state, member, rest, mask, load, kept, lists)
            mask, load, kept = mask[fits], load[fits], kept[fits]
        for i in np.argsort(np.abs(load - middle), kind="stable").tolist():
            chosen, weight = int(mask[i]), int(load[i])
            after = _State(
                state.free & ~chosen,
                rest,
                min(state.low, weight),
                max(state.high, weight),
                int(kept[i]),
            )
            found = self._descend(after, lists)
            if found is not None:
                found[member] = chosen
                return found
        return None

    def _two_fit(
        self,
        state: _State,
        member: int,
        rest: tuple[int, ...],
        mask: Ints,
        load: Ints,
        kept: Ints,
        lists: dict[int, Patterns],
    ) -> Flags:
        """For which patterns of `member` the last two could share what is left; all at once.

        A filter: whether they can is decided further down.
        """
        second, last = sorted(rest, key=lambda m: len(lists[m].mask))
        others = lists[second]
        if len(others.mask) > BESIDE:
            return np.ones(len(mask), dtype=np.bool_)
        result = np.zeros(len(mask), dtype=np.bool_)
        step = max(1, PAIRS // max(1, len(others.mask)))
        for begin in range(0, len(mask), step):
            self.budget.spend(8 * min(step, len(mask) - begin) * len(others.mask))
            i, j = np.nonzero(mask[begin : begin + step, None] & others.mask[None, :] == 0)
            i += begin
            both = Patterns(mask[i] | others.mask[j], load[i] + others.load[j])
            ends = np.minimum(load[i], others.load[j]), np.maximum(load[i], others.load[j])
            stay = kept[i] + np.bitwise_count(others.mask[j] & self._own[second]).astype(np.int64)
            base = int(self.problem.base[second] + self.problem.base[member])
            fits = self._last_fits(state, last, both, base, stay, ends)
            result[i[fits]] = True
        return result

    def _rest_fits(self, state: _State, n_rest: int, total: int, load: Ints) -> Flags:
        """Can what is left be shared by the rest, none too far from `load`; all at once."""
        spread, everything = min(self._target.spread, self._everything), self._everything
        low = np.maximum(np.maximum(load, state.high) - spread, 0)
        high = np.minimum(np.minimum(load, state.low) + spread, everything)
        rest = total - load
        # Divided, not multiplied: a load near 2^62 times some members passes 2^63.
        fits: Flags = (low <= high) & (low <= rest // n_rest) & (-(-rest // n_rest) <= high)
        return fits

    def _still_open(self, patterns: Patterns, state: _State) -> Patterns:
        return patterns.where(patterns.mask & ~state.free == 0)

    def _free_load(self, state: _State) -> int:
        return int(self._lag[(state.free >> self._bits) & 1 == 1].sum())

    def _last_fits(
        self,
        state: _State,
        last: int,
        patterns: Patterns,
        base: int,
        kept: Ints,
        ends: tuple[Ints, Ints],
    ) -> Flags:
        """With one member left after these, what it must take follows: check all at once.

        `patterns` are what the others take together, `base` is what they carry besides and `ends`
        are the lightest and the heaviest of their loads.
        """
        limits = self._limits[last]
        other = state.free & ~patterns.mask
        other_load = self._free_load(state) + int(self.problem.base[last]) + base - patterns.load
        count = np.bitwise_count(other)
        low = np.minimum(np.minimum(ends[0], other_load), state.low)
        high = np.maximum(np.maximum(ends[1], other_load), state.high)
        final = kept + np.bitwise_count(other & self._own[last])
        fits: Flags = (other & ~self._eligible[last]) == 0
        fits &= (count >= limits.lo) & (count <= limits.hi)
        fits &= high - low <= self._target.spread - self._target.move_cost * (self._owned - final)
        return fits & (other_load >= self._target.floor) & (other_load <= self._target.cap)

    def _likeness(self, member: int) -> tuple[object, ...]:
        own = self._own[member] if self._track else 0
        base = int(self.problem.base[member])
        return self._eligible[member], base, self._limits[member], own

    def _candidates(self, state: _State) -> list[int]:
        """One of each set of members that are alike."""
        seen: dict[tuple[object, ...], int] = {}
        for member in state.members:
            seen.setdefault(self._likeness(member), member)
        return list(seen.values())

    def _forced(self, state: _State, member: int, free: Flags, readers: Ints) -> int:
        """Mask of the items that the member's pattern may be asked to hold."""
        forced = 0
        for bit in np.flatnonzero(free & (readers == 1 << member)).tolist():
            forced |= 1 << bit
        likeness = self._likeness(member)
        alike = sum(1 << m for m in state.members if self._likeness(m) == likeness)
        if alike.bit_count() > 1:
            # The heaviest item that only these can take goes to one of them: to this one.
            theirs = np.flatnonzero(free & (readers & ~alike == 0))
            if len(theirs):
                forced |= 1 << int(theirs[0])
        return forced

    def _windows(
        self, state: _State, spread: int, free: Flags, readers: Ints
    ) -> dict[int, tuple[int, int]] | None:
        """Loads open to each member, from what every set of members must and can carry."""
        # Clipped to what is there at all, so that sums of bounds stay far from 2^63.
        low = max(self._target.floor, state.high - spread, 0)
        high = min(self._target.cap, state.low + spread, self._everything)
        if low > high:
            return None
        sets = self._sets_of(state.members)
        lag, readers = self._lag[free], readers[free]
        touches = (readers[None, :] & sets.mask[:, None]) != 0
        only = (readers[None, :] & ~sets.mask[:, None]) == 0
        if (only.sum(axis=1) > sets.hi).any() or (touches.sum(axis=1) < sets.lo).any():
            return None
        must, can, size = sets.base + only @ lag, sets.base + touches @ lag, sets.size
        # Some member of a set carries its mean or more, and nobody is further off than `spread`.
        low = max(low, int((-(-must // size)).max()) - spread)
        high = min(high, int((can // size).min()) + spread)
        if low > high or (-(-must // size) > high).any() or (can // size < low).any():
            return None
        # What the others of a set leave to one member; no product may pass 2^63.
        others = np.minimum(size - 1, must // max(high, 1) + 1)
        least = np.where(others == size - 1, must - others * high, 0)
        greatest = can - (size - 1) * low
        if spread < self._everything:
            least = np.maximum(least, -(-(must + spread) // size) - spread)
            greatest = np.minimum(greatest, spread + (can - spread) // size)
        windows = {}
        for place, member in enumerate(state.members):
            mine = sets.holding[place]
            window = max(low, int(least[mine].max())), min(high, int(greatest[mine].min()))
            if window[0] > window[1]:
                return None
            windows[member] = window
        return windows

    def _sets_of(self, members: tuple[int, ...]) -> _Sets:
        if members not in self._sets:
            self._sets[members] = _Sets.of(self.problem, members)
        return self._sets[members]

    def _join(
        self, state: _State, member: int, window: tuple[int, int], forced: int, hope: int
    ) -> Join:
        own = self._own[member] if self._track else 0
        if own not in self._keyed:
            self._keyed[own] = (self._halves[0].keyed(own), self._halves[1].keyed(own))
        limits, available = self._limits[member], state.free & self._eligible[member]
        if (limits, own) not in self._pairs:
            self._pairs[limits, own] = limits.pairs(*self._keyed[own], self.budget)
        left, right = (
            half.select(available, forced & part.bits)
            for half, part in zip(self._keyed[own], self._halves, strict=True)
        )
        self.budget.spend(len(self._halves[0].mask) + len(self._halves[1].mask))
        others = hope - self._still(state, member)
        base = int(self.problem.base[member])
        return Join.of(
            left, right, self._pairs[limits, own], window[0], window[1], base,
            self._need - others if self._track else 0, self.budget,
        )  # fmt: skip
