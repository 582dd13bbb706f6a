"""How many partitions the members of an instance have together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equilag.domain.columns import Ints


class InstanceSums(NamedTuple):
    """Fewest and most partitions of each of I instances."""

    of: Ints
    """[M] the instance of each member."""
    least: Ints
    """[I]"""
    most: Ints
    """[I]"""

    def total(self, counts: Ints) -> Ints:
        """[I] the sums of the counts [M] of members."""
        total = np.zeros(len(self.least), np.int64)
        np.add.at(total, self.of, counts)
        return total

    def without(self, counts: Ints) -> InstanceSums:
        """The sums of what comes on top of the counts [M]."""
        kept = self.total(counts)
        return InstanceSums(self.of, self.least - kept, self.most - kept)

    def admit(self, counts: Ints) -> bool:
        """True if the counts [M] keep to all sums."""
        total = self.total(counts)
        return bool(((total >= self.least) & (total <= self.most)).all())
