"""Which topics of a group seem to be co-partitioned, though nobody says so.

Members that join topics need partition i of all of them. A plan that does not know it tears the
topics apart, and the join is wrong without any error. Two things tell: that partition i of topics
of equal size has one owner, more often than chance explains, and that the group's assignor is
Kafka's range, which gives partition i of such topics to one member by design.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import NOBODY, Index, Ints, alike_rows
from equilag.domain.group.group import Group

RANGE: Final = "range"
SCATTERING: Final = frozenset(("roundrobin", "sticky", "cooperative-sticky", "uniform"))
"""Kafka's other assignors. They give partition i of two topics to one member by accident only, so
that no member can rely on it; dealing in turn makes such accidents frequent."""
CHANCE: Final = 1e-4
"""How likely it may be that owners of topics that have nothing in common match as often in any pair
of topics of a group. 12 partitions of 3 members match all by chance in 2 of 10^6 groups."""
MAX_COMPARED: Final = 2 * 10**7
"""Owners compared, some 50 ms; what is beyond is not looked at."""


class CoPartitionedTopics(NamedTuple):
    """Topics of equal size that seem to be joined."""

    topics: tuple[str, ...]
    size: int
    """Partitions of each."""
    matching: int
    """Numbers i for which partition i of all topics has one owner."""
    by_protocol: bool
    """True if the assignor tells, not the owners."""


def detect_co_partitioned(group: Group, protocol: str = "") -> tuple[CoPartitionedTopics, ...]:
    """The lists of topics that seem to be co-partitioned; none where the group declares lists.

    `protocol` is the assignor that the group uses, empty if unknown. Topics of one partition tell
    nothing. Owners match more often than chance explains if at least half of them do, and if so
    many matches or more have a probability below CHANCE, divided by the pairs of topics of that
    size: binomial, each with the probability that two owners, drawn by the share of their topic
    that each member owns, are the same.
    """
    if group.co_partitioned or protocol in SCATTERING:
        return ()
    found: list[CoPartitionedTopics] = []
    for size, topics in _by_size(group).items():
        if protocol == RANGE:
            found += _by_subscribers(group, size, topics)
        else:
            found += _by_owners(group, size, topics)
    return tuple(sorted(found))


def _by_size(group: Group) -> dict[int, list[int]]:
    """Number of partitions, 2 or more -> the topics, ascending, with several subscribers; 2 or
    more."""
    found: dict[int, list[int]] = {}
    for topic in np.flatnonzero((group.topic_size > 1) & (group.readers > 1)).tolist():
        found.setdefault(int(group.topic_size[topic]), []).append(topic)
    return {size: topics for size, topics in found.items() if len(topics) > 1}


def _by_subscribers(
    group: Group, size: int, topics: Sequence[int]
) -> Iterator[CoPartitionedTopics]:
    """Topics with the same subscribers: range deals them alike."""
    together: dict[int, list[int]] = {}
    for topic, number in zip(topics, alike_rows(group.reads[list(topics)]).tolist(), strict=True):
        together.setdefault(number, []).append(topic)
    for some in together.values():
        if len(some) > 1:
            yield _joined_topics(group, some, _owners(group, some, size), True)


def _by_owners(group: Group, size: int, topics: Sequence[int]) -> Iterator[CoPartitionedTopics]:
    owners = _owners(group, topics, size)
    pairs, left = len(topics) * (len(topics) - 1) // 2, MAX_COMPARED
    free = np.flatnonzero((owners != NOBODY).any(axis=1))
    while len(free) > 1 and left > 0:
        leader, others = owners[free[0]], owners[free[1:]]
        left -= others.size
        both = (others != NOBODY) & (leader != NOBODY)
        equal = ((others == leader) & both).sum(axis=1)
        joins = (equal > 0) & (2 * equal >= both.sum(axis=1))
        joins[joins] = [is_no_accident(leader, other, pairs) for other in others[joins]]
        together = np.append(free[0], free[1:][joins])
        free = free[1:][~joins]
        some = [topics[row] for row in together.tolist()]
        # Nobody could keep topics together that nobody reads together.
        if joins.any() and group.reads[some].all(axis=0).any():
            yield _joined_topics(group, some, owners[together], False)


def _owners(group: Group, topics: Sequence[int], size: int) -> Index:
    """[topics, size] the owners of their partitions."""
    owners: Index = group.owner[group.topic_start[list(topics)][:, None] + np.arange(size)]
    return owners


def is_no_accident(one: Index, other: Index, pairs: int) -> bool:
    """True if two topics' owners match more often than chance explains in one of so many pairs."""
    both = (one != NOBODY) & (other != NOBODY)
    n, equal = int(np.count_nonzero(both)), int(np.count_nonzero(both & (one == other)))
    if not equal or 2 * equal < n:
        return False
    _, number = np.unique(np.concatenate((one[both], other[both])), return_inverse=True)
    share: Ints = np.bincount(number[:n], minlength=int(number.max()) + 1)
    other_share: Ints = np.bincount(number[n:], minlength=len(share))
    p = float(share @ other_share) / (n * n)
    return chance_of_matches(n, equal, p) * pairs < CHANCE


def chance_of_matches(n: int, least: int, p: float) -> float:
    """An upper bound on the probability of `least` or more of n, each with the probability p.

    Chernoff's, from the relative entropy; exact where all n match.
    """
    q = least / n
    if q <= p:
        return 1.0
    entropy = q * math.log(q / p)
    if q < 1:
        entropy += (1 - q) * math.log((1 - q) / (1 - p))
    return math.exp(-n * entropy)


def _joined_topics(
    group: Group, topics: Sequence[int], owners: Index, by_protocol: bool
) -> CoPartitionedTopics:
    """A list of topics, whose owners are [topics, size]."""
    matching = (owners[0] != NOBODY) & (owners == owners[0]).all(axis=0)
    names = tuple(group.topics[topic] for topic in topics)
    return CoPartitionedTopics(names, owners.shape[1], int(matching.sum()), by_protocol)
