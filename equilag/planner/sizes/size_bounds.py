"""The heaviest load of members that are all alike: bounds, and the heaviest partitions dealt first.

Members take any partition, and with even counts ⌊P / m⌋ or ⌈P / m⌉ of them. What more members reach
no fewer members need to beat: the new member takes its count of partitions from the others, the
lightest of each, and the lightest j of c partitions weigh at most j / c of their sum. So the best
heaviest load never rises with the number of members.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from equilag.domain.columns import Ints
from equilag.solver.local_search.heavy_apart import deal_heavy_first


class SizeLoad(NamedTuple):
    """What is known of the heaviest load of one size under its best plan."""

    at_least: Any
    """No plan has less; as loads are compared, or per unit of capacity."""
    load: Any
    """A plan has this."""

    @property
    def proved(self) -> bool:
        return bool(self.at_least == self.load)


class AlikeLoads:
    """The loads of one list of partitions, for any number of members that are alike."""

    def __init__(self, weights: Ints, even_counts: bool) -> None:
        """`weights` [P] in any order, 0 or more; their sum stays below 2^62."""
        self.heavy: Ints = np.sort(weights)[::-1]
        """[P] descending."""
        self.even_counts = even_counts
        self._above = np.concatenate(([0], np.cumsum(self.heavy)))
        self._below = np.concatenate(([0], np.cumsum(self.heavy[::-1])))
        self._total = int(self._above[-1])

    def at_least(self, members: int) -> int:
        """A lower bound on the heaviest load of so many members, 1 or more. O(P / members)."""
        size = len(self.heavy)
        if not size:
            return 0
        floor, longer = divmod(size, members) if self.even_counts else (0, 0)
        found = max(-(-self._total // members), self._crowded(members, floor))
        if longer:
            # So many members hold one more than the others: together no less than the lightest.
            found = max(found, -(-int(self._below[longer * (floor + 1)]) // longer))
        if self.even_counts and size <= 2 * members:
            found = max(found, self._folded(members))
        return found

    def dealt(self, members: int) -> int:
        """The heaviest load where the heaviest partition that is left goes to the member with the
        least load, of several first to those of fewer partitions: the least of all with one or two
        each. O(P log members)."""
        size = len(self.heavy)
        counts = np.full(members, size)
        if self.even_counts:
            counts = (size + np.arange(members)) // members
        loads = np.zeros(members, np.int64)
        np.add.at(loads, deal_heavy_first(self.heavy, counts, np.ones(members)), self.heavy)
        return int(loads.max())

    def _crowded(self, members: int, floor: int) -> int:
        """Of the j·m + 1 heaviest partitions some member has j + 1, and `floor` in all at least."""
        held = np.arange(1, (len(self.heavy) - 1) // members + 2)
        last = (held - 1) * members + 1
        load = self._above[last] - self._above[last - held]
        return int((load + self._below[np.maximum(floor - held, 0)]).max())

    def _folded(self, members: int) -> int:
        """The heaviest pair, where the 2 · (P − m) lightest partitions are pairs."""
        pairs = len(self.heavy) - members
        if pairs <= 0:
            return 0
        light = self.heavy[len(self.heavy) - 2 * pairs :]
        return int((light[:pairs] + light[: pairs - 1 : -1]).max())
