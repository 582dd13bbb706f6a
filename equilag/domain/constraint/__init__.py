"""The hard count constraint: what every plan of a policy has in common, and how it is derived."""

from equilag.domain.constraint.assignment_network import NONE as NONE
from equilag.domain.constraint.assignment_network import STEP as STEP
from equilag.domain.constraint.assignment_network import AssignmentNetwork as AssignmentNetwork
from equilag.domain.constraint.assignment_network import StepRange as StepRange
from equilag.domain.constraint.count_constraint import ALL as ALL
from equilag.domain.constraint.count_constraint import CountConstraint as CountConstraint
from equilag.domain.constraint.derive import NotFewestAcross as NotFewestAcross
from equilag.domain.constraint.derive import constraint_of as constraint_of
from equilag.domain.constraint.derive import count_constraint_of as count_constraint_of
from equilag.domain.constraint.derive import pinned_partitions as pinned_partitions
from equilag.domain.constraint.derive import reads_constraint as reads_constraint
from equilag.domain.constraint.derive import topics_constraint as topics_constraint
from equilag.domain.constraint.derive import topics_of as topics_of
from equilag.domain.constraint.derive import unconstrained as unconstrained
from equilag.domain.constraint.derive import within_room as within_room
from equilag.domain.constraint.network import Costs as Costs
from equilag.domain.constraint.network import NegativeCycles as NegativeCycles
from equilag.domain.constraint.network import Network as Network
from equilag.domain.constraint.network import NotMinimal as NotMinimal
from equilag.domain.constraint.stops import Places as Places
from equilag.domain.constraint.stops import Stops as Stops
from equilag.domain.constraint.topic_intervals import CountInterval as CountInterval
from equilag.domain.constraint.topic_intervals import InstanceSums as InstanceSums
from equilag.domain.constraint.topic_intervals import TopicIntervals as TopicIntervals
from equilag.domain.constraint.topic_intervals import members_of_pairs as members_of_pairs
