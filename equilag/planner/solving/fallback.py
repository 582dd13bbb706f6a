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
