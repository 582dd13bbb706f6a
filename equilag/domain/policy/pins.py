"""Pins, and topics that stay where they are, as the members that may take each partition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY, Group
from equilag.domain.policy.override_settings import Overrides
from equilag.domain.show import guess, plural, show

_NAMES: Final = ("id", "instance_id", "client_id")
"""Attributes of Member that a pin may name, the first one that fits counts."""


def pinned(group: Group, overrides: Overrides) -> dict[int, tuple[int, ...]]:
    """Return `allowed` of the group with pins and kept topics.

    Raises InputError for what is not there, and where nobody is left who may take a partition.
    """
    allowed = dict(group.allowed or {})
    number = {topic: t for t, topic in enumerate(group.topics)}
    members_of = _MembersByName(group)
    for topic, partition, name in overrides.pin:
        t = _topic(number, topic, "pin")
        size = int(group.topic_size[t])
        if partition >= size:
            problem = f"{topic}-{partition} does not exist; {topic} has {plural(size, 'partition')}"
            raise InputError(problem, "pin")
        p = int(group.topic_start[t]) + partition
        takers = [m for m in members_of.named(name) if t in group.class_topics[group.class_of[m]]]
        if not takers:
            raise InputError(f"{show(name)} does not subscribe to {show(topic)}", "pin")
        allowed[p] = _both(group, allowed, p, takers, "pin")
    for topic in overrides.keep:
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


class _MembersByName:
    """The members that a name stands for: an id, else an instance id, else a client id."""

    def __init__(self, group: Group) -> None:
        self._ids = [member.id for member in group.members]
        self._named: list[dict[str, list[int]]] = []
        for attribute in _NAMES:
            named: dict[str, list[int]] = {}
            for m, member in enumerate(group.members):
                name = getattr(member, attribute)
                if name is not None:
                    named.setdefault(name, []).append(m)
            self._named.append(named)

    def named(self, name: str) -> list[int]:
        """Ascending. Raises InputError if there are none."""
        for named in self._named:
            if name in named:
                return named[name]
        problem = f"no member has the id, instance id or client id {show(name)}"
        raise InputError(problem + guess(name, self._ids), "pin")
