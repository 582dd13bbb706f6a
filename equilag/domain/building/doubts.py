"""Which claims do not count, and why, by name; worked out only where there are such claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

import numpy as np

from equilag.domain.building.group_input import GroupInput, PartitionOffsets
from equilag.domain.building.ownership import NO_TOPIC, ClaimRows, Ownership
from equilag.domain.building.topic_index import TopicIndex
from equilag.domain.columns import Ints
from equilag.domain.group.input_doubt import (
    CLAIMED_TWICE,
    DROPPED_CLAIM,
    LAGS_AND_OFFSETS,
    MAX_EXAMPLES,
    MISSING_TOPIC,
    NO_SUCH_PARTITION,
    NO_SUCH_TOPIC,
    NOT_SUBSCRIBED,
    InputDoubt,
)


def claim_doubts(
    claims: Ownership,
    rows: ClaimRows,
    topics: TopicIndex,
    ids: Sequence[str],
    generation: Ints,
) -> list[InputDoubt]:
    """Return what is doubtful about the claims; `ids` and `generation` [M] are the members'."""
    found = []
    if len(claims.voided):
        examples = tuple(
            (_partition_name(partition, topics), *_newest(partition, claims, ids, generation))
            for partition in claims.voided[:MAX_EXAMPLES].tolist()
        )
        found.append(InputDoubt(CLAIMED_TWICE, len(claims.voided), examples))
    if claims.dropped:
        examples = (*_gone(claims, rows, topics, ids), *_unread(claims, topics, ids))
        found.append(InputDoubt(DROPPED_CLAIM, claims.dropped, examples[:MAX_EXAMPLES]))
    return found


def _newest(
    partition: int, claims: Ownership, ids: Sequence[str], generation: Ints
) -> tuple[str, ...]:
    """The members with the newest claims on a partition."""
    members = claims.member[claims.partition == partition]
    newest = generation[members] == generation[members].max()
    return tuple(ids[member] for member in members[newest].tolist())


def _gone(
    claims: Ownership, rows: ClaimRows, topics: TopicIndex, ids: Sequence[str]
) -> tuple[tuple[str, ...], ...]:
    """Claims on what does not exist."""
    found = []
    for row, number in claims.gone[:, :MAX_EXAMPLES].T.tolist():
        topic = int(rows.topic[row])
        exists = topic != NO_TOPIC
        name = topics.names[topic] if exists else rows.names[row]
        why = NO_SUCH_PARTITION if exists else NO_SUCH_TOPIC
        found.append((f"{name}-{number}", ids[int(rows.member[row])], why))
    return tuple(found)


def _unread(
    claims: Ownership, topics: TopicIndex, ids: Sequence[str]
) -> tuple[tuple[str, ...], ...]:
    """Claims of members that do not subscribe to the topic."""
    chosen = claims.foreign[:MAX_EXAMPLES]
    pairs = zip(claims.partition[chosen].tolist(), claims.member[chosen].tolist(), strict=True)
    return tuple((_partition_name(p, topics), ids[m], NOT_SUBSCRIBED) for p, m in pairs)


def _partition_name(partition: int, topics: TopicIndex) -> str:
    topic = int(np.searchsorted(topics.start, partition, side="right")) - 1
    return f"{topics.names[topic]}-{partition - int(topics.start[topic])}"


def subscription_doubts(missing: Mapping[str, list[str]]) -> list[InputDoubt]:
    """Return the subscriptions to topics that do not exist; `missing` has them by member."""
    count = sum(map(len, missing.values()))
    if not count:
        return []
    examples: list[tuple[str, ...]] = []
    for member, topics in missing.items():
        examples += [(member, topic) for topic in topics[:MAX_EXAMPLES]]
        if len(examples) >= MAX_EXAMPLES:
            break
    return [InputDoubt(MISSING_TOPIC, count, tuple(examples[:MAX_EXAMPLES]))]


def lag_doubts(given: GroupInput) -> list[InputDoubt]:
    """Return the topics that have both lags and offsets."""
    lags, offsets = given.get("lags"), given.get("offsets")
    if lags is None or not isinstance(offsets, PartitionOffsets):
        return []
    both = sorted(_topics(lags, given["topics"]) & _topics(offsets.log_start, given["topics"]))
    examples = tuple((topic,) for topic in both[:MAX_EXAMPLES])
    return [InputDoubt(LAGS_AND_OFFSETS, len(both), examples)] if both else []


def _topics(field: object, topics: Mapping[str, int]) -> Set[str]:
    """The topics of a field: its keys, or all of them if it is a column."""
    return field.keys() if isinstance(field, Mapping) else topics.keys()
