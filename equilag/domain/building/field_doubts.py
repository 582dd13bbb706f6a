"""What is doubtful about subscriptions and lags, by name."""

from __future__ import annotations

from collections.abc import Mapping, Set

from equilag.domain.building.group_input import GroupInput, PartitionOffsets
from equilag.domain.group.input_doubt import (
    LAGS_AND_OFFSETS,
    MAX_EXAMPLES,
    MISSING_TOPIC,
    InputDoubt,
)


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
