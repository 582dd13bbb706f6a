"""The best counts of instances whose members may not all take the same partitions.

Negative cycles of the residual network are cancelled (Klein), in large steps first; see
`equilag.domain.constraint.by_instance`.
"""

from __future__ import annotations

import numpy as np

from equilag.domain.constraint import (
    InstanceFlow,
    NegativeCycles,
    residual_arcs,
    shortest_distances,
)
from equilag.domain.constraint.by_instance import ResidualArcs
from equilag.domain.group.group import Group


def cheapest_by_cycles(group: Group, flow: InstanceFlow) -> InstanceFlow:
    """The flow of the smallest cost from one that has the same units; best if close to it."""
    free = int((flow.counts - flow.base).max(initial=0))
    step = 1 << max(0, free.bit_length() - 2)
    while step:
        arcs = residual_arcs(group, flow, step)
        try:
            shortest_distances(arcs.tail, arcs.head, arcs.cost, arcs.n_nodes)
            step //= 2
        except NegativeCycles as error:
            flow = _moved(group, flow, arcs, error.cycles, step)
    return flow


def _moved(
    group: Group, flow: InstanceFlow, arcs: ResidualArcs, cycles: list[list[int]], step: int
) -> InstanceFlow:
    """The flow after `step` units went round each of the cycles."""
    on_arcs, counts = flow.arcs.copy(), flow.counts.copy()
    classes, member_classes = group.arcs
    n_classes, n_member_classes = group.eligible.shape
    key = classes * n_member_classes + member_classes
    first_member = n_classes + n_member_classes
    for arc in np.concatenate([np.array(cycle) for cycle in cycles]).tolist():
        tail, head = int(arcs.tail[arc]), int(arcs.head[arc])
        kind = next(name for name, span in arcs.spans.items() if span.start <= arc < span.stop)
        if kind == "take":
            on_arcs[np.searchsorted(key, tail * n_member_classes + head - n_classes)] += step
        elif kind == "give":
            on_arcs[np.searchsorted(key, head * n_member_classes + tail - n_classes)] -= step
        elif kind == "more":
            counts[tail - first_member] += step
        elif kind == "fewer":
            counts[head - first_member] -= step
    return InstanceFlow(on_arcs, counts, flow.base)
