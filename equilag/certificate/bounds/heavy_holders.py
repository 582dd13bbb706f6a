"""What a set of members carries at least where its heaviest partitions have to be somewhere."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.domain.group.group import Ints
from equilag.domain.group.member_capacities import Load, MemberCapacities

PRICES: Final = 4
"""Prices of a companion that are tried for one level: each follows from the holders chosen at the
one before, and the fourth seldom differs from the third."""


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

    def wanted(self, level: Load) -> Ints:
        """[sorts] the least lag with which a load is `level` or more."""
        return self.capacities.weights_from(level)[self.kind].astype(self.number.dtype)

    def forced(self, level: Load) -> int:
        """The lag of the members together if every load is `level` at least.

        Members carry what is wanted for that level. Holders of the heaviest, at most one for each
        of these partitions, carry them and the lightest others that their counts force. A holder
        of what is wanted w carries more than that by the lag of its heavy partitions and its
        others, less w; and by the parts of its heavy partitions above some lag, and its others,
        less the part of w above that lag.
        """
        wanted = self.wanted(level)
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
