"""Range as Kafka's brokers assign groups of KIP-848 that ask for it."""

from __future__ import annotations

from equilag.domain.group.group import Group, Index
from equilag.heuristics.dealing import partition_class_members
from equilag.heuristics.range import in_stretches


class BrokerRangeAssignor:
    """The stretches of `range` without its racks: `RangeAssignor` of brokers of Kafka 4.0 to 4.4.

    Static members come first, by instance id, then the others by id: so topics with equal numbers
    of partitions and the same subscribers are co-partitioned. Owners play no part. O(partitions).
    """

    name = "broker-range"

    def assign(self, group: Group) -> Index:
        return in_stretches(group, partition_class_members(group, group.static_order))
