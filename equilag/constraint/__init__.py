"""The hard count constraint: what every plan of a policy has in common, and how it is derived."""

from equilag.constraint.blocks import Levels, NotMinimal, ranges, reach_levels
from equilag.constraint.count_constraint import (
    ALL,
    CountConstraint,
    CountInterval,
    unconstrained,
)
from equilag.constraint.derive import constraint_of, pinned_partitions
from equilag.constraint.per_topic import topic_counts, topic_intervals, water_fill

__all__ = [
    "ALL",
    "CountConstraint",
    "CountInterval",
    "Levels",
    "NotMinimal",
    "constraint_of",
    "pinned_partitions",
    "ranges",
    "reach_levels",
    "topic_counts",
    "topic_intervals",
    "unconstrained",
    "water_fill",
]
