"""The patterns that the search for one target lists, once for all its nodes."""

from __future__ import annotations

from typing import Final

import numpy as np

from equilag.certificate.exhaustive.item_masks import Bits, Patterns, SearchTask, sizes
from equilag.certificate.exhaustive.patterns import (
    MAX_SUBSETS,
    MemberPatterns,
    TooManySets,
    Wanted,
)
from equilag.domain.group.group import Ints

MAX_LISTED: Final = 50_000
"""Patterns of a member up to which they are listed once and then filtered. Beyond, they are joined
anew at every node."""
MAX_LEVELS: Final = 40
"""Ends of moves up to which patterns are looked for by their number, fewest first."""
FEW_ITEMS: Final = 16
"""Items up to which all patterns are listed at once."""
NEVER: Final = 1 << 60
"""More ends of moves than there are."""


class TargetPatterns:
    """The sets of items that members may have under the target of a task."""

    def __init__(self, task: SearchTask, source: MemberPatterns) -> None:
        self.task, self.source = task, source
        items = task.items
        # Where an item has several owners, or moves do not matter, everybody decides.
        self.may_stay = task.target.moves_matter and items.one_owner
        self.listed: dict[tuple[int, bytes], tuple[int, Patterns | None, int]] = {}
        """By class and by what is gone of its own: most ends of moves, all patterns with so many,
        and the ends of moves for which they are too many."""
        owned = items.saved.T > 0
        self.loose = (items.allowed & (items.saved.sum(axis=1) == 0)[:, None]).sum(axis=0)
        """[J] items without an owner that a member may take."""
        self.own = items.saved.sum(axis=0)
        """[J] what each member owns."""
        self.lo, self.hi = np.array([(limits.lo, limits.hi) for limits in items.limits]).T
        self.step = 1 + (self.may_stay & (self.lo == self.hi) & (self.loose == 0))
        """[J] from one number of ends of moves to the next that is possible."""
        self.own_lag = owned @ items.lag + items.base
        self.can_stay = np.array([
            items.allowed[own, m].all() and items.limits[m].admit(items.counts(own))
            for m, own in enumerate(owned)
        ])  # fmt: skip

    def patterns(self, member: int, gone: Bits, ends: int) -> Patterns | None:
        """All patterns of a member without what is gone [W] of its own; None if they are too
        many. Raises OutOfBudget."""
        task, key = self.task, (self.task.member_class[member], gone.tobytes())
        most, listed, too_many = self.listed.get(key, (-1, None, NEVER))
        if ends >= too_many:
            return None
        if ends > most:
            factor = task.items.factor_of(member)
            low, high = -(-task.target.floor // factor), task.target.cap // factor
            wanted = Wanted(low, high, ends, ~gone, np.zeros_like(gone))
            try:
                if self.source.number(member, ends) > MAX_SUBSETS:
                    raise TooManySets
                join = self.source.join(member, wanted, task.budget)
                if join.total > MAX_LISTED:
                    raise TooManySets
            except TooManySets:
                self.listed[key] = most, listed, ends
                return None
            task.budget.spend(join.total * 6)
            listed = join.patterns()
            self.listed[key] = ends, listed, too_many
        return listed

    def fewest(
        self, member: int, gone: Bits, loads: tuple[Ints, Ints], least: int, ends: int
    ) -> Ints:
        """[n] the fewest ends of moves of a member's patterns with a load between two [n], which
        are `least` or more; more than `ends` where all have more."""
        found: Ints = np.full(len(loads[0]), ends + 1)
        if ends > MAX_LEVELS or len(self.task.items.lag) <= FEW_ITEMS:
            listed = self.patterns(member, gone, ends)
            return found * 0 + least if listed is None else _fewest(listed, loads, found)
        key = self.task.member_class[member], gone.tobytes()
        step = int(self.step[member])
        if key in self.listed:
            known = min(self.listed[key][0], ends)  # more may be listed than is asked for here
            least = max(least, least + (known - least) // step * step)
        for most in range(least, ends + 1, step):
            listed = self.patterns(member, gone, most)
            if listed is None:
                found = np.minimum(found, most)
                break
            found = _fewest(listed, loads, found)
            if (found <= most).all():
                break
        return found

    def least(self, gone: Ints) -> Ints:
        """[n, J] ends of moves that the counts force on members which cannot keep exactly what they
        own, and of which so many [n, J] are gone."""
        if not self.may_stay:
            return np.zeros_like(gone)
        gained = np.maximum(0, self.lo - (self.own - gone) - self.loose)
        forced = np.maximum(gone, self.own - self.hi) + gained
        found: Ints = np.where((forced > 0) | (self.loose > 0), forced, self.step)
        return found

    def lost(self, ends: Ints) -> Ints:
        """[n, J] the fewest items that members lose with so many ends of moves, or more."""
        found: Ints = np.maximum(0, (ends + self.own - self.hi + 1) // 2)
        return found

    def meets(self, held: Bits, ends: int) -> bool:
        """True if what members hold [J, W] keeps all sums and meets the target exactly."""
        items = self.task.items
        if items.sums is not None and not items.sums.admit(sizes(held)):
            return False
        return self.task.meets(items.base + items.chosen(held) @ items.lag, ends // 2)


def _fewest(listed: Patterns, loads: tuple[Ints, Ints], otherwise: Ints) -> Ints:
    """[n] the fewest ends of moves among some patterns with a load between two [n]."""
    some = listed.within(*loads, otherwise)[1] > 0
    if not some.size:
        return otherwise
    levels = listed.ends[listed.starts[:-1]]
    found: Ints = np.where(some.any(axis=1), levels[some.argmax(axis=1)], otherwise)
    return found
