"""The sums of instances in the search: what one member may take, and what that leaves to others."""

from __future__ import annotations

import numpy as np

from equilag.certificate.exhaustive.item_masks import ItemMasks
from equilag.certificate.exhaustive.lookahead import Taken
from equilag.certificate.exhaustive.node import SearchNode
from equilag.domain.constraint import InstanceSums
from equilag.domain.group.group import Flags


def within_sums(
    sums: InstanceSums, items: ItemMasks, node: SearchNode, member: int, taken: Taken
) -> Flags:
    """[n] False where the open members of the same instance cannot bring its sum into its interval
    after what `member` takes."""
    instance = int(sums.of[member])
    others = [m for m in node.members if m != member and sums.of[m] == instance]
    given = np.bitwise_count(taken.mask) + node.counts[instance]
    fewest = given + sum(items.limits[m].lo for m in others)
    most = given + sum(items.limits[m].hi for m in others)
    fits: Flags = (fewest <= sums.most[instance]) & (most >= sums.least[instance])
    return fits


def counts_after(
    sums: InstanceSums | None, node: SearchNode, member: int, chosen: int
) -> tuple[int, ...]:
    """The items of each instance once a member has taken some."""
    if sums is None:
        return ()
    counts = list(node.counts)
    counts[int(sums.of[member])] += chosen.bit_count()
    return tuple(counts)
