"""A minimum-cost flow to members whose totals lie between counts, from all owned kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from equilag.group import Ints
from equilag.solver.moves.min_cost_flow import Arcs, cheapest_flow


class KeptFlow(NamedTuple):
    """A minimum-cost flow within the counts: units by batch of arcs, and its potentials."""

    units: list[Ints]
    supply: Ints
    member: Ints


def between_counts(
    batches: Sequence[tuple[Ints, Ints, Ints, Ints | int]],
    start: Ints,
    supply: Ints,
    counts: tuple[Ints, Ints],
    n_more: int,
) -> KeptFlow:
    """A minimum-cost flow that gives each member between lo and hi units (`counts`).

    A batch is tails, heads, capacities and costs of arcs, or one cost; the nodes are the supplies,
    the members, and `n_more` others. The flow starts with `start` units on the first batch, on
    arcs that cost nothing: all owned partitions kept.
    """
    lo, hi = counts
    first, sink = len(supply), len(supply) + len(lo) + n_more
    members = first + np.arange(len(lo))
    tails, heads, capacities, costs = zip(*batches, strict=True)
    arcs = Arcs(
        np.concatenate((*tails, members)),
        np.concatenate((*heads, np.full(len(lo), sink))),
        np.concatenate((*capacities, hi - lo)),
        np.concatenate((*map(np.broadcast_to, costs, map(np.shape, tails)), 0 * lo)),
    )
    held = np.bincount(heads[0] - first, weights=start, minlength=len(lo)).astype(np.int64)
    over = np.clip(held - lo, 0, hi - lo)
    units = np.zeros(len(arcs.tail), dtype=np.int64)
    units[: len(start)] = start
    units[len(units) - len(lo) :] = over
    excess = np.zeros(sink + 1, dtype=np.int64)
    excess[:first] = supply
    np.subtract.at(excess, tails[0], start)
    excess[members] = held - over - lo
    excess[sink] = int(over.sum()) - int(supply.sum() - lo.sum())
    found = cheapest_flow(arcs, units, excess)
    height = found.potential
    edges = np.cumsum([len(tail) for tail in tails])
    return KeptFlow(
        np.split(found.units, edges)[:-1],
        1 + height[:first] - height[sink],
        height[sink] - height[members],
    )
