"""A minimum-cost flow to members whose totals lie between counts, from all owned kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from equilag.domain.constraint import InstanceSums
from equilag.domain.group.group import Ints
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
    sums: InstanceSums | None = None,
) -> KeptFlow:
    """A minimum-cost flow that gives each member between lo and hi units (`counts`), and each
    instance as many as `sums` allows.

    A batch is tails, heads, capacities and costs of arcs, or one cost; the nodes are the supplies,
    the members, and `n_more` others. The flow starts with `start` units on the first batch, on
    arcs that cost nothing: all owned partitions kept.
    """
    lo, hi = counts
    if sums is None:
        sums = InstanceSums(np.zeros(len(lo), np.int64), supply[:0], supply[:0])
    first, n_sums = len(supply), len(sums.least)
    instances = first + len(lo) + n_more + np.arange(n_sums)
    sink = first + len(lo) + n_more + n_sums
    members = first + np.arange(len(lo))
    into = instances[sums.of] if n_sums else np.full(len(lo), sink)
    tails, heads, capacities, costs = zip(*batches, strict=True)
    arcs = Arcs(
        np.concatenate((*tails, members, instances)),
        np.concatenate((*heads, into, np.full(n_sums, sink))),
        np.concatenate((*capacities, hi - lo, sums.most - sums.least)),
        np.concatenate(
            (*map(np.broadcast_to, costs, map(np.shape, tails)), 0 * lo, 0 * sums.least)
        ),
    )
    held = np.bincount(heads[0] - first, weights=start, minlength=len(lo)).astype(np.int64)
    over = np.clip(held - lo, 0, hi - lo)
    got = sums.total(over + lo) if n_sums else sums.least
    above = np.clip(got - sums.least, 0, sums.most - sums.least)
    units = np.zeros(len(arcs.tail), dtype=np.int64)
    units[: len(start)] = start
    units[len(units) - len(lo) - n_sums :] = np.concatenate((over, above))
    excess = np.zeros(sink + 1, dtype=np.int64)
    excess[:first] = supply
    np.subtract.at(excess, tails[0], start)
    excess[members] = held - over - lo
    excess[instances] = got - above - sums.least
    excess[sink] = -int(excess.sum())
    found = cheapest_flow(arcs, units, excess)
    height = found.potential
    edges = np.cumsum([len(tail) for tail in tails])
    return KeptFlow(
        np.split(found.units, edges)[:-1],
        1 + height[:first] - height[sink],
        height[sink] - height[members],
    )
