"""Estimates of how long the exact steps take that cannot be interrupted.

Measured on one core of about 2.8 GHz over the shapes of the benchmark, and rounded up.
"""

from __future__ import annotations

from typing import Final

from equilag.domain.group.group import Group
from equilag.domain.policy.policy import Policy
from equilag.solver.moves.topic_moves import MAX_CELLS

SAFETY: Final = 3.0
"""How many times as long as estimated an exact step may take."""
ARC: Final = 2e-6
"""Seconds per pair of a partition class and a member class, for the flows of either step."""
PART: Final = 2e-4
"""Seconds per part of the group that may have counts of its own: one more minimum cut."""
SUBSCRIPTION: Final = 4e-7
"""Seconds per topic of a member class, where every topic is balanced by itself."""
TIED: Final = 1.2e-6
"""Seconds per topic and member where totals tie topics together (``both``) by an arc for each."""
KEPT: Final = 5e-6
"""Seconds per partition where they are too many for that, so that only owners have arcs."""
PARTITION: Final = 4e-7
"""Seconds per partition, for the passes over the owners."""
START: Final = 5e-3
"""Seconds that any flow takes: arrays of nodes and arcs, and the calls."""
FLOW_IMPORT: Final = 0.1
"""Seconds to load the flow solver, once in a process."""


def seconds_of_flow(group: Group, policy: Policy) -> float:
    """Exactly balanced counts and the constraint that follows, or the fewest moves under it."""
    return START + PARTITION * group.n_partitions + _flow(group, policy)


def _flow(group: Group, policy: Policy) -> float:
    if policy.counts_topics:
        read = SUBSCRIPTION * sum(map(len, group.class_topics))
        if policy.balance == "per-topic":
            return read
        pairs = int(group.readers.sum())
        return read + (TIED * pairs if pairs <= MAX_CELLS else KEPT * group.n_partitions)
    arcs = len(group.arcs[0])
    return ARC * arcs + PART * min(group.eligible.shape) if arcs > 1 else 0.0
