"""The patterns that the search for one target lists, once for all its nodes."""

from __future__ import annotations

from typing import Final

import numpy as np

from equilag.certificate.exhaustive.item_masks import Bits, Patterns, SearchTask, sizes
from equilag.certificate.exhaustive.patterns import MemberPatterns, TooManySets, Wanted

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

    def fewest(self, member: int, gone: Bits, ends: int) -> int:
        """The fewest ends of moves of a member's patterns, more than `ends` where all have more."""
        if ends > MAX_LEVELS or len(self.task.items.lag) <= FEW_ITEMS:
            listed = self.patterns(member, gone, ends)
            return 0 if listed is None else int(listed.ends.min(initial=ends + 1))
        key = self.task.member_class[member], gone.tobytes()
        first, step = self._least(member, gone)
        if key in self.listed:
            known = min(self.listed[key][0], ends)  # more may be listed than is asked for here
            first = max(first, first + (known - first) // step * step)
        for most in range(first, ends + 1, step):
            listed = self.patterns(member, gone, most)
            if listed is None:
                return most
            if len(listed.ends):
                return int(listed.ends[0])
        return ends + 1

    def _least(self, member: int, gone: Bits) -> tuple[int, int]:
        """Ends of moves that the counts force on a member, and the step to the next number of ends
        that is possible."""
        items = self.task.items
        if not self.may_stay:
            return 0, 1
        limits = items.limits[member]
        own, away = int(items.saved[:, member].sum()), int(sizes(gone))
        loose = int((items.allowed[:, member] & (items.saved.sum(axis=1) == 0)).sum())
        gained = max(0, limits.lo - (own - away) - loose)
        return max(away, own - limits.hi) + gained, 1 + (limits.lo == limits.hi and not loose)

    def meets(self, held: Bits, ends: int) -> bool:
        """True if what members hold [J, W] keeps all sums and meets the target exactly."""
        items = self.task.items
        if items.sums is not None and not items.sums.admit(sizes(held)):
            return False
        return self.task.meets(items.base + items.chosen(held) @ items.lag, ends // 2)
