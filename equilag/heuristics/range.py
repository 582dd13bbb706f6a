"""Range: each topic by itself, in contiguous stretches, by racks where they are known.

As Kafka 4.4's RangeAssignor, which prefers a partition with a replica in the member's rack
(KIP-881).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from equilag.domain.group.group import NOBODY, Group, Index, Ints
from equilag.heuristics.dealing import partition_class_members
from equilag.heuristics.rack_matching import (
    Racks,
    by_rack,
    in_all,
    needs_racks,
    range_of_topic,
    range_of_topics,
)


class RangeAssignor:
    """n partitions over k subscribers: floor(n / k) each, one more for the first n mod k.

    With racks of members and partitions the counts of a topic are the same, but the members with
    one more may be others. O(partitions × replicas) then.
    """

    name = "range"

    def assign(self, group: Group) -> Index:
        readers = partition_class_members(group, group.static_order)
        assigned = in_stretches(group, readers)
        if group.racks is not None:
            for topic, takers in _by_racks(group, group.racks, readers):
                members = readers[group.topic_class[topic]]
                first, end = group.topic_start[topic], group.topic_start[topic + 1]
                assigned[first:end] = members[takers]
        return assigned


def in_stretches(group: Group, readers: list[Index]) -> Index:
    """[P] the assignment without racks; `readers` [C] are the members of each class, in order."""
    assigned = np.full(group.n_partitions, NOBODY, dtype=np.int32)
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


def _by_racks(
    group: Group, racks: Sequence[Racks], readers: list[Index]
) -> Iterator[tuple[int, Ints]]:
    """Yield the topics that are assigned by racks, each with its takers: positions in `readers`.

    Topics with the same subscribers and the same number of partitions are co-partitioned and stay
    so. They are assigned by racks as soon as any topic of the group needs it.
    """
    member_rack = [member.rack or "" for member in group.members]
    if not any(member_rack):
        return
    by_class = [by_rack(member_rack[m] for m in members.tolist()) for members in readers]
    start = group.topic_start.tolist()
    sets: dict[tuple[int, int], list[int]] = {}
    for topic, number in enumerate(group.topic_class.tolist()):
        if by_class[number].keys() - {""} and start[topic] < start[topic + 1]:
            sets.setdefault((number, start[topic + 1] - start[topic]), []).append(topic)
    rows = {t: racks[start[t] : start[t + 1]] for topics in sets.values() for t in topics}
    needing = {
        t for (c, _), topics in sets.items() for t in topics if needs_racks(rows[t], by_class[c])
    }
    if not needing:
        return
    for (number, _), topics in sets.items():
        if len(topics) > 1:
            shared = range_of_topics(in_all([rows[t] for t in topics]), by_class[number])
            yield from ((topic, shared) for topic in topics)
        elif topics[0] in needing:
            yield topics[0], range_of_topic(rows[topics[0]], by_class[number])
