"""A group with what a policy says of it put into its own fields."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import translate
from itertools import count, islice
from typing import Any, Final, TypeVar

import numpy as np

from equilag.domain.building.member_fields import unlike_threads
from equilag.domain.building.topic_index import co_partitioned_topics
from equilag.domain.columns import Floats, Index, Ints
from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY, Group
from equilag.domain.group.member import Member
from equilag.domain.policy.entries import EVERY, pattern_text
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import InstancesBy
from equilag.domain.show import guess, plural, show

Number = TypeVar("Number", int, float)
NEW_PREFIX: Final = "new-"
"""New members are called new-1, new-2, …, so that `--capacity 'new-*=N'` speaks of them."""


def with_added_members(group: Group, number: int | None) -> Group:
    """The group with so many members more, each with the subscription of a present one, so that all
    subscriptions keep their share; the same group without any.

    Where most members are threads of instances, so are the new ones, of as many threads. Raises
    InputError if nobody reads a partition, whose subscription they could have.
    """
    if not number:
        return group
    busy = np.flatnonzero(~group.idle)
    if not len(busy):
        raise InputError("no member reads a partition, so new ones would not either", "add_members")
    share = np.bincount(group.class_of[busy], minlength=len(group.class_topics))
    classes = in_shares(share, share.astype(np.float64), number)
    names = [member.instance for member in group.members if member.instance is not None]
    few = 2 * len(names) < group.n_members or not names
    threads = 1 if few else usual_threads([names.count(name) for name in dict.fromkeys(names)])
    return with_new_members(group, sorted(classes), threads)


def in_shares(share: Ints, given: Floats, number: int) -> list[int]:
    """Whose turn it is, so many times after what was `given`, by the divisor method of Webster: as
    seats are shared among parties."""
    if len(share) == 1:
        return [0] * number
    given, turns = given.copy(), list[int]()
    for _ in range(number):
        turns.append(int(np.argmax(share / (2 * given + 1))))
        given[turns[-1]] += 1
    return turns


def with_new_members(group: Group, classes: Sequence[int], threads: int = 1) -> Group:
    """The group with a new member of each of these member classes. Owners keep what they have.

    So many in a row, of one class, are threads of one instance.
    """
    taken = {member.id for member in group.members}
    names = (name for n in count(1) if (name := f"{NEW_PREFIX}{n}") not in taken)
    new = [
        Member(name, instance=None if threads == 1 else f"{NEW_PREFIX}process-{n // threads + 1}")
        for n, name in enumerate(islice(names, len(classes)))
    ]
    members = [*group.members, *new]
    by_id = sorted(range(len(members)), key=lambda m: members[m].id)
    number: Index = np.empty(len(members) + 1, dtype=np.int32)
    number[by_id] = np.arange(len(members))
    number[-1] = NOBODY  # that of nobody is the last entry
    ordered = tuple(members[m] for m in by_id)
    class_of = np.array([*group.class_of.tolist(), *classes], dtype=np.int32)
    allowed = group.allowed and {
        partition: tuple(sorted(number[list(takers)].tolist()))
        for partition, takers in group.allowed.items()
    }
    return replace(
        group,
        members=ordered,
        class_of=class_of[by_id],
        claim_member=number[group.claim_member],
        owner=number[group.owner],
        allowed=allowed,
    )


def usual_threads(numbers: Sequence[int]) -> int:
    """The number of threads that most instances have, the largest of several."""
    return max(set(numbers), key=lambda number: (numbers.count(number), number))


_NAMES: Final = ("id", "instance_id", "client_id")
"""Attributes of Member that a pin may name, the first one that fits counts."""


def pinned(group: Group, policy: Policy) -> dict[int, tuple[int, ...]]:
    """Return `allowed` of the group with pins and kept topics.

    Raises InputError for what is not there, and where nobody is left who may take a partition.
    """
    allowed = dict(group.allowed or {})
    number = {topic: t for t, topic in enumerate(group.topics)}
    members_of = _members_by_name(group)
    for topic, partition, name in policy.pin:
        t = _topic(number, topic, "pin")
        size = int(group.topic_size[t])
        if partition >= size:
            problem = f"{topic}-{partition} does not exist; {topic} has {plural(size, 'partition')}"
            raise InputError(problem, "pin")
        p = int(group.topic_start[t]) + partition
        if name not in members_of:
            known = guess(name, [member.id for member in group.members])
            raise InputError(
                f"no member has the id, instance id or client id {show(name)}{known}", "pin"
            )
        takers = [m for m in members_of[name] if t in group.class_topics[group.class_of[m]]]
        if not takers:
            raise InputError(f"{show(name)} does not subscribe to {show(topic)}", "pin")
        allowed[p] = _both(group, allowed, p, takers, "pin")
    for topic in policy.keep:
        t = _topic(number, topic, "keep")
        for p in range(int(group.topic_start[t]), int(group.topic_start[t + 1])):
            owner = int(group.owner[p])
            if owner != NOBODY:
                allowed[p] = _both(group, allowed, p, (owner,), "keep")
    return allowed


def _topic(number: dict[str, int], topic: str, place: str) -> int:
    if topic not in number:
        raise InputError(f"there is no topic {show(topic)}{guess(topic, number)}", place)
    return number[topic]


def _both(
    group: Group,
    allowed: dict[int, tuple[int, ...]],
    partition: int,
    takers: Sequence[int],
    place: str,
) -> tuple[int, ...]:
    """The members among `takers` that may take the partition already. Raises InputError."""
    before = allowed.get(partition)
    both = tuple(takers) if before is None else tuple(m for m in takers if m in before)
    if not both:
        topic, index = group.partition_name(partition)
        name = show(group.members[takers[0]].id)
        problem = f"{name} is not among the members that {topic}-{index} allows"
        if place == "keep":
            problem = f"{name} owns {topic}-{index}, which is pinned or allowed to others only"
        raise InputError(problem, place)
    return both


def _members_by_name(group: Group) -> dict[str, list[int]]:
    """The members, ascending, that a name stands for: an id, else an instance id, else a client
    id."""
    found: dict[str, list[int]] = {}
    for attribute in _NAMES:
        named: dict[str, list[int]] = {}
        for m, member in enumerate(group.members):
            named.setdefault(getattr(member, attribute), []).append(m)
        found = named | found
    return found


_ATTRIBUTES: Final = {"host": "host", "client-id": "client_id"}
"""What tells the instances apart -> the attribute of Member."""


def shape_group(group: Group, policy: Policy) -> Group:
    """The group as the policy has it; the same object where it says nothing of the group.

    Raises InputError for a member, topic or partition that is not there, with the setting's name
    as its place.
    """
    if not policy.overrides_group:
        return group
    group = with_added_members(group, policy.add_members)
    changes: dict[str, Any] = {}
    members = _members(group, policy)
    if members is not group.members:
        changes["members"] = members
    if policy.co_partition:
        number = {topic: t for t, topic in enumerate(group.topics)}
        changes["co_partitioned"] = co_partitioned_topics(
            policy.co_partition, number, group.topic_size, "co_partition", numbered=False
        )
    if policy.pin or policy.keep:
        changes["allowed"] = pinned(group, policy)
    return replace(group, **changes)


def _members(group: Group, policy: Policy) -> tuple[Member, ...]:
    """The members with their capacities, limits and instances; the same object unchanged."""
    members = group.members
    if policy.capacity:
        capacity = _by_member(members, policy.capacity, "capacity")
        members = tuple(
            replace(member, capacity=capacity.get(member.id, member.capacity)) for member in members
        )
    if policy.max_partitions:
        limit = _by_member(members, policy.max_partitions, "max_partitions")
        both = ((m, (limit.get(m.id), m.max_partitions)) for m in members)
        members = tuple(
            replace(m, max_partitions=min((n for n in pair if n is not None), default=None))
            for m, pair in both
        )
    if policy.instances is not None:
        members = _with_instances(group, members, policy.instances)
    return members


def _by_member(
    members: Sequence[Member], entries: Sequence[tuple[str, Number]], place: str
) -> dict[str, Number]:
    """Id -> number, of the members that a pattern matches."""
    ids = [member.id for member in members]
    found: dict[str, Number] = {}
    for (pattern, number), which in zip(entries, _matched(ids, entries), strict=True):
        if not which and pattern != EVERY:
            raise InputError(f"no member's id is {show(pattern)}{guess(pattern, ids)}", place)
        found |= dict.fromkeys(which, number)
    return found


def unused_entries(group: Group, entries: Sequence[tuple[str, float]]) -> list[str]:
    """The entries, as texts, that match members of which a later one matches each."""
    matched = _matched([member.id for member in group.members], entries)
    last: dict[str, int] = {}
    for number, which in enumerate(matched):
        last |= dict.fromkeys(which, number)
    used = set(last.values())
    return [
        pattern_text(entry)
        for number, entry in enumerate(entries)
        if matched[number] and number not in used
    ]


def _matched(ids: list[str], entries: Sequence[tuple[str, float]]) -> list[list[str]]:
    """The ids that each entry matches."""
    known = set(ids)
    return [
        [pattern] if pattern in known else [*filter(re.compile(translate(pattern)).match, ids)]
        for pattern, _ in entries
    ]


def _with_instances(
    group: Group, members: tuple[Member, ...], by: InstancesBy
) -> tuple[Member, ...]:
    """The members with their hosts, or client ids, as instances; unknown ones stay single."""
    if by == "none":
        return tuple(replace(member, instance=None) for member in members)
    reads = [len(topics) > 0 for topics in group.class_topics]
    threads = tuple(
        # What reads nothing, as a steward, is no thread of its neighbour on the host.
        replace(m, instance=getattr(m, _ATTRIBUTES[by]) if reads[k] else None)
        for m, k in zip(members, group.class_of.tolist(), strict=True)
    )
    if members and all(member.instance is None for member in threads):
        raise InputError(f"no member's {by} is known", "instances")
    if (unlike := unlike_threads(threads, group.class_of)) is not None:
        first, second, what = unlike
        both = f"{show(threads[first].id)} and {show(threads[second].id)}"
        name = show(threads[first].instance)
        raise InputError(f"{both} have the same {by}, {name}, but not the same {what}", "instances")
    return threads
