"""Bounds for members of two partitions each: maximum matchings (Edmonds, "Paths, trees, and
flowers").

If all loads lay beyond a value, then every member that holds exactly two partitions would hold a
pair which does, and which a member may hold. Disjoint pairs are a matching; where a maximum one is
smaller than the number of such members, the value cannot be passed. docs/certificates.md words it.
"""

from __future__ import annotations

from typing import Final, Literal

import numpy as np

from equilag.certificate.bounds import Counting
from equilag.group import Flags

LARGEST: Final = 150
"""Free partitions up to which matchings are worth their time, O(partitions³)."""

Side = Literal["above", "below"]


def pairs_needed(counting: Counting) -> int:
    """How many members hold exactly two free partitions in any plan, at least; 0 if unknown."""
    constraint, lo, hi = counting.constraint, counting.lo, counting.hi
    if counting.per_topic or constraint.pinned.any() or len(counting.lag) > LARGEST:
        return 0
    one_or_two, two_or_three = (lo == 1) & (hi == 2), (lo == 2) & (hi == 3)
    if ((lo < hi) & ~one_or_two & ~two_or_three).any():
        return 0
    # As if all of them held two: what is over, or lacking, lies with those that hold 3, or 1.
    as_two = np.where(lo < hi, 2, lo)
    over = len(counting.lag) - int(as_two.sum())
    few, many = int(one_or_two.sum()), int(two_or_three.sum())
    with_one = min(few, many - over)
    return int((as_two == 2).sum()) - with_one - (with_one + over)


def all_beyond(counting: Counting, value: int, side: Side, needed: int) -> bool:
    """Are there `needed` disjoint pairs that are heavier, or lighter, than `value`, each of them
    such that some member may hold it? O(partitions³)."""
    import networkx as nx

    lag = counting.lag
    total = lag[:, None] + lag[None, :]
    wanted: Flags = total > value if side == "above" else total < value
    first, second = np.nonzero(np.triu(wanted & _together(counting), 1))
    graph: nx.Graph[int] = nx.Graph()
    graph.add_edges_from(zip(first.tolist(), second.tolist(), strict=True))
    return len(nx.max_weight_matching(graph, maxcardinality=True)) >= needed


def _together(counting: Counting) -> Flags:
    """[F, F] free partitions that a member which may hold two may hold together."""
    two = (counting.lo <= 2) & (counting.hi >= 2)
    kinds = np.unique(counting.group.class_of[two])
    takes = counting.constraint.allowed[counting.bucket][:, kinds].astype(np.int32)
    found: Flags = takes @ takes.T > 0
    return found
