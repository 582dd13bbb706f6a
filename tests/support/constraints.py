"""Comparing count constraints."""

from __future__ import annotations

import numpy as np

from equilag.constraint import CountConstraint


def same_constraint(one: CountConstraint, other: CountConstraint) -> bool:
    """True if both give the same answers."""
    if one.per_topic != other.per_topic or one.has_pinned != other.has_pinned:
        return False
    pairs = [(one.face, other.face), (one.free, other.free), (one.counts_of(), other.counts_of())]
    if one.per_topic:
        pairs.append((one.topic_counts_of(), other.topic_counts_of()))
    return all(np.array_equal(mine, theirs) for mine, theirs in pairs)
