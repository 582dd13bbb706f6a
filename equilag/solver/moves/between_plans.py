"""A plan within a limit on reads across racks, between one with few moves and one with few reads.

What one plan has otherwise than the other is a flow from member to member, and falls into cycles
and paths (Ahuja, Magnanti and Orlin, "Network Flows", 3.5). Each of them can be taken over by
itself: counts stay between those of the two plans. So those are taken over that save a read for the
fewest moves, until the limit is kept.
"""

from __future__ import annotations

import numpy as np

from equilag.domain.columns import Flags, Ints
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import Group, Index
from equilag.domain.move_reasons.unit_moves import chains_of
from equilag.domain.plan.metrics import cross_reads, moves_added


def between_plans(
    group: Group, constraint: CountConstraint, few_moves: Index, few_reads: Index, limit: int
) -> Index:
    """[P] a plan that reads at most `limit` partitions across racks, as `few_reads` does.

    Both plans meet the count constraint. Returns `few_reads` where the pieces break a sum of
    instances. O(P), in Python for the partitions that differ.
    """
    differing = np.flatnonzero(few_moves != few_reads)
    source, target = few_moves[differing].astype(np.int64), few_reads[differing].astype(np.int64)
    moves = moves_added(group, differing, source, target)
    costs, classes = group.extended.cross_costs, group.partition_class[differing]
    reads = costs[classes, group.class_of[target]] - costs[classes, group.class_of[source]]
    piece = chains_of(source, target, np.zeros_like(source)).chain_of
    taken = _cheapest(
        _sums(piece, moves), _sums(piece, reads), limit - cross_reads(group, few_moves)
    )
    found = few_moves.copy()
    over = differing[taken[piece]]
    found[over] = few_reads[over]
    within = cross_reads(group, found) <= limit and constraint.admits(found)
    return found if within else few_reads


def _sums(piece: Ints, values: Ints) -> Ints:
    """[pieces]"""
    total = np.zeros(int(piece.max(initial=-1)) + 1, np.int64)
    np.add.at(total, piece, values)
    return total


def _cheapest(moves: Ints, reads: Ints, change: int) -> Flags:
    """[pieces] True for those to take over, which save a read for the fewest moves: until reads
    change by no more than `change`, and without those that later ones make up for."""
    saving = np.flatnonzero(reads < 0)
    saving = saving[np.argsort(moves[saving] / -reads[saving], kind="stable")]
    number = int(np.searchsorted(-np.cumsum(reads[saving]), -change)) + 1 if change < 0 else 0
    chosen = saving[:number]
    taken, total = np.zeros(len(moves), np.bool_), int(reads[chosen].sum())
    taken[chosen] = True
    for one in chosen[np.argsort(-moves[chosen], kind="stable")].tolist():
        if moves[one] > 0 and total - reads[one] <= change:
            taken[one] = False
            total -= int(reads[one])
    return taken
