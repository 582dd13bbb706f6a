"""The shapes of groups, from which `inputs` makes its cases: subscriptions, topic sizes, owners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from benchmarks.assignors.case import Case
from equilag.group import NOBODY

BUCKETS: Final = 5
READS: Final = 30
"""Topics that a member with a random subscription reads at most, where there are few topics."""
LARGEST_TOPIC: Final = 8
"""Partitions of a topic in groups with random subscriptions, at most."""
GROUP_TOPICS: Final = 10
"""Topics of each disjoint group of members."""
Column = npt.NDArray[np.int32]


def even_sizes(partitions: int, topics: int) -> tuple[int, ...]:
    """[T] sizes that differ by one at most; one partition each where there are more topics."""
    each, more = divmod(max(partitions, topics), topics)
    return tuple(each + (t < more) for t in range(topics))


def one(name: str, family: str, *, members: int, sizes: Sequence[int], owners: str) -> Case:
    """One subscription for all. `owners`: ``none``, ``joins`` or ``leaves``, see `inputs`."""
    partitions = sum(sizes)
    match owners:
        case "joins":
            owner = even_deal(partitions, np.arange(members - 1))
        case "leaves":
            owner = even_deal(partitions, np.arange(members + 1))
            owner[owner == members] = NOBODY
        case _:
            owner = _nobody(partitions)
    return _case(name, family, members, sizes, [tuple(range(len(sizes)))] * members, owner)


def one_odd(name: str, family: str, *, members: int, sizes: Sequence[int]) -> Case:
    """One subscription for all but the last member, which reads the first topic alone."""
    everything = tuple(range(len(sizes)))
    reading = [everything] * (members - 1) + [(0,)]
    return _case(name, family, members, sizes, reading, _nobody(sum(sizes)))


def buckets(name: str, family: str, *, members: int, sizes: Sequence[int], owners: str) -> Case:
    """Five runs of topics; member i reads run i mod 5. `owners`: ``none`` or ``joins``."""
    edges = [len(sizes) * bucket // BUCKETS for bucket in range(BUCKETS + 1)]
    runs = [tuple(range(edges[b], edges[b + 1])) for b in range(BUCKETS)]
    everybody = np.arange(members)
    owner = _nobody(sum(sizes))
    if owners == "joins":
        start = np.concatenate([[0], np.cumsum(sizes)])
        for bucket in range(BUCKETS):
            first, last = start[edges[bucket]], start[edges[bucket + 1]]
            holders = everybody[bucket : members - 1 : BUCKETS]
            owner[first:last] = even_deal(int(last - first), holders)
    return _case(name, family, members, sizes, [runs[m % BUCKETS] for m in range(members)], owner)


def ramp(name: str, family: str, *, members: int, level: int) -> Case:
    """Member i reads topics i - 1 and i and owns level - (members - 1) / 2 + i partitions in a
    row; `level` for each is possible."""
    sizes = [level * members // (members - 1)] * (members - 1)
    reading = [tuple(t for t in (m - 1, m) if 0 <= t < members - 1) for m in range(members)]
    held = [level - (members - 1) // 2 + m for m in range(members)]
    owner = np.repeat(np.arange(members, dtype=np.int32), held)
    return _case(name, family, members, sizes, reading, owner)


def random_mixed(
    name: str, family: str, *, members: int, topics: int, owned: float, seed: int = 1
) -> Case:
    """Topics of 1 to LARGEST_TOPIC partitions; each member reads from 2 topics up to READS of them
    or a fiftieth, what is more. Every topic has a reader; a partition is owned, by any of its
    readers, with probability `owned`."""
    rng = np.random.default_rng([seed, members, topics])
    most = min(topics, max(READS, topics // 50))
    wanted = rng.integers(2, most, members, endpoint=True)
    reading = [set(rng.choice(topics, int(n), replace=False).tolist()) for n in wanted]
    sizes = rng.integers(1, LARGEST_TOPIC, topics, endpoint=True).tolist()
    return _random_case(name, family, rng, reading, sizes, owned)


def small_mixed(name: str, family: str, *, members: int, partitions: int, seed: int = 1) -> Case:
    """So many partitions in topics of 1 to LARGEST_TOPIC; a member reads any topic three times in
    five; four in five partitions are owned."""
    rng = np.random.default_rng([seed, members, partitions])
    sizes: list[int] = []
    while sum(sizes) < partitions:
        sizes.append(min(int(rng.integers(1, LARGEST_TOPIC + 1)), partitions - sum(sizes)))
    reading = [set(np.flatnonzero(row).tolist()) for row in rng.random((members, len(sizes))) < 0.6]
    return _random_case(name, family, rng, reading, sizes, 0.8)


def levels(name: str, family: str, *, members: int, groups: int, each: int) -> Case:
    """Disjoint groups of members; group g carries `each` x g partitions per member, in
    GROUP_TOPICS topics that all of it reads and nobody else.

    Owners hold contiguous runs, the last member of a group twice what the first one does, so that
    much has to move. No partition can leave its group, but the levels of all groups together never
    come within one of each other: a balancer that stops only then, and that looks for a way from
    every light member to a heavier one, searches each group in vain, once for each of its members,
    past every partition that each of its members reads. That is the number of members of a group,
    squared, times its partitions: few and large groups are the hardest. Sizes to take, with what
    such searches look at: 200 members in 10 groups of 10 a member (4 million partitions), 1,000 in
    5 of 10 (1.2 billion), 1,000 in 2 of 20 (7.5), 2,000 in 4 of 10 (12.5), 2,000 in 2 of 20 (60).
    """
    width = members // groups
    sizes: list[int] = []
    reading: list[tuple[int, ...]] = []
    owners = []
    for group in range(groups):
        partitions = each * (group + 1) * width
        first = len(sizes)
        sizes += even_sizes(partitions, GROUP_TOPICS)
        reading += [tuple(range(first, first + GROUP_TOPICS))] * width
        shares = np.cumsum(np.linspace(1.0, 2.0, width))
        edges = np.round(shares * partitions / shares[-1]).astype(np.int64)
        held = np.diff(edges, prepend=0)
        owners.append(np.repeat(np.arange(group * width, (group + 1) * width), held))
    owner = np.concatenate(owners).astype(np.int32)
    return _case(name, family, width * groups, sizes, reading, owner)


def even_deal(partitions: int, holders: npt.NDArray[np.int64]) -> Column:
    """[P] contiguous runs for the holders, as even as possible; nobody's where there are none."""
    if not len(holders):
        return _nobody(partitions)
    place = np.arange(partitions, dtype=np.int64) * len(holders) // max(1, partitions)
    return holders[place].astype(np.int32)


