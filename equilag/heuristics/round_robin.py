"""Round robin: all partitions in one run, dealt around one ring of members (kafka-clients 4.x)."""

from __future__ import annotations

import numpy as np

from equilag.domain.group.group import NOBODY, Group, Index


class RoundRobinAssignor:
    """Each partition to the next member on the ring that subscribes, after the last one served."""

    name = "round-robin"

    def assign(self, group: Group) -> Index:
        assigned = np.full(group.n_partitions, NOBODY, dtype=np.int32)
        ring = group.static_order
        # Places on the ring, ascending, of the members that may take each partition class.
        places = [np.flatnonzero(row[group.class_of[ring]]) for row in group.eligible]
        ahead = 0  # the place on the ring from which the next reader is looked for
        for topic, size in enumerate(group.topic_size.tolist()):
            readers = places[group.topic_class[topic]]
            if size == 0 or len(readers) == 0:
                continue
            first = int(np.searchsorted(readers, ahead))
            served = readers[(first + np.arange(size)) % len(readers)]
            start = group.topic_start[topic]
            assigned[start : start + size] = ring[served]
            ahead = int(served[-1]) + 1
        return assigned
