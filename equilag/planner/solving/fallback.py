"""A valid plan at once: which heuristic answers when there is no time for more."""

from __future__ import annotations

from typing import Final

import numpy as np

from equilag.domain.budget import TABLE
from equilag.domain.group.group import NOBODY, Group, Index
from equilag.domain.plan.metrics import member_counts
from equilag.domain.policy.policy import Policy
from equilag.heuristics import get_assignor
from equilag.heuristics.dealing import fill_evenly, partition_class_members, partitions_by_class

KEEP: Final = "keep-and-fill"
SMALL: Final = 500
"""Partitions up to which the sticky heuristic takes some 25 ms at most, whatever is read."""


def fallback(group: Group, policy: Policy) -> tuple[Index, str]:
    """A valid assignment [P] and the name of what made it; linear in the size of large groups."""
    if policy.pins_owned or policy.then_topics:
        return keep_and_fill(group), KEEP
    if policy.counts_topics:
        name = "lag-aware"
    elif group.one_subscription:
        name = "constrained-sticky"
    elif group.n_partitions <= SMALL:
        name = "sticky"
    else:
        return keep_and_fill(group), KEEP
    return get_assignor(name).assign(group), name


def keep_and_fill(group: Group) -> Index:
    """Owners keep what they have; what is free is poured in, scarce topic classes first."""
    assigned = group.owner.copy()
    counts = member_counts(assigned, group.n_members)
    partitions, takers = partitions_by_class(group), partition_class_members(group)
    for c in np.argsort([len(members) for members in takers], kind="stable").tolist():
        members, mine = takers[c], partitions[c]
        mine = mine[assigned[mine] == NOBODY]
        if len(mine) and len(members):
            room = fill_evenly(counts[members], len(mine))
            assigned[mine] = np.repeat(members, room)
            counts[members] += room
    return assigned


SAFETY: Final = 3.0
"""How many times as long as estimated an exact step may take."""
ARC: Final = 2e-6
"""Seconds per arc of the flow of an exact step, a pair of a partition class and a member class; the
passes over the owners take less than an arc of each partition."""
CUT: Final = 2e-4
"""Seconds of one more minimum cut, for a part of the group that may have counts of its own."""
PRICED: Final = 8
"""Times as long that an arc takes where partitions have prices: 14 us, measured at 20,000 arcs."""
START: Final = 5e-3
"""Seconds that any flow takes: arrays of nodes and arcs, and the calls."""
FLOW_IMPORT: Final = 0.1
"""Seconds to load the flow solver, once in a process."""


def seconds_of_flow(group: Group, policy: Policy) -> float:
    """Exactly balanced counts and the constraint that follows, or the fewest moves under it."""
    size, cuts = group.n_partitions, 0
    if policy.counts_topics or policy.then_topics:
        arcs, cells = len(group.subscriptions[0]), int(group.readers.sum())
        if policy.then_topics:
            arcs = 3 * cells + 25 * arcs
        elif policy.balance == "both":  # totals tie topics together
            arcs += cells if cells <= TABLE else 2 * size
    else:
        arcs = len(group.arcs[0])
        cuts = min(group.eligible.shape) if arcs > 1 else 0
        if group.extended.move_unit is not None:  # partitions of a class differ in what they cost
            arcs += PRICED * int(group.class_partitions[group.arcs[0]].sum())
    return START + ARC * (size / 5 + arcs) + CUT * cuts
