"""A maximum number of disjoint pairs, and the set that proves it (Edmonds, "Paths, trees, and
flowers"; the set is the one of the Gallai-Edmonds decomposition)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equilag.domain.errors import EquilagError
from equilag.domain.group.group import NOBODY, Flags


class Disjoint(NamedTuple):
    number: int
    apart: Flags
    """[F] `certificate.bounds.derived_bounds.most_disjoint` of this set is the number."""


def disjoint_pairs(pairs: Flags) -> Disjoint:
    """A maximum matching of a symmetric table [F, F]; O(F³)."""
    import networkx as nx

    first, second = np.nonzero(np.triu(pairs, 1))
    graph: nx.Graph[int] = nx.Graph()
    graph.add_edges_from(zip(first.tolist(), second.tolist(), strict=True))
    mate = [NOBODY] * len(pairs)
    for a, b in nx.max_weight_matching(graph, maxcardinality=True):
        mate[a], mate[b] = b, a
    matched = sum(m != NOBODY for m in mate)
    return Disjoint(matched // 2, _Forest(pairs, mate).inner())


class _Forest:
    """Alternating trees from everything that is not matched, blossoms shrunk to their bases.

    An outer node is reached by an even number of steps; its mate is the inner one above it.
    """

    def __init__(self, pairs: Flags, mate: list[int]) -> None:
        self.mate = mate
        self.near = [np.flatnonzero(row).tolist() for row in pairs]
        self.base = list(range(len(mate)))
        self.outer = [m == NOBODY for m in mate]
        self.above = [NOBODY] * len(mate)
        """The outer node from which an inner one was reached."""
        self.queue = [v for v, m in enumerate(mate) if m == NOBODY]

    def inner(self) -> Flags:
        """[F] what is inner, and in no blossom, when nothing more can be reached."""
        for v in self.queue:  # which grows
            for w in self.near[v]:
                if self.outer[w]:
                    self._shrink(v, w)
                elif self.above[w] == NOBODY:
                    self.above[w] = v
                    self.outer[self.mate[w]] = True
                    self.queue.append(self.mate[w])
        found: Flags = np.array(self.above) != NOBODY
        found &= ~np.array(self.outer, dtype=np.bool_)
        return found

    def _top(self, v: int) -> int:
        while self.base[v] != v:
            v = self.base[v]
        return v

    def _up(self, v: int) -> list[int]:
        """The bases of the outer nodes from `v` up to the root."""
        path = [self._top(v)]
        while self.mate[path[-1]] != NOBODY:
            path.append(self._top(self.above[self.mate[path[-1]]]))
        return path

    def _shrink(self, v: int, w: int) -> None:
        """An edge between two outer nodes closes an odd cycle: all on it become outer."""
        left, right = self._up(v), self._up(w)
        common = next((b for b in left if b in right), None)
        if common is None:
            raise EquilagError("the matching is not a maximum one")
        for path in (left, right):
            for b in path[: path.index(common)]:
                inner = self.mate[b]
                self.base[b] = self.base[inner] = common
                if not self.outer[inner]:
                    self.outer[inner] = True
                    self.queue.append(inner)
