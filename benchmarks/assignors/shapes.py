"""The shapes of groups for the cases of `inputs`: subscriptions, topic sizes, owners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from benchmarks.assignors.case import Case
from equilag.domain.group.group import NOBODY

BUCKETS: Final = 5
"""Buckets of topics, as in Kafka's JMH benchmark."""
READS: Final = 30
"""Most topics of a random subscription, or a fiftieth of all topics if that is more."""
LARGEST_TOPIC: Final = 8
"""Most partitions of a topic in groups with random subscriptions."""
GROUP_TOPICS: Final = 10
"""Topics of each disjoint group of members."""
Column = npt.NDArray[np.int32]


def even_sizes(partitions: int, topics: int) -> tuple[int, ...]:
    """Return [T] sizes that differ by at most one, and are at least one."""
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
    """All members have one subscription, except the last, which reads only the first topic."""
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
    """Member i reads topics i - 1 and i and owns a run of level - (members - 1) / 2 + i partitions.

    An assignment with `level` partitions for each member exists.
    """
    sizes = [level * members // (members - 1)] * (members - 1)
    reading = [tuple(t for t in (m - 1, m) if 0 <= t < members - 1) for m in range(members)]
    held = [level - (members - 1) // 2 + m for m in range(members)]
    owner = np.repeat(np.arange(members, dtype=np.int32), held)
    return _case(name, family, members, sizes, reading, owner)


def random_mixed(
    name: str, family: str, *, members: int, topics: int, owned: float, seed: int = 1
) -> Case:
    """Random subscriptions and owners.

    Topics have 1 to LARGEST_TOPIC partitions. Each member reads 2 topics or more, up to READS or a
    fiftieth of all topics, whichever is larger. Every topic has a reader. With probability `owned`,
    a partition is owned by one of its readers.
    """
    rng = np.random.default_rng([seed, members, topics])
    most = min(topics, max(READS, topics // 50))
    wanted = rng.integers(2, most, members, endpoint=True)
    reading = [set(rng.choice(topics, int(n), replace=False).tolist()) for n in wanted]
    sizes = rng.integers(1, LARGEST_TOPIC, topics, endpoint=True).tolist()
    return _random_case(name, family, rng, reading, sizes, owned)


def same_width(
    name: str, family: str, *, members: int, topics: int, reads: int, size: int | None, seed: int
) -> Case:
    """Random subscriptions to `reads` topics each, and random owners of 8 in 10 partitions.

    Topics have `size` partitions, or 1 to LARGEST_TOPIC if that is None.
    """
    rng = np.random.default_rng([seed, members, topics])
    reading = [set(rng.choice(topics, reads, replace=False).tolist()) for _ in range(members)]
    sizes = rng.integers(1, LARGEST_TOPIC, topics, endpoint=True).tolist()
    return _random_case(name, family, rng, reading, sizes if size is None else [size] * topics, 0.8)


def small_mixed(name: str, family: str, *, members: int, partitions: int, seed: int = 1) -> Case:
    """Random subscriptions and owners of a small group.

    Topics have 1 to LARGEST_TOPIC partitions. A member reads each topic with probability 0.6, and a
    partition is owned with probability 0.8.
    """
    rng = np.random.default_rng([seed, members, partitions])
    sizes: list[int] = []
    while sum(sizes) < partitions:
        sizes.append(min(int(rng.integers(1, LARGEST_TOPIC + 1)), partitions - sum(sizes)))
    reading = [set(np.flatnonzero(row).tolist()) for row in rng.random((members, len(sizes))) < 0.6]
    return _random_case(name, family, rng, reading, sizes, 0.8)


def levels(name: str, family: str, *, members: int, groups: int, each: int) -> Case:
    """Disjoint groups of members; group g has `each` x g partitions per member, in GROUP_TOPICS
    topics that only its members read.

    Owners have contiguous runs. The last member of a group owns twice as many partitions as the
    first, so many have to move. No partition can leave its group, and the counts of different
    groups never come within one of each other. A balancer that stops only at that point, and that
    searches a path from every light member to a heavier one, searches each group in vain: once for
    each member, over all partitions that each member reads. This takes the squared number of
    members of a group times its partitions, so few large groups are the hardest. Suitable sizes,
    with the partitions that such searches visit: 200 members in 10 groups with `each` 10 (4
    million); 1,000 in 5 with 10 (1.2 billion); 1,000 in 2 with 20 (7.5 billion); 2,000 in 4 with 10
    (12.5 billion); 2,000 in 2 with 20 (60 billion).
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
    """Return [P] owners in contiguous runs, as even as possible; NOBODY without holders."""
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
    """Return names whose alphabetical order is that of their numbers."""
    digits = len(str(max(0, n - 1)))
    return tuple(f"{word}-{i:0{digits}}" for i in range(n))
