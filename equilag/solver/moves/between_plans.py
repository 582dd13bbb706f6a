"""Plans within a limit on reads across racks, between one with few moves and one with few reads.

The fewest moves within the limit are no flow, but flows bound them: of plans within it, moves cost
no less than the cheapest flow of both, less what the limit allows for reads (Lagrange). The best
prices are found from the two plans that the last ones lie between (Geoffrion, "Lagrangean
relaxation for integer programming"; dichotomic search of the supported points).

What one plan has otherwise than the other is a flow from member to member, and falls into cycles
and paths (Ahuja, Magnanti and Orlin, "Network Flows", 3.5). Each of them can be taken over by
itself: counts stay between those of the two plans. So those are taken over that save a read for the
fewest moves, until the limit is kept.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np

from equilag.certificate.checks.potentials import FlowPrices, Potentials, bound_by_potentials
from equilag.domain.columns import Flags, Ints
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import Group, Index
from equilag.domain.move_reasons.unit_moves import chains_of
from equilag.domain.plan.metrics import count_moves, cross_reads, moves_added
from equilag.solver.moves.fewest_moves import moves_against_reads

MAX_FLOWS: Final = 12
"""Prices that are tried; some 5 are needed."""


class FewestWithinReads(NamedTuple):
    """Plans between the fewest moves and the fewest reads, and what bounds the moves of all."""

    plans: list[Index]
    least: int
    """As `count_moves` has them."""
    potentials: Potentials | None
    """What proves it; None where no limit on reads is needed for that."""


def fewest_within_reads(
    group: Group, constraint: CountConstraint, few_moves: Index, few_reads: Index, limit: int
) -> FewestWithinReads:
    """`few_moves` [P] has the fewest moves of all plans; `few_reads` keeps to the limit. Some
    minimum-cost flows."""

    def figures(assigned: Index) -> tuple[int, int]:
        return count_moves(group, assigned), cross_reads(group, assigned)

    ends, found = [(*figures(one), one) for one in (few_moves, few_reads)], [few_moves]
    least, proof, highest = ends[0][0], None, FlowPrices.highest(group)
    for _ in range(MAX_FLOWS):
        (few, many, _), (more, fewer, _) = ends
        if many <= limit or more <= few or not highest.move:
            break
        slope = Fraction(more - few, many - fewer).limit_denominator(highest.move)
        prices = FlowPrices(slope.denominator, slope.numerator)
        if not 0 < prices.read <= highest.read:
            break
        flow = moves_against_reads(group, constraint, prices)
        bound = bound_by_potentials(group, constraint, flow.potentials, limit)
        if bound is not None and bound > least:
            least, proof = bound, flow.potentials
        moves, reads = figures(flow.assigned)
        found.append(flow.assigned)
        ends[reads <= limit] = moves, reads, flow.assigned
        if prices.move * moves + prices.read * reads >= prices.move * few + prices.read * many:
            break
    if proof is not None:
        found.append(between_plans(group, constraint, ends[0][2], ends[1][2], limit))
    return FewestWithinReads(found, least, proof)


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
    piece = np.zeros_like(source)
    for number, chain in enumerate(chains_of(source, target, np.zeros_like(source))):
        piece[chain.moves] = number
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
