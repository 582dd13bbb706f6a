"""Fair (KIP-49): scarce topics first, each partition to the member with the fewest so far."""

from __future__ import annotations

from itertools import groupby

import numpy as np

from equilag.domain.group.group import NOBODY, Group, Index, Ints
from equilag.heuristics.dealing import dealing_order, fill_evenly, partition_class_members


class FairAssignor:
    """KIP-49's greedy, which is a baseline: it does not always reach the most even totals.

    A partition looks at the totals of its own subscribers only, so one pass over all topics gives
    what a pass over each connected component would.
    """

    name = "fair"

    def assign(self, group: Group) -> Index:
        assigned = np.full(group.n_partitions, NOBODY, dtype=np.int32)
        readers = partition_class_members(group)
        total = np.zeros(group.n_members, dtype=np.int64)
        # Topics of one class in a row are dealt as one run: nothing changes between them.
        for number, topics in groupby(_topic_order(group, readers), group.topic_class.__getitem__):
            run = _partitions(group, list(topics))
            members = readers[number]
            room = fill_evenly(total[members], len(run))
            assigned[run] = members[dealing_order(total[members], room)]
            total[members] += room
        return assigned


def _topic_order(group: Group, readers: list[Index]) -> list[int]:
    """Topics with readers and partitions: fewest readers, then most partitions, then name."""
    n_readers = np.array([len(members) for members in readers], dtype=np.int64)
    n_readers = n_readers[group.topic_class]
    order = np.lexsort((-group.topic_size, n_readers))
    return [int(t) for t in order if n_readers[t] > 0 and group.topic_size[t] > 0]


def _partitions(group: Group, topics: list[int]) -> Ints:
    """The partitions of the topics, topic after topic."""
    start, end = group.topic_start[topics], group.topic_start[1:][topics]
    return np.concatenate([np.arange(a, b) for a, b in zip(start, end, strict=True)])
