"""Range: each topic by itself, in contiguous stretches (kafka-clients 4.x, without racks)."""

from __future__ import annotations

import numpy as np

from equilag.group import NOBODY, Group, Index
from equilag.heuristics.dealing import partition_class_members


class RangeAssignor:
    """n partitions over k subscribers: floor(n / k) each, one more for the first n mod k."""

    name = "range"

    def assign(self, group: Group) -> Index:
        assigned = np.full(group.n_partitions, NOBODY, dtype=np.int32)
        readers = partition_class_members(group, group.static_order)
        n_readers = np.array([len(members) for members in readers], dtype=np.int64)
        if not n_readers.any():
            return assigned
        first_reader = np.cumsum(n_readers) - n_readers  # where a class starts in `members`
        members = np.concatenate(readers)

        topic = group.topic_of
        number = np.arange(group.n_partitions) - group.topic_start[topic]
        k = n_readers[group.topic_class]
        share, extra = np.divmod(group.topic_size, np.maximum(k, 1))
        share, extra = share[topic], extra[topic]
        # Up to `longer` the stretches have share + 1 partitions, from there on share. Where share
        # is 0 nothing lies beyond `longer`; the maximum only keeps the division defined.
        longer = extra * (share + 1)
        position = np.where(
            number < longer,
            number // (share + 1),
            extra + (number - longer) // np.maximum(share, 1),
        )
        held = group.assignable
        start = first_reader[group.partition_class]
        assigned[held] = members[(start + position)[held]]
        return assigned
