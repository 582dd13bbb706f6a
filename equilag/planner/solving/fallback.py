"""A valid plan at once: which heuristic answers when there is no time for more."""

from __future__ import annotations

from typing import Final

import numpy as np

from equilag.domain.constraint import water_fill
from equilag.domain.group.group import NOBODY, Group, Index
from equilag.domain.plan.metrics import member_counts
from equilag.domain.policy.policy import Policy
from equilag.heuristics import get_assignor
from equilag.heuristics.parts import answer_of
from equilag.solver.moves.topic_moves import MAX_CELLS

KEEP: Final = "keep-and-fill"
SMALL: Final = 500
"""Partitions up to which the sticky heuristic takes some 25 ms at most, whatever is read."""


def fallback(group: Group, policy: Policy) -> tuple[Index, str]:
    """A valid assignment [P] and the name of what made it; linear in the size of large groups."""
    if policy.pins_owned:
        return keep_and_fill(group), KEEP
    if policy.counts_topics:
        name = "lag-aware"
    elif group.one_subscription:
        name = "constrained-sticky"
    elif group.n_partitions <= SMALL:
        name = "sticky"
    else:
        return keep_and_fill(group), KEEP
    return np.asarray(answer_of(get_assignor(name), group)), name


def keep_and_fill(group: Group) -> Index:
    """Owners keep what they have; what is free is poured in, scarce topic classes first."""
    assigned = group.owner.copy()
    counts = member_counts(assigned, group.n_members)
    readers = group.eligible @ group.class_size
    free = np.flatnonzero((assigned == NOBODY) & group.assignable)
    free = free[np.argsort(group.partition_class[free], kind="stable")]
    starts = np.searchsorted(group.partition_class[free], np.arange(len(group.eligible) + 1))
    for c in np.argsort(readers, kind="stable").tolist():
        mine = free[starts[c] : starts[c + 1]]
        if not len(mine):
            continue
        members = np.flatnonzero(group.eligible[c][group.class_of])
        lo, hi = water_fill(counts[members], len(mine))
        extra = np.flatnonzero(hi > lo)[: len(mine) - int((lo - counts[members]).sum())]
        lo[extra] += 1
        assigned[mine] = np.repeat(members, lo - counts[members])
        counts[members] = lo
    return assigned


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
