"""Range: each topic by itself, in contiguous stretches, by racks where they are known.

The rules are those of Kafka 4.4's RangeAssignor (KIP-881). Partitions that a member can read in
its own rack are assigned first, then the others in contiguous stretches; counts per topic are those
of plain range assignment. A member without a rack matches every partition; a partition without a
known rack matches no other member.

By racks, members are positions 0..k-1 in the order in which range takes them; `member_racks` [k]
has "" for those without one. A topic has n partitions, `partition_racks` [n]; `takers` [n] has
positions.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Sequence, Set
from itertools import islice
from typing import Final, TypeAlias

import numpy as np

from equilag.domain.group.group import NOBODY, Group, Index, Ints
from equilag.heuristics.dealing import partition_class_members


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
        number < longer, number // (share + 1), extra + (number - longer) // np.maximum(share, 1)
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
    by_class = [[member_rack[m] for m in members.tolist()] for members in readers]
    known = [{*racks} - {""} for racks in by_class]
    start = group.topic_start.tolist()
    sets: dict[tuple[int, int], list[int]] = {}
    for topic, number in enumerate(group.topic_class.tolist()):
        if known[number] and start[topic] < start[topic + 1]:
            sets.setdefault((number, start[topic + 1] - start[topic]), []).append(topic)
    rows = {t: racks[start[t] : start[t + 1]] for topics in sets.values() for t in topics}
    needing = {
        t for (c, _), topics in sets.items() for t in topics if needs_racks(rows[t], known[c])
    }
    if not needing:
        return
    for (number, _), topics in sets.items():
        if len(topics) > 1:
            shared = range_of_topics(in_all([rows[t] for t in topics]), by_class[number])
            yield from ((topic, shared) for topic in topics)
        elif topics[0] in needing:
            yield topics[0], range_of_topic(rows[topics[0]], by_class[number])


class BrokerRangeAssignor:
    """The stretches of `range` without its racks: `RangeAssignor` of brokers of Kafka 4.0 to 4.4.

    Static members come first, by instance id, then the others by id: so topics with equal numbers
    of partitions and the same subscribers are co-partitioned. Owners play no part. O(partitions).
    """

    name = "broker-range"

    def assign(self, group: Group) -> Index:
        return in_stretches(group, partition_class_members(group, group.static_order))


Racks: TypeAlias = Collection[str]
"""The racks that hold a replica of a partition."""

FREE: Final = -1
"""In `takers`: not assigned yet."""


def needs_racks(partition_racks: Sequence[Racks], member_racks: Set[str]) -> bool:
    """True if members and replicas share a rack, and the racks of the partitions differ."""
    distinct = {frozenset(racks) for racks in set(map(tuple, partition_racks))}
    everywhere = frozenset().union(*distinct)
    return not everywhere.isdisjoint(member_racks) and distinct != {everywhere}


def in_all(topics: Sequence[Sequence[Racks]]) -> list[frozenset[str]]:
    """[n] the racks that hold a replica of partition i of every topic; topics have n partitions."""
    columns = (set(map(tuple, column)) for column in zip(*topics, strict=True))
    return [frozenset.intersection(*map(frozenset, column)) for column in columns]


def range_of_topic(partition_racks: Sequence[Racks], member_racks: Sequence[str]) -> Ints:
    """Return `takers`: each member in turn takes the first partitions that it matches."""
    n, k = len(partition_racks), len(member_racks)
    share, extra = divmod(n, k)
    takers = [FREE] * n
    in_rack: dict[str, list[int]] = {rack: [] for rack in {*member_racks}}
    for partition, racks in enumerate(partition_racks):
        for rack in set(racks) & in_rack.keys():
            in_rack[rack].append(partition)
    in_rack[""] = list(range(n))
    # Those that are still free when they are asked for.
    waiting = {rack: (p for p in found if takers[p] == FREE) for rack, found in in_rack.items()}
    for member, rack in enumerate(member_racks):
        room = share + (extra > 0)
        if not room:
            break
        taken = list(islice(waiting[rack], room))
        for partition in taken:
            takers[partition] = member
        extra -= len(taken) > share
    return _filled(takers, share, extra, k)


def range_of_topics(partition_racks: Sequence[Racks], member_racks: Sequence[str]) -> Ints:
    """Return the same `takers` for all topics of a co-partitioned set.

    Each partition in turn is taken by the first member that matches it in all topics and has room;
    `partition_racks` is what `in_all` returns.
    """
    n, k = len(partition_racks), len(member_racks)
    share, extra = divmod(n, k)
    takers = [FREE] * n
    held = [0] * k
    queues: defaultdict[str, deque[int]] = defaultdict(deque)
    for member, rack in enumerate(member_racks):
        queues[rack].append(member)
    for partition, racks in enumerate(partition_racks):
        room = share + (extra > 0)
        first = k
        for rack in {"", *racks}:
            queue = queues.get(rack)
            while queue and held[queue[0]] >= room:  # it stays full, since rooms only shrink
                queue.popleft()
            if queue:
                first = min(first, queue[0])
        if first < k:
            takers[partition] = first
            held[first] += 1
            extra -= held[first] > share
    return _filled(takers, share, extra, k)


def _filled(takers: Sequence[int], share: int, extra: int, k: int) -> Ints:
    """Assign free partitions in stretches: what members lack, and `extra` members one more."""
    found = np.array(takers, dtype=np.int64)
    free = found == FREE
    held = np.bincount(found[~free], minlength=k)
    room = np.maximum(share - held, 0)
    room[np.flatnonzero(held <= share)[:extra]] += 1
    found[free] = np.repeat(np.arange(k), room)
    return found
