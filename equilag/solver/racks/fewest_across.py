"""The fewest reads across racks under a count constraint, by a minimum-cost flow."""

from __future__ import annotations

import numpy as np

from equilag.domain.constraint import CountConstraint, RackNetwork
from equilag.solver.moves.kept_flow import between_counts


def fewest_across(constraint: CountConstraint) -> CountConstraint:
    """The constraint that all plans with the fewest reads across racks meet.

    One flow on partition classes and slots; see `equilag.domain.constraint.cross_rack`.
    """
    network = RackNetwork.of(constraint)
    n_classes = len(network.supply)
    arcs = network.tail, n_classes + network.head, network.supply[network.tail], network.cost
    nothing = np.zeros_like(network.tail)
    counts = network.least, network.most
    found = between_counts([arcs], nothing, network.supply, counts, 0, network.sums)
    return network.narrowed(found.units[0])