def _random_case(
    name: str,
    family: str,
    rng: np.random.Generator,
    reading: list[set[int]],
    sizes: list[int],
    owned: float,
) -> Case:
    members, topics = len(reading), len(sizes)
    for topic in sorted(set(range(topics)).difference(*reading)):
        reading[int(rng.integers(members))].add(topic)
    pairs = sorted((topic, member) for member, read in enumerate(reading) for topic in read)
    reader = np.array([member for _, member in pairs], dtype=np.int32)
    readers = np.bincount([topic for topic, _ in pairs], minlength=topics)
    first = np.cumsum(readers) - readers
    topic_of = np.repeat(np.arange(topics), sizes)
    pick = (rng.random(len(topic_of)) * readers[topic_of]).astype(np.int64)
    owner = reader[first[topic_of] + pick]
    owner[rng.random(len(owner)) >= owned] = NOBODY
    subscribed = [tuple(sorted(read)) for read in reading]
    return _case(name, family, members, sizes, subscribed, owner)


def _nobody(partitions: int) -> Column:
    return np.full(partitions, NOBODY, dtype=np.int32)


def _case(
    name: str,
    family: str,
    members: int,
    sizes: Sequence[int],
    reading: Sequence[tuple[int, ...]],
    owner: Column,
) -> Case:
    number: dict[tuple[int, ...], int] = {}
    subscription_of = [number.setdefault(topics, len(number)) for topics in reading]
    return Case(
        name=name,
        family=family,
        members=_names("member", members),
        topics=_names("topic", len(sizes)),
        sizes=tuple(int(size) for size in sizes),
        subscriptions=tuple(number),
        subscription_of=np.array(subscription_of, dtype=np.int32),
        owner=owner.astype(np.int32),
    )


def _names(word: str, n: int) -> tuple[str, ...]:
    """Names that ascend as their numbers do."""
    digits = len(str(max(0, n - 1)))
    return tuple(f"{word}-{i:0{digits}}" for i in range(n))
