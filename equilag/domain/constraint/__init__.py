"""The hard count constraint: what every plan of a policy has in common, and how it is derived."""

from equilag.domain.columns import ranges
from equilag.domain.constraint.assignment_network import NONE, STEP, AssignmentNetwork, StepRange
from equilag.domain.constraint.count_constraint import ALL, CountConstraint
from equilag.domain.constraint.derive import (
    NotFewestAcross,
    constraint_of,
    count_constraint_of,
    pinned_partitions,
    reads_constraint,
    topics_constraint,
    topics_of,
    unconstrained,
    within_room,
)
from equilag.domain.constraint.network import Costs, NegativeCycles, Network, NotMinimal
from equilag.domain.constraint.stops import Places, Stops
from equilag.domain.constraint.topic_intervals import (
    CountInterval,
    InstanceSums,
    TopicIntervals,
    members_of_pairs,
)

__all__ = [
    "ALL",
    "NONE",
    "STEP",
    "AssignmentNetwork",
    "Costs",
    "CountConstraint",
    "CountInterval",
    "InstanceSums",
    "NegativeCycles",
    "Network",
    "NotFewestAcross",
    "NotMinimal",
    "Places",
    "StepRange",
    "Stops",
    "TopicIntervals",
    "constraint_of",
    "count_constraint_of",
    "members_of_pairs",
    "pinned_partitions",
    "ranges",
    "reads_constraint",
    "topics_constraint",
    "topics_of",
    "unconstrained",
    "within_room",
]
