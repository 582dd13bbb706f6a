"""The fewest reads across racks under a count constraint, by a minimum-cost flow."""

from __future__ import annotations

import numpy as np

from equilag.columns import distinct
from equilag.constraint import CountConstraint, RackNetwork
from equilag.solver.moves.kept_flow import between_counts


def fewest_across(constraint: CountConstraint) -> CountConstraint:
    """The constraint that all plans with the fewest reads across racks meet.

    One flow on partition classes and slots; see `equilag.constraint.cross_rack`.
    """
    network = RackNetwork.of(constraint)
    costs = distinct(network.cost).tolist() or [0]
    arcs = [np.flatnonzero(network.cost == cost) for cost in costs]
    heads = len(network.supply) + network.head
    batches = [
        (network.tail[a], heads[a], network.supply[network.tail[a]], cost)
        for a, cost in zip(arcs, costs, strict=True)
    ]
    nothing = np.zeros(len(arcs[0]), dtype=np.int64)
    found = between_counts(batches, nothing, network.supply, (network.least, network.most), 0)
    units = np.zeros(len(network.tail), dtype=np.int64)
    units[np.concatenate(arcs)] = np.concatenate(found.units)
    return network.narrowed(units)
