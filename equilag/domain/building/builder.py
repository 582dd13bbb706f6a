"""The one way to make a Group, with every check that is not about a file format.

Snapshots, texts of Kafka's tools, live groups, rebalances, rows of a fleet and tests all describe
a group as GroupInput and call `Group.build`.

Where a new field goes: one of members is an attribute of Member and an entry of
`member_fields.MEMBER_FIELDS`. One of partitions is a key of GroupInput, an entry of
`partition_fields.PARTITION_FIELDS` and a column of Group.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from operator import attrgetter
from typing import TypeVar

import numpy as np

from equilag.domain.building.group_input import (
    LAGS_AND_OFFSETS,
    MAX_EXAMPLES,
    MISSING_TOPIC,
    GroupInput,
    InputDoubt,
    PartitionOffsets,
    check_arguments,
    plain_input,
)
from equilag.domain.building.member_fields import check_members, refuse_strangers, unlike_threads
from equilag.domain.building.ownership import claim_doubts, given_claims, settle
from equilag.domain.building.partition_fields import (
    lag_columns,
    offset_columns,
    previous_columns,
    rate_column,
    weight_column,
)
from equilag.domain.building.topic_index import (
    PartitionField,
    TopicIndex,
    allowed_members,
    co_partitioned_topics,
)
from equilag.domain.columns import Index
from equilag.domain.errors import InputError
from equilag.domain.group.member import Member
from equilag.domain.values import check_texts, not_a

G = TypeVar("G")


def build(given: GroupInput, make: Callable[..., G]) -> G:
    """Return the group that `make`, the class Group, makes of the columns; see `Group.build`.

    Raises InputError, and TypeError for an argument that is missing or unknown.
    """
    try:
        return _build(given, make)
    except InputError:
        plain = plain_input(given)
        if plain is None:
            raise
    return _build(plain, make)


def _build(given: GroupInput, make: Callable[..., G]) -> G:
    check_arguments(given)
    topics = TopicIndex.of(given["topics"])
    listed = [one if isinstance(one, Member) else Member(one) for one in given["members"]]
    check_members(listed)
    listed_ids = [member.id for member in listed]
    order = sorted(range(len(listed)), key=listed_ids.__getitem__)
    members = tuple(map(listed.__getitem__, order))
    ids = list(map(listed_ids.__getitem__, order))
    class_of, class_topics, absent = _classes(ids, order, given["subscriptions"], topics)
    rows = given_claims(ids, order, given.get("owned") or {}, topics)
    generations = np.array([member.generation for member in members], dtype=np.int64)
    claims = settle(rows, topics, generations, class_of, class_topics)
    doubts = (
        *claim_doubts(claims, rows, topics, ids, generations),
        *subscription_doubts(absent),
        *lag_doubts(given),
    )
    _check_threads(listed, order, class_of)
    offsets = given.get("offsets")
    offset_column = None if offsets is None else offset_columns(offsets, topics)
    lag, quality = lag_columns(given, topics, offset_column)
    allowed = None
    if given.get("allowed") is not None:
        allowed = allowed_members(given["allowed"], topics, ids, class_of, class_topics)
    return make(
        name=given["name"],
        members=members,
        topics=topics.names,
        topic_start=topics.start,
        class_of=class_of,
        class_topics=class_topics,
        lag=lag,
        quality=quality,
        claim_member=claims.member,
        claim_partition=claims.partition,
        owner=claims.owner,
        dropped_claims=claims.dropped,
        doubts=doubts,
        taken_at=given.get("taken_at"),
        generation=given.get("generation"),
        incomplete=tuple(given.get("incomplete") or ()),
        assumed_subscribers=tuple(given.get("assumed_subscribers") or ()),
        racks=_racks(given["racks"], topics) if given.get("racks") else None,
        offsets=offset_column,
        previous=previous_columns(given.get("previous"), topics),
        rates=rate_column(given.get("rates"), topics),
        weights=weight_column(given.get("weights"), topics, "weights"),
        move_weights=weight_column(given.get("move_weights"), topics, "move_weights"),
        allowed=allowed,
        co_partitioned=co_partitioned_topics(
            given.get("co_partitioned"), topics.number, topics.size
        ),
    )


def _check_threads(listed: Sequence[Member], order: Sequence[int], class_of: Index) -> None:
    """Raise InputError for threads of one instance with other subscriptions or racks."""
    if not any(map(attrgetter("instance"), listed)):
        return
    class_at = np.empty_like(class_of)
    class_at[np.array(order)] = class_of
    if (unlike := unlike_threads(listed, class_at)) is not None:
        first, second, what = unlike
        problem = f"members[{first}] has the same one and another {what}"
        raise InputError(problem, f"members[{second}].instance")


def _classes(
    ids: Sequence[str],
    order: Sequence[int],
    subscriptions: Mapping[str, Sequence[str]],
    topics: TopicIndex,
) -> tuple[Index, tuple[Index, ...], dict[str, list[str]]]:
    """`class_of` and `class_topics` of Group, numbered in order of appearance; and the topics that
    do not exist, of each member that subscribes to some."""
    if len(subscriptions) > len(ids):
        refuse_strangers(subscriptions, ids, "subscriptions")
    readable = {name: t for t, name in enumerate(topics.names) if topics.size[t]}
    lists = list(map(subscriptions.get, ids))
    numbers: dict[tuple[int, ...], int] = {}
    # Each list, and each distinct way to write one, is worked out once: thousands share one.
    spelled: dict[tuple[str, ...], tuple[int, list[str]]] = {}
    found: dict[int, tuple[int, list[str]]] = {}
    for address, names in dict(zip(map(id, lists), lists, strict=True)).items():
        if not isinstance(names, (list, tuple)) or not set(map(type, names)) <= {str}:
            place = f"members[{order[lists.index(names)]}].subscription"
            if names is None:
                raise InputError("missing, but required", place)
            if not isinstance(names, (list, tuple)):
                raise InputError(not_a(names, "a list"), place)
            check_texts(names, place)
        key = tuple(names)
        if key not in spelled:
            read = tuple(sorted({readable[name] for name in key if name in readable}))
            absent = [name for name in dict.fromkeys(key) if name not in topics.number]
            spelled[key] = numbers.setdefault(read, len(numbers)), absent
        found[address] = spelled[key]
    each = [found[id(names)] for names in lists]
    missing = {member: absent for member, (_, absent) in zip(ids, each, strict=True) if absent}
    class_of = np.array([number for number, _ in each], dtype=np.int32)
    class_topics = tuple(np.array(read, dtype=np.int32) for read in numbers)
    return class_of, class_topics, missing


def _racks(
    racks: Mapping[str, Sequence[Sequence[str]]], topics: TopicIndex
) -> tuple[tuple[str, ...], ...]:
    """[P] the racks of each partition; equal ones are one object."""
    field = PartitionField.of("racks", topics, racks)
    known: dict[tuple[str, ...], tuple[str, ...]] = {(): ()}
    found: list[tuple[str, ...]] = [()] * topics.n_partitions
    numbers = field.numbers.tolist()
    for row, (topic, cells) in enumerate(zip(numbers, field.rows(racks), strict=True)):
        for index, cell in enumerate(cells):
            place = f"{field.place(row)}[{index}]"
            if not isinstance(cell, (list, tuple)):
                raise InputError(not_a(cell, "a list"), place)
            check_texts(cell, place)
            names = tuple(cell)
            found[int(topics.start[topic]) + index] = known.setdefault(names, names)
    return tuple(found)


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
