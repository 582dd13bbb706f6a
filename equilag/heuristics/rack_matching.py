"""Range assignment by racks: who takes which partition of one topic, or of co-partitioned topics.

The rules are those of Kafka 4.4's RangeAssignor (KIP-881). Partitions that a member can read in
its own rack are assigned first, then the others in contiguous stretches; counts per topic are those
of plain range assignment. A member without a rack matches every partition; a partition without a
known rack matches no other member.

Members are positions 0..k-1 in the order in which range takes them, given by rack, with "" for
those without one. A topic has n partitions, `partition_racks` [n]. `takers` [n] has positions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import islice
from typing import Final, TypeAlias

import numpy as np

from equilag.domain.group.group import Ints

Racks: TypeAlias = Collection[str]
"""The racks that hold a replica of a partition."""
ByRack: TypeAlias = Mapping[str, Sequence[int]]
"""Rack -> its members, ascending."""

FREE: Final = -1
"""In `takers`: not assigned yet."""


def by_rack(member_racks: Iterable[str]) -> dict[str, list[int]]:
    """Return rack -> its members, ascending."""
    members: dict[str, list[int]] = {}
    for member, rack in enumerate(member_racks):
        members.setdefault(rack, []).append(member)
    return members


def needs_racks(partition_racks: Sequence[Racks], members: ByRack) -> bool:
    """True if members and replicas share a rack, and the racks of the partitions differ."""
    distinct = {frozenset(racks) for racks in set(map(tuple, partition_racks))}
    everywhere = frozenset().union(*distinct)
    return not everywhere.isdisjoint(members.keys() - {""}) and distinct != {everywhere}


def in_all(topics: Sequence[Sequence[Racks]]) -> list[frozenset[str]]:
    """[n] the racks that hold a replica of partition i of every topic; topics have n partitions."""
    columns = (set(map(tuple, column)) for column in zip(*topics, strict=True))
    return [frozenset.intersection(*map(frozenset, column)) for column in columns]


def range_of_topic(partition_racks: Sequence[Racks], members: ByRack) -> Ints:
    """Return `takers`: each member in turn takes the first partitions that it matches."""
    n, k = len(partition_racks), sum(map(len, members.values()))
    share, extra = divmod(n, k)
    takers = [FREE] * n
    in_rack: dict[str, list[int]] = {rack: [] for rack in members}
    for partition, racks in enumerate(partition_racks):
        for rack in set(racks) & in_rack.keys():
            in_rack[rack].append(partition)
    in_rack[""] = list(range(n))
    waiting = {rack: _free(found, takers) for rack, found in in_rack.items()}
    queues = {rack: iter(positions) for rack, positions in members.items()}
    heads = [(next(queue), rack) for rack, queue in queues.items()]
    heapify(heads)
    while heads:
        member, rack = heappop(heads)
        room = share + (extra > 0)
        taken = list(islice(waiting[rack], room))
        for partition in taken:
            takers[partition] = member
        extra -= len(taken) > share
        # With less than its room a member has taken the last partition of its rack.
        if len(taken) == room > 0 and (after := next(queues[rack], None)) is not None:
            heappush(heads, (after, rack))
    return _filled(takers, share, extra, k)


def range_of_topics(partition_racks: Sequence[Racks], members: ByRack) -> Ints:
    """Return the same `takers` for all topics of a co-partitioned set.

    Each partition in turn is taken by the first member that matches it in all topics and has room;
    `partition_racks` is what `in_all` returns.
    """
    n, k = len(partition_racks), sum(map(len, members.values()))
    share, extra = divmod(n, k)
    takers = [FREE] * n
    held = [0] * k
    queues = {rack: deque(positions) for rack, positions in members.items()}
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


def _free(partitions: Sequence[int], takers: Sequence[int]) -> Iterator[int]:
    """Yield the partitions that are still free when they are asked for."""
    return (partition for partition in partitions if takers[partition] == FREE)


def _filled(takers: Sequence[int], share: int, extra: int, k: int) -> Ints:
    """Assign free partitions in stretches: what members lack, and `extra` members one more."""
    found = np.array(takers, dtype=np.int64)
    free = found == FREE
    held = np.bincount(found[~free], minlength=k)
    room = np.maximum(share - held, 0)
    room[np.flatnonzero(held <= share)[:extra]] += 1
    found[free] = np.repeat(np.arange(k), room)
    return found
