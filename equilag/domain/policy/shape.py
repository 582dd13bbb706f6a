"""A group with the overrides of a policy put into its own fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from fnmatch import translate
from typing import Any, Final

from equilag.domain.building.co_partitioned import co_partitioned_topics
from equilag.domain.building.instances import unlike_threads
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group, Member
from equilag.domain.policy.new_members import with_added_members
from equilag.domain.policy.override_settings import NO_OVERRIDES, InstancesBy, Overrides
from equilag.domain.policy.override_values import capacity_text
from equilag.domain.policy.pins import pinned
from equilag.domain.show import guess, show

_ATTRIBUTES: Final = {"host": "host", "client-id": "client_id"}
"""What tells the instances apart -> the attribute of Member."""


def shape_group(group: Group, overrides: Overrides) -> Group:
    """The group as the overrides have it; the same object without any.

    Raises InputError for a member, topic or partition that is not there, with the setting's name
    as its place.
    """
    if overrides is NO_OVERRIDES or overrides == NO_OVERRIDES:  # the first is ten times as fast
        return group
    group = with_added_members(group, overrides.add_members)
    changes: dict[str, Any] = {}
    members = _members(group, overrides)
    if members is not group.members:
        changes["members"] = members
    if overrides.co_partition:
        number = {topic: t for t, topic in enumerate(group.topics)}
        changes["co_partitioned"] = co_partitioned_topics(
            overrides.co_partition, number, group.topic_size, "co_partition", numbered=False
        )
    if overrides.pin or overrides.keep:
        changes["allowed"] = pinned(group, overrides)
    return replace(group, **changes)


def _members(group: Group, overrides: Overrides) -> tuple[Member, ...]:
    """The members with their capacities, limits and instances; the same object unchanged."""
    members = group.members
    if overrides.capacity:
        capacity = _capacities(members, overrides)
        members = tuple(
            replace(member, capacity=capacity.get(member.id, member.capacity)) for member in members
        )
    limit = overrides.max_partitions
    if limit is not None:
        members = tuple(
            replace(m, max_partitions=limit if m.max_partitions is None
                    else min(limit, m.max_partitions))
            for m in members
        )  # fmt: skip
    if overrides.instances is not None:
        members = _with_instances(group, members, overrides.instances)
    return members


def _capacities(members: Sequence[Member], overrides: Overrides) -> dict[str, float]:
    """Id -> capacity, of the members that a pattern matches."""
    ids = [member.id for member in members]
    found: dict[str, float] = {}
    matched = _matched(ids, overrides)
    for (pattern, capacity), which in zip(overrides.capacity, matched, strict=True):
        if not which:
            raise InputError(f"no member's id is {show(pattern)}{guess(pattern, ids)}", "capacity")
        found |= dict.fromkeys(which, capacity)
    return found


def unused_capacities(group: Group, overrides: Overrides) -> list[str]:
    """The entries of `capacity`, as texts, that match members of which a later one matches each."""
    matched = _matched([member.id for member in group.members], overrides)
    last: dict[str, int] = {}
    for number, which in enumerate(matched):
        last |= dict.fromkeys(which, number)
    used = set(last.values())
    return [
        capacity_text(entry)
        for number, entry in enumerate(overrides.capacity)
        if matched[number] and number not in used
    ]


def _matched(ids: list[str], overrides: Overrides) -> list[list[str]]:
    """The ids that each entry of `capacity` matches."""
    known = set(ids)
    return [
        [pattern] if pattern in known else [*filter(_matcher(pattern), ids)]
        for pattern, _ in overrides.capacity
    ]


def _matcher(pattern: str) -> Callable[[str], object]:
    return re.compile(translate(pattern)).match


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
