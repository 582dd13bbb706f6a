"""A plan within a limit on reads across racks, between one with few moves and one with few reads.

What one plan has otherwise than the other is a flow from member to member, and falls into cycles
and paths (Ahuja, Magnanti and Orlin, "Network Flows", 3.5). Each of them can be taken over by
itself: counts stay between those of the two plans. So those are taken over that save a read for the
fewest moves, until the limit is kept.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import Group, Index
from equilag.domain.plan.metrics import cross_costs, cross_reads, moves_added


class _Piece(NamedTuple):
    """Partitions that change together, and what that adds."""

    partitions: list[int]
    moves: int
    reads: int


def between_plans(
    group: Group, constraint: CountConstraint, few_moves: Index, few_reads: Index, limit: int
) -> Index:
    """[P] a plan that reads at most `limit` partitions across racks, as `few_reads` does.

    Both plans meet the count constraint. Returns `few_reads` where the pieces break a sum of
    instances. O(P), in Python for the partitions that differ.
    """
    reads = cross_reads(group, few_moves)
    saving = [piece for piece in _pieces(group, few_moves, few_reads) if piece.reads < 0]
    saving.sort(key=lambda piece: piece.moves / -piece.reads)
    taken: list[_Piece] = []
    for piece in saving:
        if reads <= limit:
            break
        taken.append(piece)
        reads += piece.reads
    found = few_moves.copy()
    for piece in sorted(taken, key=lambda piece: -piece.moves):
        if piece.moves > 0 and reads - piece.reads <= limit:
            reads -= piece.reads  # a later one saved enough without it
        else:
            found[piece.partitions] = few_reads[piece.partitions]
    within = reads <= limit and constraint.admits(found)
    return found if within else few_reads


def _pieces(group: Group, one: Index, other: Index) -> list[_Piece]:
    """The cycles and paths from one plan to the other."""
    differing = np.flatnonzero(one != other)
    moves = moves_added(group, differing, one[differing], other[differing])
    costs, classes = cross_costs(group), group.partition_class[differing]
    reads = costs[classes, group.class_of[other[differing]]]
    reads = reads - costs[classes, group.class_of[one[differing]]]
    sources, targets = one[differing].tolist(), other[differing].tolist()
    pieces = []
    for walk in _walks(sources, targets):
        added = int(moves[walk].sum()), int(reads[walk].sum())
        pieces.append(_Piece(differing[walk].tolist(), *added))
    return pieces


def _walks(sources: list[int], targets: list[int]) -> list[list[int]]:
    """Arcs from source to target member, in paths from members that get fewer to those that get
    more, and in cycles; exchanges between two members come first, so that pieces are small."""
    waiting: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    walks = []
    for arc, (source, target) in enumerate(zip(sources, targets, strict=True)):
        if waiting[target, source]:
            walks.append([waiting[target, source].pop(), arc])
        else:
            waiting[source, target].append(arc)
    left: defaultdict[int, list[int]] = defaultdict(list)
    surplus: defaultdict[int, int] = defaultdict(int)
    for (source, target), arcs in waiting.items():
        left[source] += arcs
        surplus[source] += len(arcs)
        surplus[target] -= len(arcs)
    starts = [member for member, more in surplus.items() for _ in range(more)]
    for start in starts:
        while True:
            walk = _walk(start, left, targets)
            walks.append(walk)
            if targets[walk[-1]] != sources[walk[0]]:  # a path, not a cycle
                break
    for start in list(left):
        while left[start]:
            walks.append(_walk(start, left, targets))
    return walks


def _walk(start: int, left: defaultdict[int, list[int]], targets: list[int]) -> list[int]:
    """From a member along arcs until there is none, or a member comes again: then the cycle alone
    is taken, and the way there is put back."""
    way: list[int] = []
    place = {start: 0}
    member = start
    while left[member]:
        arc = left[member].pop()
        way.append(arc)
        member = targets[arc]
        if member in place:
            first = place[member]
            at = start
            for earlier in way[:first]:
                left[at].append(earlier)
                at = targets[earlier]
            return way[first:]
        place[member] = len(way)
    return way
