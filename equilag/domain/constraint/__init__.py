"""The hard count constraint: what every plan of a policy has in common, and how it is derived."""

from equilag.domain.constraint.blocks import Levels, NotMinimal, ranges, reach_levels
from equilag.domain.constraint.by_instance import (
    InstanceFlow,
    NegativeCycles,
    residual_arcs,
    shortest_distances,
)
from equilag.domain.constraint.count_constraint import (
    ALL,
    CountConstraint,
    unconstrained,
    within_room,
)
from equilag.domain.constraint.cross_rack import NotFewestAcross, RackNetwork
from equilag.domain.constraint.derive import (
    constraint_of,
    count_constraint_of,
    pinned_partitions,
    topics_of,
)
from equilag.domain.constraint.per_topic import topic_intervals, water_fill
from equilag.domain.constraint.sinks import (
    InstanceSums,
    Sinks,
    count_upto,
    least_levels,
    marginal_cost,
)
from equilag.domain.constraint.topic_counts import CountInterval, TopicCounts
from equilag.domain.constraint.topic_intervals import TopicIntervals

__all__ = [
    "ALL",
    "CountConstraint",
    "CountInterval",
    "InstanceFlow",
    "InstanceSums",
    "Levels",
    "NegativeCycles",
    "NotFewestAcross",
    "NotMinimal",
    "RackNetwork",
    "Sinks",
    "TopicCounts",
    "TopicIntervals",
    "constraint_of",
    "count_constraint_of",
    "count_upto",
    "least_levels",
    "marginal_cost",
    "pinned_partitions",
    "ranges",
    "reach_levels",
    "residual_arcs",
    "shortest_distances",
    "topic_intervals",
    "topics_of",
    "unconstrained",
    "water_fill",
    "within_room",
]
