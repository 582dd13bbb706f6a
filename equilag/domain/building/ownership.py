"""Who owns what: which of everybody's claims on partitions stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from equilag.domain.building.topic_index import TopicIndex
from equilag.domain.columns import NOBODY, Flags, Index, Ints

NO_TOPIC: Final = -1
"""The number of a topic that does not exist."""


@dataclass(frozen=True, slots=True)
class ClaimRows:
    """R runs of claims, each of one member on one topic, by ascending member.

    `topic` may be NO_TOPIC; `number` [sum of size] has the partition numbers of all runs, which
    may be beyond the topic's end.
    """

    member: Index
    topic: Ints
    size: Ints
    number: Ints
    names: Sequence[str] = ()
    """[R] the topics by name, where they were given so."""


@dataclass(frozen=True, slots=True)
class Ownership:
    """Q claims of live members on existing partitions, each once, and what became of them."""

    member: Index
    partition: Ints
    owner: Index
    """[P] the member whose claim stands, or NOBODY."""
    dropped: int
    """Claims on what is gone or by a member that does not subscribe; the same one counts once."""
    gone: Ints
    """[2, n] row and partition number of each claim on what does not exist, once."""
    foreign: Ints
    """Which of the Q claims are by members that do not subscribe."""
    voided: Ints
    """Partitions whose two newest claims void each other."""


def settle(
    rows: ClaimRows,
    topics: TopicIndex,
    generation: Ints,
    class_of: Index,
    class_topics: tuple[Index, ...],
) -> Ownership:
    """Return the claims by member, each where it was first made, and the owner of each partition.

    `generation` [M] is that of each member's claims; `class_of` and `class_topics` as in Group.
    """
    n_partitions = topics.n_partitions
    partition = np.repeat(topics.start[rows.topic], rows.size) + rows.number
    member = np.repeat(rows.member, rows.size)
    subscribed = np.repeat(_subscribed(rows, topics, class_of, class_topics), rows.size)
    gone = np.zeros((2, 0), dtype=np.int64)
    foreign = voided = np.zeros(0, dtype=np.int64)
    exists = rows.number < np.repeat(np.append(topics.size, 0)[rows.topic], rows.size)
    if not exists.all():
        row = np.repeat(np.arange(len(rows.size)), rows.size)
        gone = np.unique(np.stack((row[~exists], rows.number[~exists])), axis=1)
        partition, subscribed, member = partition[exists], subscribed[exists], member[exists]
    contested = _any_twice(partition, n_partitions)
    if contested:
        # The same partition twice from one member is one claim, where it was first named.
        key = member * np.int64(n_partitions) + partition
        first = np.sort(np.unique(key, return_index=True)[1])
        partition, subscribed, member = partition[first], subscribed[first], member[first]
    if not subscribed.all():
        foreign = np.flatnonzero(~subscribed)
    if contested:
        voided = voided_partitions(partition, generation[member])
        owner = resolve_claims(member, partition, generation[member], subscribed, n_partitions)
    else:
        owner = np.full(n_partitions, NOBODY, dtype=np.int32)
        stands = subscribed if len(foreign) else slice(None)
        owner[partition[stands]] = member[stands]
    dropped = int(gone.shape[1]) + len(foreign)
    return Ownership(member, partition, owner, dropped, gone, foreign, voided)


def resolve_claims(
    claim_member: Index,
    claim_partition: Ints,
    generation: Ints,
    subscribed: Flags,
    n_partitions: int,
) -> Index:
    """Return the owner of each partition [P] (KIP-54, with Kafka 4's rule).

    `generation` and `subscribed` are per claim. The newest claim on a partition wins, whether or
    not its member still subscribes; two of the same, newest generation void each other; then a
    winner that does not subscribe loses it.
    """
    owner = np.full(n_partitions, NOBODY, dtype=np.int32)
    if not len(claim_member):
        return owner
    order = np.lexsort((generation, claim_partition))
    partition, newest = claim_partition[order], generation[order]
    last = np.append(partition[1:] != partition[:-1], True)
    tied = np.append(False, (partition[1:] == partition[:-1]) & (newest[1:] == newest[:-1]))
    winner = order[last & ~tied & subscribed[order]]
    owner[claim_partition[winner]] = claim_member[winner]
    return owner


def voided_partitions(claim_partition: Ints, generation: Ints) -> Ints:
    """Return the partitions whose two newest claims are of the same generation, ascending."""
    order = np.lexsort((generation, claim_partition))
    partition, newest = claim_partition[order], generation[order]
    last = np.append(partition[1:] != partition[:-1], True)
    tied = np.append(False, (partition[1:] == partition[:-1]) & (newest[1:] == newest[:-1]))
    found: Ints = partition[last & tied]
    return found


def _any_twice(partition: Ints, n_partitions: int) -> bool:
    """True if a partition is claimed more than once (usually none is, which saves much work)."""
    seen = np.zeros(n_partitions, dtype=np.bool_)
    seen[partition] = True
    return int(np.count_nonzero(seen)) < len(partition)


def _subscribed(
    rows: ClaimRows, topics: TopicIndex, class_of: Index, class_topics: Sequence[Index]
) -> Flags:
    """[R] does the member of the row read its topic."""
    if len(class_topics) == 1 and len(class_topics[0]) == np.count_nonzero(topics.size):
        return np.ones(len(rows.topic), dtype=np.bool_)  # everybody reads whatever exists
    # Not by a table of topics x classes: with many of both it would not fit in memory.
    n_topics = len(topics.names)
    readable = [
        number * n_topics + read.astype(np.int64) for number, read in enumerate(class_topics)
    ]
    known = np.concatenate([np.zeros(0, np.int64), *readable])
    wanted = class_of[rows.member].astype(np.int64) * n_topics + rows.topic
    found = np.append(known, -1)[np.searchsorted(known, wanted)] == wanted
    return np.asarray(found & (rows.topic != NO_TOPIC), dtype=np.bool_)
